--- LM Studio's server: errors are bare texts; `tool_choice` is a word and never an object; pictures are base64; no
--- usage in streams unless it is asked for. A model of MLX's may leave its calls in the content, as it wrote them.
local json = require "deskpilot.base.json"
local server = require "compatible_server"

local lmstudio = { model = "qwen3-vl-8b-instruct" }

local choices = { none = true, auto = true, required = true }
local formats = { json_schema = true, text = true }

function lmstudio.failure(_, message) return { error = message } end

function lmstudio.refuses(body)
  if body.tool_choice ~= nil and not choices[body.tool_choice] then
    return 400, ("Invalid tool_choice type: '%s'. Supported string values: none, auto, required"):format(
      type(body.tool_choice) == "table" and "object" or type(body.tool_choice))
  end
  if body.response_format and not formats[body.response_format.type] then
    return 400, "'response_format.type' must be 'json_schema' or 'text'"
  end
  if server.bad_picture(body) then return 400, "'url' field must be a base64 encoded image." end
  if server.picture_in_result(body) then return 400, "Invalid 'content': 'content' objects must have a 'type' field "
    .. "that is either 'text' or 'image_url'." end
end

-- Each second answer as an MLX model may leave it.
local function as_text(said)
  local words = { said.text }
  for _, call in ipairs(said.calls or {}) do
    words[#words + 1] = ("<tool_call>\n%s\n</tool_call>"):format(json.encode { name = call[1], arguments = call[2] })
  end
  return table.concat(words, "\n")
end

function lmstudio.answer(said, number, body)
  if number % 2 == 0 then
    return server.completion(body, { content = as_text(said), tool_calls = json.list() }, "stop", { stats = {} })
  end
  local calls = server.calls(said, function(i) return ("%09d"):format(100000000 + number * 10 + i) end)
  return server.completion(body, { content = said.text or "", reasoning_content = said.thought, tool_calls = calls
    or json.list() }, calls and "tool_calls" or "stop", { stats = {}, system_fingerprint = body.model })
end

function lmstudio.stream(answer, body)
  local message, parts = answer.choices[1].message, {}
  local function add(delta, finish) parts[#parts + 1] = server.chunk(answer, delta, finish) end
  for _, piece in ipairs(server.pieces(message.reasoning_content or "", 9)) do add { reasoning_content = piece } end
  for _, piece in ipairs(server.pieces(message.content or "", 7)) do add { role = "assistant", content = piece } end
  for i, call in ipairs(message.tool_calls) do
    add { tool_calls = { { index = i - 1, id = call.id, type = "function",
      ["function"] = { name = call["function"].name, arguments = "" } } } }
    for _, piece in ipairs(server.pieces(call["function"].arguments, 11)) do
      add { tool_calls = { { index = i - 1, type = "function", ["function"] = { arguments = piece } } } }
    end
  end
  add({}, answer.choices[1].finish_reason)
  if body.stream_options and body.stream_options.include_usage then
    parts[#parts + 1] = server.chunk(answer, nil, nil, { usage = answer.usage })
  end
  parts[#parts + 1] = "data: [DONE]\n\n"
  return parts
end

return lmstudio
