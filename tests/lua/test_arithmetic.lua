--- Expressions as a model writes them: numbers, dates, columns of a table; and that nothing else can be done by them.
local t = require "harness"
local arithmetic = require "deskpilot.base.arithmetic"
local null_run = require "null_run"

local tests = {}

local function value(expression, rows) return t.ok(arithmetic.value(expression, rows)) end

function tests.numbers()
  for expression, want in pairs { ["1 + 2 * 3"] = "7", ["(1 + 2) * 3"] = "9", ["0.1 + 0.2"] = "0.3", ["-2 ^ 2"] = "-4",
    ["2 ^ 3 ^ 2"] = "512", ["7 / 2"] = "3.5", ["7 % 4"] = "3", ["10 - 2 - 3"] = "5", ["1e3"] = "1000",
    ["round(2.345, 2)"] = "2.35", ["round(-2.5)"] = "-3", ["round(1234.5678, 1)"] = "1234.6", ["abs(-3)"] = "3",
    ["sqrt(2)"] = "1.4142135623731", ["sum(1, 2, 3.5)"] = "6.5", ["mean(1, 2)"] = "1.5", ["median(5, 1, 3)"] = "3",
    ["median(4, 1, 3, 2)"] = "2.5", ["max(1, 7, 3)"] = "7", ["min(4, 2)"] = "2", ["count(1, 1)"] = "2",
    ["floor(-1.5)"] = "-2", ["ceil(1.2)"] = "2", ["1234567 * 7654321"] = "9449772114007", ["Sum(.5, +1)"] = "1.5",
    ["19.99 * 3"] = "59.97" } do
    t.eq(value(expression), want, expression)
  end
end

function tests.dates()
  for expression, want in pairs { ["2026-02-27 + 2"] = "2026-03-01", ["2024-02-28 + 1"] = "2024-02-29",
    ["2026-03-01 - 2026-02-01"] = "28", ["days(2026-01-01, 2027-01-01)"] = "365", ["weekday(2026-11-22)"] = "Sunday",
    ["weekday(1970-01-01)"] = "Thursday", ["add_months(2026-01-31, 1)"] = "2026-02-28",
    ["add_months(2026-03-15, -4)"] = "2025-11-15", ["days('2000-02-29', 2100-03-01)"] = "36525",
    ["1900-03-01 - 1"] = "1900-02-28" } do
    t.eq(value(expression), want, expression)
  end
end

local rows = { { town = "Oslo", amount = "1,000" }, { town = "Bergen", amount = "20" }, { town = "oslo", amount = "" } }

function tests.columns_of_a_table()
  local some = { { town = "Oslo", amount = "10.5" }, { town = "Bergen", amount = "$20" },
    { town = "oslo", amount = "" } }
  t.eq(value('sum("amount")', some), "30.5")
  t.eq(value('sum("amount", "town", "Oslo")', some), "10.5")
  t.eq(value('count("amount")', some), "2", "an empty field counts as none")
  t.eq(value('max("amount") - min("amount")', some), "9.5")
  t.fails("invalid", "has no column", arithmetic.value('sum("price")', some))
  t.fails("invalid", "there is no table", arithmetic.value 'sum("price")')
  t.fails("invalid", 'holds "1,000", which is no number', arithmetic.value('sum("amount")', rows))
end

function tests.what_is_no_expression_says_why()
  for expression, why in pairs { ["1 +"] = "ends too early", ["1 / 0"] = "has no value", ["2 2"] = "was not expected",
    ["(1"] = "a ) is missing", ["sqr(2)"] = "there is no function sqr", ["sqrt(-1)"] = "negative",
    ["2026-02-30"] = "is no date", ['"a" + 1'] = "needs numbers", ["os.exit()"] = "cannot be read",
    ["sum(1 2)"] = "a comma or )", ["round()"] = "needs 1 values", ["9e307 * 100"] = "no number", ["mean"] = "brackets",
    ["2026-01-01 + 1e18"] = "no year", ["add_months(2026-01-01, 1e300)"] = "no year", ["="] = "cannot be read",
    [("("):rep(400)] = "inside each other", [("1+"):rep(600)] = "more than 1000 bytes", ["days(1, 2)"] = "needs dates",
    [("-"):rep(400) .. "1"] = "inside each other" } do
    t.fails("invalid", why, arithmetic.value(expression))
  end
end

-- As an agent calls it: all at once, and what is wrong with one does not undo the others.
function tests.the_tool_answers_many_at_once()
  local results = {}
  null_run.play({ task = "x" }, { turn = function(run)
    local function ask(args)
      local checked = t.ok(run.toolbox:validate("calculate", args))
      local result, err = run.toolbox:run("calculate", { run = run, config = run.config, desk = run.desk }, checked)
      results[#results + 1] = result and result.text or tostring(err)
    end
    ask { expressions = { "2 + 2", "2 +", "2026-03-01 + 1" } }
    ask { expressions = { 'sum("amount")', 'sum("amount", "town", "Oslo")' },
      table = "town;amount\nOslo;1.5\nBergen;2\n" }
    ask { expressions = { "fly(1)" } }
    run:stop("succeeded", "asked")
  end })
  t.has(results[1], "2 + 2 = 4\n2 + = ERROR: the expression ends too early\n2026-03-01 + 1 = 2026-03-02")
  t.has(results[2], '= 3.5\nsum("amount", "town", "Oslo") = 1.5')
  t.has(results[3], "there is no function fly")
end

return tests
