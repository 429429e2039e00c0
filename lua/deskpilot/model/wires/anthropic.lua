--- Anthropic's Messages, with its own tools for the computer: the toolset of 2026-08-01, whose members are called one
--- by one, several in an answer, and the tool of 2025-11-24, which is a beta and is told the size of the display.
local errors = require "deskpilot.base.errors"
local json = require "deskpilot.base.json"
local replies = require "deskpilot.model.reply"
local turns = require "deskpilot.model.wires.turns"
local events = require "deskpilot.model.wires.anthropic_events"

---@type deskpilot.model.wire
local anthropic = { name = "anthropic", answer = "message", base = "/v1", models = "/models?limit=1000",
  events = events.new, needs = { max_tokens = true } }

local version = "2023-06-01"
local betas = { computer_20251124 = "computer-use-2025-11-24" }
local kinds = { computer_20251124 = true, computer_toolset_20260801 = true }
local usual_tokens = 4096 -- of an answer, which Messages wants to be told

function anthropic.path() return "/messages" end

function anthropic.headers(key, profile)
  return { ["x-api-key"] = key, ["anthropic-version"] = version,
    ["anthropic-beta"] = profile and betas[profile.computer] }
end

-- --- writing --------------------------------------------------------------------------------------------------

local function mark(block)
  if block then block.cache_control = { type = "ephemeral" } end
end

local function blocks_of(parts, how, list)
  list = list or json.list()
  for _, part in ipairs(parts) do
    if part.type == "image" then
      local base64, mime = how.image(part)
      list[#list + 1] = { type = "image", source = { type = "base64", media_type = mime, data = base64 } }
    elseif part.text ~= "" then -- an empty text is refused
      list[#list + 1] = { type = "text", text = part.text }
    end
  end
  return list
end

-- Messages of one role that follow each other are one.
local function add(messages, role, blocks)
  local last = messages[#messages]
  if last and last.role == role then
    table.move(blocks, 1, #blocks, #last.content + 1, last.content)
  elseif #blocks > 0 then
    messages[#messages + 1] = { role = role, content = blocks }
  end
end

local function said(message)
  local blocks = json.list()
  if (message.content or "") ~= "" then blocks[1] = { type = "text", text = message.content } end
  for _, call in ipairs(message.tool_calls or {}) do
    local input = json.decode(call["function"].arguments)
    blocks[#blocks + 1] = { type = "tool_use", id = call.id, name = call["function"].name,
      input = type(input) == "table" and input or {} }
  end
  return blocks
end

local function result_of(use, results, how)
  local parts, failed = turns.parts(results)
  return { type = "tool_result", tool_use_id = use.id, toolset_name = use.toolset_name,
    content = blocks_of(parts, how), is_error = failed or nil }
end

-- An answer and the results of its calls, each of which must have one.
local function add_round(messages, message, results, how)
  local turn = turns.own(message, anthropic.name, how.model)
  local blocks = turn and json.list(table.move(turn.items, 1, #turn.items, 1, {})) or said(message)
  local answers = json.list()
  for _, block in ipairs(blocks) do
    if block.type == "tool_use" then
      local own = turn and turns.of_call(results, block.id)
      for _, result in ipairs(not turn and results or {}) do
        if result.tool_call_id == block.id then own = { result } end
      end
      answers[#answers + 1] = result_of(block, own or {}, how)
    end
  end
  add(messages, "assistant", blocks)
  add(messages, "user", answers)
end

-- What members of the toolset need of our tools; those without anything cannot be done here: no key and no button stays
-- down, and where the pointer is, the picture shows.
local needs = { type = { "type_text" }, key = { "press_key" }, scroll = { "scroll_down", "scroll_up" },
  zoom = { "look_closely" }, left_click_drag = { "drag_element" }, wait = { "wait" }, cursor_position = {},
  hold_key = {}, left_mouse_down = {}, left_mouse_up = {} }

local function computer(request, how)
  local kind = turns.computer(request, how, kinds)
  if not kind then return nil end
  if kind == "computer_20251124" then
    local screen = turns.screen(request.messages)
    local space = how.profile.space
    local width, height = space.width or screen and screen.width, space.height or screen and screen.height
    if not width then return nil end
    return { type = kind, name = "computer", display_width_px = width, display_height_px = height,
      enable_zoom = #turns.impossible(request, { zoom = needs.zoom }) == 0 }
  end
  local configs = {}
  for _, member in ipairs(turns.impossible(request, needs)) do configs[member] = { enabled = false } end
  return { type = kind, configs = configs }
end

-- The maker's own tool goes first: it changes least.
local function tools_of(request, how)
  local list = json.list { computer(request, how) }
  for _, tool in ipairs(request.tools or {}) do
    local fn = tool["function"]
    list[#list + 1] = { name = fn.name, description = fn.description, input_schema = fn.parameters
      or { type = "object" } }
  end
  mark(list[#list])
  return #list > 0 and list or nil
end

-- A user's message, with a mark where what comes again in the next request ends.
local function user_blocks(message, how)
  local parts, first = turns.content(message.content), message.stable or 0
  local list = blocks_of({ table.unpack(parts, 1, first) }, how)
  mark(list[#list])
  return blocks_of({ table.unpack(parts, first + 1) }, how, list)
end

function anthropic.body(request, how)
  local system, messages = json.list(), json.list()
  for i, message in ipairs(request.messages) do
    if message.role == "system" then blocks_of(turns.content(message.content), how, system)
    elseif message.role == "user" then add(messages, "user", user_blocks(message, how))
    elseif message.role == "assistant" then add_round(messages, message, turns.results(request.messages, i), how) end
  end
  mark(system[#system])
  -- No temperature: the newer models refuse it, and the makers' types do not have it any more.
  return { model = how.model, max_tokens = request.max_tokens or usual_tokens, messages = messages,
    system = #system > 0 and system or nil, tools = tools_of(request, how), stream = how.streamed or nil }
end

-- --- reading --------------------------------------------------------------------------------------------------

-- In the words of Chat Completions, where there are such.
local reasons = { end_turn = "stop", stop_sequence = "stop", tool_use = "tool_calls", max_tokens = "length",
  model_context_window_exceeded = "length" }

local function call_of(block, number)
  return { id = type(block.id) == "string" and block.id ~= "" and block.id or "call_" .. number,
    name = type(block.name) == "string" and block.name or "",
    arguments = type(block.input) == "string" and block.input or json.encode(block.input or {}),
    computer = block.toolset_name == "computer" or block.name == "computer" or nil }
end

local function as_call(block)
  return block.type == "tool_use" and { id = block.id, name = block.name, args = block.input } or nil
end

local function refusal_of(raw)
  if raw.stop_reason ~= "refusal" then return nil end
  local details = type(raw.stop_details) == "table" and raw.stop_details or {}
  return type(details.explanation) == "string" and details.explanation or "the model gives no explanation"
end

local function usage_of(raw)
  local usage = type(raw.usage) == "table" and raw.usage or {}
  local cached, written = replies.tokens(usage.cache_read_input_tokens),
    replies.tokens(usage.cache_creation_input_tokens)
  return { input_tokens = replies.tokens(usage.input_tokens) + cached + written, cached_tokens = cached,
    written_tokens = written, output_tokens = replies.tokens(usage.output_tokens) }
end

function anthropic.read(raw)
  local remains = replies.of_remains(raw)
  if remains then return remains end
  if type(raw) ~= "table" or type(raw.content) ~= "table" or raw.type ~= "message" then
    return errors.fail("protocol", "it is no message with content")
  end
  local words, thinking, calls = {}, {}, {}
  for _, block in ipairs(raw.content) do
    if type(block) ~= "table" then block = {} end
    if block.type == "text" then words[#words + 1] = tostring(block.text)
    elseif block.type == "thinking" then thinking[#thinking + 1] = tostring(block.thinking)
    elseif block.type == "tool_use" then calls[#calls + 1] = call_of(block, #calls + 1) end
  end
  return replies.of { raw = raw, tool_calls = calls, turn = turns.of(raw.content, as_call),
    content = #words > 0 and table.concat(words, "\n") or nil,
    thinking = #thinking > 0 and table.concat(thinking, "\n") or nil,
    finish_reason = reasons[raw.stop_reason] or type(raw.stop_reason) == "string" and raw.stop_reason or nil,
    refusal = refusal_of(raw), usage = usage_of(raw) }
end

function anthropic.names(raw)
  return replies.names(type(raw) == "table" and raw.data, "id")
end

return anthropic
