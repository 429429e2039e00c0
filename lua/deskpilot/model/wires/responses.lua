--- OpenAI's Responses, with its tools for the computer: `computer`, whose calls hold several actions, and that of
--- computer-use-preview, whose calls hold one and which is told the size of the display. Nothing is kept at the server:
--- what belongs together is sent together.
local errors = require "deskpilot.base.errors"
local json = require "deskpilot.base.json"
local system_info = require "native.system"
local text = require "deskpilot.base.text"
local replies = require "deskpilot.model.reply"
local turns = require "deskpilot.model.wires.turns"
local events = require "deskpilot.model.wires.responses_events"

---@type deskpilot.model.wire
local responses = { name = "responses", answer = "response", base = "/v1", models = "/models", events = events.new }

local kinds = { computer = true, computer_use_preview = true }

function responses.path() return "/responses" end

function responses.headers(key)
  return { ["Authorization"] = key and "Bearer " .. key or nil }
end

-- --- writing --------------------------------------------------------------------------------------------------

local function url_of(part, how)
  local base64, mime = how.image(part)
  return ("data:%s;base64,%s"):format(mime, base64)
end

local function parts_of(parts, how)
  local list = json.list()
  for i, part in ipairs(parts) do
    list[i] = part.type ~= "image" and { type = "input_text", text = part.text } or { type = "input_image",
      image_url = url_of(part, how), detail = part.detail
      or how.profile and how.profile.picture.detail or "auto" }
  end
  return list
end

-- The lists of an item: decoded, an empty one cannot be told from an object, nor null from nothing.
local lists = { summary = true, content = true, annotations = true, logprobs = true, pending_safety_checks = true,
  actions = true, keys = true, path = true }

-- An item of an answer, as it may be given back.
local function item_again(value)
  if type(value) ~= "table" then return value end
  local copy = setmetatable({}, getmetatable(value))
  for key, inner in pairs(value) do
    copy[key] = item_again(inner)
    if lists[key] and type(inner) == "table" and next(inner) == nil then copy[key] = json.list() end
  end
  if value.type == "double_click" and value.keys == nil then copy.keys = json.null end -- must be there
  return copy
end

-- A call of the computer is answered with a picture, whatever else there is to say of it.
local function computer_output(item, results, turn, request, how)
  local images = turns.images(turns.parts(results))
  local picture = images[#images] or turns.screen(request.messages)
  local checks = item.pending_safety_checks
  return { type = "computer_call_output", call_id = item.call_id,
    output = { type = "computer_screenshot", image_url = picture and url_of(picture, how) or nil },
    acknowledged_safety_checks = turn.allowed and #(checks or {}) > 0 and checks or nil }
end

local function function_output(call_id, results, how)
  local parts = turns.parts(results)
  local plain = #turns.images(parts) == 0
  return { type = "function_call_output", call_id = call_id,
    output = plain and turns.words(parts) or parts_of(parts, how) }
end

-- An answer of this model's, and what came of each of its calls.
local function add_own(input, turn, results, request, how)
  for _, item in ipairs(turn.items) do input[#input + 1] = item_again(item) end
  for _, item in ipairs(turn.items) do
    local of_call = item.call_id and turns.of_call(results, item.call_id)
    if item.type == "computer_call" then
      input[#input + 1] = computer_output(item, of_call, turn, request, how)
      local words = turns.words((turns.parts(of_call)))
      if words ~= "" then input[#input + 1] = { role = "user", content = words } end
    elseif item.type == "function_call" then
      input[#input + 1] = function_output(item.call_id, of_call, how)
    end
  end
end

-- An answer of another model's, or one that may not be given back as it was.
local function add_other(input, message, results, how)
  if (message.content or "") ~= "" then input[#input + 1] = { role = "assistant", content = message.content } end
  for _, call in ipairs(message.tool_calls or {}) do
    input[#input + 1] = { type = "function_call", call_id = call.id, name = call["function"].name,
      arguments = call["function"].arguments }
  end
  for _, result in ipairs(results) do
    input[#input + 1] = function_output(result.tool_call_id, { result }, how)
  end
end

local function computer(request, how)
  local kind = turns.computer(request, how, kinds)
  if not kind then return nil end
  if kind ~= "computer_use_preview" then return { type = kind } end
  local screen, space = turns.screen(request.messages), how.profile.space
  local width, height = space.width or screen and screen.width, space.height or screen and screen.height
  if not width then return nil end
  return { type = kind, display_width = width, display_height = height,
    environment = system_info.platform == "windows" and "windows" or "linux" }
end

local function tools_of(request, how)
  local list = json.list { computer(request, how) }
  for _, tool in ipairs(request.tools or {}) do
    local fn = tool["function"]
    list[#list + 1] = { type = "function", name = fn.name, description = fn.description, strict = false,
      parameters = fn.parameters or { type = "object", properties = {} } }
  end
  return #list > 0 and list or nil
end

function responses.body(request, how)
  local system, input = {}, json.list()
  for i, message in ipairs(request.messages) do
    if message.role == "system" then system[#system + 1] = turns.words(turns.content(message.content))
    elseif message.role == "user" then
      input[#input + 1] = { role = "user", content = parts_of(turns.content(message.content), how) }
    elseif message.role == "assistant" then
      local turn, results = turns.own(message, responses.name, how.model), turns.results(request.messages, i)
      if turn then add_own(input, turn, results, request, how) else add_other(input, message, results, how) end
    end
  end
  local kind = how.profile and how.profile.computer
  return { model = how.model, instructions = #system > 0 and table.concat(system, "\n\n") or nil, input = input,
    tools = tools_of(request, how), temperature = request.temperature, max_output_tokens = request.max_tokens,
    store = false, truncation = kind == "computer_use_preview" and "auto" or nil,
    include = kind == "computer" and json.list { "reasoning.encrypted_content" } or nil,
    stream = how.streamed or nil }
end

-- --- reading --------------------------------------------------------------------------------------------------

-- What is no check stands for one that nobody can read: a person is asked about it too.
local function checks_of(item)
  local list, checks = {}, item.pending_safety_checks
  for _, check in ipairs(type(checks) == "table" and checks or { checks }) do
    check = type(check) == "table" and check or {}
    list[#list + 1] = { id = type(check.id) == "string" and check.id or nil,
      code = type(check.code) == "string" and check.code or nil,
      message = type(check.message) == "string" and check.message or nil }
  end
  return #list > 0 and list or nil
end

local function text_of(value, other)
  return type(value) == "string" and value ~= "" and value or other
end

-- Each action is a call of the verb that is its type.
local function add_actions(calls, item)
  local actions, checks = item.actions, checks_of(item)
  if type(actions) ~= "table" then actions = { item.action } end
  local id = text_of(item.call_id, "call_" .. #calls + 1)
  for i, action in ipairs(actions) do
    local args = {}
    for key, value in pairs(type(action) == "table" and action or {}) do
      if key ~= "type" then args[key] = value end
    end
    calls[#calls + 1] = { id = ("%s/%d"):format(id, i), arguments = json.encode(args), computer = true,
      name = type(action) == "table" and text_of(action.type, "") or "", checks = checks }
  end
end

local add = {
  computer_call = function(read, item) add_actions(read.tool_calls, item) end,
  function_call = function(read, item)
    local calls = read.tool_calls
    calls[#calls + 1] = { id = text_of(item.call_id, "call_" .. #calls + 1), name = text_of(item.name, ""),
      arguments = text_of(item.arguments, "{}") }
  end,
  message = function(read, item)
    for _, part in ipairs(type(item.content) == "table" and item.content or {}) do
      if type(part) == "table" and part.type == "output_text" then
        read.words[#read.words + 1] = tostring(part.text)
      elseif type(part) == "table" and part.type == "refusal" then
        read.refusal = text_of(part.refusal, "the model gives no explanation")
      end
    end
  end,
  reasoning = function(read, item)
    for _, part in ipairs(type(item.summary) == "table" and item.summary or {}) do
      if type(part) == "table" and type(part.text) == "string" then read.thoughts[#read.thoughts + 1] = part.text end
    end
  end,
}

-- Its checks are part of a call: they are acknowledged with it.
local function as_call(item)
  if item.type == "function_call" then
    return { id = item.call_id, name = item.name, args = type(item.arguments) == "string" and {} or nil }
  elseif item.type == "computer_call" then
    local sound = true
    for _, check in ipairs(checks_of(item) or {}) do sound = sound and check.id ~= nil end
    return { id = item.call_id, name = "computer", args = sound and (item.actions or item.action) or nil }
  end
end

local function reason_of(raw, calls)
  if raw.status == "incomplete" then
    local why = type(raw.incomplete_details) == "table" and raw.incomplete_details.reason
    return why == "max_output_tokens" and "length" or text_of(why, "incomplete")
  end
  return #calls > 0 and "tool_calls" or "stop"
end

local function usage_of(raw)
  local usage = type(raw.usage) == "table" and raw.usage or {}
  local details = type(usage.input_tokens_details) == "table" and usage.input_tokens_details or {}
  return { input_tokens = replies.tokens(usage.input_tokens), cached_tokens = replies.tokens(details.cached_tokens),
    output_tokens = replies.tokens(usage.output_tokens) }
end

function responses.read(raw)
  local remains = replies.of_remains(raw)
  if remains then return remains end
  if type(raw) ~= "table" or type(raw.output) ~= "table" then return errors.fail("protocol", "it has no output") end
  if type(raw.error) == "table" or raw.status == "failed" then
    local why = type(raw.error) == "table" and raw.error.message
    return errors.fail("protocol", "it has failed (%s)", text.cut(text.one_line(tostring(why)), 200))
  end
  local read = { words = {}, thoughts = {}, tool_calls = {} }
  for _, item in ipairs(raw.output) do
    local of_type = type(item) == "table" and add[item.type]
    if of_type then of_type(read, item) end
  end
  return replies.of { raw = raw, tool_calls = read.tool_calls, turn = turns.of(raw.output, as_call),
    refusal = read.refusal, content = #read.words > 0 and table.concat(read.words, "\n") or nil,
    thinking = #read.thoughts > 0 and table.concat(read.thoughts, "\n") or nil,
    finish_reason = reason_of(raw, read.tool_calls), usage = usage_of(raw) }
end

function responses.names(raw)
  return replies.names(type(raw) == "table" and raw.data, "id")
end

return responses
