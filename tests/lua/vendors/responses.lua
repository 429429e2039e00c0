--- OpenAI's Responses as their documentation has them: what is refused, in their words, and how answers look.
local json = require "deskpilot.base.json"

local vendor_server = require "vendor_server"

local responses = { wire = "responses", default_path = "/v1", key = "sk-test-1234567890" }

--- The body of a refusal.
function responses.failure(status, message, param)
  return { error = { message = message, type = status == 401 and "invalid_request_error" or "invalid_request_error",
    param = param or json.null, code = status == 401 and "invalid_api_key" or param and "unsupported_parameter"
      or json.null } }
end

function responses.refuses_head(request)
  if request.path ~= "/v1/responses" then return 404, "Invalid URL (POST " .. request.path .. ")" end
  if request.headers.authorization ~= "Bearer " .. responses.key then
    return 401, "Incorrect API key provided: " .. tostring(request.headers.authorization):sub(1, 12) .. "***"
  end
end

function responses.schema() return "responses" end

local outputs = { function_call_output = "function_call", computer_call_output = "computer_call" }

local function ids_of(checks)
  local ids = {}
  for _, check in ipairs(checks or {}) do ids[check.id] = true end
  return ids
end

-- Each call is answered, by an output of its kind, and each of its checks acknowledged.
local function pairing(input)
  local open, order = {}, {}
  for _, item in ipairs(input) do
    if item.type == "function_call" or item.type == "computer_call" then
      open[item.call_id], order[#order + 1] = item, item.call_id
    elseif outputs[item.type] then
      local call = open[item.call_id]
      if not call or call.type ~= outputs[item.type] then
        return ("No tool call found for %s with call_id %s."):format(outputs[item.type]:gsub("_", " "), item.call_id)
      end
      local known = ids_of(item.acknowledged_safety_checks)
      for _, check in ipairs(call.pending_safety_checks or {}) do
        if not known[check.id] then
          return ("The following safety checks have not been acknowledged: ['%s']. All safety checks must be "
            .. "acknowledged in the request in order to proceed."):format(check.code)
        end
      end
      open[item.call_id] = nil
    end
  end
  for _, id in ipairs(order) do
    if open[id] then return ("No tool output found for %s %s."):format(open[id].type:gsub("_", " "), id) end
  end
end

function responses.refuses(body)
  if body.temperature and (body.model:find("gpt-5", 1, true) or body.model:find("computer-use", 1, true)) then
    return 400, "Unsupported parameter: 'temperature' is not supported with this model.", "temperature"
  end
  local names, preview = {}, false
  for i, tool in ipairs(body.tools or {}) do
    if tool.name and names[tool.name] then return 400, ("Duplicate tool name: %s"):format(tool.name) end
    names[tool.name or i] = true
    if tool.type == "function" and not tool.name:find("^[%w_-]+$") then
      return 400, ("Invalid 'tools[%d].name': string does not match pattern '^[a-zA-Z0-9_-]+$'."):format(i - 1)
    end
    preview = preview or tool.type == "computer_use_preview"
  end
  if preview and body.truncation ~= "auto" then
    return 400, "Invalid truncation value. Expected 'auto' for computer-use-preview model.", "truncation"
  end
  for _, item in ipairs(body.input) do
    if item.type == "reasoning" and body.store == false and not item.encrypted_content then
      return 404, ("Item with id '%s' not found. Items are not persisted when `store` is set to false. Try again with "
        .. "`store` set to true, or remove this item from your input."):format(item.id)
    end
  end
  local problem = pairing(body.input)
  if problem then return 400, problem end
end

function responses.view(body)
  local view = { tools = {}, text = {}, results = {}, pictures = 0, system = body.instructions }
  for _, tool in ipairs(body.tools or {}) do
    if tool.type == "function" then view.tools[tool.name] = true else view.computer = tool.type end
  end
  for _, item in ipairs(body.input) do
    if outputs[item.type] then view.results[#view.results + 1] = item end
    for _, part in ipairs(type(item.content) == "table" and item.content or {}) do
      if part.type == "input_text" then view.text[#view.text + 1] = part.text end
      if part.type == "input_image" then view.pictures = view.pictures + 1 end
    end
  end
  return view
end

function responses.answer(said, number, body)
  local output = json.list()
  if said.thought then
    local asked = type(body.include) == "table" and body.include[1] == "reasoning.encrypted_content"
    output[1] = { id = "rs_" .. number, type = "reasoning", summary = json.list(asked and {
      { type = "summary_text", text = said.thought } } or {}), encrypted_content = asked and "gAAAAABo" or json.null }
  end
  if said.text then
    output[#output + 1] = { id = "msg_" .. number, type = "message", status = "completed", role = "assistant",
      content = { { type = "output_text", text = said.text, annotations = json.list() } } }
  end
  if said.computer then
    local actions = json.list()
    for i, act in ipairs(said.computer) do
      actions[i] = { type = act[1] }
      for key, value in pairs(act[2] or {}) do actions[i][key] = value end
    end
    local call = { id = "cu_" .. number, type = "computer_call", call_id = "call_c" .. number, status = "completed",
      pending_safety_checks = json.list(said.checks or {}) }
    if responses.view(body).computer == "computer_use_preview" then
      call.action = actions[1]
    else
      call.actions = actions
    end
    output[#output + 1] = call
  end
  for i, call in ipairs(said.calls or {}) do
    output[#output + 1] = { id = ("fc_%d_%d"):format(number, i), type = "function_call", status = "completed",
      call_id = ("call_f%d_%d"):format(number, i), name = call[1], arguments = json.encode(call[2]) }
  end
  return { id = "resp_67ccd3a9da748190baa7f1570fe91ac604becb25c45c1d41", object = "response", created_at = 1741476777,
    status = "completed", completed_at = 1741476778, error = json.null, incomplete_details = json.null,
    instructions = body.instructions or json.null, max_output_tokens = json.null, model = body.model, output = output,
    parallel_tool_calls = true, previous_response_id = json.null, reasoning = { effort = json.null,
      summary = json.null }, store = false, temperature = 1.0, text = { format = { type = "text" } },
    tool_choice = "auto", tools = json.list(), top_p = 1.0, truncation = "disabled",
    usage = { input_tokens = 328, input_tokens_details = { cached_tokens = 256 }, output_tokens = 52,
      output_tokens_details = { reasoning_tokens = 0 }, total_tokens = 380 }, user = json.null,
    metadata = {} }
end

-- The events of one item of the output.
local function item_events(list, index, item)
  local id = item.id
  list[#list + 1] = { type = "response.output_item.added", output_index = index, item = { type = item.type, id = id,
    status = "in_progress" } }
  if item.type == "message" then
    for _, piece in ipairs(vendor_server.pieces(item.content[1].text)) do
      list[#list + 1] = { type = "response.output_text.delta", item_id = id, output_index = index, content_index = 0,
        delta = piece }
    end
  elseif item.type == "function_call" then
    for _, piece in ipairs(vendor_server.pieces(item.arguments)) do
      list[#list + 1] = { type = "response.function_call_arguments.delta", item_id = id, output_index = index,
        delta = piece }
    end
  end
  list[#list + 1] = { type = "response.output_item.done", output_index = index, item = item }
end

--- The same answer as a stream.
function responses.stream(answer)
  local begun = {}
  for key, value in pairs(answer) do begun[key] = value end
  begun.output, begun.status, begun.usage = json.list(), "in_progress", json.null
  local list = { { type = "response.created", response = begun }, { type = "response.in_progress", response = begun } }
  for i, item in ipairs(answer.output) do item_events(list, i - 1, item) end
  list[#list + 1] = { type = "response.completed", response = answer }
  for i, event in ipairs(list) do event.sequence_number = i - 1 end
  return vendor_server.events(list)
end

return responses
