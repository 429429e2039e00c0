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

function tests.texts_are_escaped_as_lua_cjson_does_it_but_for_slashes()
  local cjson = require "cjson"
  for byte = 0, 127 do
    local text = ("a%sb"):format(string.char(byte))
    t.eq(json.encode(text), (cjson.encode(text):gsub("\\/", "/")), byte)
  end
  local long = ("\u{1F600}\"\\\n"):rep(20000)
  t.eq(json.decode(json.encode { [long] = { long } }), { [long] = { long } })
end

function tests.what_values_are_encoded_as()
  for _, row in ipairs {
    { {}, "{}" }, { json.list {}, "[]" }, { { 1, 2.0, 2.5, -0.0, 1e15, 1e300, -7 }, "[1,2,2.5,0,1e+15,1e+300,-7]" },
    { math.mininteger, "-9223372036854775808" }, { true, "true" }, { json.null, "null" },
    { { b = 1, a = { c = false }, ab = json.null }, '{"a":{"c":false},"ab":null,"b":1}' },
    { json.ordered({ a = 1, b = 2, c = 3, d = 4 }, { "c", "x", "a", "c" }), '{"c":3,"a":1,"b":2,"d":4}' },
    { { { { "deep" } } }, '[[["deep"]]]' }, { setmetatable({}, { __pairs = function() return pairs { a = 1 } end }),
      '{"a":1}' }, { { ["\0"] = "\0", ["\xff"] = 1 }, '{"\\u0000":"\\u0000","\u{FFFD}":1}' },
  } do
    t.eq(json.encode(row[1]), row[2])
  end
  t.eq(json.encode(nil), "null")
  local many, names = {}, {}
  for i = 1, 5000 do
    names[i] = ("n%d"):format(i)
    many[names[i]] = { i = i }
  end
  t.eq(json.decode(json.encode(json.ordered(many, names))), many)
  t.has(json.encode(many), '"n5000":{"i":5000}')
end

function tests.what_json_cannot_represent()
  local circle = {}
  circle.self = { circle }
  for _, row in ipairs {
    { print, "JSON cannot hold a function" }, { { a = io.stdout }, "JSON cannot hold a userdata" },
    { { [1] = 1, a = 2 }, "a JSON object needs string keys, not number" },
    { { [true] = 1 }, "a JSON object needs string keys, not boolean" },
    { { 0 / 0 }, "JSON has no such number: -nan" }, { -math.huge, "JSON has no such number: -inf" },
    { circle, "too deep (or circular) for JSON" },
  } do
    local ok, err = pcall(json.encode, row[1])
    t.eq(ok, false, row[2])
    t.eq((err:gsub("%-?nan", "-nan")), row[2])
  end
  t.eq(json.encode { "still" }, '["still"]', "an error leaves nothing behind")
end

-- Those who change texts may encode others meanwhile, and do anything to the table.
function tests.texts_are_changed_while_they_are_encoded()
  local function changed(value, text, constants)
    return json.encode(value, { text = text, same = {}, plain = {}, constants = constants or {},
      item = function(key, words) return key == "secret" and "***" or text(words) end,
      copy = function() return { a_copy = "as it is" } end })
  end
  local function louder(words) return words == "name" and words or json.encode({ words }):sub(3, -3) .. "!" end
  t.eq(changed({ "a", 1, { "b" } }, louder), '["a!",1,["b!"]]')
  t.eq(changed({ name = "a" }, louder), '{"name":"a!"}')
  t.eq(changed({ { name = "a", other = "b" } }, louder), '[{"a_copy":"as it is"}]')
  local function same(words) return words end
  t.eq(changed({ secret = "x", more = { secret = 1 } }, same), '{"more":{"secret":1},"secret":"***"}')
  local constant, constants = json.constant { secret = "x" }, {}
  for _ = 1, 2 do t.eq(changed({ constant, "y" }, same, constants), '[{"secret":"***"},"y"]') end
  t.eq(constants[constant], '{"secret":"***"}')
  local going = {}
  for i = 1, 200 do going[("a field with a long name, number %d"):format(i)] = "x" end
  local text = changed(going, function(words)
    for key in pairs(going) do going[key] = nil end
    collectgarbage()
    return words
  end)
  t.eq(select(2, text:gsub('"a field with a long name, number %d+":', "")), 200)
end

return tests
