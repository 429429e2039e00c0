--- A schema and the arguments of a call, both from outside, as JSON on two lines: the schema is refused with a
--- sentence, or the arguments are corrected and then valid, or refused with a sentence. They are not changed in place.
local decode = require "deskpilot.model.decode"
local json = require "deskpilot.base.json"
local schema = require "deskpilot.base.schema"
local values = require "fuzz_values"

local function check_value(definition, value)
  local before = json.encode(value)
  local coerced = schema.coerce(definition, value)
  assert(json.encode(value) == before, "the value was changed in place")
  local kept, dropped = schema.drop(definition, coerced)
  assert(type(dropped) == "table" and #dropped <= 10, "names of what was dropped")
  local ok, why = schema.validate(definition, kept)
  if not ok then return values.sentence(why, 20000) end
  json.encode(kept)
end

local function play(definition, source, foreign)
  local ok, why = schema.check(definition, { foreign = foreign })
  if not ok then return values.sentence(why, 20000) end
  local value, reason = decode.json(source)
  if value == nil then return values.sentence(reason, 20000) end
  check_value(definition, value)
end

return function(bytes)
  local first, rest = bytes:match "^([^\n]*)\n(.*)$"
  local definition = json.decode(first or bytes)
  if definition == nil then return end
  play(definition, rest or first or bytes, false)
  play(definition, rest or first or bytes, true)
end
