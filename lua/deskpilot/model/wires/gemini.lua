--- Google's generateContent, with functions and Gemini's own tool for the computer, which brings functions of its own:
--- to 3.1 for a browser (click_at, type_text_at ...), from 3.5 on for a desktop (click, type ...).
local errors = require "deskpilot.base.errors"
local json = require "deskpilot.base.json"
local replies = require "deskpilot.model.reply"
local turns = require "deskpilot.model.wires.turns"
local events = require "deskpilot.model.wires.gemini_events"

---@type deskpilot.model.wire
local gemini = { name = "gemini", answer = "generateContent response", base = "/v1beta",
  models = "/models?pageSize=1000", events = events.new }

local kinds = { desktop = true, browser = true }

-- What its functions need of our tools; those without anything cannot be done here. Without those that only a browser
-- has, the functions for one serve any screen.
local needs = {
  browser = { open_web_browser = {}, search = {}, navigate = {}, go_back = {}, go_forward = {},
    type_text_at = { "type_text" }, key_combination = { "press_key" }, scroll_at = { "scroll_down", "scroll_up" },
    scroll_document = { "scroll_down", "scroll_up" }, drag_and_drop = { "drag_element" }, wait_5_seconds = { "wait" } },
  desktop = { mouse_down = {}, mouse_up = {}, key_down = {}, key_up = {}, type = { "type_text" },
    hotkey = { "press_key" }, scroll = { "scroll_down", "scroll_up" }, drag_and_drop = { "drag_element" } },
}

-- The functions that its own tool brings.
local own_functions = {}
for name in ([[click_at hover_at type_text_at key_combination scroll_document scroll_at drag_and_drop wait_5_seconds
  click double_click triple_click middle_click right_click mouse_down mouse_up move type press_key key_down key_up
  hotkey scroll take_screenshot wait]]):gmatch("%S+") do own_functions[name] = true end

-- In the place of a signature where an answer was not Gemini's own, as its makers have it for such.
local no_signature = "skip_thought_signature_validator"

function gemini.path(model, streamed)
  local name = model:gsub("^models/", ""):gsub("[^%w%-._~]", function(c) return ("%%%02X"):format(c:byte()) end)
  return "/models/" .. name .. (streamed and ":streamGenerateContent?alt=sse" or ":generateContent")
end

function gemini.headers(key)
  return { ["x-goog-api-key"] = key }
end

-- --- writing --------------------------------------------------------------------------------------------------

local function image_of(part, how)
  local base64, mime = how.image(part)
  return { inlineData = { mimeType = mime, data = base64 } }
end

local function parts_of(parts, how)
  local list = json.list()
  for i, part in ipairs(parts) do
    list[i] = part.type == "image" and image_of(part, how) or { text = part.text }
  end
  return list
end

-- Contents of one role that follow each other are one.
local function add(contents, role, parts)
  local last = contents[#contents]
  if last and last.role == role then
    table.move(parts, 1, #parts, #last.parts + 1, last.parts)
  elseif #parts > 0 then
    contents[#contents + 1] = { role = role, parts = parts }
  end
end

-- Whether a person has to allow a call: all but what Gemini says is not worth asking about.
local function wants_consent(call)
  local decision = type(call.args) == "table" and call.args.safety_decision
  if type(decision) == "table" then decision = decision.decision or true end
  return decision ~= nil and decision ~= false and decision ~= "regular" and decision ~= "allowed"
end

local function response_of(call, results, turn, how)
  local parts, failed = turns.parts(results)
  local pictures = json.list()
  for i, part in ipairs(turns.images(parts)) do pictures[i] = image_of(part, how) end
  return { functionResponse = { id = call.id, name = call.name, parts = #pictures > 0 and pictures or nil,
    response = { [failed and "error" or "output"] = turns.words(parts),
      safety_acknowledgement = turn and turn.allowed and wants_consent(call) and "true" or nil } } }
end

-- The calls of an answer are named by us where Gemini has given no id.
local function id_of(call, number)
  return type(call.id) == "string" and call.id ~= "" and call.id or "call_" .. number
end

local function add_own(contents, turn, results, how)
  local answers, number = json.list(), 0
  for _, part in ipairs(turn.items) do
    local call = part.functionCall
    if type(call) == "table" then
      number = number + 1
      answers[#answers + 1] = response_of(call, turns.of_call(results, id_of(call, number)), turn, how)
    end
  end
  add(contents, "model", json.list(table.move(turn.items, 1, #turn.items, 1, {})))
  add(contents, "user", answers)
end

local function add_other(contents, message, results, how)
  local said, answers = parts_of(turns.content(message.content), how), json.list()
  for i, call in ipairs(message.tool_calls or {}) do
    local args = json.decode(call["function"].arguments)
    local made = { name = call["function"].name, args = type(args) == "table" and args or {} }
    said[#said + 1] = { functionCall = made, thoughtSignature = i == 1 and no_signature or nil }
    answers[i] = response_of(made, { results[i] }, nil, how)
  end
  add(contents, "model", said)
  add(contents, "user", answers)
end

local function computer(request, how)
  local kind = turns.computer(request, how, kinds)
  if not kind then return nil end
  local without = json.list(turns.impossible(request, needs[kind]))
  for _, tool in ipairs(request.tools) do -- a name may be there once
    local name = tool["function"].name
    if own_functions[name] then without[#without + 1] = name end
  end
  return { computerUse = { environment = kind == "browser" and "ENVIRONMENT_BROWSER" or "ENVIRONMENT_DESKTOP",
    excludedPredefinedFunctions = #without > 0 and without or nil } }
end

local function tools_of(request, how)
  local list, functions = json.list { computer(request, how) }, json.list()
  for i, tool in ipairs(request.tools or {}) do
    local fn = tool["function"]
    functions[i] = { name = fn.name, description = fn.description, parametersJsonSchema = fn.parameters }
  end
  if #functions > 0 then list[#list + 1] = { functionDeclarations = functions } end
  return #list > 0 and list or nil
end

function gemini.body(request, how)
  local system, contents = {}, json.list()
  for i, message in ipairs(request.messages) do
    if message.role == "system" then system[#system + 1] = turns.words(turns.content(message.content))
    elseif message.role == "user" then add(contents, "user", parts_of(turns.content(message.content), how))
    elseif message.role == "assistant" then
      local turn, results = turns.own(message, gemini.name, how.model), turns.results(request.messages, i)
      if turn then add_own(contents, turn, results, how) else add_other(contents, message, results, how) end
    end
  end
  local refused = {}
  for _, name in ipairs(how.profile and how.profile.refuses or {}) do refused[name] = true end
  return { contents = contents, tools = tools_of(request, how),
    systemInstruction = #system > 0 and { parts = json.list { { text = table.concat(system, "\n\n") } } } or nil,
    generationConfig = { temperature = not refused.temperature and request.temperature or nil,
      maxOutputTokens = request.max_tokens } }
end

-- --- reading --------------------------------------------------------------------------------------------------

local reasons = { STOP = "stop", MAX_TOKENS = "length" }

-- What keeps Gemini from answering, where the answer says it by its reason alone.
local filtered = { SAFETY = true, PROHIBITED_CONTENT = true, BLOCKLIST = true, SPII = true, RECITATION = true }

local function call_of(call, number)
  local args, checks = {}, nil
  for key, value in pairs(type(call.args) == "table" and call.args or {}) do
    if key ~= "safety_decision" then args[key] = value end
  end
  if wants_consent(call) then
    local decision = type(call.args.safety_decision) == "table" and call.args.safety_decision or {}
    local message = decision.explanation or decision.message
    checks = { { code = type(decision.decision) == "string" and decision.decision or nil,
      message = type(message) == "string" and message or nil } }
  end
  local name = type(call.name) == "string" and call.name or ""
  return { id = id_of(call, number), name = name, arguments = json.encode(args), checks = checks,
    computer = name ~= "wait" and own_functions[name] or nil }
end

local function usage_of(raw)
  local usage = type(raw.usageMetadata) == "table" and raw.usageMetadata or {}
  return { input_tokens = replies.tokens(usage.promptTokenCount) + replies.tokens(usage.toolUsePromptTokenCount),
    cached_tokens = replies.tokens(usage.cachedContentTokenCount),
    output_tokens = replies.tokens(usage.candidatesTokenCount) + replies.tokens(usage.thoughtsTokenCount) }
end

-- An answer without a candidate, since what was asked was refused.
local function blocked(raw)
  local feedback = type(raw.promptFeedback) == "table" and raw.promptFeedback or {}
  if type(feedback.blockReason) ~= "string" then return nil end
  local why = type(feedback.blockReasonMessage) == "string" and feedback.blockReasonMessage or feedback.blockReason
  return replies.of { raw = raw, tool_calls = {}, refusal = "the request was blocked: " .. why,
    finish_reason = "content_filter", usage = usage_of(raw) }
end

local function turn_of(parts)
  local number = 0
  return turns.of(parts, function(part)
    local call = part.functionCall
    if call == nil then return nil end
    if type(call) ~= "table" then return {} end
    number = number + 1
    return { id = id_of(call, number), name = call.name, args = call.args or {} }
  end)
end

function gemini.read(raw)
  local remains = replies.of_remains(raw)
  if remains then return remains end
  if type(raw) ~= "table" then return errors.fail("protocol", "it is no object") end
  local candidate = type(raw.candidates) == "table" and raw.candidates[1]
  if type(candidate) ~= "table" then
    local refused = blocked(raw)
    if refused then return refused end
    return errors.fail("protocol", "it has no candidate")
  end
  local parts = type(candidate.content) == "table" and type(candidate.content.parts) == "table"
    and candidate.content.parts or {}
  local words, thoughts, calls = {}, {}, {}
  for _, part in ipairs(parts) do
    if type(part) ~= "table" then part = {} end
    if type(part.functionCall) == "table" then calls[#calls + 1] = call_of(part.functionCall, #calls + 1)
    elseif type(part.text) == "string" then
      local list = part.thought == true and thoughts or words
      list[#list + 1] = part.text
    end
  end
  local reason = candidate.finishReason
  return replies.of { raw = raw, tool_calls = calls, turn = turn_of(parts),
    content = #words > 0 and table.concat(words) or nil, thinking = #thoughts > 0 and table.concat(thoughts) or nil,
    finish_reason = #calls > 0 and reason == "STOP" and "tool_calls" or reasons[reason]
      or filtered[reason] and "content_filter" or type(reason) == "string" and reason or nil,
    refusal = filtered[reason] and #parts == 0 and ("the answer was blocked: " .. reason) or nil,
    usage = usage_of(raw) }
end

function gemini.names(raw)
  local names = replies.names(type(raw) == "table" and raw.models, "name")
  for i, name in ipairs(names or {}) do names[i] = name:gsub("^models/", "") end
  return names
end

return gemini
