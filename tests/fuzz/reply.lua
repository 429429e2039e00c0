--- An answer of a model's server, as the body of its HTTP answer and as what the model says in it: calls with names and
--- arguments, or a sentence; never more than the limits let through, and always what a journal can hold.
local client = require "deskpilot.model.client"
local decode = require "deskpilot.model.decode"
local json = require "deskpilot.base.json"
local limits = require "deskpilot.model.limits"
local literal = require "fuzz_values"
local stream = require "deskpilot.model.stream"

local function check_call(call)
  assert(type(call.id) == "string" and type(call.name) == "string", "a call without id or name")
  assert((type(call.args) == "table") ~= (type(call.error) == "string"), "a call has arguments or an error")
  assert(#call.name <= limits.most.name or call.error, "the name of a tool is too long")
  if call.args then
    json.encode(call.args)
  else
    literal.sentence(call.error, 2000)
  end
end

local function check_reply(reply)
  assert(reply.content == nil or type(reply.content) == "string", "the content is no text")
  for _, call in ipairs(reply.tool_calls) do
    assert(type(call.id) == "string" and type(call.name) == "string" and type(call.arguments) == "string", "a call")
  end
  assert(#reply.tool_calls <= limits.most.calls or reply.excess, "too many calls")
  for _, count in pairs(reply.usage) do assert(math.type(count) == "integer", "a count of tokens") end
  json.encode { content = reply.content, thinking = reply.thinking, calls = reply.tool_calls, raw = reply.raw,
    refusal = reply.refusal, finish_reason = reply.finish_reason }
  local calls, why = decode.calls(reply)
  for _, call in ipairs(calls) do check_call(call) end
  if why then literal.sentence(why, 2000) end
  if reply.excess then return end
  local answer = decode.reply(reply)
  assert(type(answer.text) == "string", "the text is no text")
  for _, call in ipairs(answer.calls) do check_call(call) end
end

local function play_body(bytes)
  local raw, why = limits.decode(bytes)
  if raw == nil and stream.is_one(bytes) then raw, why = stream.read(bytes) end
  if raw == nil then return literal.sentence(why, 2000) end
  local reply, err = client.read(raw)
  if not reply then return literal.sentence(tostring(err), 2000) end
  check_reply(reply)
end

return function(bytes)
  play_body(bytes)
  local said = json.utf8(bytes)
  local reply = assert(client.read { choices = { { message = { role = "assistant", content = said } } } })
  check_reply(reply)
  reply = assert(client.read { choices = { { message = { role = "assistant", tool_calls = { { id = "1",
    ["function"] = { name = "click", arguments = said } } } } } } })
  check_reply(reply)
end
