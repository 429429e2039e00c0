--- Validation of schemas that are made of others: allOf, anyOf, oneOf, not, if, dependentSchemas.
local text = require "deskpilot.base.text"

local combined = {}

-- Whether a value fits, without a sentence where it does not.
local function fits(self, definition, value, path, mine)
  self.quiet = self.quiet + 1
  local ok = self:visit(definition, value, path, mine)
  self.quiet = self.quiet - 1
  return ok
end

local function check_all(self, definition, value, path, mine)
  for _, each in ipairs(definition.allOf or {}) do
    local ok, why = self:visit(each, value, path, mine)
    if not ok then return nil, why end
  end
  return true
end

local most_reasons = 3

-- What keeps the value from fitting the first few forms.
local function reasons(self, forms, value, path)
  if self.quiet > 0 then return "" end
  local list = {}
  for i = 1, math.min(#forms, most_reasons) do
    local _, why = self:visit(forms[i], value, path)
    list[i] = ("(%d) %s"):format(i, text.cut(tostring(why), 120))
  end
  if #forms > most_reasons then list[#list + 1] = "..." end
  return table.concat(list, "; ")
end

local function fits_none(self, forms, value, path)
  return self:fail("%s is %s, which fits none of the forms that it may have: %s", path == "" and "the value" or path,
    self:shown(value), reasons(self, forms, value, path))
end

local function check_any(self, definition, value, path, mine)
  local forms, found = definition.anyOf, false
  if not forms then return true end
  for _, form in ipairs(forms) do -- all of them: each accounts for properties of its own
    if fits(self, form, value, path, mine) then found = true end
  end
  if found then return true end
  return fits_none(self, forms, value, path)
end

local function check_one(self, definition, value, path, mine)
  local forms, which = definition.oneOf, {}
  if not forms then return true end
  for i, form in ipairs(forms) do
    local own = {}
    if fits(self, form, value, path, own) then
      which[#which + 1] = tostring(i)
      for key in pairs(own) do mine[key] = true end
    end
  end
  if #which == 1 then return true end
  if #which == 0 then return fits_none(self, forms, value, path) end
  return self:fail("%s is %s, which fits the forms %s, but must fit one alone", path == "" and "the value" or path,
    self:shown(value), text.join(which))
end

local function check_not(self, definition, value, path)
  if definition["not"] == nil or not fits(self, definition["not"], value, path) then return true end
  return self:fail("%s is %s, which is excluded", path == "" and "the value" or path, self:shown(value))
end

local function check_if(self, definition, value, path, mine)
  if definition["if"] == nil then return true end
  local following = definition["else"]
  if fits(self, definition["if"], value, path, mine) then following = definition["then"] end
  if following == nil then return true end
  return self:visit(following, value, path, mine)
end

local function check_dependent(self, definition, value, path, mine)
  if not definition.dependentSchemas or type(value) ~= "table" then return true end
  for _, key in ipairs(self:keys(definition.dependentSchemas)) do
    if value[key] ~= nil then
      local ok, why = self:visit(definition.dependentSchemas[key], value, path, mine)
      if not ok then return nil, why end
    end
  end
  return true
end

local checks = { check_all, check_any, check_one, check_not, check_if, check_dependent }

--- Checks a value against what a schema is made of.
---@param self deskpilot.schema.validation
---@param definition table
---@param value any
---@param path string
---@param mine table filled with the names and places that are accounted for
---@return boolean? ok, string? why
function combined.check(self, definition, value, path, mine)
  for _, check in ipairs(checks) do
    local ok, why = check(self, definition, value, path, mine)
    if not ok then return nil, why end
  end
  return true
end

return combined
