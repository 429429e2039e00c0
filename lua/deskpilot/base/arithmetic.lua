--- Reckons expressions that are written as text: numbers, dates and the columns of a table. It runs nothing: a text
--- from a model is read by the grammar below, and what is not in it is an error.
---
---   value  = number | "text" | name(value, ...) | (value)          2026-03-01 is a date
---   signs  ^ before unary -, before * / %, before + -              date + days, date - days, date - date
local errors = require "deskpilot.base.errors"
local text = require "deskpilot.base.text"

local arithmetic = {}

local longest = 1000 -- bytes of an expression
local deepest = 50   -- values inside each other

-- --- dates --------------------------------------------------------------------------------------------------

-- A date is { days = since 1970-01-01 } of the Gregorian calendar.
local function day_number(year, month, day)
  if month <= 2 then year, month = year - 1, month + 12 end
  return 365 * year + year // 4 - year // 100 + year // 400 + (153 * (month - 3) + 2) // 5 + day - 1 - 719468
end

local function calendar(days)
  local shifted = days + 719468
  local era = shifted // 146097
  local of_era = shifted - era * 146097
  local year = (of_era - of_era // 1460 + of_era // 36524 - of_era // 146096) // 365
  local of_year = of_era - (365 * year + year // 4 - year // 100)
  local month = (5 * of_year + 2) // 153
  local day = of_year - (153 * month + 2) // 5 + 1
  year = year + era * 400
  if month < 10 then return year, month + 3, day end
  return year + 1, month - 9, day
end

local function date_of(words)
  local year, month, day = words:match "^(%d%d%d%d)%-(%d%d)%-(%d%d)$"
  if not year then return nil end
  local days = day_number(math.tointeger(year), math.tointeger(month), math.tointeger(day))
  local _, m, d = calendar(days)
  if m ~= math.tointeger(month) or d ~= math.tointeger(day) then return nil end
  return { days = days }
end

local function shown(value)
  if type(value) == "table" then return ("%04d-%02d-%02d"):format(calendar(value.days)) end
  if type(value) == "string" then return value end
  if value == math.floor(value) and math.abs(value) < 2 ^ 53 then return ("%d"):format(value) end
  return ("%.14g"):format(value)
end

-- --- reading ------------------------------------------------------------------------------------------------

local function wrong(what, ...) error(errors.new("invalid", what, ...), 0) end

local forms = { { "date", "^(%d%d%d%d%-%d%d%-%d%d)()" }, { "number", "^(%d+%.?%d*[eE][+-]?%d+)()" },
  { "number", "^(%d+%.?%d*)()" }, { "number", "^(%.%d+)()" }, { "name", "^([%a_][%w_]*)()" },
  { "text", '^"([^"]*)"()' }, { "text", "^'([^']*)'()" }, { "sign", "^([-+*/%%^(),])()" } }

local function tokens_of(words)
  local list, at = {}, 1
  while true do
    at = words:match("^%s*()", at)
    if at > #words then return list end
    local kind, value, after
    for _, form in ipairs(forms) do
      value, after = words:match(form[2], at) -- pattern: one of `forms`
      kind = form[1]
      if value then break end
    end
    if not value then wrong("%q cannot be read from %q on", words, text.cut(words:sub(at), 20)) end
    list[#list + 1] = { kind = kind, value = value }
    at = after
  end
end

-- --- functions ----------------------------------------------------------------------------------------------

local function date_at(days)
  if not (days >= -719528 and days <= 2932896) then wrong("the date is in no year from 0 to 9999") end
  return { days = math.floor(days) }
end

local function number(value, what)
  if type(value) ~= "number" then wrong("%s needs numbers, not %s", what, shown(value)) end
  return value
end

local function numeral(words)
  return tonumber((words:gsub("[%s$€£%%]", "")))
end

-- The numbers of a column: of all rows, or of those that have a value in another column.
local function column(rows, name, where, wanted)
  if not rows then wrong("there is no table to take the column %q from", name) end
  local list, known = {}, false
  for _, row in ipairs(rows) do
    known = known or row[name] ~= nil
    if where == nil or text.fold(row[where] or "") == text.fold(wanted or "") then
      local value = numeral(row[name] or "")
      if not value and (row[name] or ""):find "%S" then
        wrong("the column %q holds %q, which is no number", name, text.cut(row[name], 40))
      end
      list[#list + 1] = value
    end
  end
  if not known then wrong("the table has no column %q", name) end
  return list
end

-- The numbers that a function of several is given: its arguments, or the column that they name.
local function numbers(self, args, what)
  if type(args[1]) == "string" then
    return column(self.rows, args[1], args[2], args[3] ~= nil and shown(args[3]) or nil)
  end
  local list = {}
  for i, value in ipairs(args) do list[i] = number(value, what) end
  return list
end

local function some(list, what)
  if #list == 0 then wrong("%s of nothing", what) end
  return list
end

local functions = {}

function functions.sum(self, args)
  local total = 0
  for _, value in ipairs(numbers(self, args, "sum")) do total = total + value end
  return total
end

function functions.count(self, args) return #numbers(self, args, "count") end

function functions.mean(self, args)
  local list, total = some(numbers(self, args, "mean"), "the mean"), 0
  for _, value in ipairs(list) do total = total + value end
  return total / #list
end

function functions.median(self, args)
  local list = some(numbers(self, args, "median"), "the median")
  table.sort(list)
  return (list[(#list + 1) // 2] + list[#list // 2 + 1]) / 2
end

function functions.min(self, args) return math.min(table.unpack(some(numbers(self, args, "min"), "the least"))) end

function functions.max(self, args) return math.max(table.unpack(some(numbers(self, args, "max"), "the most"))) end

function functions.round(_, args)
  local places = 10 ^ (args[2] and number(args[2], "round") or 0)
  local value = number(args[1], "round") * places
  -- What is a half in decimals is a little less in binary.
  local away = math.floor(math.abs(value) + 0.5 + 1e-9)
  return (value < 0 and -away or away) / places
end

function functions.abs(_, args) return math.abs(number(args[1], "abs")) end
function functions.floor(_, args) return math.floor(number(args[1], "floor")) end
function functions.ceil(_, args) return math.ceil(number(args[1], "ceil")) end

function functions.sqrt(_, args)
  if number(args[1], "sqrt") < 0 then wrong("the root of a negative number") end
  return math.sqrt(args[1])
end

local function date(value, what)
  if type(value) ~= "table" then wrong("%s needs dates such as 2026-03-01, not %s", what, shown(value)) end
  return value
end

function functions.days(_, args) return date(args[2], "days").days - date(args[1], "days").days end

function functions.weekday(_, args)
  local names = { "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday" }
  return names[(date(args[1], "weekday").days + 3) % 7 + 1]
end

-- The same day of another month, or its last.
function functions.add_months(_, args)
  local year, month, day = calendar(date(args[1], "add_months").days)
  local added = math.max(-1e6, math.min(1e6, number(args[2], "add_months")))
  local months = year * 12 + month - 1 + math.floor(added)
  local first = day_number(months // 12, months % 12 + 1, 1)
  local last = day_number((months + 1) // 12, (months + 1) % 12 + 1, 1) - 1
  return date_at(math.min(first + day - 1, last))
end

local least = { round = 1, abs = 1, floor = 1, ceil = 1, sqrt = 1, days = 2, weekday = 1, add_months = 2 }

-- --- the grammar --------------------------------------------------------------------------------------------

local function peek(self, value)
  local token = self.tokens[self.at]
  return token ~= nil and token.kind == "sign" and token.value == value
end

local function take(self, value)
  if not peek(self, value) then return false end
  self.at = self.at + 1
  return true
end

local sum

local function call(self, name)
  local fn, args = functions[name:lower()], {}
  if not fn then
    wrong("there is no function %s%s", text.cut(name, 40), text.did_you_mean(name, text.keys(functions)))
  end
  if not take(self, "(") then wrong("%s needs its values in brackets", name) end
  while not take(self, ")") do
    if #args > 0 and not take(self, ",") then wrong("a comma or ) is missing after a value of %s", name) end
    args[#args + 1] = sum(self)
  end
  if #args < (least[name:lower()] or 1) then wrong("%s needs %d values", name, least[name:lower()] or 1) end
  return fn(self, args)
end

local function value_of(self)
  local token = self.tokens[self.at]
  if not token then wrong("the expression ends too early") end
  self.at = self.at + 1
  if token.kind == "number" then return tonumber(token.value) + 0.0 end
  if token.kind == "text" then return date_of(token.value) or token.value end
  if token.kind == "date" then return date_of(token.value) or wrong("%s is no date", token.value) end
  if token.kind == "name" then return call(self, token.value) end
  if token.value ~= "(" then wrong("a value is missing before %s", token.value) end
  local value = sum(self)
  if not take(self, ")") then wrong("a ) is missing") end
  return value
end

local function nested(self, fn)
  self.depth = self.depth + 1
  if self.depth > deepest then wrong("the expression has more than %d values inside each other", deepest) end
  local value = fn(self)
  self.depth = self.depth - 1
  return value
end

local function power(self)
  if take(self, "-") then return -number(nested(self, power), "-") end
  if take(self, "+") then return nested(self, power) end
  local base = nested(self, value_of)
  if take(self, "^") then return number(base, "^") ^ number(nested(self, power), "^") end
  return base
end

local function divided(a, b, sign)
  if b == 0 then wrong("%s %s 0 has no value", shown(a), sign) end
  return sign == "/" and a / b or a % b
end

local function product(self)
  local value = power(self)
  while true do
    if take(self, "*") then value = number(value, "*") * number(power(self), "*")
    elseif take(self, "/") then value = divided(number(value, "/"), number(power(self), "/"), "/")
    elseif take(self, "%") then value = divided(number(value, "%"), number(power(self), "%"), "%")
    else return value end
  end
end

local function added(a, b, sign)
  if type(a) == "table" and type(b) == "table" and sign < 0 then return a.days - b.days end
  if type(a) == "table" then return date_at(a.days + sign * number(b, "a date and days")) end
  return number(a, "+ and -") + sign * number(b, "+ and -")
end

function sum(self)
  return nested(self, function()
    local value = product(self)
    while true do
      if take(self, "+") then value = added(value, product(self), 1)
      elseif take(self, "-") then value = added(value, product(self), -1)
      else return value end
    end
  end)
end

--- The value of an expression, as it is written: numbers without needless digits, dates as 2026-03-01.
---@param expression string
---@param rows table<string, string>[]? of a table, for functions that name a column
---@return string? value, deskpilot.error? err code "invalid"
function arithmetic.value(expression, rows)
  if #expression > longest then return errors.fail("invalid", "the expression has more than %d bytes", longest) end
  local ok, value = pcall(function()
    local self = { tokens = tokens_of(expression), at = 1, depth = 0, rows = rows }
    local found = sum(self)
    if self.tokens[self.at] then wrong("%s was not expected", self.tokens[self.at].value) end
    if type(found) == "number" and (found ~= found or math.abs(found) == math.huge) then
      wrong("the value is no number")
    end
    return shown(found)
  end)
  if ok then return value end
  if errors.is(value) then return nil, value end
  error(value, 0)
end

return arithmetic
