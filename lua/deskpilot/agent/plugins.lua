--- Policies, guards and tools: one Lua file each, shipped or the user's. What such a file says of itself is read and
--- checked here: the version of the interface that it was written for (`api`), its options, its personas.
local events = require "deskpilot.agent.run_events"
local lookup = require "deskpilot.base.lookup"
local option = require "deskpilot.base.config_option"
local parameters = require "deskpilot.agent.parameters"
local problems = require "deskpilot.base.problems"
local shipped_files = require "native.shipped"
local text = require "deskpilot.base.text"

local plugins = {}

--- The current version of each kind's interface: what a file of that kind is given and has to offer. It grows by one
--- when a file written for the version before would no longer work; CHANGELOG.md says then what to change.
---@type table<string, integer>
plugins.api = { guards = 1, policies = 1, tools = 1 }

--- What a file of policies/, guards/ or tools/ may say of itself.
---@class deskpilot.plugin
---@field api integer? the version of the interface that it was written for; 1 unless told
---@field section string? the first part of its options' keys; the file's name unless told
---@field options table<string, deskpilot.config_option>? its own options, read by run.config:get("SECTION.NAME")
---@field events deskpilot.event_declaration[]? the events that it announces beside those of the run

-- What a file of each kind must offer: they add the sentences about one that does not.
local shapes = {}

function shapes.policies(policy, _, wrong)
  if type(policy.turn) ~= "function" then wrong:add("turn", "must return a table with a function `turn(run)`") end
  for _, name in ipairs(type(policy.transient) == "table" and policy.transient or {}) do
    if type(name) ~= "string" then
      wrong:add("transient", "has a `transient` that is no list of the names of fields")
      break
    end
  end
  require "deskpilot.agent.persona".check(policy.personas, wrong)
end

function shapes.tools(tool, name, wrong)
  if tool.name ~= name then wrong:add("name", "is named %q inside", tostring(tool.name)) end
  if type(tool.description) ~= "string" then wrong:add("description", "has no description") end
  if type(tool.parameters) ~= "function" then -- a function is asked when the configuration is known: toolbox.new
    parameters.check(tool.parameters, tool.foreign, wrong)
  end
  if type(tool.run) ~= "function" then wrong:add("run", "has no run function") end
  if tool.touches ~= nil and type(tool.touches) ~= "function" then
    wrong:add("touches", "has `touches`, which must be a function")
  end
  if tool.group ~= nil and (type(tool.group) ~= "string" or not tool.group:find("^[%w_-]+$")) then
    wrong:add("group", "has group = %s, which must be a word such as \"pointing\"", option.shown(tool.group))
  end
  if tool.timeout ~= nil and not (type(tool.timeout) == "number" and tool.timeout > 0) then
    wrong:add("timeout", "has timeout = %s, which must be a number of seconds", option.shown(tool.timeout))
  end
end

-- A guard that listens to no event because of a slip guards nothing. Other functions in it are its own affair.
function shapes.guards(guard, _, wrong)
  local names = events.names()
  names[#names + 1] = "every"
  for _, name in ipairs(text.keys(guard)) do
    local meant = type(guard[name]) == "function" and type(name) == "string" and not events.known(name)
      and text.nearest(name, names)
    if meant and meant ~= name and text.distance(name, meant) <= 2 then
      wrong:add(name, "has a function '%s', which is no event; did you mean '%s'?", name, meant)
    end
  end
end

-- The events that a file announces itself are known from now on.
local function check_events(list, where, wrong)
  if list == nil then return end
  if type(list) ~= "table" then return wrong:add("events", "has events that are no list") end
  for _, event in ipairs(list) do
    local ok, why = events.declare(event, where)
    if not ok then wrong:add("events", "has a wrong event: %s", why) end
  end
end

--- What is wrong with a plugin of that name that does not come from a file; nil where nothing is.
---@param kind "policies"|"guards"|"tools"
---@param plugin any
---@param name any
---@return string?
function plugins.problem(kind, plugin, name)
  if type(plugin) ~= "table" then return "is no table" end
  if type(name) ~= "string" or not name:find("^[%w_-]+$") or #name > 64 then
    return "needs a name of at most 64 letters, digits, - and _"
  end
  local wrong = problems.new()
  shapes[kind](plugin, name, wrong)
  return wrong:first()
end

local function can_be_ejected(kind, name)
  return shipped_files.read(("deskpilot/%s/%s.lua"):format(kind, name)) ~= nil
end

local function api_problem(kind, name, written_for)
  local current = plugins.api[kind]
  if written_for == nil then written_for = 1 end
  if math.type(written_for) ~= "integer" then
    return ("has api = %s, but must have the whole number of the version that it was written for, such as api = %d")
      :format(option.shown(written_for), current)
  end
  if written_for == current then return nil end
  local again = ("move it away, run `deskpilot eject %s` again and carry your changes over"):format(name)
  local sentence = ("is written for api %d of %s, but this deskpilot has api %d: "):format(written_for, kind, current)
  if written_for > current then
    return sentence .. "use a newer deskpilot, or " .. (can_be_ejected(kind, name) and again
      or ("a file that is written for api %d"):format(current))
  end
  return sentence .. (can_be_ejected(kind, name) and again
    or ("change it as CHANGELOG.md says, and then its line to api = %d"):format(current))
end

-- A mission's table has its own words beside the sections of the configuration.
local function section_problem(section)
  if not require "deskpilot.agent.mission".has_word(section) then return nil end
  return ("has options in the section '%s', which means something else in a mission: say section = \"...\" in the file")
    :format(tostring(section))
end

-- What a plugin is called in errors, by its table; and those that ship.
local labels, shipping = setmetatable({}, { __mode = "k" }), setmetatable({}, { __mode = "k" })

--- What a plugin is called in errors: its kind, its name and its file.
---@param plugin deskpilot.plugin
---@return string? label nil for one that was not loaded from a file
function plugins.label(plugin)
  return labels[plugin]
end

--- Whether it was loaded from a file that ships.
---@param plugin deskpilot.plugin
---@return boolean
function plugins.ships(plugin)
  return shipping[plugin] == true
end

--- Loads one, anew each time, and checks it.
---@param kind "policies"|"guards"|"tools"
---@param name string
---@param ships boolean? as for lookup.load
---@return deskpilot.plugin? plugin
---@return deskpilot.config_declaration|deskpilot.error|nil declaration its options, if it has any; or what is wrong
---  with the file, naming it
function plugins.load(kind, name, ships)
  local plugin, where = lookup.load(kind, name, ships)
  if not plugin then return nil, where end
  return plugins.checked(kind, name, plugin, where)
end

--- Checks what a file has returned.
---@param kind "policies"|"guards"|"tools"
---@param name string
---@param plugin table
---@param where string the file's path, or "shipped:..."
---@return deskpilot.plugin? plugin
---@return deskpilot.config_declaration|deskpilot.error|nil declaration as for load; the error has all `problems`
function plugins.checked(kind, name, plugin, where)
  local options, section = plugin.options, plugin.section == nil and name or plugin.section
  local wrong = problems.new()
  -- A file for another version may well have another shape: that is not told as well.
  if not wrong:note("api", api_problem(kind, name, plugin.api)) then shapes[kind](plugin, name, wrong) end
  if options ~= nil then wrong:note("options", section_problem(section)) end
  check_events(plugin.events, kind .. "/" .. name, wrong)
  local shipped = where:find("^shipped:") ~= nil
  local label = ("the %s '%s' (%s)"):format(lookup.singular(kind), name, shipped and "shipped" or where)
  if #wrong > 0 then return wrong:fail(label .. " ") end
  labels[plugin], shipping[plugin] = label, shipped
  if options == nil then return plugin end
  return plugin, { owner = kind .. "/" .. name, where = label, ships = shipped, section = section, options = options }
end

return plugins
