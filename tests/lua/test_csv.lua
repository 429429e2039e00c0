--- base/csv.lua: RFC 4180 and what spreadsheets write.
local t = require "harness"
local csv = require "deskpilot.base.csv"

local tests = {}

function tests.fields_and_rows()
  t.eq(csv.decode("a,b,c\n1,2,3\n"), { { "a", "b", "c" }, { "1", "2", "3" } })
  t.eq(csv.decode("a,b\r\n,\r\n"), { { "a", "b" }, { "", "" } })
  t.eq(csv.decode("no line end,x"), { { "no line end", "x" } })
  t.eq(csv.decode("a,\n\n\nb,"), { { "a", "" }, { "b", "" } })
  t.eq(csv.decode("\xEF\xBB\xBFä;b\tc", { separator = ";" }), { { "ä", "b\tc" } })
  t.eq(csv.decode("a\tb", { separator = "\t" }), { { "a", "b" } })
  t.eq(csv.decode("a-b", { separator = "-" }), { { "a", "b" } })
  t.eq(csv.decode(""), {})
end

function tests.quotes()
  t.eq(csv.decode('"a, b","say ""yes""","two\nlines",""\n"""",x'),
    { { "a, b", 'say "yes"', "two\nlines", "" }, { '"', "x" } })
  t.eq(csv.decode('a "b" c,d'), { { 'a "b" c', "d" } })
end

function tests.what_is_wrong_is_placed()
  local rows, err = csv.decode('a,"b')
  t.eq(rows, nil)
  t.eq(err.code, "invalid")
  t.has(tostring(err), "byte 3")
  rows, err = csv.decode('"a"b,c')
  t.eq(rows, nil)
  t.has(tostring(err), "byte 4")
  t.eq(pcall(csv.decode, "a", { separator = "ab" }), false)
  t.eq(pcall(csv.decode, "a", { separator = "]" }), false)
end

function tests.records_by_name()
  t.eq(csv.records("Name,Town\nAda,London\n"), { { Name = "Ada", Town = "London" } })
  t.eq(csv.records(""), {})
  local records, err = csv.records("Name,Town\nAda\n")
  t.eq(records, nil)
  t.has(tostring(err), "row 2 has 1 field")
end

return tests
