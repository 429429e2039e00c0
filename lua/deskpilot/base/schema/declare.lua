--- The order of properties. A table of Lua has none, so a declaration may list its properties:
---
---   properties = { { name = "title", type = "string" }, { name = "seconds", type = "number", optional = true } }
---
--- declare() makes of this what JSON Schema wants, a table by name that remembers its order, and the list `required`.
local errors = require "deskpilot.base.errors"
local json = require "deskpilot.base.json"
local keywords = require "deskpilot.base.schema.keywords"
local text = require "deskpilot.base.text"

local declare = {}

--- How deep a schema may be nested; deeper ones are not followed.
declare.deepest = 60

local function without(entry, ...)
  local copy = {}
  for key, value in pairs(entry) do copy[key] = value end
  for _, key in ipairs { ... } do copy[key] = nil end
  return copy
end

-- A list of properties as a table by name, the order of the names, and those that are not optional.
local function from_list(list)
  local properties, names, required = {}, {}, json.list()
  for i, entry in ipairs(list) do
    local name = type(entry) == "table" and entry.name
    if type(name) ~= "string" then
      error(("properties[%d] has no name, such as { name = \"title\", type = \"string\" }"):format(i), 0)
    end
    if properties[name] then error(("properties names %s twice"):format(name), 0) end
    properties[name], names[i] = without(entry, "name", "optional"), name
    if not entry.optional then required[#required + 1] = name end
  end
  return properties, names, required
end

-- A table by name may have entries that were written for a list.
local function from_table(by_name)
  local properties = setmetatable({}, getmetatable(by_name))
  for name, entry in pairs(by_name) do
    local named = type(entry) == "table" and entry.name ~= nil and entry.name == name
    properties[name] = named and without(entry, "name", "optional") or entry
  end
  return properties
end

-- The order for a table by name: as it was declared before, or what is required first, then by name.
local function names_of(properties, required)
  local declared = json.order(properties)
  if declared then return declared end
  local names, seen = {}, {}
  for _, name in ipairs(type(required) == "table" and required or {}) do
    if properties[name] ~= nil and not seen[name] then
      seen[name] = true
      names[#names + 1] = name
    end
  end
  for _, name in ipairs(text.keys(properties)) do
    if not seen[name] then names[#names + 1] = name end
  end
  return names
end

local function copy_of(definition)
  local copy = without(definition)
  local properties = copy.properties
  if type(properties) ~= "table" then return copy end
  local names, required
  if properties[1] ~= nil then
    properties, names, required = from_list(properties)
    if copy.required == nil and #required > 0 then copy.required = required end
  else
    properties, names = from_table(properties), names_of(properties, copy.required)
  end
  copy.properties = json.ordered(properties, names)
  return copy
end

local function declared(definition, depth)
  if type(definition) ~= "table" then return definition end
  if depth > declare.deepest then error("it is nested too deeply", 0) end
  local copy = copy_of(definition)
  keywords.each(copy, copy, function(inner) return declared(inner, depth + 1) end)
  for _, keyword in ipairs { "required", "enum", "allOf", "anyOf", "oneOf", "prefixItems", "examples" } do
    local list = copy[keyword]
    if type(list) == "table" and next(list) == nil then copy[keyword] = json.list {} end -- [] and not {}
  end
  return json.ordered(copy, keywords.order)
end

--- A copy of a schema as it is used and sent: properties in their order, and the keywords as well. Declaring it again
--- changes nothing.
---@param definition any
---@return any declared nil where it cannot be
---@return string? why
function declare.declare(definition)
  local ok, result = pcall(declared, definition, 0)
  if ok then return result end
  if errors.no_memory(result) then error(result, 0) end -- it is no mistake of the schema's
  return nil, tostring(result)
end

--- The names of a schema's properties in their order.
---@param definition table
---@return string[]
function declare.names(definition)
  local properties = type(definition.properties) == "table" and definition.properties or {}
  return names_of(properties, definition.required)
end

return declare
