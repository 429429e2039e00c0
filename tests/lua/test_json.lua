-- base/json and native.json: what a text may cost before it is decoded, and texts that are damaged.
local json = require "deskpilot.base.json"
local native = require "native.json"
local t = require "harness"

local tests = {}

function tests.values_and_depth()
  for _, row in ipairs {
    { "1", 1, 0 }, { "", 1, 0 }, { "[]", 2, 1 }, { "[1,2]", 3, 1 }, { "[[],[]]", 5, 2 }, { '{"a":1}', 3, 1 },
    { '{"a":[1,{"b":2}]}', 7, 3 }, { '"[,[\\"[[[,"', 1, 0 }, { '["\\\\",[]]', 4, 2 }, { '["no end [[[', 2, 1 },
    { '["\\', 2, 1 }, { "]]]][", 2, 0 },
  } do
    t.eq({ native.measure(row[1], 100) }, { row[2], row[3] }, row[1])
  end
  t.eq((native.measure(("[],"):rep(1e6), 10)), 11, "it stops there")
  t.raises("number expected", native.measure, "[]")
  t.raises("string expected", native.measure, nil, 1)
end

function tests.limits()
  local most = { bytes = 40, values = 6, depth = 2 }
  t.eq(json.decode('{"a":[1,2]}', most), { a = { 1, 2 } })
  t.eq(json.decode("[1,2,3,4,5]", most), { 1, 2, 3, 4, 5 })
  t.eq({ json.decode("[1,2,3,4,5,6]", most) }, { nil, "it has more than 6 values" })
  t.eq({ json.decode("[[[", most) }, { nil, "its lists and objects are nested 3 deep, and at most 2 are read" })
  t.eq({ json.decode((" "):rep(41), most) }, { nil, "it has 41 bytes, and at most 40 are read" })
end

-- lua-cjson makes a gigabyte of them in four seconds.
function tests.ten_million_lists_cost_nothing()
  local text = "[" .. ("[],"):rep(9999999) .. "[]]"
  collectgarbage()
  local before, began = collectgarbage "count", os.clock()
  local value, why = json.decode(text, { bytes = 1e9, values = 20000, depth = 60 })
  t.eq({ value, why }, { nil, "it has more than 20000 values" })
  t.ok(collectgarbage "count" - before < 100, collectgarbage "count" - before)
  t.ok(os.clock() - began < 0.5, os.clock() - began) -- of the processor
end

function tests.what_is_decoded_can_be_encoded()
  for _, text in ipairs { "1e999", "[-1e999]", '{"a":{"b":[1,1e400]}}' } do
    t.eq({ json.decode(text) }, { nil, "it has a number that is too large" }, text)
  end
  t.eq(json.decode "1e308", 1e308)
end

function tests.what_only_begins_as_a_number()
  for _, text in ipairs { "-x", "-nan", "-inf", "-", "[-:]", '{"a":-null}', "[0x10]", "-0x1" } do
    local value, why = json.decode(text)
    t.eq(value, nil, text)
    t.has(why, "invalid number", text)
  end
end

function tests.null_alone_is_no_value()
  for _, text in ipairs { "null", "\nnull", " null " } do t.eq({ json.decode(text) }, { nil, "it is null" }, text) end
  t.eq(json.decode '{"a":null,"b":[null]}', { b = { json.null } })
end

function tests.half_characters()
  for _, row in ipairs {
    { [["\ud83d"]], "\u{FFFD}" }, { [["\ude00"]], "\u{FFFD}" }, { [["\ud83d\ude00"]], "\u{1F600}" },
    { [["a\uD83D\ud83d\uDE00b"]], "a\u{FFFD}\u{1F600}b" }, { [["\\ud83d"]], [[\ud83d]] }, { [["\u0041"]], "A" },
    { [["\ud83d\u0041\n"]], "\u{FFFD}A\n" }, { [["\\\ud83d"]], "\\\u{FFFD}" },
  } do
    t.eq(json.decode(row[1]), row[2], row[1])
  end
  for _, text in ipairs { "", "a", "\\", "\\u", "\\ud83", "\\\\ud83d", "\\ud83d\\ude00" } do
    t.eq(native.mend(text), nil, text)
  end
  t.eq(native.mend "\\ud83d", "\\ufffd")
  t.eq(native.mend "\\ud83d\\ud83d\\", "\\ufffd\\ufffd\\")
end

function tests.values_that_say_the_same()
  local function deep(n, value) return n == 0 and value or { deep(n - 1, value), n = n } end
  for i, row in ipairs {
    { 1, 1.0, true }, { 1, "1", false }, { nil, nil, true }, { nil, false, false }, { {}, {}, true }, { {}, 1, false },
    { { a = 1 }, { a = 1, b = 2 }, false }, { { 1, 2 }, { 1, 2, 3 }, false },
    { { a = { b = "c" } }, { a = { b = "c" } }, true }, { { a = { b = "c" } }, { a = { b = "d" } }, false },
    { { f = print }, { f = type }, true }, { { f = print }, {}, false },
    { { f = io.stdout }, { f = io.stderr }, true }, { { a = false }, {}, false }, { deep(8, 1), deep(8, 2), false },
    { deep(9, { 1 }), deep(9, { 2 }), true }, { setmetatable({}, { __index = { a = 1 } }), { a = 1 }, true },
  } do
    t.eq(native.same(row[1], row[2]), row[3], i)
    t.eq(native.same(row[2], row[1]), row[3], i)
  end
  local round = { 1 }
  round.self = round
  local other = { 1 }
  other.self = other
  t.eq(native.same(round, other), true)
  t.raises("value expected", native.same, 1)
end

function tests.bytes_that_are_no_utf8()
  for _, row in ipairs { { "", "" }, { "a\u{1F600}", "a\u{1F600}" }, { "\xff", "\u{FFFD}" },
    { "a\xe2\x82b\xc0\x80", "a\u{FFFD}\u{FFFD}b\u{FFFD}\u{FFFD}" }, { "\xed\xa0\x80", ("\u{FFFD}"):rep(3) } } do
    t.eq(json.utf8(row[1]), row[2])
  end
  t.eq(json.decode(json.encode { "a\xff" }), { "a\u{FFFD}" })
end

return tests
