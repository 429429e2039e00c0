--- The part of JSON Schema that tools use for their arguments. Errors are sentences for the model that sent the
--- arguments: they name the argument, the value it had and what is expected.
local json = require "deskpilot.base.json"
local text = require "deskpilot.base.text"

local schema = {}

local keywords = {
  type = true, required = true, properties = true, additionalProperties = true, enum = true,
  minLength = true, maxLength = true, minimum = true, maximum = true, items = true, minItems = true,
  maxItems = true, description = true, default = true, title = true, examples = true,
}

local types = {
  integer = true, number = true, string = true, boolean = true, array = true, object = true, null = true,
}

local function is_array(value)
  if type(value) ~= "table" then return false end
  local count = 0
  for _ in pairs(value) do count = count + 1 end
  return count == #value
end

local function is_object(value)
  if type(value) ~= "table" then return false end
  for key in pairs(value) do
    if type(key) ~= "string" then return false end
  end
  return true
end

local function is_finite(value)
  return type(value) == "number" and value == value and math.abs(value) ~= math.huge
end

local checks = {
  integer = function(v) return is_finite(v) and math.tointeger(v) ~= nil end,
  number = is_finite,
  string = function(v) return type(v) == "string" end,
  boolean = function(v) return type(v) == "boolean" end,
  array = is_array,
  object = is_object,
  null = function(v) return v == nil or v == json.null end,
}

local articles = { integer = "a whole number", array = "an array", object = "an object", null = "null" }

local function describe_types(wanted)
  local names = {}
  for _, name in ipairs(wanted) do names[#names + 1] = articles[name] or ("a " .. name) end
  return table.concat(names, " or ")
end

-- The value as JSON, at most 80 characters.
local function format_value(value)
  if value == nil then return "missing" end
  if type(value) == "number" and not is_finite(value) then return tostring(value) end
  local ok, written = pcall(json.encode, value)
  return ok and text.cut(written, 80) or ("a " .. type(value))
end

local function type_list(wanted)
  if type(wanted) == "string" then return { wanted } end
  return wanted
end

local function has_type(definition, name)
  for _, each in ipairs(type_list(definition.type) or {}) do
    if each == name then return true end
  end
  return false
end

local function describe_range(least, most, unit)
  if least and most and least == most then return ("exactly %d%s"):format(least, unit) end
  if least and most then return ("between %g and %g%s"):format(least, most, unit) end
  if least then return ("at least %g%s"):format(least, unit) end
  return ("at most %g%s"):format(most, unit)
end

local function outside(value, least, most)
  return (least and value < least) or (most and value > most)
end

local function characters(value)
  return utf8.len(value) or #value
end

local function same(a, b)
  return a == b or (type(a) == "table" and type(b) == "table" and format_value(a) == format_value(b))
end

local function check_enum(definition, value, path)
  local values = {}
  for _, allowed in ipairs(definition.enum) do
    if same(allowed, value) then return true end
    values[#values + 1] = format_value(allowed)
  end
  return nil, ("%s is %s, but must be one of %s"):format(path, format_value(value), table.concat(values, ", "))
end

local validate

local function check_array(definition, value, path)
  if outside(#value, definition.minItems, definition.maxItems) then
    return nil, ("%s is %s, which has %d items, but must have %s"):format(path, format_value(value), #value,
      describe_range(definition.minItems, definition.maxItems, " items"))
  end
  if not definition.items then return true end
  for i, item in ipairs(value) do
    -- Counted from 0, as in JSON, because a model reads this.
    local ok, why = validate(definition.items, item, ("%s[%d]"):format(path, i - 1))
    if not ok then return nil, why end
  end
  return true
end

local function join_path(path, key)
  return path == "" and key or path .. "." .. key
end

local function check_unknown(definition, value, path)
  if definition.additionalProperties ~= false then return true end
  local known = text.keys(definition.properties or {})
  for _, key in ipairs(text.keys(value)) do
    if not (definition.properties or {})[key] then
      local allowed = #known == 0 and "nothing is expected there" or "the names known here are "
        .. text.join(known)
      return nil, ("%s is not known; %s"):format(join_path(path, key), allowed)
    end
  end
  return true
end

local function check_object(definition, value, path)
  for _, key in ipairs(definition.required or {}) do
    if value[key] == nil or value[key] == json.null then
      local property = (definition.properties or {})[key] or {}
      local wanted = property.type and (", which must be " .. describe_types(type_list(property.type))) or ""
      return nil, ("%s is missing%s"):format(join_path(path, key), wanted)
    end
  end
  local ok, why = check_unknown(definition, value, path)
  if not ok then return nil, why end
  for _, key in ipairs(text.keys(definition.properties or {})) do
    local item = value[key]
    if item ~= nil and item ~= json.null then
      ok, why = validate(definition.properties[key], item, join_path(path, key))
      if not ok then return nil, why end
    end
  end
  return true
end

local function check_bounds(definition, value, path)
  if type(value) == "string" and outside(characters(value), definition.minLength, definition.maxLength) then
    return nil, ("%s has %d characters, but must have %s"):format(path, characters(value),
      describe_range(definition.minLength, definition.maxLength, " characters"))
  end
  if type(value) == "number" and outside(value, definition.minimum, definition.maximum) then
    return nil, ("%s is %s, but must be %s"):format(path, format_value(value),
      describe_range(definition.minimum, definition.maximum, ""))
  end
  return true
end

function validate(definition, value, path)
  local subject = path == "" and "the arguments" or path
  local wanted = type_list(definition.type)
  if wanted then
    local fits = false
    for _, name in ipairs(wanted) do fits = fits or checks[name](value) end
    if not fits then
      local verb = path == "" and "are" or "is"
      return nil, ("%s %s %s, but must be %s"):format(subject, verb, format_value(value), describe_types(wanted))
    end
  end
  if definition.enum then
    local ok, why = check_enum(definition, value, subject)
    if not ok then return nil, why end
  end
  local ok, why = check_bounds(definition, value, subject)
  if not ok or type(value) ~= "table" then return ok, why end
  if has_type(definition, "array") and is_array(value) and not has_type(definition, "object") then
    return check_array(definition, value, subject)
  end
  if definition.properties or definition.required or definition.additionalProperties ~= nil then
    return check_object(definition, value, path)
  end
  return true
end

--- Whether `value` is valid under the schema.
---@param definition table the schema
---@param value any decoded JSON
---@param path string? the value's name in errors; if not given, errors name its properties alone
---@return boolean? ok, string? why a sentence
function schema.validate(definition, value, path)
  return validate(definition, value, path or "")
end

local function trim(s) return s:match("^%s*(.-)%s*$") end

local coerce

local function number_of(value)
  if type(value) ~= "string" then return nil end
  local digits = trim(value)
  -- Only notations that JSON has for numbers: no hexadecimal, no "inf".
  return digits:match("^[+-]?%d+%.?%d*[eE]?[+-]?%d*$") and tonumber(digits) or nil
end

local coercers = {}

function coercers.number(value)
  return number_of(value)
end

function coercers.integer(value)
  return math.tointeger(type(value) == "number" and value or number_of(value))
end

function coercers.boolean(value)
  local word = type(value) == "string" and trim(value):lower()
  if word == "true" then return true end
  if word == "false" then return false end
  return nil
end

function coercers.string(value)
  if not is_finite(value) then return nil end
  local whole = math.tointeger(value)
  return whole and tostring(whole) or ("%.14g"):format(value)
end

local function decoded(value, first)
  if type(value) ~= "string" or trim(value):sub(1, 1) ~= first then return nil end
  return (json.decode(value))
end

-- Accepts "500, 300" and {"x":500,"y":300} where the schema wants a pair of numbers: neither is ambiguous.
local function pair_of(definition, value)
  local items = definition.items
  if not items or not (has_type(items, "number") or has_type(items, "integer")) then return nil end
  if definition.minItems ~= 2 or definition.maxItems ~= 2 then return nil end
  if type(value) == "table" then
    local count = 0
    for _ in pairs(value) do count = count + 1 end
    return count == 2 and value.x and value.y and { value.x, value.y } or nil
  end
  if type(value) ~= "string" then return nil end
  local x, y = value:match("^%s*%(?%s*([^,%s%(]+)%s*,%s*([^,%s%)]+)%s*%)?%s*$")
  return x and number_of(x) and number_of(y) and { number_of(x), number_of(y) } or nil
end

-- One text where a list of texts is wanted.
local function list_of(definition, value)
  local wanted = definition.items and has_type(definition.items, "string")
  if not wanted or type(value) ~= "string" or value:find("^%s*[%[{]") then return nil end
  return json.list { value }
end

function coercers.array(value, definition)
  return decoded(value, "[") or pair_of(definition, value) or list_of(definition, value)
end

function coercers.object(value)
  return decoded(value, "{")
end

local function coerce_parts(definition, value)
  local copy = setmetatable({}, getmetatable(value))
  for key, item in pairs(value) do
    local part = type(key) == "string" and (definition.properties or {})[key]
    if math.type(key) == "integer" then part = definition.items end
    if part then copy[key] = coerce(part, item) else copy[key] = item end
  end
  return copy
end

local function coerce_enum(definition, value)
  if type(value) ~= "string" then return value end
  local found
  for _, allowed in ipairs(definition.enum) do
    if allowed == value then return value end
    if type(allowed) == "string" and allowed:lower() == trim(value):lower() then
      if found then return value end
      found = allowed
    end
  end
  return found or value
end

local function fits_some(wanted, value)
  for _, name in ipairs(wanted) do
    if checks[name](value) then return true end
  end
  return false
end

function coerce(definition, value)
  local wanted = type_list(definition.type) or {}
  if value == nil or value == json.null then return value end
  if has_type(definition, "integer") and math.type(value) == "float" then
    value = math.tointeger(value) or value
  end
  -- Where several types are allowed, a value of another type could mean any of them: it is left as it is.
  if #wanted == 1 and not fits_some(wanted, value) then
    local better = coercers[wanted[1]] and coercers[wanted[1]](value, definition)
    if better ~= nil then value = better end
  end
  if definition.enum then value = coerce_enum(definition, value) end
  if type(value) == "table" and (definition.items or definition.properties) then
    return coerce_parts(definition, value)
  end
  return value
end

--- A copy of `value` in which typical mistakes of small models are corrected, where the meaning is unambiguous: numbers
--- and booleans in quotes, 5.0 for 5, JSON in a string, an enum's letter case, "x, y" or {x, y} for a pair of numbers,
--- a text for a list of texts. Anything else is left unchanged; validate reports it.
---@param definition table the schema
---@param value any decoded JSON
---@return any
function schema.coerce(definition, value)
  return coerce(definition, value)
end

local function check_types(definition, path)
  for _, name in ipairs(type_list(definition.type) or {}) do
    if not types[name] then
      return nil, ("%s: there is no type %s; the types are %s"):format(path, tostring(name),
        text.join(text.keys(types)))
    end
  end
  return true
end

--- Whether this module supports everything that a schema uses. Called when a tool is loaded: otherwise a misspelt
--- keyword would be ignored, and its check never made.
---@param definition any
---@param path string? the schema's name in errors
---@return boolean? ok, string? why
function schema.check(definition, path)
  path = path or "schema"
  if type(definition) ~= "table" then return nil, path .. " must be a table" end
  for _, key in ipairs(text.keys(definition)) do
    if not keywords[key] then
      return nil, ("%s: the keyword %s is not known; did you mean %s?"):format(path, tostring(key),
        text.nearest(tostring(key), text.keys(keywords)))
    end
  end
  local ok, why = check_types(definition, path)
  if not ok then return nil, why end
  for _, key in ipairs(definition.required or {}) do
    if not (definition.properties or {})[key] then
      return nil, ("%s: %s is required but not among the properties"):format(path, key)
    end
  end
  for _, key in ipairs(text.keys(definition.properties or {})) do
    ok, why = schema.check(definition.properties[key], path .. "." .. key)
    if not ok then return nil, why end
  end
  if definition.items then return schema.check(definition.items, path .. "[]") end
  return true
end

return schema
