local t = require "harness"
local json = require "deskpilot.base.json"
local schema = require "deskpilot.base.schema"

local tests = {}

local position = { type = "array", items = { type = "number", minimum = 0, maximum = 1000 }, minItems = 2,
  maxItems = 2 }
local click = {
  type = "object", additionalProperties = false, required = { "position", "label" },
  properties = {
    position = position,
    label = { type = "string", minLength = 1, maxLength = 5 },
    button = { type = "string", enum = { "left", "right" } },
    count = { type = "integer", minimum = 1, maximum = 3 },
    slow = { type = "boolean" },
    nested = { type = "object", properties = { deep = { type = "array", items = { type = "string" } } } },
  },
}

local function why(text)
  local ok, reason = schema.validate(click, assert(json.decode(text)))
  return ok and "fits" or reason
end

function tests.good_values_fit()
  t.eq(why '{"position":[0,1000],"label":"é日本ab","button":"left","count":3,"slow":false}', "fits")
  t.eq(why '{"position":[0.5,999.5],"label":"x","nested":{"deep":["a"],"other":1}}', "fits")
  t.eq(schema.validate({}, 12), true)
  t.eq(schema.validate({ type = { "string", "null" } }, nil), true)
  t.eq(schema.validate({ type = "array" }, {}), true)
  t.eq(schema.validate({ type = "object" }, {}), true)
end

function tests.errors_are_sentences()
  t.eq(why '{"position":[500,1500],"label":"x"}', "position[1] is 1500, but must be between 0 and 1000")
  t.eq(why '{"position":[-1,0],"label":"x"}', "position[0] is -1, but must be between 0 and 1000")
  t.eq(why '{"position":[1],"label":"x"}', "position is [1], which has 1 items, but must have exactly 2 items")
  t.eq(why '{"position":"middle","label":"x"}', 'position is "middle", but must be an array')
  t.eq(why '{"label":"x"}', "position is missing, which must be an array")
  t.eq(why '{"position":[1,1],"label":null}', "label is missing, which must be a string")
  t.eq(why '{"position":[1,1],"label":""}', "label has 0 characters, but must have between 1 and 5 characters")
  t.eq(why '{"position":[1,1],"label":"abcdef"}', "label has 6 characters, but must have between 1 and 5 characters")
  t.eq(why '{"position":[1,1],"label":"x","button":"up"}', 'button is "up", but must be one of "left", "right"')
  t.eq(why '{"position":[1,1],"label":"x","count":1.5}', "count is 1.5, but must be a whole number")
  t.eq(why '{"position":[1,1],"label":"x","nested":{"deep":["a",2]}}',
    "nested.deep[1] is 2, but must be a string")
  t.has(why '{"position":[1,1],"label":"x","colour":1}',
    "colour is not known; the names known here are position, label, button, count")
  t.eq(schema.validate(click, nil), nil)
  t.eq(select(2, schema.validate(click, "x")), 'the arguments are "x", but must be an object')
  t.eq(select(2, schema.validate({ type = "number" }, 0 / 0, "n")):match("but must be a number"),
    "but must be a number")
  t.eq(select(2, schema.validate({ type = "integer" }, 1 / 0, "n")):match("but must be a whole number"),
    "but must be a whole number")
end

local function coerced(definition, value)
  local better = schema.coerce(definition, value)
  t.eq(schema.validate(definition, better), true, t.show(value))
  return better
end

function tests.clear_mistakes_are_put_right()
  local value = coerced(click, { position = { "500", " 3.5 " }, label = 7, count = "2", slow = "True",
    button = "LEFT" })
  t.eq(value, { position = { 500, 3.5 }, label = "7", count = 2, slow = true, button = "left" })
  t.eq(coerced(position, "[1, 2]"), { 1, 2 })
  t.eq(coerced(position, "(1, 2)"), { 1, 2 })
  t.eq(coerced(position, "10,20"), { 10, 20 })
  t.eq(coerced(position, { x = 1, y = 2 }), { 1, 2 })
  t.eq(math.type(coerced({ type = "integer" }, 5.0)), "integer")
  t.eq(coerced({ type = "array", items = { type = "string" } }, "one, two"), { "one, two" })
  t.eq(coerced(click, '{"position":[1,2],"label":"a"}'), { position = { 1, 2 }, label = "a" })
end

function tests.what_could_mean_several_things_stays()
  t.eq(schema.coerce({ type = "number" }, "0x10"), "0x10")
  t.eq(schema.coerce({ type = "number" }, "inf"), "inf")
  t.eq(schema.coerce({ type = "integer" }, "2.5"), "2.5")
  t.eq(schema.coerce({ type = "boolean" }, "yes"), "yes")
  t.eq(schema.coerce({ type = "boolean" }, 1), 1)
  t.eq(schema.coerce(position, { x = 1, y = 2, z = 3 }), { x = 1, y = 2, z = 3 })
  t.eq(schema.coerce(position, "1,2,3"), "1,2,3")
  t.eq(schema.coerce({ type = { "string", "number" } }, "5"), "5")
  t.eq(schema.coerce({ type = "string", enum = { "a", "A" } }, "a"), "a")
  t.eq(schema.coerce(click, nil), nil)
end

function tests.coercion_leaves_its_input_alone()
  local given = { position = { "1", "2" }, label = "x" }
  schema.coerce(click, given)
  t.eq(given.position, { "1", "2" })
end

function tests.definitions_are_checked()
  t.eq(schema.check(click), true)
  t.has(select(2, schema.check { type = "object", propertis = {} }), "did you mean properties?")
  t.has(select(2, schema.check { type = "strng" }), "there is no type strng")
  t.has(select(2, schema.check { type = "object", required = { "x" } }), "x is required but not among")
  t.has(select(2, schema.check { type = "array", items = { type = "array", items = { kind = 1 } } }),
    "schema[][]: the keyword kind")
  local function wrong(definition, part)
    local ok, reason = schema.check(definition)
    t.eq(ok, nil, part)
    t.has(reason, part)
  end
  wrong({ type = "object", properties = { a = { type = "string", minLength = "3" } } },
    'schema.a: minLength is "3", but must be a whole number from 0 on')
  wrong({ enum = "left" }, "schema: enum is \"left\", but must be a list of values")
  wrong({ enum = {} }, "enum has no values")
  wrong({ required = { a = 1 } }, "must be a list of names")
  wrong({ anyOf = {} }, "must be a list of schemas")
  wrong({ items = 5 }, "items is 5, but must be a schema")
  wrong({ multipleOf = 0 }, "must be a number above 0")
  wrong({ type = {} }, "must be a type or a list of types")
  wrong({ pattern = "(" }, 'the pattern "(" is not checked: a group is not closed')
  wrong({ ["$ref"] = "#/$defs/none" }, "$ref points at \"#/$defs/none\", which is not in this schema")
  wrong({ properties = { { type = "string" } } }, "properties[1] has no name")
  wrong({ properties = { { name = "a" }, { name = "a" } } }, "properties names a twice")
  wrong(nil, "schema: there is none")
  local deep = {}
  for _ = 1, 100 do deep = { items = deep } end
  wrong(deep, "nested too deeply")
  local itself = {}
  itself.items = itself
  wrong(itself, "nested too deeply")
end

-- --- order ---------------------------------------------------------------------------------------------------

local listed = { type = "object", additionalProperties = false, properties = {
  { name = "why", type = "string" },
  { name = "slow", type = "boolean", optional = true },
  { name = "at", type = "object", properties = { { name = "y", type = "number" }, { name = "x", type = "number" } } },
} }

function tests.declared_order_is_kept_on_the_wire()
  local declared = t.ok(schema.declare(listed))
  t.eq(json.encode(declared), '{"type":"object","properties":{"why":{"type":"string"},"slow":{"type":"boolean"},'
    .. '"at":{"type":"object","properties":{"y":{"type":"number"},"x":{"type":"number"}},"required":["y","x"]}},'
    .. '"required":["why","at"],"additionalProperties":false}')
  t.eq(schema.names(declared), { "why", "slow", "at" })
  t.eq(json.encode(schema.declare(declared)), json.encode(declared), "declaring again changes nothing")
  t.eq(select(2, schema.validate(declared, { why = "x", at = { y = 1 } })), "at.x is missing, which must be a number")
  t.eq(listed.properties[1].name, "why", "the declaration itself is left alone")
end

function tests.a_plain_table_has_an_order_too()
  local declared = schema.declare { type = "object", required = { "zeta", "beta" }, properties = {
    alpha = { type = "string" }, beta = { type = "string" }, gamma = {}, zeta = { name = "zeta", optional = true } } }
  t.eq(schema.names(declared), { "zeta", "beta", "alpha", "gamma" }, "what is required first, then by name")
  t.eq(json.encode(declared), '{"type":"object","properties":{"zeta":{},"beta":{"type":"string"},'
    .. '"alpha":{"type":"string"},"gamma":{}},"required":["zeta","beta"]}')
  t.eq(json.encode(schema.declare { type = "object", properties = {}, required = {} }),
    '{"type":"object","properties":{},"required":[]}')
end

-- --- names that are not known ----------------------------------------------------------------------------------

function tests.what_is_not_known_is_left_out_and_told()
  local value, dropped, near = schema.drop(click, { position = { 1, 2 }, label = "x", confidence = 0.9,
    ["a\nb"] = 1 })
  t.eq({ value, dropped, near }, { { position = { 1, 2 }, label = "x" }, { "a b", "confidence" }, {} })
  local function meant(given)
    local _, gone, sentences = schema.drop(click, given)
    return { gone, sentences }
  end
  t.eq(meant { lable = "x" }, { {}, { "lable is not known (did you mean label?)" } })
  t.eq(meant { Position = {} }, { {}, { "Position is not known (did you mean position?)" } })
  t.eq(meant { label = "x", labels = "y" }, { { "labels" }, {} }, "the known one is there: nothing else was meant")
  t.eq(meant { x = 1, element = 5 }, { { "element", "x" }, {} })
  local open = { type = "object", properties = { at = { type = "array", items = { type = "object",
    additionalProperties = false, properties = { title = { type = "string" } } } } } }
  value, dropped, near = schema.drop(open, { more = 1, at = { { title = "a", size = 2 }, { titel = "b" } } })
  t.eq({ value, dropped, near }, { { more = 1, at = { { title = "a" }, {} } }, { "at[0].size" },
    { "at[1].titel is not known (did you mean at[1].title?)" } })
  local many = {}
  for i = 1, 5000 do many[("positio"):rep(8) .. i] = i end
  local began = os.clock()
  value, dropped = schema.drop(click, many)
  t.eq({ next(value), #dropped }, { nil, 10 })
  t.ok(os.clock() - began < 2, os.clock() - began)
end

-- Who is told that the schema is wrong would go on without it.
function tests.without_memory_a_schema_is_not_wrong()
  local broken = { type = "object", properties = setmetatable({}, { __pairs = function()
    error("not enough memory", 0)
  end }) }
  t.raises("not enough memory", schema.declare, broken)
end

return tests
