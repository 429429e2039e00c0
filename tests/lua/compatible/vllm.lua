--- vLLM's server, started with one picture a request and a tool parser: its own words and pydantic's for what it
--- refuses, the model's name exact, thinking in `reasoning`, and a parser that numbers all calls of a stream 0.
local json = require "deskpilot.base.json"
local server = require "compatible_server"

local vllm = { model = "Qwen/Qwen3-VL-8B-Instruct", key = "token-abc123", context = 32768 }

local kinds = { [400] = "BadRequestError", [401] = "Unauthorized", [404] = "NotFoundError" }

vllm.no_key = "Unauthorized"

function vllm.failure(status, message, param)
  if status == 401 then return { error = message } end
  return { error = { message = message, type = kinds[status] or "InternalServerError", param = param or json.null,
    code = status } }
end

function vllm.refuses(body)
  if body.model ~= vllm.model then return 404, ("The model `%s` does not exist."):format(body.model) end
  if body.stream_options and not body.stream then
    return 400, "[{'type': 'value_error', 'loc': ('body',), 'msg': 'Value error, Stream options can only be defined "
      .. "when `stream=True`.', 'input': {}}]"
  end
  if body.tool_choice and not body.tools then
    return 400, "[{'type': 'value_error', 'loc': ('body',), 'msg': 'Value error, When using `tool_choice`, `tools` "
      .. "must be set.'}]"
  end
  if server.view(body).pictures > 1 then return 400, "At most 1 image(s) may be provided in one prompt." end
  if server.bad_picture(body) then return 400, "cannot identify image file" end
  if body.max_tokens and body.max_tokens > vllm.context then
    return 400, ("'max_tokens' or 'max_completion_tokens' is too large: %d. This model's maximum context length is %d "
      .. "tokens and your request has 900 input tokens."):format(body.max_tokens, vllm.context)
  end
end

function vllm.answer(said, number, body)
  local calls = server.calls(said, function(i) return ("chatcmpl-tool-%024x%08x"):format(number, i) end)
  local answer = server.completion(body, { content = said.text or json.null, reasoning = said.thought or json.null,
    refusal = json.null, annotations = json.null, audio = json.null, function_call = json.null,
    tool_calls = calls or json.list() }, calls and "tool_calls" or "stop", { prompt_logprobs = json.null,
    kv_transfer_params = json.null, service_tier = json.null })
  answer.choices[1].stop_reason, answer.choices[1].logprobs = json.null, json.null
  return answer
end

function vllm.stream(answer, body)
  local message, parts = answer.choices[1].message, {}
  local with_usage = body.stream_options and body.stream_options.include_usage
  local function add(delta, finish)
    parts[#parts + 1] = server.chunk(answer, delta, finish, with_usage and { usage = json.null } or nil)
  end
  add { role = "assistant", content = "" }
  if message.reasoning ~= json.null then
    for _, piece in ipairs(server.pieces(message.reasoning, 6)) do add { reasoning = piece } end
  end
  if message.content ~= json.null then
    for _, piece in ipairs(server.pieces(message.content, 6)) do add { content = piece } end
  end
  for _, call in ipairs(message.tool_calls) do
    add { tool_calls = { { index = 0, id = call.id, type = "function",
      ["function"] = { name = call["function"].name } } } }
    for _, piece in ipairs(server.pieces(call["function"].arguments, 8)) do
      add { tool_calls = { { index = 0, ["function"] = { arguments = piece } } } }
    end
  end
  add({ content = "" }, answer.choices[1].finish_reason)
  if with_usage then parts[#parts + 1] = server.chunk(answer, nil, nil, { usage = answer.usage }) end
  parts[#parts + 1] = "data: [DONE]\n\n"
  return parts
end

return vllm
