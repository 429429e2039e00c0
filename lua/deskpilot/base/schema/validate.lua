--- Validation. Errors are sentences for the model that sent the value: they name the argument, the value it had and
--- what is expected. Neither the schema nor the value can make it long: steps are counted, and what would need more is
--- refused.
local refs = require "deskpilot.base.schema.refs"
local tables = require "deskpilot.base.schema.validate_tables"
local combined = require "deskpilot.base.schema.validate_combined"
local text = require "deskpilot.base.text"
local words = require "deskpilot.base.schema.words"

-- What few runs need is loaded by those that do.
local function patterns() return require "deskpilot.base.schema.pattern" end

local validate = {}

local most_steps = 300000 -- some 0.1 s
local deepest = 300 -- schemas inside each other; a value has at most 60 levels

--- One validation under way.
---@class deskpilot.schema.validation
---@field root table the whole schema
---@field budget { left: integer }
---@field depth integer
---@field quiet integer above 0 where nobody reads the sentences
---@field kinds table<table, { [1]: string?, [2]: integer }> of the value's tables
---@field sorted table<table, any[]> keys of tables
local Validation = {}
Validation.__index = Validation

local too_much = {} -- raised when the steps are used up

--- Counts steps.
function Validation:spend(steps)
  self.budget.left = self.budget.left - steps
  if self.budget.left < 0 then error(too_much, 0) end
end

--- nil and a sentence; its arguments are only put into words where somebody reads them.
---@param form string
---@return nil, string
function Validation:fail(form, ...)
  if self.quiet > 0 then return nil, "" end
  self:spend(50)
  return nil, form:format(...)
end

--- The value in a sentence.
function Validation:shown(value)
  return self.quiet > 0 and "" or words.value(value)
end

--- Whether a table is an array, an object or empty, and its size.
function Validation:kind(value)
  local known = self.kinds[value]
  if not known then
    known = { words.table_kind(value) }
    self:spend(known[2])
    self.kinds[value] = known
  end
  return known[1], known[2]
end

--- The sorted keys of one of the value's tables, or of the schema's; they are sorted once.
function Validation:keys(value)
  local known = self.sorted[value]
  if not known then
    known = text.keys(value)
    self:spend(2 * #known)
    self.sorted[value] = known
  end
  return known
end

-- As words.is_type, which would count a large table each time.
local function is_type(self, name, value)
  if type(value) ~= "table" then return words.is_type(name, value) end
  local kind = self:kind(value)
  return kind == name or kind == "empty" and (name == "array" or name == "object")
end

local function check_type(self, definition, value, path)
  if definition.type == nil then return true end
  for _, name in ipairs(words.type_list(definition.type)) do
    if is_type(self, name, value) then return true end
  end
  return self:fail("%s %s %s, but must be %s", path == "" and "the arguments" or path, path == "" and "are" or "is",
    self:shown(value), words.types(definition.type))
end

-- Large values are compared by their texts, which are made once.
local function canonical(self, value)
  local written = words.canonical(value)
  self:spend(1 + #written // 16)
  return written
end

local function check_enum(self, definition, value, path)
  local allowed = definition.enum
  if definition.const ~= nil then allowed = { definition.const } end
  if not allowed then return true end
  local written, values = canonical(self, value), {}
  for i, each in ipairs(allowed) do
    if canonical(self, each) == written then return true end
    if i <= 30 then values[i] = self:shown(each) end
  end
  if #allowed > 30 then values[31] = ("%d more"):format(#allowed - 30) end
  return self:fail("%s is %s, but must be %s%s", path, self:shown(value), #allowed > 1 and "one of " or "",
    table.concat(values, ", "))
end

local function outside(value, least, most)
  return (least and value < least) or (most and value > most)
end

local function is_multiple(value, of)
  if math.type(value) == "integer" and math.tointeger(of) then return value % math.tointeger(of) == 0 end
  local times = math.abs(value / of)
  if times >= 2 ^ 53 then return times ~= math.huge end -- a number so large has no digits behind the point
  return math.abs(times - math.floor(times + 0.5)) <= 1e-9 * math.max(1, times)
end

local function check_number(self, definition, value, path)
  if outside(value, definition.minimum, definition.maximum) then
    return self:fail("%s is %s, but must be %s", path, self:shown(value),
      words.range(definition.minimum, definition.maximum, ""))
  end
  local above, below = definition.exclusiveMinimum, definition.exclusiveMaximum
  if above and value <= above then
    return self:fail("%s is %s, but must be more than %g", path, self:shown(value), above)
  end
  if below and value >= below then
    return self:fail("%s is %s, but must be less than %g", path, self:shown(value), below)
  end
  if definition.multipleOf and not is_multiple(value, definition.multipleOf) then
    return self:fail("%s is %s, but must be a multiple of %g", path, self:shown(value), definition.multipleOf)
  end
  return true
end

local function check_string(self, definition, value, path)
  local least, most = definition.minLength, definition.maxLength
  if least or most then
    self:spend(#value // 64)
    local characters = utf8.len(value) or #value
    if outside(characters, least, most) then
      return self:fail("%s has %d characters, but must have %s", path, characters,
        words.range(least, most, " characters"))
    end
  end
  if definition.pattern and patterns().matches(definition.pattern, value, self.budget) == false then
    return self:fail("%s is %s, but must match the regular expression %s", path, self:shown(value),
      self:shown(definition.pattern))
  end
  return true
end

local function check_references(self, definition, value, path, mine)
  for _, keyword in ipairs { "$ref", "$dynamicRef" } do
    local target = definition[keyword] and refs.find(self.root, definition[keyword])
    if target ~= nil then -- elsewhere: schema.check has said so
      local ok, why = self:visit(target, value, path, mine)
      if not ok then return nil, why end
    end
  end
  return true
end

local by_type = { string = check_string, number = check_number }

-- A schema that is a table. `mine`: the properties and places of the value that are accounted for.
local function check_table(self, definition, value, path, mine)
  local subject = path == "" and "the arguments" or path
  local ok, why = check_type(self, definition, value, path)
  if ok then ok, why = check_enum(self, definition, value, subject) end
  if ok and by_type[type(value)] then ok, why = by_type[type(value)](self, definition, value, subject) end
  if ok then ok, why = check_references(self, definition, value, path, mine) end
  if ok and type(value) == "table" then ok, why = tables.check(self, definition, value, path, mine) end
  if ok then ok, why = combined.check(self, definition, value, path, mine) end
  if ok and type(value) == "table" then ok, why = tables.check_rest(self, definition, value, path, mine) end
  return ok, why
end

--- Checks a part of the value against a part of the schema.
---@param definition table|boolean
---@param value any
---@param path string its name; "" for the whole
---@param seen table? filled with the names and places of the value that the schema has accounted for
---@return boolean? ok, string? why
function Validation:visit(definition, value, path, seen)
  if definition == true then return true end
  if definition == false then return self:fail("%s is not expected", path == "" and "anything" or path) end
  self:spend(1)
  if self.depth >= deepest then return self:fail("%s: the schema refers to itself without end", path) end
  self.depth = self.depth + 1
  local mine = {}
  local ok, why = check_table(self, definition, value, path, mine)
  self.depth = self.depth - 1
  if not ok then return nil, why end
  for key in pairs(seen and mine or {}) do seen[key] = true end
  return true
end

--- Whether `value` is valid under a schema that schema.check has found good.
---@param definition table|boolean the schema
---@param value any decoded JSON
---@param path string? the value's name in errors; if not given, errors name its properties alone
---@return boolean? ok, string? why a sentence
function validate.validate(definition, value, path)
  local self = setmetatable({ root = definition, budget = { left = most_steps }, depth = 0, quiet = 0, kinds = {},
    sorted = {} }, Validation)
  local done, ok, why = pcall(self.visit, self, definition, value, path or "")
  if done then return ok, why end
  if ok ~= too_much then error(ok, 0) end
  return nil, ("%s cannot be checked: value and schema are too large together"):format(path or "the arguments")
end

return validate
