--- A configuration: the values of the keys that somebody has declared (config_keys.lua), put together from layers:
--- flag > environment > mission > project deskpilot.lua > user configuration > default.
local uv = require "luv"
local errors = require "deskpilot.base.errors"
local layers = require "deskpilot.base.config_layer"
local option = require "deskpilot.base.config_option"
local problems_list = require "deskpilot.base.problems"
local text = require "deskpilot.base.text"

local config = {}

local function copied(value)
  return type(value) == "table" and { table.unpack(value) } or value
end

-- --- the values of a configuration -----------------------------------------------------------------------------

---@class deskpilot.config
---@field keys deskpilot.config_keys
---@field values table<string, any> by dotted names
---@field entered table<string, table<string, true>> the names of values in entries, by the key of these
---@field said_of table<string, deskpilot.config_said[]> what each place has said, by dotted names
---@field sources table<string, string> where each came from: "a flag", "the mission", ..., "default", "script"
---@field rank table<string, integer>? of the sources, the stronger ones more; one that is not listed is the strongest
local Config = {}

---@class deskpilot.config_said
---@field value any
---@field source string as in `sources`
---@field by "user"|"mission"|"project" whose source that is
---@field place string for a sentence: a file, a variable, an option

-- Of a key with entries: those that anything is known of.
local function entries_of(self, key)
  local found = {}
  for name in pairs(self.entered[key.name] or {}) do
    local _, _, entry = self.keys:find(name)
    found[entry] = found[entry] or {}
    found[entry][text.after_last(name, ".")] = self.values[name]
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
---@param of_project boolean? the one that the project's file names, instead of the user's
---@return string? secret, string? from the variable or the file that it is from
function Config:secret(name, of_project)
  return self.secret_of(name, of_project or false)
end

--- What each place has said of a key, the weakest first: keys of which none overrules another, and who has named an
--- address. The default is none of them.
---@param name string dotted
---@return deskpilot.config_said[]
function Config:said(name)
  if not self.keys:find(name) then error(self.keys:unknown(name), 2) end
  return self.said_of[name] or {}
end

--- Where the present value of a key was said, for a sentence: "--provider", a file.
---@param name string dotted
---@return string
function Config:place(name)
  for _, said in ipairs(self.said_of[name] or {}) do
    if said.source == self.sources[name] then return said.place end
  end
  return self.sources[name] or "default"
end

-- Keeps what a place has said of a key, in the order of the places.
local function note_said(self, name, said)
  local list = self.said_of[name] or {}
  self.said_of[name] = list
  for i, other in ipairs(list) do
    if other.source == said.source then
      list[i] = said
      return
    end
  end
  list[#list + 1] = said
end

-- Converts and keeps one value.
local function assign(self, name, value, source, by, place)
  local declared, key, entry = self.keys:find(name)
  if not declared then return nil, self.keys:unknown(name) end
  if declared.type == "entries" or declared.type == "keys" then
    return nil, name .. " is several values: set them one by one"
  end
  local typed, why = option.convert(declared, name, value)
  if typed == nil then return nil, why end
  self.values[name], self.sources[name] = copied(typed), source
  if entry then
    self.entered[key.name] = self.entered[key.name] or {}
    self.entered[key.name][name] = true
  end
  note_said(self, name, { value = copied(typed), source = source, by = by or "user", place = place or source })
  return true
end

--- Keeps a secret in place of the one that is there; nil for none.
---@param name string dotted, of a key of the type secret_file
---@param secret string?
---@param from string where it is from
---@param of_project boolean? in place of the project's, instead of the user's
function Config:set_secret(name, secret, from, of_project)
  self.keep_secret(name, secret, from, of_project or false)
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
---@param said deskpilot.config_said? what it stands for, where that is another key's value
---@return boolean? ok, deskpilot.error? err
function Config:set(name, value, source, said)
  local ok, why = assign(self, name, value, source or "script", said and said.by, said and said.place)
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
      if not ok then return errors.fail("invalid", "%s (from %s)", why, self:place(key.name)) end
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
    problems:add(name, "%s (from %s)", problem, place_of(layer, name))
    problems[#problems].where = place_of(layer, name)
  end
  for _, problem in ipairs(flat.problems) do tell(problem.words, problem.key) end
  for _, name in ipairs(tolerant and {} or flat.unknown) do tell(self.keys:unknown(name, layer.other_names), name) end
  for _, name in ipairs(text.keys(flat.values)) do
    local ok, why
    if self.keys:find(name).personal and (layer.by or "user") ~= "user" then
      why = name .. " is yours alone to say: by a flag, by the environment or in your own configuration"
    else
      ok, why = assign(self, name, flat.values[name], layer.source, layer.by, place_of(layer, name))
    end
    if not ok then tell(why, name) end
  end
end

local function read_secret(path, whole)
  local files = require "deskpilot.base.files"
  local words, err = files.read(path, 65536)
  if not words then return nil, tostring(err) end
  local secret = text.trim(words)
  if not whole then secret = text.trim(secret:match("^[^\r\n]*")) end
  if secret == "" then return nil, "the file " .. path .. " is empty, but its first line must be a key" end
  return secret
end

-- What is said of a key last: by the project's file, or by anybody else.
local function last_said(self, name, of_project)
  local found
  for _, said in ipairs(self.said_of[name] or {}) do
    if (said.by == "project") == of_project then found = said end
  end
  return found
end

-- The secret in the file that is said, and the file's path; nil and what is wrong. Whoever wrote a project's file may
-- know where others keep their keys, and may not send them: its key lies in the project.
local function secret_of(said, whole)
  local files = require "deskpilot.base.files"
  local path = said.value
  if said.by == "project" then
    local folder = files.absolute((files.split(said.place)))
    path = files.absolute(files.join(folder, path))
    if path:sub(1, #folder + 1) ~= folder .. "/" then
      return nil, ("a project's file can name only a key that lies in the project, not %s: name it in your own "
        .. "configuration"):format(path)
    end
  end
  local secret, why = read_secret(path, whole)
  return secret, secret and path or why
end

-- The secrets of all keys that have one, each with the variable or the file that it is from: the user's (by `false`)
-- and those that the project's file names (by `true`).
local function read_secrets(self, environment, problems)
  local secrets, from = { [true] = {}, [false] = {} }, { [true] = {}, [false] = {} }
  for _, key in pairs(self.keys.by_name) do
    if key.option.type == "secret_file" and key.option.environment then
      secrets[false][key.name], from[false][key.name] = layers.variable(environment, key.option.environment)
    end
  end
  for name in pairs(self.values) do
    local declared = self.keys:find(name)
    for _, of_project in ipairs(declared and declared.type == "secret_file" and { false, true } or {}) do
      local said = last_said(self, name, of_project)
      if said and said.value ~= "" and not secrets[of_project][name] then
        local secret, path = secret_of(said, declared.whole)
        secrets[of_project][name], from[of_project][name] = secret, path
        if not secret then
          problems:add(name, "%s (%s)", path, name)
          problems[#problems].where = said.place
        end
      end
    end
  end
  return secrets, from
end

-- They live in a closure, so that nothing which walks the table finds them.
local function with_secrets(self, environment, secrets, from)
  local closures = {}
  function closures.secret_of(name, of_project) return secrets[of_project][name], from[of_project][name] end
  function closures.keep_secret(name, secret, where, of_project)
    secrets[of_project][name], from[of_project][name] = secret, where
  end
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
  local problems = problems_list.new()
  local self = { keys = keys, values = {}, entered = {}, sources = {}, said_of = {} }
  for _, key in pairs(keys.by_name) do set_default(self, key) end
  for _, layer in ipairs(all_layers(keys, sources)) do apply(self, layer, sources.tolerant, problems) end
  local environment = sources.environment or uv.os_getenv
  with_secrets(self, environment, read_secrets(self, environment, problems))
  if #problems == 0 then return self end
  local _, err = problems:fail()
  return nil, err, self
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
