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
  t.has(why '{"position":[1,1],"label":"x","colour":1}', "colour is not known; the names known here are button")
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
end

return tests
