--- A configuration: the values of the keys that somebody has declared (config_keys.lua), put together from layers:
--- flag > environment > mission > project deskpilot.lua > user configuration > default.
local uv = require "luv"
local errors = require "deskpilot.base.errors"
local layers = require "deskpilot.base.config_layer"
local option = require "deskpilot.base.config_option"
local text = require "deskpilot.base.text"

local config = {}

local function copied(value)
  return type(value) == "table" and { table.unpack(value) } or value
end

-- --- the values of a configuration -----------------------------------------------------------------------------

---@class deskpilot.config
---@field keys deskpilot.config_keys
---@field values table<string, any> by dotted names
---@field sources table<string, string> where each came from: "a flag", "the mission", ..., "default", "script"
local Config = {}

-- Of a key with entries: those that anything is known of.
local function entries_of(self, key)
  local found = {}
  for name, value in pairs(self.values) do
    local _, of, entry = self.keys:find(name)
    if of == key and entry then
      found[entry] = found[entry] or {}
      found[entry][text.after_last(name, ".")] = value
    end
  end
  for _, entry in pairs(found) do
    for field, declared in pairs(key.option.fields) do
      if entry[field] == nil then entry[field] = copied(declared.default) end
    end
  end
  return found
end

--- The value of a key; a Lua error for a key that does not exist. Of a key with entries (`prices`) a table of
--- tables, by their names; a single field has a name of its own (`prices.NAME.input`).
---@param name string dotted
---@return any
function Config:get(name)
  local declared, key, entry = self.keys:find(name)
  if not declared then error(self.keys:unknown(name), 2) end
  if declared.type == "entries" then return entries_of(self, key) end
  if declared.type == "keys" then error(name .. " stands for " .. text.join(declared.keys) .. ": get those", 2) end
  local value = self.values[name]
  if value == nil and entry then return copied(declared.default) end
  return value
end

--- The secret in the file that a key of the type secret_file names, or in a variable that stands for it. It is in
--- nothing that walks the configuration.
---@param name string dotted
---@return string? secret, string? from the variable or the file that it is from
function Config:secret(name)
  return self.secret_of(name)
end

-- Converts and keeps one value.
local function assign(self, name, value, source)
  local declared = self.keys:find(name)
  if not declared then return nil, self.keys:unknown(name) end
  if declared.type == "entries" or declared.type == "keys" then
    return nil, name .. " is several values: set them one by one"
  end
  local typed, why = option.convert(declared, name, value)
  if typed == nil then return nil, why end
  self.values[name], self.sources[name] = copied(typed), source
  return true
end

--- Keeps a secret in place of the one that is there; nil for none.
---@param name string dotted, of a key of the type secret_file
---@param secret string?
---@param from string where it is from
function Config:set_secret(name, secret, from)
  self.keep_secret(name, secret, from)
end

--- A variable of the environment that the configuration was put together with; nil where it is empty.
---@param name string
---@return string?
function Config:variable(name)
  return (layers.variable(self.environment, name))
end

--- Sets a value for this run (a policy or a hook may, between turns).
---@param name string dotted
---@param value any as --set gives it, or typed
---@param source string? "script" unless told
---@return boolean? ok, deskpilot.error? err
function Config:set(name, value, source)
  local ok, why = assign(self, name, value, source or "script")
  if not ok then return nil, errors.new("invalid", "%s", why) end
  return true
end

local function set_default(self, key)
  local declared = key.option
  if declared.type == "entries" or declared.type == "keys" then return end
  self.values[key.name], self.sources[key.name] = copied(declared.default), "default"
end

--- Takes in the options of something that is loaded while the configuration is in use. What was set stays set.
---@param declaration deskpilot.config_declaration
---@return boolean? ok, deskpilot.error? err
function Config:declare(declaration)
  local added, err = self.keys:add(declaration)
  if not added then return nil, err end
  for _, key in ipairs(added) do
    local source = self.sources[key.name]
    if source == nil or source == "default" then set_default(self, key)
    else
      local ok, why = assign(self, key.name, self.values[key.name], source)
      if not ok then return errors.fail("invalid", "%s (from %s)", why, source) end
    end
  end
  return true
end

local function masked(value)
  if type(value) ~= "string" or not value:find("://", 1, true) then return value end
  return (value:gsub("(://)[^/?#]*@", "%1***@"):gsub("%?.*", "?***"))
end

--- Every value by its dotted name, for the journal and for people: no secrets.
---@return table<string, any> values, table<string, string> sources
function Config:dump()
  local values, sources = {}, {}
  for name, value in pairs(self.values) do
    values[name], sources[name] = masked(value), self.sources[name]
  end
  return values, sources
end

-- --- putting the layers together --------------------------------------------------------------------------------

-- Where what a layer says of a key can be found: a file, a variable, an option.
local function place_of(layer, name)
  return layer.origins and layer.origins[name] or layer.where or layer.source
end

local function apply(self, layer, tolerant, problems)
  local flat = layers.flatten(self.keys, layer)
  local function tell(problem, name)
    problems[#problems + 1] = ("%s (from %s)"):format(problem, place_of(layer, name))
  end
  for _, problem in ipairs(flat.problems) do tell(problem.words, problem.key) end
  for _, name in ipairs(tolerant and {} or flat.unknown) do tell(self.keys:unknown(name, layer.other_names), name) end
  for _, name in ipairs(text.keys(flat.values)) do
    local ok, why = assign(self, name, flat.values[name], layer.source)
    if not ok then tell(why, name) end
  end
end

local function read_secret(path)
  local files = require "deskpilot.base.files"
  local words, err = files.read(path, 65536)
  if not words then return nil, tostring(err) end
  local secret = text.trim(text.trim(words):match("^[^\r\n]*"))
  if secret == "" then return nil, "the file " .. path .. " is empty, but its first line must be a key" end
  return secret
end

-- The secrets of all keys that have one, by their names, each with the variable or the file that it is from.
local function read_secrets(self, environment, problems)
  local secrets, from = {}, {}
  for _, key in pairs(self.keys.by_name) do
    if key.option.type == "secret_file" and key.option.environment then
      secrets[key.name], from[key.name] = layers.variable(environment, key.option.environment)
    end
  end
  for name, path in pairs(self.values) do
    local declared = self.keys:find(name)
    if declared and declared.type == "secret_file" and path ~= "" and not secrets[name] then
      local why
      secrets[name], why = read_secret(path)
      from[name] = path
      if why then problems[#problems + 1] = ("%s (%s)"):format(why, name) end
    end
  end
  return secrets, from
end

-- They live in a closure, so that nothing which walks the table finds them.
local function with_secrets(self, environment, secrets, from)
  local closures = {}
  function closures.secret_of(name) return secrets[name], from[name] end
  function closures.keep_secret(name, secret, where) secrets[name], from[name] = secret, where end
  closures.environment = environment -- it may hold secrets too
  return setmetatable(self, {
    __index = function(_, field) return closures[field] or Config[field] end,
    __name = "deskpilot.config",
  })
end

---@class deskpilot.config_sources
---@field layers deskpilot.config_layer[] the later ones win
---@field flags deskpilot.config_layer? wins over the environment
---@field environment (table<string, string>|fun(name: string): string?)? the process's own unless given
---@field tolerant boolean? whether names that are no keys are passed over

local function all_layers(keys, sources)
  local all = { table.unpack(sources.layers or {}) }
  all[#all + 1] = layers.environment(keys, sources.environment or uv.os_getenv)
  all[#all + 1] = sources.flags
  return all
end

--- The names in the layers that are no keys.
---@param keys deskpilot.config_keys
---@param sources deskpilot.config_sources
---@return string[]
function config.unknown(keys, sources)
  local unknown = {}
  for _, layer in ipairs(all_layers(keys, sources)) do
    local names = layers.flatten(keys, layer).unknown
    table.move(names, 1, #names, #unknown + 1, unknown)
  end
  return unknown
end

--- Puts the layers together.
---@param keys deskpilot.config_keys
---@param sources deskpilot.config_sources
---@return deskpilot.config? config, deskpilot.error? err code "invalid", a line for each problem
---@return deskpilot.config? rest where there is an error: what is right, and defaults for what is wrong
function config.resolve(keys, sources)
  local problems = {}
  local self = { keys = keys, values = {}, sources = {} }
  for _, key in pairs(keys.by_name) do set_default(self, key) end
  for _, layer in ipairs(all_layers(keys, sources)) do apply(self, layer, sources.tolerant, problems) end
  local environment = sources.environment or uv.os_getenv
  with_secrets(self, environment, read_secrets(self, environment, problems))
  if #problems == 0 then return self end
  return nil, errors.new("invalid", "%s", table.concat(problems, "\n")), self
end

--- The value of one key, where the rest of the configuration is not looked at: the last layer that has a right one, or
--- the default.
---@param keys deskpilot.config_keys
---@param sources deskpilot.config_sources
---@param name string dotted
---@return any value, string? where the place that it is from; nil for the default
function config.peek(keys, sources, name)
  local declared, all = keys:find(name), all_layers(keys, sources)
  for i = #all, 1, -1 do
    local value = layers.flatten(keys, all[i]).values[name]
    if value ~= nil then value = option.convert(declared, name, value) end
    if value ~= nil then return value, place_of(all[i], name) end
  end
  return copied(declared.default)
end

return config
