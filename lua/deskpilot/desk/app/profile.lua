--- The profile of an application: data from a file deskpilot/apps/NAME.lua, which profiles.lua finds. This module
--- checks a profile's fields, decides which windows belong to its application, and finds the program that starts it.
local native = require "native.desk"
local uv = require "luv"
local errors = require "deskpilot.base.errors"
local data = require "deskpilot.base.data"
local data_fields = require "deskpilot.base.data_fields"
local platform = require "deskpilot.desk.platform"
local system = require "native.system"
local text = require "deskpilot.base.text"
local timing = require "deskpilot.desk.wait.timing"

local app_profile = {}

---@class deskpilot.app_profile
---@field id string the name of its file
---@field name string its usual name
---@field about string what it is, as in "a text editor"
---@field binary string|string[] programs that start it: the first that exists; %NAME% is an environment variable
---@field public package string? what has to be installed for it
---@field arguments string[]? command line arguments for every start
---@field env table<string, string>?
---@field class string|string[]|nil class of its windows, whatever the case
---@field executable string|string[]|nil file name of the program that its windows belong to, whatever the case
---@field title string|string[]|nil Lua pattern that the titles of all its windows match
---@field main string|string[]|nil Lua pattern of its main window's title, if it has other windows too
---@field ready deskpilot.app_ready? what is on the screen when it can be used
---@field single boolean? whether opening it means its existing window, if there is one
---@field browser boolean? whether it speaks Chromium's debugging protocol and is started by desk.browser
---@field shortcuts table<string, string>? purpose -> keys, such as save = "ctrl+s"
---@field hints string? advice for a model that works with it
---@field timing deskpilot.app_timing?

---@class deskpilot.app_ready
---@field role string? of an element of its window
---@field name string? of that element
---@field read string? a text that can be read on its window, for applications without elements
---@field title string? Lua pattern that the window's title matches

---@class deskpilot.app_timing
---@field start number? timeout in seconds until it shows its window; default timing.app_start
---@field ready number? timeout in seconds until it is ready; default timing.app_ready
---@field settle_quiet number? a screen without a change for so many seconds is settled
---@field settle_cap number? timeout in seconds of settling
---@field pointer_rest number? seconds that the pointer rests on its target before a button goes down
---@field click_hold number? seconds that a button stays down in a click
---@field click_pause number? seconds of pause after a click
---@field double_click number? seconds between the clicks of a double click
---@field drag_step number? seconds between two moves of a drag
---@field key_hold number? seconds that keys stay down in a press
---@field key_pause number? seconds of pause after a key press
---@field type_interval number? seconds between two characters that are typed

-- --- what a profile may hold ------------------------------------------------------------------------

local is_text, is_flag = data_fields.text, data_fields.flag
local is_seconds = data_fields.number(0, 600, "a number of seconds up to 600")
local is_moment = data_fields.number(0, 10, "a number of seconds up to 10") -- of what is done many times

local function is_pattern(value)
  if is_text(value) then return "a text" end
  local sound, why = pcall(string.find, "", value)
  if not sound then return "a Lua pattern (" .. tostring(why) .. ")" end
end

local function is_keys(value)
  if is_text(value) then return "keys such as ctrl+s" end
  local combo, err = native.combo(value)
  if not combo then return "keys such as ctrl+s (" .. tostring(err) .. ")" end
end

-- A check for one value or a list of them.
local function one_or_more(check)
  return function(value)
    if type(value) ~= "table" then return check(value) end
    local count = 0
    for _ in pairs(value) do count = count + 1 end
    if count == 0 or count ~= #value then return "one text or a list of them" end
    for _, item in ipairs(value) do
      local wanted = check(item)
      if wanted then return "a list of which each is " .. wanted end
    end
  end
end

local fields = {
  name = is_text, about = is_text, binary = one_or_more(is_text), package = is_text, arguments = data_fields.texts,
  env = data_fields.map(is_text, "a table of texts by name"), class = one_or_more(is_text),
  executable = one_or_more(is_text), title = one_or_more(is_pattern), main = one_or_more(is_pattern), single = is_flag,
  browser = is_flag, hints = is_text,
  shortcuts = data_fields.map(is_keys, "a table of keys by what they are for"),
  ready = { role = is_text, name = is_text, read = is_text, title = is_pattern },
  timing = { start = is_seconds, ready = is_seconds, settle_quiet = is_seconds, settle_cap = is_seconds },
}

for _, name in ipairs(timing.input) do fields.timing[name] = is_moment end

-- What differs between the systems stands in a table of its own.
local systems = { linux = true, windows = true }
local all_fields = { linux = fields, windows = fields }
for name, check in pairs(fields) do all_fields[name] = check end

-- The first required field that a profile for this system lacks.
local function missing(self)
  for _, key in ipairs { "name", "about" } do
    if not self[key] then return key end
  end
  if not (self.class or self.executable or self.title) then return "class, executable or title" end
end

-- The fields for all systems, overridden by those of this system.
local function resolve(values, id)
  local self = { id = id }
  for key, value in pairs(values) do
    if not systems[key] then self[key] = value end
  end
  for key, value in pairs(values[system.platform] or {}) do self[key] = value end
  return self
end

--- Parses a profile for this system.
---@param id string the name of its file
---@param source string the file's text
---@param where string the file's path, for errors
---@return deskpilot.app_profile|boolean|nil profile false if the application has no program on this system
---@return deskpilot.error? err code "invalid": what is wrong, and where
function app_profile.read(id, source, where)
  local values, err = data.parse(source, where)
  if not values then return nil, err end
  local wrong = data_fields.problems(values, all_fields)
  if #wrong > 0 then return wrong:fail(where .. ": ") end
  local self = resolve(values, id)
  if not self.binary then return false end
  local lack = missing(self)
  if lack then return errors.fail("invalid", "%s: %s is missing", where, lack) end
  return self
end

-- --- which windows belong to the application --------------------------------------------------------

local function each(value)
  return type(value) == "table" and value or { value }
end

local function is_one_of(value, list)
  for _, item in ipairs(each(list)) do
    if value:lower() == item:lower() then return true end
  end
  return false
end

local function matches_one_of(value, patterns)
  for _, pattern in ipairs(each(patterns)) do
    if value:find(pattern) then return true end -- pattern: the profile's own
  end
  return false
end

--- How well a window fits the profile: the number of given fields among class, executable and title.
---@param self deskpilot.app_profile
---@param window deskpilot.window
---@return integer? fit nil if one of the given fields does not match
function app_profile.fit(self, window)
  local fit = 0
  if self.class then
    if not is_one_of(window.class, self.class) then return nil end
    fit = fit + 1
  end
  if self.executable then
    local file = text.after_last(window.executable or "", "/\\")
    if not is_one_of(file, self.executable) then return nil end
    fit = fit + 1
  end
  if self.title then
    if not matches_one_of(window.title, self.title) then return nil end
    fit = fit + 1
  end
  return fit
end

--- Whether a window is a main window of the application, not a splash screen, a tool box or a dialog.
---@param self deskpilot.app_profile
---@param window deskpilot.window
---@return boolean
function app_profile.is_main(self, window)
  return app_profile.fit(self, window) ~= nil and (not self.main or matches_one_of(window.title, self.main))
end

-- --- its program ------------------------------------------------------------------------------------

-- Replaces %NAME% by the environment variable; nil if one is not set.
local function expand(template)
  local whole = true
  local path = template:gsub("%%([%w_()]+)%%", function(name)
    local value = uv.os_getenv(name)
    if not value then whole = false end
    return value
  end)
  return whole and path or nil
end

--- The file of the program that starts the application.
---@param self deskpilot.app_profile
---@return string? file, deskpilot.error? err code "unavailable"; the message says what to install
function app_profile.program(self)
  for _, binary in ipairs(each(self.binary)) do
    local path = expand(binary)
    local file = path and platform.on_path(path)
    if file then return file end
  end
  local cure = self.package and platform.install(self.package)
  return errors.fail("unavailable", "%s", ("%s is not installed here (there is no program %s)%s"):format(self.name,
    table.concat(each(self.binary), " or "), cure and ": " .. cure or ""))
end

return app_profile
