--- The keys that a configuration may have: the options of whoever uses them, each by its section and its name
--- ("limits.turns"; "policy" has no section). Nothing is known here of what they are for.
local problems = require "deskpilot.base.problems"
local text = require "deskpilot.base.text"

local config_keys = {}

---@class deskpilot.config_declaration
---@field owner string who declares: of one owner the latest declaration counts
---@field where string the owner in a sentence: "the policy 'mine' (/path/mine.lua)"
---@field ships boolean? whether it ships with the program, whose tests have checked it
---@field section string? the first part of the keys; none for keys that are one word; "safety.apps" is a section within
---  another
---@field options table<string, deskpilot.config_option>

---@class deskpilot.config_key
---@field name string dotted, as --set takes it
---@field option deskpilot.config_option
---@field declarers table<string, string> owner -> where

---@class deskpilot.config_keys
---@field by_name table<string, deskpilot.config_key>
---@field sections table<string, boolean>
---@field owners table<string, boolean>
local Keys = {}
Keys.__index = Keys

--- What entries may be called.
Keys.entry_name = "^[%w_.:/+-]+$"

--- No keys yet.
---@return deskpilot.config_keys
function config_keys.new()
  return setmetatable({ by_name = {}, sections = {}, owners = {} }, Keys)
end

local function same(a, b)
  if type(a) ~= "table" or type(b) ~= "table" then return a == b end
  for key, value in pairs(a) do
    if not same(value, b[key]) then return false end
  end
  for key in pairs(b) do
    if a[key] == nil then return false end
  end
  return true
end

-- What keeps an option from becoming a key beside those that are there, or nil.
local function conflict(self, name, section, declared, owner)
  local there = self.by_name[name]
  if section and self.by_name[section] then
    return ("would be the key %s, but %s is a key of its own"):format(name, section)
  elseif not section and self.sections[name] then
    return ("would be the key %s, which is a section"):format(name)
  end
  for other, where in pairs(there and there.declarers or {}) do
    if other ~= owner and not same(there.option, declared) then
      return ("would be the key %s, which %s declares differently: they have to be the same, or one of them "
        .. "takes another name or section"):format(name, where)
    end
  end
end

local function forget(self, owner)
  for name, key in pairs(self.by_name) do
    key.declarers[owner] = nil
    if next(key.declarers) == nil then self.by_name[name] = nil end
  end
end

local function put(self, declaration, name, section, declared)
  local key = self.by_name[name] or { name = name, option = declared, declarers = {} }
  key.declarers[declaration.owner] = declaration.where
  self.by_name[name] = key
  while section do -- and those that it is within
    self.sections[section] = true
    section = section:match("^(.+)%.")
  end
  return key
end

-- Goes through the options with their keys: fn(key's name, section, option, option's name).
local function each(declaration, fn)
  for name, declared in pairs(declaration.options) do
    local section = declared.section or declaration.section
    fn(section and section .. "." .. name or name, section, declared, name)
  end
end

--- Adds what somebody declares. Two may declare the same key, if they declare the same.
---@param declaration deskpilot.config_declaration
---@return deskpilot.config_key[]? keys those that were declared; or nil, and nothing was added
---@return deskpilot.error? err code "invalid": what is wrong with the declaration, naming it
function Keys:add(declaration)
  local wrong = problems.new()
  if not declaration.ships then require "deskpilot.base.config_check".declaration(declaration, wrong) end
  if #wrong == 0 then
    each(declaration, function(key, section, declared, name)
      local why = conflict(self, key, section, declared, declaration.owner)
      if why then wrong:add("options." .. name, "the option '%s' %s", name, why) end
    end)
  end
  if #wrong > 0 then return wrong:fail(declaration.where .. ": ") end
  if self.owners[declaration.owner] then forget(self, declaration.owner) end
  self.owners[declaration.owner] = true
  local added = {}
  each(declaration, function(key, section, declared)
    added[#added + 1] = put(self, declaration, key, section, declared)
  end)
  return added
end

--- The key whose entries the name may be in, "prices" for "prices.NAME.input"; and the rest of the name.
---@param name string
---@return deskpilot.config_key? key, string? rest
function Keys:table_of(name)
  for at in name:gmatch("()%.") do
    local key = self.by_name[name:sub(1, at - 1)]
    if key and key.option.fields then return key, name:sub(at + 1) end
  end
end

--- What a dotted name is: the option of a key, or the field of an entry ("prices.NAME.input").
---@param name string
---@return deskpilot.config_option? option, deskpilot.config_key? key, string? entry
function Keys:find(name)
  local key = self.by_name[name]
  if key then return key.option, key end
  local rest
  key, rest = self:table_of(name)
  local entry, field = (rest or ""):match("^(.+)%.([%w_]+)$")
  if key and entry and entry:find(Keys.entry_name) then -- pattern: anchored, of one set
    return key.option.fields[field], key, entry
  end
end

--- Every key, sorted by name.
---@return deskpilot.config_key[]
function Keys:list()
  local list = {}
  for _, name in ipairs(text.keys(self.by_name)) do list[#list + 1] = self.by_name[name] end
  return list
end

--- Every section, and every key that has none: what a table of settings may hold.
---@return string[]
function Keys:words()
  local words = {}
  for _, section in ipairs(text.keys(self.sections)) do
    if not section:find(".", 1, true) then words[#words + 1] = section end
  end
  for name in pairs(self.by_name) do
    if not name:find(".", 1, true) then words[#words + 1] = name end
  end
  return words
end

--- The sentence about a name that is no key: with the nearest one, or with what its section has.
---@param name string
---@param other_names string[]? what could also be meant, where a name without a section is asked for
---@return string
function Keys:unknown(name, other_names)
  return require "deskpilot.base.config_unknown".sentence(self, name, other_names)
end

return config_keys
