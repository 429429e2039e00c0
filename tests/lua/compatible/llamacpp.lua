--- llama.cpp's server: while it loads the model it answers 503; a request that is longer than its context is refused
--- with the sizes; the system's message is the first or none; calls are streamed in small pieces, and what they began
--- with is not said again; thinking is in `reasoning_content`; `timings` come with the usage.
local json = require "deskpilot.base.json"
local server = require "compatible_server"

local llamacpp = { model = "Qwen3-VL-8B-Instruct-Q4_K_M.gguf", context = 32768 }

local kinds = { [400] = "invalid_request_error", [401] = "authentication_error", [500] = "server_error",
  [503] = "unavailable_error" }

function llamacpp.failure(status, message, param)
  local err = { code = status, message = message, type = kinds[status] or "server_error" }
  if param then err.type, err.n_prompt_tokens, err.n_ctx = "exceed_context_size_error", param, llamacpp.context end
  return { error = err }
end

-- Four bytes a token, and a picture as much as its squares of 28 pixels might be.
local function tokens_of(body)
  local view = server.view(body)
  return (#table.concat(view.text) + #(view.system or "") + #json.encode(body.tools or {})) // 4 + view.pictures * 1300
end

function llamacpp.refuses(body, _, number)
  if number == 1 then return 503, "Loading model" end
  for i, message in ipairs(body.messages) do
    if message.role == "system" and i > 1 then return 500, "System message must be at the beginning." end
  end
  if server.bad_picture(body) then return 400, "invalid url format" end
  if server.picture_in_result(body) then return 400, "unsupported content[].type" end
  local tokens = tokens_of(body)
  if tokens > llamacpp.context then
    return 400, ("request (%d tokens) exceeds the available context size (%d tokens), try increasing it"):format(tokens,
      llamacpp.context), tokens
  end
end

function llamacpp.answer(said, number, body)
  local calls = server.calls(said, function(i) return ("%032d"):format(number * 100 + i) end)
  return server.completion(body, { content = said.text or json.null, reasoning_content = said.thought,
    tool_calls = calls }, calls and "tool_calls" or "stop", { system_fingerprint = "b7062",
    timings = { prompt_n = 900, predicted_n = 40 } })
end

function llamacpp.stream(answer, body)
  local message, parts = answer.choices[1].message, {}
  local function add(delta, finish) parts[#parts + 1] = server.chunk(answer, delta, finish) end
  add { role = "assistant", content = json.null }
  for _, piece in ipairs(server.pieces(message.reasoning_content or "", 4)) do add { reasoning_content = piece } end
  if message.content ~= json.null then
    for _, piece in ipairs(server.pieces(message.content, 4)) do add { content = piece } end
  end
  for i, call in ipairs(message.tool_calls or {}) do
    add { tool_calls = { { index = i - 1, id = call.id, type = "function",
      ["function"] = { name = call["function"].name, arguments = "{" } } } }
    for _, piece in ipairs(server.pieces(call["function"].arguments:sub(2), 3)) do
      add { tool_calls = { { index = i - 1, ["function"] = { arguments = piece } } } }
    end
  end
  add(json.decode "{}", answer.choices[1].finish_reason)
  if body.stream_options and body.stream_options.include_usage then
    parts[#parts + 1] = server.chunk(answer, nil, nil, { usage = answer.usage, timings = answer.timings })
  end
  parts[#parts + 1] = "data: [DONE]\n\n"
  return parts
end

return llamacpp
