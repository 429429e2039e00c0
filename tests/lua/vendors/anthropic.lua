--- Anthropic's Messages as its documentation has them: what is refused, in its words, and how answers look.
local json = require "deskpilot.base.json"

local vendor_server = require "vendor_server"

local anthropic = { wire = "anthropic", default_path = "/v1", key = "sk-ant-test-1234567890" }

local kinds = { [400] = "invalid_request_error", [401] = "authentication_error", [404] = "not_found_error" }

--- The body of a refusal.
function anthropic.failure(status, message)
  return { type = "error", error = { type = kinds[status] or "api_error", message = message },
    request_id = "req_011CSHoEeqs5C35K2UUqR7Fy" }
end

function anthropic.refuses_head(request)
  if request.path ~= "/v1/messages" then return 404, "Not found" end
  if not request.headers["x-api-key"] then return 401, "x-api-key header is required" end
  if request.headers["x-api-key"] ~= anthropic.key then return 401, "invalid x-api-key" end
  if request.headers["anthropic-version"] ~= "2023-06-01" then
    return 400, "anthropic-version: header is required"
  end
end

--- The schema that fits: what is a beta is there only for those who ask for it.
function anthropic.schema(request)
  local beta = request.headers["anthropic-beta"]
  return beta and beta:find("computer-use-2025-11-24", 1, true) and "anthropic_beta" or "anthropic"
end

local function blocks(message) return type(message.content) == "table" and message.content or {} end

-- Each tool_use is answered in the next message, and nothing else is.
local function pairing(messages)
  for i, message in ipairs(messages) do
    local open, ids = {}, {}
    for _, block in ipairs(blocks(message)) do
      if block.type == "tool_use" then open[block.id], ids[#ids + 1] = block, block.id end
      if block.type == "text" and block.text == "" then return "messages: text content blocks must be non-empty" end
    end
    local given = messages[i + 1] or { content = {} }
    for _, block in ipairs(blocks(given)) do
      if block.type == "tool_result" then
        local use = open[block.tool_use_id]
        if not use then
          return ("messages.%d: unexpected `tool_use_id` found in `tool_result` blocks: %s"):format(i,
            block.tool_use_id)
        end
        if use.toolset_name ~= block.toolset_name then
          return ("messages.%d: tool_result.toolset_name must be that of its tool_use"):format(i)
        end
        open[block.tool_use_id] = nil
      end
    end
    for _, id in ipairs(ids) do
      if open[id] then
        return ("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s. Each "
          .. "`tool_use` block must have a corresponding `tool_result` block in the next message."):format(i - 1, id)
      end
    end
  end
end

local function count_marks(value)
  if type(value) ~= "table" then return 0 end
  local count = value.cache_control and 1 or 0
  for _, inner in pairs(value) do count = count + count_marks(inner) end
  return count
end

function anthropic.refuses(body)
  local newest = body.model:find("opus-5", 1, true) or body.model:find("sonnet-5", 1, true)
  if newest and (body.temperature or body.top_p or body.top_k) then
    return 400, "`temperature`: sampling parameters are not supported by this model"
  end
  if body.messages[1].role ~= "user" then return 400, "messages: first message must use the \"user\" role" end
  local names = {}
  for i, tool in ipairs(body.tools or {}) do
    if tool.type == "computer_20251124" and newest then
      return 400, ("tools.%d: '%s' does not support tool types: computer_20251124. Did you mean "
        .. "computer_toolset_20260801?"):format(i - 1, body.model)
    end
    if tool.name and names[tool.name] then return 400, "tools: Tool names must be unique." end
    names[tool.name or 1] = true
  end
  if count_marks(body) > 4 then
    return 400, "A maximum of 4 blocks with cache_control may be provided."
  end
  local problem = pairing(body.messages)
  if problem then return 400, problem end
end

--- What a request says, in words that serve for every wire.
function anthropic.view(body)
  local view = { tools = {}, text = {}, results = {}, pictures = 0, system = body.system and body.system[1].text }
  for _, tool in ipairs(body.tools or {}) do
    if tool.input_schema then view.tools[tool.name] = true else view.computer = tool.type end
  end
  for _, message in ipairs(body.messages) do
    for _, block in ipairs(blocks(message)) do
      if block.type == "text" then view.text[#view.text + 1] = block.text end
      if block.type == "image" then view.pictures = view.pictures + 1 end
      if block.type == "tool_result" then view.results[#view.results + 1] = block end
    end
  end
  return view
end

--- An answer: { text =, calls = { { name, args } }, computer = { { verb, args } } }.
function anthropic.answer(said, number, body)
  local content, uses = json.list(), 0
  if said.thought then
    content[1] = { type = "thinking", thinking = said.thought, signature = "c2lnbmVk" .. number }
  end
  if said.text then content[#content + 1] = { type = "text", text = said.text, citations = json.null } end
  local function use(name, input, toolset)
    uses = uses + 1
    content[#content + 1] = { type = "tool_use", id = ("toolu_%02d_%d"):format(number, uses), name = name,
      input = input, toolset_name = toolset, caller = { type = "direct" } }
  end
  local old = anthropic.view(body).computer == "computer_20251124"
  for _, act in ipairs(said.computer or {}) do
    local input = {}
    for key, value in pairs(act[2] or {}) do input[key] = value end
    if old then input.action = act[1] end
    use(old and "computer" or act[1], input, not old and "computer" or nil)
  end
  for _, call in ipairs(said.calls or {}) do use(call[1], call[2]) end
  return { id = "msg_01XFDUDYJgAACzvnptvVoYEL", type = "message", role = "assistant", model = body.model,
    content = content, stop_reason = uses > 0 and "tool_use" or "end_turn", stop_sequence = json.null,
    usage = { input_tokens = 120, cache_creation_input_tokens = 30, cache_read_input_tokens = 1850,
      output_tokens = 60, service_tier = "standard" } }
end

local kinds_of_delta = { text = { "text_delta", "text" }, thinking = { "thinking_delta", "thinking" } }

-- The events of one block of the content.
local function block_events(list, index, block)
  local kind, start = kinds_of_delta[block.type], {}
  for key, value in pairs(block) do start[key] = value end
  local function delta(fields) list[#list + 1] = { type = "content_block_delta", index = index, delta = fields } end
  if kind then start[kind[2]] = "" else start.input = {} end
  if block.signature then start.signature = "" end
  list[#list + 1] = { type = "content_block_start", index = index, content_block = start }
  for _, piece in ipairs(vendor_server.pieces(kind and block[kind[2]] or json.encode(block.input))) do
    delta { type = kind and kind[1] or "input_json_delta", [kind and kind[2] or "partial_json"] = piece }
  end
  if block.signature then delta { type = "signature_delta", signature = block.signature } end
  list[#list + 1] = { type = "content_block_stop", index = index }
end

--- The same answer as a stream.
function anthropic.stream(answer)
  local begun = {}
  for key, value in pairs(answer) do begun[key] = value end
  begun.content, begun.stop_reason, begun.usage = json.list(), json.null, { input_tokens = answer.usage.input_tokens,
    cache_creation_input_tokens = answer.usage.cache_creation_input_tokens,
    cache_read_input_tokens = answer.usage.cache_read_input_tokens, output_tokens = 1 }
  local list = { { type = "message_start", message = begun }, { type = "ping" } }
  for i, block in ipairs(answer.content) do block_events(list, i - 1, block) end
  list[#list + 1] = { type = "message_delta", delta = { stop_reason = answer.stop_reason, stop_sequence = json.null },
    usage = { output_tokens = answer.usage.output_tokens } }
  list[#list + 1] = { type = "message_stop" }
  return vendor_server.events(list)
end

return anthropic
