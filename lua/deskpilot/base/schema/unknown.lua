--- Arguments that a schema does not know. Models add such of their own accord ("confidence"): what they ask for is
--- clear without them, so that they are left out. A name that is nearly a known one that is missing was meant for that.
local declare = require "deskpilot.base.schema.declare"
local text = require "deskpilot.base.text"

local unknown = {}

local longest_name = 60 -- characters; longer names are no misspelling
local most_told = 10
local most_compared = 50
local deepest = 60

local function plain(name)
  return (name:lower():gsub("[%s_-]", ""))
end

-- Whether one name is the other with a mistake in it: the longer it is, the more.
local function is_near(name, known)
  if #name > longest_name then return false end
  local most = #known > 4 and 2 or #known > 2 and 1 or 0
  return text.distance(plain(name), plain(known)) <= most
end

-- The known name that was meant: one that the value does not have.
local function meant(definition, value, name)
  local candidates = {}
  for _, known in ipairs(declare.names(definition)) do
    if value[known] == nil and is_near(name, known) then candidates[#candidates + 1] = known end
  end
  return text.nearest(name, candidates, true)
end

local function join_path(path, key)
  key = text.cut(text.one_line(key), longest_name)
  return path == "" and key or path .. "." .. key
end

local without

local function inner(definition, key)
  if type(key) == "string" then return (definition.properties or {})[key] end
  return definition.items
end

local function without_unknown(found, definition, value, path, depth)
  local closed = definition.additionalProperties == false and not definition.patternProperties
  local copy = setmetatable({}, getmetatable(value))
  for _, key in ipairs(text.keys(value)) do
    if closed and type(key) == "string" and not (definition.properties or {})[key] then
      found.count = found.count + 1
      local name = join_path(path, key)
      local known = found.count <= most_compared and meant(definition, value, key)
      local list = known and found.near or found.dropped
      if #list < most_told then
        list[#list + 1] = known and ("%s is not known (did you mean %s?)"):format(name, join_path(path, known)) or name
      end
    else
      local where = type(key) == "string" and join_path(path, key) or ("%s[%d]"):format(path, key - 1)
      copy[key] = without(found, inner(definition, key), value[key], where, depth + 1)
    end
  end
  return copy
end

function without(found, definition, value, path, depth)
  if type(definition) ~= "table" or type(value) ~= "table" or depth > deepest then return value end
  if not (definition.properties or definition.items or definition.additionalProperties == false) then return value end
  return without_unknown(found, definition, value, path, depth)
end

--- A copy of `value` without the properties that its schema excludes (`additionalProperties = false`).
---@param definition table the schema
---@param value any decoded JSON
---@return any copy
---@return string[] dropped the names of what was left out, at most 10
---@return string[] near a sentence for each that is a known name, misspelt
function unknown.drop(definition, value)
  local found = { dropped = {}, near = {}, count = 0 }
  return without(found, definition, value, "", 0), found.dropped, found.near
end

return unknown
