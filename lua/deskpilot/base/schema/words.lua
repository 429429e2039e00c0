--- The words that sentences about a schema and a value are made of, and the types of values. Values are somebody
--- else's: only a part of a large one is put into words.
local json = require "deskpilot.base.json"
local text = require "deskpilot.base.text"

local words = {}

local longest = 80 -- characters of a value in a sentence

local function is_finite(value)
  return type(value) == "number" and value == value and math.abs(value) ~= math.huge
end

words.is_finite = is_finite

--- A type, or a list of types, as a list.
---@param wanted string|string[]|nil
---@return string[]
function words.type_list(wanted)
  if type(wanted) == "string" then return { wanted } end
  return wanted or {}
end

--- Whether a schema names that type.
---@param definition table
---@param name string
---@return boolean
function words.has_type(definition, name)
  for _, each in ipairs(words.type_list(definition.type)) do
    if each == name then return true end
  end
  return false
end

--- "array" or "object" for a table; "empty" for one that could be both; nil for a table that is none of JSON.
---@param value table
---@return "array"|"object"|"empty"|nil kind, integer size
function words.table_kind(value)
  local count, names = 0, 0
  for key in pairs(value) do
    count = count + 1
    if type(key) == "string" then names = names + 1 end
  end
  if count == 0 then return "empty", 0 end
  if names == count then return "object", count end
  return names == 0 and count == #value and "array" or nil, count
end

local types = {
  integer = function(v) return is_finite(v) and math.tointeger(v) ~= nil end,
  number = is_finite,
  string = function(v) return type(v) == "string" end,
  boolean = function(v) return type(v) == "boolean" end,
  array = function(v) return type(v) == "table" and words.table_kind(v) ~= "object" and words.table_kind(v) ~= nil end,
  object = function(v) return type(v) == "table" and words.table_kind(v) ~= "array" and words.table_kind(v) ~= nil end,
  null = function(v) return v == nil or v == json.null end,
}

--- The names of the types.
---@return string[]
function words.type_names()
  return text.keys(types)
end

--- Whether a value is of that type.
---@param name string
---@param value any
---@return boolean
function words.is_type(name, value)
  return types[name] ~= nil and types[name](value)
end

local articles = { integer = "a whole number", array = "an array", object = "an object", null = "null" }

--- "a string or null"
---@param wanted string|string[]
---@return string
function words.types(wanted)
  local names = {}
  for _, name in ipairs(words.type_list(wanted)) do names[#names + 1] = articles[name] or ("a " .. name) end
  return table.concat(names, " or ")
end

-- A copy with no more than that many parts, which has all that the first characters of its text need.
local function excerpt(value, room, depth)
  if type(value) == "string" then return value:sub(1, longest * 4) end
  if type(value) ~= "table" then return value end
  room.left = room.left - 1
  local copy = setmetatable({}, getmetatable(value))
  if room.left <= 0 or depth > 10 then return copy end
  local keys, all = {}, true
  for key in pairs(value) do
    if #keys >= 100 then
      all = false
      break
    end
    keys[#keys + 1] = key
  end
  if all then
    for _, key in ipairs(keys) do copy[key] = excerpt(value[key], room, depth + 1) end
  elseif #value > 0 then
    for i = 1, longest do copy[i] = excerpt(value[i], room, depth + 1) end
  else
    copy["..."] = json.ordered({}, {})
  end
  return copy
end

--- The value as JSON, at most 80 characters.
---@param value any
---@return string
function words.value(value)
  if value == nil then return "missing" end
  if type(value) == "number" and not is_finite(value) then return tostring(value) end
  local ok, written = pcall(json.encode, excerpt(value, { left = 200 }, 0))
  return ok and text.cut(written, longest) or ("a " .. type(value))
end

--- "between 1 and 5 characters"
---@param least number?
---@param most number?
---@param unit string
---@return string
function words.range(least, most, unit)
  if least and most and least == most then return ("exactly %g%s"):format(least, unit) end
  if least and most then return ("between %g and %g%s"):format(least, most, unit) end
  if least then return ("at least %g%s"):format(least, unit) end
  return ("at most %g%s"):format(most, unit)
end

local function canonical(value, out)
  local kind = type(value)
  if kind == "string" then
    out[#out + 1] = ("s%d:%s"):format(#value, value)
  elseif kind == "number" then
    out[#out + 1] = ("n%s"):format(math.tointeger(value) or ("%.17g"):format(value))
  elseif kind ~= "table" then
    out[#out + 1] = kind == "boolean" and tostring(value) or "null"
  elseif words.table_kind(value) == "object" then
    out[#out + 1] = "{"
    for _, key in ipairs(text.keys(value)) do
      canonical(key, out)
      canonical(value[key], out)
    end
    out[#out + 1] = "}"
  else
    out[#out + 1] = "["
    for _, item in ipairs(value) do canonical(item, out) end
    out[#out + 1] = "]"
  end
end

--- A text that two values share if and only if JSON Schema takes them as equal.
---@param value any
---@return string
function words.canonical(value)
  local out = {}
  canonical(value, out)
  return table.concat(out)
end

return words
