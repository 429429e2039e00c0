--- Typical mistakes of small models in arguments, corrected where the meaning is unambiguous.
local json = require "deskpilot.base.json"
local refs = require "deskpilot.base.schema.refs"
local text = require "deskpilot.base.text"
local words = require "deskpilot.base.schema.words"

local coercion = {}

local deepest = 100 -- schemas inside each other

local coerce

local function number_of(value)
  if type(value) ~= "string" then return nil end
  local digits = text.trim(value)
  -- Only notations that JSON has for numbers: no hexadecimal, no "inf".
  return digits:find("^[+-]?%d[%d.eE+-]*$") and tonumber(digits) or nil
end

local coercers = {}

function coercers.number(value)
  return number_of(value)
end

function coercers.integer(value)
  return math.tointeger(type(value) == "number" and value or number_of(value))
end

function coercers.boolean(value)
  local word = type(value) == "string" and text.trim(value):lower()
  if word == "true" then return true end
  if word == "false" then return false end
  return nil
end

function coercers.string(value)
  if not words.is_finite(value) then return nil end
  local whole = math.tointeger(value)
  return whole and tostring(whole) or ("%.14g"):format(value)
end

local function decoded(value, first)
  if type(value) ~= "string" or text.trim(value):sub(1, 1) ~= first then return nil end
  return (json.decode(value))
end

-- Accepts "500, 300" and {"x":500,"y":300} where the schema wants a pair of numbers: neither is ambiguous.
local function pair_of(definition, value)
  local items = definition.items
  if type(items) ~= "table" then return nil end
  if not (words.has_type(items, "number") or words.has_type(items, "integer")) then return nil end
  if definition.minItems ~= 2 or definition.maxItems ~= 2 then return nil end
  if type(value) == "table" then
    local count = 0
    for _ in pairs(value) do count = count + 1 end
    return count == 2 and value.x and value.y and { value.x, value.y } or nil
  end
  if type(value) ~= "string" then return nil end
  local x, y = text.trim(value):gsub("^%(", ""):gsub("%)$", ""):match("^([^,]*),([^,]*)$")
  return x and number_of(x) and number_of(y) and { number_of(x), number_of(y) } or nil
end

-- One text where a list of texts is wanted.
local function list_of(definition, value)
  local wanted = type(definition.items) == "table" and words.has_type(definition.items, "string")
  if not wanted or type(value) ~= "string" or value:find("^%s*[%[{]") then return nil end
  return json.list { value }
end

function coercers.array(value, definition)
  return decoded(value, "[") or pair_of(definition, value) or list_of(definition, value)
end

function coercers.object(value)
  return decoded(value, "{")
end

-- The schema of one part of a table; nil where nothing is said of it.
local function part_of(definition, key)
  if type(key) == "string" then return (definition.properties or {})[key] end
  local first, rest = definition.prefixItems, definition.items
  if type(rest) == "table" and rest[1] ~= nil then first, rest = rest, nil end
  return first and first[key] or rest
end

local function coerce_parts(root, definition, value, depth)
  local copy = setmetatable({}, getmetatable(value))
  for key, item in pairs(value) do copy[key] = coerce(root, part_of(definition, key), item, depth + 1) end
  return copy
end

local function coerce_enum(definition, value)
  if type(value) ~= "string" then return value end
  local found
  for _, allowed in ipairs(definition.enum) do
    if allowed == value then return value end
    if type(allowed) == "string" and allowed:lower() == text.trim(value):lower() then
      if found then return value end
      found = allowed
    end
  end
  return found or value
end

local function fits_some(wanted, value)
  for _, name in ipairs(wanted) do
    if words.is_type(name, value) then return true end
  end
  return false
end

function coerce(root, definition, value, depth)
  if type(definition) ~= "table" or value == nil or value == json.null or depth > deepest then return value end
  local target = definition["$ref"] and refs.find(root, definition["$ref"])
  if target then value = coerce(root, target, value, depth + 1) end
  local wanted = words.type_list(definition.type)
  if words.has_type(definition, "integer") and math.type(value) == "float" then
    value = math.tointeger(value) or value
  end
  -- Where several types are allowed, a value of another type could mean any of them: it is left as it is.
  if #wanted == 1 and not fits_some(wanted, value) then
    local better = coercers[wanted[1]] and coercers[wanted[1]](value, definition)
    if better ~= nil then value = better end
  end
  if definition.enum then value = coerce_enum(definition, value) end
  if type(value) == "table" and (definition.items or definition.properties or definition.prefixItems) then
    return coerce_parts(root, definition, value, depth)
  end
  return value
end

--- A copy of `value` in which typical mistakes of small models are corrected, where the meaning is unambiguous: numbers
--- and booleans in quotes, 5.0 for 5, JSON in a string, an enum's letter case, "x, y" or {x, y} for a pair of numbers,
--- a text for a list of texts. Anything else is left unchanged; validate reports it.
---@param definition table the schema
---@param value any decoded JSON
---@return any
function coercion.coerce(definition, value)
  return coerce(definition, definition, value, 0)
end

return coercion
