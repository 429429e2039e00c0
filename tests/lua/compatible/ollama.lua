--- Ollama's /v1: what it does not know in a request it leaves unread, `tool_choice` too. Calls that are streamed may
--- get lost: the stream then says nothing and ends with "stop". Thinking is in `reasoning`; an answer says no usage in
--- its stream unless it is asked for.
local json = require "deskpilot.base.json"
local server = require "compatible_server"

local ollama = { model = "qwen2.5vl:7b" }

local kinds = { [400] = "invalid_request_error", [404] = "not_found_error" }

function ollama.failure(status, message)
  return { error = { message = message, type = kinds[status] or "api_error", param = json.null, code = json.null } }
end

function ollama.refuses(body)
  if body.model ~= ollama.model then return 404, ('model "%s" not found, try pulling it first'):format(body.model) end
  if server.bad_picture(body) then return 400, "invalid image input" end
  for _, message in ipairs(body.messages) do
    if message.content == nil and not message.tool_calls then return 400, "invalid message content type: <nil>" end
  end
end

function ollama.answer(said, number, body)
  local calls = server.calls(said, function(i) return ("call_%08x"):format(number * 100 + i) end)
  for i, call in ipairs(calls or {}) do call.index = i - 1 end
  return server.completion(body, { content = said.text or "", reasoning = said.thought, tool_calls = calls },
    calls and "tool_calls" or "stop", { system_fingerprint = "fp_ollama" })
end

function ollama.stream(answer, body)
  local message, parts = answer.choices[1].message, {}
  local function add(delta, finish) parts[#parts + 1] = server.chunk(answer, delta, finish) end
  if body.tools then -- lost
    add({ role = "assistant", content = "" }, "stop")
  else
    for _, piece in ipairs(server.pieces(message.content, 5)) do add { role = "assistant", content = piece } end
    add({ role = "assistant", content = "" }, "stop")
  end
  if body.stream_options and body.stream_options.include_usage then
    parts[#parts + 1] = server.chunk(answer, nil, nil, { usage = answer.usage })
  end
  parts[#parts + 1] = "data: [DONE]\n\n"
  return parts
end

return ollama
