--- Schemas of other people's tools: all of JSON Schema 2020-12 that is used for arguments, and nothing of it can make a
--- validation long.
local t = require "harness"
local json = require "deskpilot.base.json"
local pattern = require "deskpilot.base.schema.pattern"
local schema = require "deskpilot.base.schema"

local tests = {}

-- Both from JSON, as they come over the wire.
local function load(text)
  local definition = assert(json.decode(text))
  t.eq(schema.check(definition, { foreign = true }), true, text)
  return assert(schema.declare(definition))
end

-- "fits", or the sentence.
local function judge(definition, value)
  local ok, why = schema.validate(load(definition), assert(json.decode(value)))
  return ok and "fits" or why
end

local function all(definition, good, bad)
  for _, value in ipairs(good) do t.eq(judge(definition, value), "fits", definition .. " with " .. value) end
  for value, part in pairs(bad) do t.has(judge(definition, value), part, definition .. " with " .. value) end
end

function tests.combined_schemas()
  all('{"anyOf":[{"type":"string","minLength":3},{"type":"integer"}]}', { '"abc"', "5" },
    { ['"ab"'] = "fits none of the forms that it may have: (1) the arguments has 2 characters",
      ["1.5"] = "(2) the arguments are 1.5, but must be a whole number" })
  all('{"oneOf":[{"multipleOf":5},{"multipleOf":3}]}', { "9", "10" },
    { ["15"] = "fits the forms 1 and 2, but must fit one alone", ["2"] = "fits none" })
  all('{"allOf":[{"required":["a"]},{"properties":{"a":{"const":1}}}]}', { '{"a":1}' },
    { ['{"b":1}'] = "a is missing", ['{"a":2}'] = "a is 2, but must be 1" })
  all('{"not":{"type":"string"}}', { "1" }, { ['"x"'] = "is excluded" })
  all('{"if":{"properties":{"kind":{"const":"url"}}},"then":{"required":["url"]},"else":{"required":["path"]}}',
    { '{"kind":"url","url":"x"}', '{"kind":"file","path":"x"}' },
    { ['{"kind":"url","path":"x"}'] = "url is missing", ['{"kind":"file"}'] = "path is missing" })
  all('{"properties":{"a":true,"b":false}}', { '{"a":1}' }, { ['{"b":1}'] = "b is not expected" })
end

function tests.values()
  all('{"const":{"a":[1,2]}}', { '{"a":[1,2.0]}' }, { ['{"a":[2,1]}'] = "must be " })
  local long = ("x"):rep(90)
  all('{"enum":["' .. long .. 'a"]}', { '"' .. long .. 'a"' }, { ['"' .. long .. 'b"'] = "must be" })
  all('{"type":["integer","null"]}', { "5" }, { ['"x"'] = "must be a whole number or null" })
  all('{"exclusiveMinimum":0,"exclusiveMaximum":1,"multipleOf":0.1}', { "0.3", "0.9" },
    { ["0"] = "more than 0", ["1"] = "less than 1", ["0.25"] = "a multiple of 0.1" })
  all('{"type":"string","format":"email"}', { '"not one"' }, {})
end

function tests.arrays()
  all('{"prefixItems":[{"type":"string"},{"type":"number"}],"items":false}', { '["a",1]', '["a"]' },
    { ["[1]"] = "[0] is 1, but must be a string", ['["a",1,2]'] = "[2] is not expected" })
  all('{"items":[{"type":"string"}],"additionalItems":{"type":"number"}}', { '["a",1]' }, { ['["a","b"]'] = "[1]" })
  all('{"type":"array","uniqueItems":true}', { "[]", "[1,true,\"1\",[1],{\"a\":1}]" },
    { ['[{"a":1,"b":2},3,{"b":2,"a":1.0}]'] = "[0] and the array[2] are both" })
  all('{"contains":{"type":"string"},"maxContains":2}', { '[1,"a"]' },
    { ["[1]"] = "0 items of the kind", ['["a","b","c"]'] = "3 items", ["[]"] = "0 items" })
  all('{"prefixItems":[true],"unevaluatedItems":false}', { "[1]" }, { ["[1,2]"] = "[1] is not known here" })
end

function tests.objects()
  all('{"minProperties":1,"maxProperties":2}', { '{"a":1}' },
    { ["{}"] = "0 properties", ['{"a":1,"b":1,"c":1}'] = "3" })
  all('{"patternProperties":{"^x-":{"type":"string"}},"additionalProperties":{"type":"integer"}}',
    { '{"x-a":"b","c":1}' }, { ['{"x-a":1}'] = "x-a is 1", ['{"c":"d"}'] = "c is \"d\"" })
  all('{"propertyNames":{"pattern":"^[a-z]+$"}}', { '{"abc":1}' }, { ['{"A":1}'] = "the name A is \"A\"" })
  all('{"dependentRequired":{"a":["b"]}}', { '{"b":1}', '{"a":1,"b":1}' },
    { ['{"a":1}'] = "b is missing, which a needs" })
  all('{"dependentSchemas":{"a":{"required":["c"]}}}', { '{"b":1}' }, { ['{"a":1}'] = "c is missing" })
  all('{"allOf":[{"properties":{"a":true}}],"properties":{"b":true},"unevaluatedProperties":false}',
    { '{"a":1,"b":2}' }, { ['{"c":1}'] = "c is not known here" })
  all('{"required":["a"],"properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}}}',
    { '{"a":null}', '{"a":"x"}' }, { ['{"a":1}'] = "a is 1" })
end

function tests.references()
  local tree = '{"$ref":"#/$defs/node","$defs":{"node":{"type":"object","required":["v"],"properties":{'
    .. '"v":{"type":"integer"},"next":{"$ref":"#/$defs/node"}}}}}'
  all(tree, { '{"v":1,"next":{"v":2,"next":{"v":3}}}' }, { ['{"v":1,"next":{"v":"x"}}'] = "next.v is \"x\"" })
  t.eq(schema.coerce(load(tree), { v = "1", next = { v = "2" } }), { v = 1, next = { v = 2 } })
  all('{"$defs":{"a/b":{"$anchor":"there","type":"string"}},"items":{"$ref":"#there"},'
    .. '"contains":{"$ref":"#/$defs/a~1b"}}', { '["x"]' }, { ["[1]"] = "must be a string" })
  all('{"$id":"http://x/y","$defs":{"a":{"type":"string"}},"$ref":"http://x/y#/$defs/a"}', { '"x"' },
    { ["1"] = "string" })
  all('{"$ref":"#"}', {}, { ["1"] = "refers to itself without end" })
  all('{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}', {}, { ["1"] = "too large together" })
end

function tests.what_is_not_enforced_is_noted()
  local ok, notes = schema.check(assert(json.decode [[{"type":"object","properties":{
    "a":{"type":"string","pattern":"^\\p{L}+$"},"b":{"$ref":"https://example.org/s.json"},
    "c":{"x-order":1,"format":"uri"}}}]]), { foreign = true })
  t.eq(ok, true)
  t.eq(#notes, 3)
  t.has(notes[1], "schema.a: the pattern \"^\\\\p{L}+$\" is not checked: \\p is not known here")
  t.has(notes[2], "schema.b: $ref points at \"https://example.org/s.json\", which is not in this schema")
  t.has(notes[3], "schema.c: the keyword x-order is not known")
  all('{"properties":{"a":{"pattern":"^\\\\p{L}+$"}}}', { '{"a":"1"}' }, {})
  for _, text in ipairs { '{"minLength":"a"}', '{"required":5}', '{"properties":[{"type":"string"}]}',
    '{"type":"strng"}', '{"items":"x"}', '{"$ref":5}', '{"enum":{"a":1}}' } do
    local good, why = schema.check(assert(json.decode(text)), { foreign = true })
    t.eq({ good, type(why) }, { nil, "string" }, text)
  end
end

-- Each of these would take minutes if it were done without a limit.
function tests.nothing_takes_long()
  local function quick(definition, value)
    local began = os.clock()
    local ok, why = schema.validate(assert(schema.declare(definition)), value)
    t.ok(os.clock() - began < 5, ("%s took %.1f s"):format(tostring(why), os.clock() - began))
    return ok and "fits" or why
  end
  local defs, names = { a0 = { type = "string" } }, {}
  for i = 1, 40 do
    local ref = { ["$ref"] = "#/$defs/a" .. i - 1 }
    defs["a" .. i] = { anyOf = { ref, ref, ref } }
  end
  t.has(quick({ ["$defs"] = defs, ["$ref"] = "#/$defs/a40" }, 1), "too large together")
  local items = {}
  for i = 1, 20000 do items[i], names["n" .. i] = { i, { i } }, i end
  t.eq(quick({ uniqueItems = true }, items), "fits")
  t.has(quick({ additionalProperties = false }, names), "n1 is not known")
  local forms = {}
  for i = 1, 2000 do forms[i] = { required = { "m" .. i } } end
  t.has(quick({ items = { anyOf = forms } }, { names, names, names }), "")
  t.has(quick({ items = { pattern = "^(a|a|aa)*$" } }, { ("a"):rep(50000) .. "b" }), "")
  for i = 1, 2000 do forms[i] = { properties = { ["m" .. i] = true }, additionalProperties = false } end
  t.has(quick({ anyOf = forms }, names), "fits none")
  for i = 1, 2000 do forms[i] = { pattern = "x" .. i } end
  t.has(quick({ anyOf = forms }, ("a"):rep(50000)), "")
  t.ok(#select(2, schema.validate({ type = "string" }, names, "it")) < 200)
  t.ok(#select(2, schema.validate({ type = "string" }, items, "it")) < 200)
end

function tests.loading_a_schema_takes_no_long_either()
  local anchors, odd = {}, {}
  for i = 1, 5000 do
    anchors["a" .. i] = { ["$ref"] = "#here" .. i }
    odd[("x"):rep(50) .. i] = i
  end
  local began = os.clock()
  t.eq(schema.check({ ["$defs"] = anchors }, { foreign = true }), true)
  t.eq(schema.check({ properties = { a = odd, b = odd } }, { foreign = true }), true)
  local deep = { type = "string" }
  for _ = 1, 50 do deep = { properties = { [("n"):rep(100000)] = deep } } end
  t.eq(schema.check(deep, { foreign = true }), true)
  local wide = {}
  for i = 1, 20000 do wide[i] = { type = "string" } end
  local ok, why = schema.check({ anyOf = wide }, { foreign = true })
  t.eq(ok, nil)
  t.has(why, "the schema is too large")
  t.ok(os.clock() - began < 5, os.clock() - began)
end

-- --- patterns -------------------------------------------------------------------------------------------------

local function matches(source, text)
  return pattern.matches(source, text, { left = 100000 })
end

function tests.patterns()
  local cases = {
    { "^a+$", "aaa", "aab" }, { "a{2,3}", "xaax", "a" }, { "^a{2,3}$", "aaa", "aaaa" }, { "^a{2,}$", "aaaaa", "a" },
    { "^(foo|bar)$", "bar", "foobar" }, { "^(?=.*[A-Z])(?=.*\\d).{4,}$", "abC1", "abc1" }, { "^(?!x)", "a", "x" },
    { "^\\d{4}-\\d{2}$", "2024-12", "2024-1" }, { "[^a-c]", "abcd", "abc" }, { "\\bcat\\b", "a cat!", "concat" },
    { "^[\\w.-]+@[\\w-]+\\.[a-z]{2,}$", "a.b@c-d.ch", "a@b" }, { "^(?:ab){3}$", "ababab", "abab" },
    { "^\\u00e9\\x41\\u{1F600}$", "éA😀", "eA😀" }, { "^.$", "日", "日本" }, { "^\\S+$", "ab", "a\u{00A0}b" },
    { "^(?<year>\\d+)$", "12", "x" }, { "^(a*)*$", "aaaa", "aab" }, { "^{x}$", "{x}", "x" }, { "^[]$", nil, "a" },
    { "^[^]$", "\n", "" }, { "^[+-]?\\d+(\\.\\d+)?$", "-1.5", "1." }, { "\\/\\.\\$", "/.$", "/x$" }, { "^$", "", "x" },
    { "^a??b*?c+?$", "abc", "ab" }, { "^[a\\]\\-z]+$", "a]-z", "b" }, { "^\\cJ$", "\n", "J" }, { "", "x" },
    { "^(a{0,3}){2}$", "aaaaaa", "aaaaaaa" },
  }
  for _, case in ipairs(cases) do
    if case[2] then t.eq(matches(case[1], case[2]), true, case[1]) end
    if case[3] then t.eq(matches(case[1], case[3]), false, case[1]) end
  end
  for _, source in ipairs { "(", ")", "[a", "a**", "\\p{L}", "(a)\\1", "(?<=a)b", "a{3,2}", "[z-a]", "\\xg0", "a\\",
    ("("):rep(50) .. (")"):rep(50), ("a"):rep(3000), "a{999999}", "\255" } do
    local tree, why = pattern.compile(source)
    t.eq({ tree, type(why) }, { nil, "string" }, source)
    t.eq(matches(source, "a"), nil, source)
  end
end

function tests.patterns_cannot_run_away()
  for _, source in ipairs { "^((a*)*)*$", "(a|aa)+$", "^(a?){1000}a{1000}$", "(((a{1,100}){1,100}){1,100})b$",
    "^(?=(.*a.*a.*a)).*b$", "^(\\w+\\s?)*$" } do
    local began = os.clock()
    local budget = { left = 1000000 }
    pattern.matches(source, ("a"):rep(20000) .. "!", budget)
    t.ok(os.clock() - began < 5, ("%s took %.1f s"):format(source, os.clock() - began))
    t.ok(budget.left >= 0 and budget.left < 1000000, source .. budget.left)
  end
  t.eq(pattern.matches("^((a*)*)*$", ("a"):rep(5000) .. "!", { left = 1000000 }), false, "and it is decided")
end

return tests
