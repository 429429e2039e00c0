--- Chat Completions, as OpenAI has defined it and most servers speak it. Servers differ in how they format an answer;
--- all the usual ways are read.
local errors = require "deskpilot.base.errors"
local json = require "deskpilot.base.json"
local replies = require "deskpilot.model.reply"
local events = require "deskpilot.model.wires.chat_events"
local thinking = require "deskpilot.model.thinking"

---@type deskpilot.model.wire
local chat = { name = "chat", answer = "chat completion", base = "/v1", models = "/models", events = events.new }

function chat.path() return "/chat/completions" end

function chat.headers(key)
  return { ["Authorization"] = key and "Bearer " .. key or nil }
end

local function convert_content(content, image)
  if type(content) ~= "table" then return content end
  local parts = json.list()
  for i, part in ipairs(content) do
    if part.type == "image" then
      local base64, mime = image(part)
      parts[i] = { type = "image_url", image_url = { url = ("data:%s;base64,%s"):format(mime, base64),
        detail = part.detail } }
    else
      parts[i] = part
    end
  end
  return parts
end

-- Servers take nothing but text in the results of tools: their pictures follow in a message of the user's.
local function separate(message, seen)
  if message.role ~= "tool" or type(message.content) ~= "table" then return message.content end
  if #seen == 0 then seen[1] = { type = "text", text = "PICTURES FROM YOUR LOOK-UPS:" } end
  table.move(message.content, 2, #message.content, #seen + 1, seen)
  return message.content[1].text
end

function chat.body(source, how)
  local messages, seen = json.list(), {}
  local function tell_seen()
    if #seen > 0 then messages[#messages + 1] = { role = "user", content = convert_content(seen, how.image) } end
    seen = {}
  end
  for _, message in ipairs(source.messages) do
    if message.role ~= "tool" then tell_seen() end
    messages[#messages + 1] = {
      role = message.role, content = convert_content(separate(message, seen), how.image),
      tool_calls = message.tool_calls, tool_call_id = message.tool_call_id, name = message.name,
    }
  end
  tell_seen()
  local with_tools = source.tools and #source.tools > 0
  return {
    model = how.model, messages = messages, stream = how.streamed or nil,
    stream_options = how.streamed and { include_usage = true } or nil,
    temperature = source.temperature, max_tokens = source.max_tokens,
    tools = with_tools and json.list(source.tools) or nil,
    tool_choice = with_tools and (source.tool_choice or "auto") or nil,
  }
end

-- Some servers send the content as a list of parts, like the content of requests.
local function content_text(content)
  if type(content) ~= "table" then return type(content) == "string" and content or nil end
  local parts = {}
  for _, part in ipairs(content) do
    if type(part) == "table" and type(part.text) == "string" then parts[#parts + 1] = part.text end
  end
  return #parts > 0 and table.concat(parts, "\n") or nil
end

local function argument_text(arguments)
  if type(arguments) == "table" then return json.encode(arguments) end
  if arguments == nil then return "{}" end
  return tostring(arguments)
end

local function tool_calls(message)
  local source = message.tool_calls
  if type(message.function_call) == "table" then source = { { ["function"] = message.function_call } } end
  local calls = {}
  for i, call in ipairs(type(source) == "table" and source or {}) do
    local fn = type(call) == "table" and (call["function"] or call)
    if type(fn) ~= "table" then fn = {} end
    calls[i] = {
      id = type(call) == "table" and type(call.id) == "string" and call.id ~= "" and call.id
        or "call_" .. i,
      name = type(fn.name) == "string" and fn.name or "", arguments = argument_text(fn.arguments),
    }
  end
  return calls
end

-- Of the request's tokens those that the server had from another request; nil where it does not say.
local function cached_tokens(usage)
  local details = usage.prompt_tokens_details
  local cached = type(details) == "table" and details.cached_tokens or usage.prompt_cache_hit_tokens
  return type(cached) == "number" and replies.tokens(cached) or nil
end

function chat.read(raw)
  local remains = replies.of_remains(raw)
  if remains then return remains end
  local choice = type(raw) == "table" and type(raw.choices) == "table" and raw.choices[1]
  local message = type(choice) == "table" and choice.message
  if type(message) ~= "table" then return errors.fail("protocol", "it has no choices[1].message") end
  local usage = type(raw.usage) == "table" and raw.usage or {}
  return replies.of {
    raw = raw, content = content_text(message.content), thinking = thinking.of(message),
    tool_calls = tool_calls(message),
    finish_reason = type(choice.finish_reason) == "string" and choice.finish_reason or nil,
    refusal = type(message.refusal) == "string" and message.refusal or nil,
    usage = { input_tokens = replies.tokens(usage.prompt_tokens), cached_tokens = cached_tokens(usage),
      output_tokens = replies.tokens(usage.completion_tokens) },
  }
end

function chat.names(raw)
  local list = type(raw) == "table" and raw.data
  if not list and type(raw) == "table" and raw.object == "list" then list = {} end -- null where there is none
  return replies.names(list, "id")
end

return chat
