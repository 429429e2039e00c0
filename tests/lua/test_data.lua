local t = require "harness"
local data = require "deskpilot.base.data"

local tests = {}

local function value(source)
  local result, err = data.parse(source, "f")
  if not result then error(tostring(err), 2) end
  return result
end

-- What our parser reads must be what Lua itself makes of the same text.
local function same_as_lua(source)
  t.eq(value(source), load("return " .. source)(), source)
end

function tests.reads_what_lua_reads()
  same_as_lua "{}"
  same_as_lua "{ 1, 2, 3, }"
  same_as_lua "{ a = 1; b = { c = { d = 'x' } } }"
  same_as_lua "{ ['a b'] = true, [1] = false, [2.5] = 'y', 'first', nil, 'third' }"
  same_as_lua "{ -5, - 5, 0x1F, 0xA.8p1, 1e3, 1E-3, .5, 3., 9007199254740993, -0x10, 1e+2 }"
  same_as_lua [[{ 'a\n\t\\\'\"', "\65\066\x41\u{48}\u{20AC}", "a\z
      b", 'tab	inside' }]]
  same_as_lua "{ [[one\ntwo]], [==[ ]] ]=] ]==], [[\nfirst newline goes]] }"
  same_as_lua "{ -- a comment\n 1, --[[ a\nlong one ]] 2, --[==[ ]] ]==] 3 --\n}"
  same_as_lua "{ a = 1, a = 2, nilled = nil, truth = true }"
  same_as_lua '{ "a\\\nb" }'
  for _, line_end in ipairs { "\r", "\n\r", "\r\n", "\n\n\r", "\r\r\n\n" } do
    same_as_lua(("{ [[@a@@b]], 'c\\@d', --[[@]] 1 }"):gsub("@", #line_end < 3 and line_end or "\n"))
    same_as_lua(("{ [[@a@]] }"):gsub("@", line_end))
  end
  same_as_lua "{ 'x', [1] = 'y', [2] = 'z', nil, [3] = 'w' }"
  for _, count in ipairs { 49, 50, 51, 99, 100, 101 } do
    same_as_lua("{ " .. ("'x', "):rep(count) .. "[1] = 1, [50] = 2, [51] = 3, [100] = 4, [101] = 5 }")
  end
end

function tests.return_bom_and_trailing_marks_are_fine()
  t.eq(value("return { a = 1 }"), { a = 1 })
  t.eq(value("\239\187\191return{ 1 };\n-- end"), { 1 })
end

local function refused(source, part)
  local result, err = data.parse(source, "deskpilot.lua")
  t.eq(result, nil, source)
  t.eq(err and err.code, "invalid", source)
  t.has(tostring(err), part, source)
end

function tests.code_is_refused_with_its_line()
  refused("{ a = os.exit(1) }", "deskpilot.lua:1: 'os' is not a value")
  refused("{\n  a = 1,\n  b = f'x',\n}", "deskpilot.lua:3:")
  refused("{ a = function() end }", "'function' is not a value")
  refused("{ a = 60 * 5 }", "expected ',' or '}'")
  refused("{ a = 1 .. 2 }", "expected ',' or '}'")
  refused("{ a = 'x' .. 'y' }", "expected ',' or '}'")
  refused("{ ('x'):rep(9) }", "is not a value")
  refused("{ a = #'x' }", "is not a value")
  refused("{ [f()] = 1 }", "is not a value")
  refused("{} os.exit()", "nothing may follow")
  refused("return {}, 2", "nothing may follow")
  refused("os.exit()", "expected a table")
  refused("local x = {} return x", "expected a table")
  refused("\27Lua", "expected a table")
end

function tests.broken_files_are_refused()
  refused("", "expected a table, { ... } or return { ... }, not the end of the file")
  refused("{ a = 1\n\n", "deskpilot.lua:3: expected ',' or '}' (for the '{' of line 1)")
  refused("{ 'x }", "a string is not closed")
  refused("{ 'x\ny' }", "a string is not closed")
  refused("{ [[x }", "not closed")
  refused("{ --[[x }", "not closed")
  refused("{ '\\q' }", "'\\q' is not an escape")
  refused("{ '\\300' }", "larger than a byte")
  refused("{ '\\xG1' }", "two hexadecimal digits")
  refused("{ '\\u{110000000}' }", "hexadecimal digits")
  refused("{ 12abc }", "'12abc' is not a number")
  refused("{ [nil] = 1 }", "a key cannot be nil")
  refused("{ [{}] = 1 }", "a key cannot be a table")
  refused("{ end = 1 }", "'end' is not a value")
  refused("{ a = \255 }", "a byte that is not text")
  refused("{ 1, , 2 }", "',' is not a value")
  refused("{ -- a comment\rends there }", "'ends' is not a value")
end

function tests.depth_and_size_are_limited()
  local deep = ("{"):rep(33) .. ("}"):rep(33)
  refused(deep, "nested deeper than 32")
  t.ok(data.parse(("{"):rep(32) .. ("}"):rep(32)))
  refused("{ '" .. ("x"):rep(data.max_bytes) .. "' }", "larger than")
end

function tests.no_bytes_make_it_fail_otherwise_than_by_an_error_value()
  math.randomseed(7)
  local alphabet = { "{", "}", "[", "]", "=", ",", "'", '"', "\\", "-", "--", "[[", "]]", "a", "nil", "1", "e",
    ".", "0x", "\n", " ", "\0", "\255", "return", "u{", "\\x" }
  for _ = 1, 3000 do
    local parts = {}
    for i = 1, math.random(1, 14) do parts[i] = alphabet[math.random(#alphabet)] end
    local source = "{" .. table.concat(parts)
    local ok, result, err = pcall(data.parse, source)
    t.ok(ok and (type(result) == "table" or err.code == "invalid"), source)
    local lua = load("return " .. source, "x", "t", {})
    if result and not lua then t.ok(false, "read what Lua refuses: " .. source) end
  end
end

return tests
