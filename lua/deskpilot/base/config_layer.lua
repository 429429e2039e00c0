--- One layer of a configuration: a table as people write it (sections, their keys, entries) taken apart into dotted
--- names and values. Nothing is converted here.
local option = require "deskpilot.base.config_option"
local text = require "deskpilot.base.text"

local config_layer = {}

---@class deskpilot.config_layer
---@field source string in a sentence: "the mission"
---@field by "user"|"mission"|"project"|nil who says it; the user (by a flag, a variable, the own file) unless told
---@field where string? its file, for a sentence about what is wrong in it
---@field origins table<string, string>? of some keys the place itself: "DESKPILOT_LIMITS_TURNS"
---@field values table<string, any> tables by their sections, or values by dotted names; words as --set gives them, or
---  typed
---@field other_names string[]? what else may stand beside the keys, for "did you mean"

---@class deskpilot.config_flat
---@field values table<string, any> by dotted names, each of them a key of one value
---@field problems { key: string, words: string }[] sentences, each about a key or section
---@field unknown string[] names that are no keys

local function wrong(flat, words, key, ...)
  table.insert(flat.problems, { key = key, words = words:format(key, ...) })
end

-- size = { 800, 600 }, "800,600": for the options that it stands for.
local function spread(flat, section, declared, name, values)
  if type(values) == "string" then
    local list = {}
    for word in values:gmatch("[^,%s]+") do list[#list + 1] = word end
    values = list
  end
  if type(values) ~= "table" or #values ~= #declared.keys then
    return wrong(flat, "%s must be { %s }", name, table.concat(declared.keys, ", "))
  end
  for i, other in ipairs(declared.keys) do flat.values[section .. other] = values[i] end
end

local function flatten_entry(keys, flat, name, fields)
  if type(fields) ~= "table" then return wrong(flat, "%s is %s, but must be a table", name, option.shown(fields)) end
  for _, field in ipairs(text.keys(fields)) do
    local dotted = name .. "." .. tostring(field)
    if keys:find(dotted) then flat.values[dotted] = fields[field]
    else table.insert(flat.unknown, dotted) end
  end
end

-- prices = { NAME = { input = 2 } }
local function flatten_entries(keys, flat, name, entries)
  if type(entries) ~= "table" then
    return wrong(flat, "%s is %s, but must be a table of tables", name, option.shown(entries))
  end
  for _, entry in ipairs(text.keys(entries)) do
    flatten_entry(keys, flat, name .. "." .. tostring(entry), entries[entry])
  end
end

local function flatten_key(keys, flat, name, value)
  local declared = keys:find(name)
  if not declared then table.insert(flat.unknown, name)
  elseif declared.type == "entries" then flatten_entries(keys, flat, name, value)
  elseif declared.type == "keys" then spread(flat, name:match("^.*%.") or "", declared, name, value)
  else flat.values[name] = value end
end

-- A section may be within another: safety = { apps = { allow = {} } }.
local function flatten_into(keys, flat, prefix, values)
  for _, field in ipairs(text.keys(values)) do
    local name, value = prefix .. tostring(field), values[field]
    if not keys.sections[name] then flatten_key(keys, flat, name, value)
    elseif type(value) ~= "table" then
      wrong(flat, "%s is %s, but must be a table of keys", name, option.shown(value))
    else
      flatten_into(keys, flat, name .. ".", value)
    end
  end
end

--- Takes a layer apart.
---@param keys deskpilot.config_keys
---@param layer deskpilot.config_layer
---@return deskpilot.config_flat
function config_layer.flatten(keys, layer)
  local flat = { values = {}, problems = {}, unknown = {} }
  flatten_into(keys, flat, "", layer.values)
  return flat
end

--- The first of these variables that is set, and its name.
---@param environment table<string, string>|fun(name: string): string?
---@param names string|string[]
---@return string? value, string? name
function config_layer.variable(environment, names)
  for _, name in ipairs(type(names) == "table" and names or { names }) do
    local word
    if type(environment) == "table" then word = environment[name] else word = environment(name) end
    if word and word ~= "" then return word, name end
  end
end

--- The variable that every key has: DESKPILOT_LIMITS_TURNS of limits.turns.
---@param name string of the key
---@return string
function config_layer.variable_of(name)
  return "DESKPILOT_" .. name:upper():gsub("%.", "_")
end

-- The variables that set a key: those that it names, then its own.
local function variables_of(key)
  local declared = key.option.type ~= "secret_file" and key.option.environment or {}
  local names = type(declared) == "table" and { table.unpack(declared) } or { declared }
  names[#names + 1] = config_layer.variable_of(key.name)
  return names
end

--- What variables say of the keys. Tables of entries have none.
---@param keys deskpilot.config_keys
---@param environment table<string, string>|fun(name: string): string?
---@return deskpilot.config_layer
function config_layer.environment(keys, environment)
  local values, origins = {}, {}
  for _, key in pairs(keys.by_name) do
    if key.option.type ~= "entries" then
      local value, name = config_layer.variable(environment, variables_of(key))
      values[key.name], origins[key.name] = value, name
    end
  end
  return { source = "the environment", values = values, origins = origins }
end

--- The variables that are probably meant for a key and are none's, each with the one that there is.
---@param keys deskpilot.config_keys
---@param environment table<string, string>
---@return { name: string, meant: string }[]
function config_layer.misspelt(keys, environment)
  local known, found = {}, {}
  for _, key in pairs(keys.by_name) do
    local own = key.option.environment or {}
    local names = { config_layer.variable_of(key.name), table.unpack(type(own) == "table" and own or { own }) }
    for _, name in ipairs(names) do known[name:match("^DESKPILOT_(.*)") or name] = true end
  end
  local all = text.keys(known)
  for _, name in ipairs(text.keys(environment)) do
    local rest = name:match("^DESKPILOT_(.*)")
    local meant = rest and not known[rest] and text.nearest(rest, all)
    if meant then found[#found + 1] = { name = name, meant = "DESKPILOT_" .. meant } end
  end
  return found
end

return config_layer
