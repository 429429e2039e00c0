--- OpenRouter: a key with every request; 404 where none of a model's providers takes what is asked for; comments while
--- it waits for a provider; errors with numbers for codes, also in the middle of a stream; thinking in `reasoning` and
--- `reasoning_details`; a provider that is busy just now.
local json = require "deskpilot.base.json"
local server = require "compatible_server"

local openrouter = { model = "qwen/qwen3-vl-235b-a22b-instruct", key = "sk-or-v1-0123456789abcdef" }

openrouter.no_key = "No auth credentials found"

function openrouter.failure(status, message)
  local err = { message = message, code = status }
  if status == 429 then
    err.metadata = { raw = "qwen3-vl is temporarily rate-limited upstream. Please retry shortly.",
      provider_name = "Alibaba" }
  end
  return { error = err, user_id = "user_1" }
end

function openrouter.refuses(body, _, number)
  if number == 1 then return 429, "Provider returned error", nil, { ["Retry-After"] = "0.1" } end
  if body.tool_choice then
    return 404, "No endpoints found that support the provided 'tool_choice' value. To learn more about provider "
      .. "routing, visit: https://openrouter.ai/docs/guides/routing/provider-selection"
  end
  if server.bad_picture(body) then return 400, "Invalid image URL" end
end

function openrouter.answer(said, number, body)
  local calls = server.calls(said, function(i) return ("call_%d_%d"):format(number, i) end)
  for i, call in ipairs(calls or {}) do call.index = i - 1 end
  local answer = server.completion(body, { content = said.text or "", refusal = json.null, reasoning = said.thought,
    reasoning_details = said.thought and { { type = "reasoning.text", text = said.thought, index = 0 } } or nil,
    tool_calls = calls }, calls and "tool_calls" or "stop", { provider = "Alibaba", id = "gen-" .. number })
  answer.choices[1].native_finish_reason, answer.choices[1].logprobs = "stop", json.null
  return answer
end

function openrouter.stream(answer)
  local message, parts = answer.choices[1].message, { ": OPENROUTER PROCESSING\n\n", ": OPENROUTER PROCESSING\n\n" }
  local number = tonumber(answer.id:match("%d+"))
  local function add(delta, finish)
    parts[#parts + 1] = server.chunk(answer, delta, finish, { provider = "Alibaba" })
  end
  for _, piece in ipairs(server.pieces(message.reasoning or "", 8)) do
    add { role = "assistant", content = "", reasoning = piece, reasoning_details = { { type = "reasoning.text",
      text = piece, index = 0 } } }
  end
  for _, piece in ipairs(server.pieces(message.content, 8)) do add { role = "assistant", content = piece } end
  if number == 4 then -- the provider goes in the middle of it
    parts[#parts + 1] = server.chunk(answer, { content = "" }, "error", { error = { code = 502,
      message = "Provider disconnected unexpectedly" } })
    return parts
  end
  for i, call in ipairs(message.tool_calls or {}) do
    add { role = "assistant", content = json.null, tool_calls = { { index = i - 1, id = call.id, type = "function",
      ["function"] = { name = call["function"].name, arguments = "" } } } }
    for _, piece in ipairs(server.pieces(call["function"].arguments, 10)) do
      add { role = "assistant", content = json.null, tool_calls = { { index = i - 1, type = "function",
        ["function"] = { arguments = piece } } } }
    end
  end
  add({ role = "assistant", content = "" }, answer.choices[1].finish_reason)
  parts[#parts + 1] = server.chunk(answer, { role = "assistant", content = "" }, nil, { usage = answer.usage })
  parts[#parts + 1] = "data: [DONE]\n\n"
  return parts
end

return openrouter
