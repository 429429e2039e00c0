--- Validation of arrays and objects.
local json = require "deskpilot.base.json"
local declare = require "deskpilot.base.schema.declare"
local text = require "deskpilot.base.text"
local words = require "deskpilot.base.schema.words"

-- What few runs need is loaded by those that do.
local function patterns() return require "deskpilot.base.schema.pattern" end

local tables = {}

local most_told = 50 -- known names

local function join_path(path, key)
  key = text.cut(tostring(key), 60)
  return path == "" and key or path .. "." .. key
end

local function outside(size, least, most)
  return (least and size < least) or (most and size > most)
end

--- Arrays -------------------------------------------------------------------------------------------

-- Counted from 0, as in JSON, because a model reads this.
local function place(path, i)
  return ("%s[%d]"):format(path, i - 1)
end

local function check_items(self, definition, value, path, mine)
  local first, rest = definition.prefixItems, definition.items
  if type(rest) == "table" and rest[1] ~= nil then first, rest = rest, definition.additionalItems end -- before 2020-12
  for i, item in ipairs(value) do
    local inner = first and first[i]
    if inner == nil then inner = rest end
    if inner ~= nil then
      local ok, why = self:visit(inner, item, place(path, i))
      if not ok then return nil, why end
      mine[i] = true
    end
  end
  return true
end

local function check_contains(self, definition, value, path, mine)
  if definition.contains == nil then return true end
  local count = 0
  self.quiet = self.quiet + 1
  for i, item in ipairs(value) do
    if self:visit(definition.contains, item, place(path, i)) then
      count = count + 1
      mine[i] = true
    end
  end
  self.quiet = self.quiet - 1
  local least, most = definition.minContains or 1, definition.maxContains
  if not outside(count, least, most) then return true end
  return self:fail("%s has %d items of the kind that it must have %s of", path, count, words.range(least, most, ""))
end

local function check_unique(self, definition, value, path)
  if not definition.uniqueItems then return true end
  local where = {}
  for i, item in ipairs(value) do
    local written = words.canonical(item)
    self:spend(1 + #written // 16)
    if where[written] then
      return self:fail("%s and %s are both %s, but no two may be the same", place(path, where[written]), place(path, i),
        self:shown(item))
    end
    where[written] = i
  end
  return true
end

local function check_array(self, definition, value, path, mine)
  if outside(#value, definition.minItems, definition.maxItems) then
    return self:fail("%s is %s, which has %d items, but must have %s", path, self:shown(value), #value,
      words.range(definition.minItems, definition.maxItems, " items"))
  end
  local ok, why = check_items(self, definition, value, path, mine)
  if ok then ok, why = check_contains(self, definition, value, path, mine) end
  if ok then ok, why = check_unique(self, definition, value, path) end
  return ok, why
end

--- Objects ------------------------------------------------------------------------------------------

local function is_there(value, key)
  return value[key] ~= nil and value[key] ~= json.null
end

-- A null in an object is lost in decoding, so that what is said to be null at times may be missing.
local function may_be_null(property)
  if type(property) ~= "table" then return false end
  if words.has_type(property, "null") then return true end
  for _, form in ipairs(property.anyOf or property.oneOf or {}) do
    if type(form) == "table" and words.has_type(form, "null") then return true end
  end
  return false
end

local function check_required(self, definition, value, path)
  for _, key in ipairs(definition.required or {}) do
    local property = (definition.properties or {})[key]
    self:spend(1)
    if not is_there(value, key) and not may_be_null(property) then
      local wanted = type(property) == "table" and property.type
      return self:fail("%s is missing%s", join_path(path, key),
        wanted and ", which must be " .. words.types(wanted) or "")
    end
  end
  for _, key in ipairs(definition.dependentRequired and self:keys(definition.dependentRequired) or {}) do
    for _, other in ipairs(is_there(value, key) and definition.dependentRequired[key] or {}) do
      self:spend(1)
      if not is_there(value, other) then
        return self:fail("%s is missing, which %s needs", join_path(path, other), join_path(path, key))
      end
    end
  end
  return true
end

local function check_size(self, definition, value, path)
  local least, most = definition.minProperties, definition.maxProperties
  if not least and not most then return true end
  local _, size = self:kind(value)
  if not outside(size, least, most) then return true end
  return self:fail("%s has %d properties, but must have %s", path == "" and "the object" or path, size,
    words.range(least, most, ""))
end

local function unknown(self, definition, key, path)
  if self.quiet > 0 then return nil, "" end
  local known = declare.names(definition)
  known = #known > most_told and { ("%d others"):format(#known) } or known
  local allowed = #known == 0 and "nothing is expected there" or "the names known here are " .. text.join(known)
  return self:fail("%s is not known; %s", join_path(path, key), allowed)
end

local function check_property(self, definition, value, key, path, mine)
  local property = definition.properties and definition.properties[key]
  if property == nil or not is_there(value, key) then return true end
  mine[key] = true
  return self:visit(property, value[key], join_path(path, key))
end

-- What is not among the properties: by its name, or by the schema for the rest.
local function check_other(self, definition, value, key, path, mine)
  local property = definition.properties and definition.properties[key]
  local matched = property ~= nil
  for _, source in ipairs(definition.patternProperties and self:keys(definition.patternProperties) or {}) do
    if patterns().matches(source, key, self.budget) ~= false then
      matched, mine[key] = true, true
      local ok, why = self:visit(definition.patternProperties[source], value[key], join_path(path, key))
      if not ok then return nil, why end
    end
  end
  local rest = definition.additionalProperties
  if matched or rest == nil then return true end
  if rest == false then return unknown(self, definition, key, path) end
  mine[key] = true
  return self:visit(rest, value[key], join_path(path, key))
end

local function check_names(self, definition, value, path)
  if definition.propertyNames == nil then return true end
  for _, key in ipairs(self:keys(value)) do
    local ok, why = self:visit(definition.propertyNames, key, "the name " .. join_path(path, key))
    if not ok then return nil, why end
  end
  return true
end

local function check_object(self, definition, value, path, mine)
  local ok, why = check_required(self, definition, value, path)
  if ok then ok, why = check_size(self, definition, value, path) end
  if ok then ok, why = check_names(self, definition, value, path) end
  if not ok then return nil, why end
  if definition.patternProperties or definition.additionalProperties ~= nil then
    for _, key in ipairs(self:keys(value)) do
      ok, why = check_other(self, definition, value, key, path, mine)
      if not ok then return nil, why end
    end
  end
  for _, key in ipairs(definition.properties and declare.names(definition) or {}) do
    self:spend(1)
    ok, why = check_property(self, definition, value, key, path, mine)
    if not ok then return nil, why end
  end
  return true
end

local about_arrays = { "items", "prefixItems", "contains", "minItems", "maxItems", "uniqueItems", "unevaluatedItems" }

-- Which keywords apply to a table. Decoding leaves no difference between [] and {}: it is what its schema speaks of.
local function applies(self, definition, value)
  local kind = self:kind(value)
  if kind ~= "empty" then return kind end
  if definition.type then
    return words.has_type(definition, "array") and not words.has_type(definition, "object") and "array" or "object"
  end
  for _, keyword in ipairs(about_arrays) do
    if definition[keyword] ~= nil then return "array" end
  end
  return "object"
end

--- Checks a table's parts.
---@param self deskpilot.schema.validation
---@param definition table
---@param value table
---@param path string
---@param mine table filled with the names and places that are accounted for
---@return boolean? ok, string? why
function tables.check(self, definition, value, path, mine)
  local kind = applies(self, definition, value)
  if kind == "array" then return check_array(self, definition, value, path == "" and "the array" or path, mine) end
  if kind == "object" then return check_object(self, definition, value, path, mine) end
  return true
end

--- Checks what no other keyword has accounted for.
---@param self deskpilot.schema.validation
---@return boolean? ok, string? why
function tables.check_rest(self, definition, value, path, mine)
  local array = applies(self, definition, value) == "array"
  local rest = definition.unevaluatedProperties
  if array then rest = definition.unevaluatedItems end
  if rest == nil then return true end
  for _, key in ipairs(self:keys(value)) do
    if not mine[key] then
      local where = array and place(path, key) or join_path(path, key)
      if rest == false then return self:fail("%s is not known here", where) end
      local ok, why = self:visit(rest, value[key], where)
      if not ok then return nil, why end
      mine[key] = true
    end
  end
  return true
end

return tables
