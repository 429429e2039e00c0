--- An answer of a model's server, as the body of its HTTP answer and as what the model says in it: calls with names and
--- arguments, or a sentence; never more than the limits let through, and always what a journal can hold. What comes out
--- of a maker's verbs is a call that a schema allows.
local chat = require "deskpilot.model.wires.chat"
local decode = require "deskpilot.model.decode"
local json = require "deskpilot.base.json"
local limits = require "deskpilot.model.limits"
local literal = require "fuzz_values"
local profiles = require "deskpilot.model.profile"
local spaces = require "deskpilot.model.space"
local stream = require "deskpilot.model.stream"
local vocabulary = require "deskpilot.model.vocabulary"

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

local box, offered

-- The schemas of all tools, by their names.
local function schemas()
  if offered then return offered end
  local settings, tools = require "configured".settings()
  local config = assert(settings:resolve { layers = {}, environment = {}, flags = { source = "a flag", values = {} } })
  box, offered = assert(require "deskpilot.agent.toolbox".new(tools, config)), {}
  for _, entry in ipairs(tools) do offered[entry.name] = box:parameters(entry.name) end
  return offered
end

local models = { "some-model", "qwen3-vl", "ui-tars-1.5", "ui-tars-2", "glm-4.5v", "autoglm", "opencua", "gta1",
  "gemini-2.5", "gemini-3.5", "gpt-5.4", "claude-5", "fara-7b", "mai-ui", "yutori", "holo2" }

local known = {} -- profiles by the models' names: finding one reads them all

local function profile_of(model)
  known[model] = known[model] or assert(profiles.of(model))
  return known[model]
end

-- What is made of a model's own verbs is a call that its tool's schema allows, and no tool that was not offered.
local function check_translated(reply, model)
  local profile, written = profile_of(model), {}
  local calls, why, answer = decode.calls(reply, profile)
  if why then literal.sentence(why, 2000) end
  for _, call in ipairs(calls) do written[call.id] = call.name end
  local translated = vocabulary.translate(calls, profile, schemas(), answer)
  assert(#translated <= limits.most.calls, "too many calls")
  for _, call in ipairs(translated) do check_call(call) end
  local space = spaces.of(profile, 1280, 800)
  space:calls(translated, function(name) return schemas()[name] end)
  for _, call in ipairs(translated) do
    if call.args and written[call.id] ~= call.name then
      assert(box:get(call.name), "a tool that was not offered: " .. call.name)
      local args, err = box:validate(call.name, call.args)
      if not args then error(("%s: %s %s"):format(call.name, err, json.encode(call.args))) end
    end
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
  check_translated(reply, models[1 + #(reply.content or "") % #models])
  check_translated(reply, models[1 + #answer.calls + #(answer.thinking or "") % 7])
end

-- A stream that comes in pieces says the same as one that comes whole.
local function play_pieces(bytes)
  local reader = stream.reader(chat.events())
  reader.is_stream = true
  local step = 1 + #bytes // 7
  for at = 1, #bytes, step do reader:feed(bytes:sub(at, at + step - 1)) end
  local whole, why = stream.read(bytes, chat.events())
  local pieces, why_pieces = reader:finish()
  assert(why_pieces == why and json.encode(pieces or {}) == json.encode(whole or {}), "another answer in pieces")
end

local function play_body(bytes)
  play_pieces(bytes)
  local raw, why = limits.decode(bytes)
  if raw == nil then raw, why = stream.read(bytes, chat.events()) end
  if raw == nil then return literal.sentence(why, 2000) end
  local reply, err = chat.read(raw)
  if not reply then return literal.sentence(tostring(err), 2000) end
  check_reply(reply)
end

-- Of an answer that was cut off nothing is repaired.
local function check_cut(said)
  local reply = assert(chat.read { choices = { { finish_reason = "length", message = { role = "assistant",
    content = said } } } })
  if reply.excess then return end
  check_reply(reply)
  assert(not decode.reply(reply).repairs, "an answer that was cut off was repaired")
end

return function(bytes)
  play_body(bytes)
  local said = json.utf8(bytes)
  local reply = assert(chat.read { choices = { { message = { role = "assistant", content = said } } } })
  check_reply(reply)
  check_cut(said)
  reply = assert(chat.read { choices = { { message = { role = "assistant", tool_calls = { { id = "1",
    ["function"] = { name = "click", arguments = said } } } } } } })
  check_reply(reply)
end
