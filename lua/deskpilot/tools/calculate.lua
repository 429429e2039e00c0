local arithmetic = require "deskpilot.base.arithmetic"
local csv = require "deskpilot.base.csv"
local errors = require "deskpilot.base.errors"
local fields = require "deskpilot.agent.fields"

-- The rows of a table; its separator is the one that its first line has most of.
local function rows_of(words)
  local first, best, most = words:match "^[^\n]*", ",", 0
  for _, separator in ipairs { ",", ";", "\t", "|" } do
    local _, count = first:gsub("%" .. separator, "")
    if count > most then best, most = separator, count end
  end
  return csv.records(words, { separator = best })
end

---@type deskpilot.tool
return {
  api = 1,
  name = "calculate",
  group = "calculation",
  description = "Calculate exactly: + - * / % ^, brackets, sum, mean, median, min, max, count, round(x, places), abs, "
    .. "floor, ceil, sqrt; dates: 2026-03-01 + 14, days(from, to), weekday(date), add_months(date, n); columns of a "
    .. 'table: sum("amount"), or of some rows sum("amount", "town", "Oslo"). Give all that you need at once.',
  parameters = fields.object {
    { name = "expressions", type = "array", minItems = 1, maxItems = 50, items = { type = "string", minLength = 1,
      maxLength = 1000 } },
    { name = "table", type = "string", maxLength = 100000, optional = true,
      description = "Lines of values; the first line names the columns, separated by commas, semicolons, tabs or |." },
  },
  acts = false,
  looks = true,
  anywhere = true,
  run = function(_, args)
    local rows, why
    if args.table then
      rows, why = rows_of(args.table)
      if not rows then return nil, why end
    end
    local lines, values, failed = {}, {}, 0
    for i, expression in ipairs(args.expressions) do
      local value, err = arithmetic.value(expression, rows)
      if not value then failed = failed + 1 end
      values[i] = value or false
      lines[i] = ("%s = %s"):format(expression, value or "ERROR: " .. tostring(err))
    end
    local words = table.concat(lines, "\n")
    if failed == #lines then return errors.fail("invalid", "%s", words) end
    return { text = words, data = { values = values } }
  end,
}
