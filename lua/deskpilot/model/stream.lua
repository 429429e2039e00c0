--- Reads an answer that came as a stream of events (text/event-stream), as a chat completion in one piece. Requests ask
--- for no stream, but some servers and proxies send nothing else.
local json = require "deskpilot.base.json"
local limits = require "deskpilot.model.limits"
local text = require "deskpilot.base.text"

local stream = {}

local longest_beginning = 4096 -- bytes of blanks and comments before the first event

--- Whether a body is a stream of events.
---@param body string
---@param content_type string? the header's value
---@return boolean
function stream.is_one(body, content_type)
  if (content_type or ""):lower():find("text/event-stream", 1, true) then return true end
  body = body:sub(1, longest_beginning)
  return body:find("^[\u{FEFF}%s]*data:") ~= nil or body:find("^%s*event:") ~= nil or body:find("^%s*:[^\n]*\n") ~= nil
end

-- A function that gives the place of the first line end from a place on; the places grow from call to call. Each byte
-- is looked at twice in all, by memchr.
local function line_ends(body)
  local returns, feeds = 0, 0
  return function(at)
    if returns < at then returns = body:find("\r", at, true) or math.huge end
    if feeds < at then feeds = body:find("\n", at, true) or math.huge end
    return math.min(returns, feeds, #body + 1)
  end
end

-- Calls fn with the data of each event, until it returns true. Where there are too many, why it has stopped.
local function each_event(body, fn)
  local data, at, lines, end_from = nil, text.starts(body, "\u{FEFF}") and 4 or 1, 0, line_ends(body)
  while at <= #body do
    local stop = end_from(at)
    if body:find("^data:", at) then
      data, lines = data or {}, lines + 1
      if lines > limits.most.events then return ("it has more than %d events"):format(limits.most.events) end
      data[#data + 1] = body:sub(body:find("^ ", at + 5) and at + 6 or at + 5, stop - 1)
    elseif stop == at and data then
      if fn(table.concat(data, "\n")) then return end
      data = nil
    end
    if stop == at then -- empty lines more than one say nothing
      at = body:find("[^\r\n]", at) or #body + 1
    else
      at = body:find("^\r\n", stop) and stop + 2 or stop + 1
    end
  end
  if data then fn(table.concat(data, "\n")) end
end

-- What is said is counted, since it comes in any number of events.
local function add_text(state, parts, value)
  if type(value) ~= "string" then return end
  parts[#parts + 1] = value
  state.said = state.said + #value
  state.excess = state.excess or limits.of_sizes(#state.calls, state.said)
end

-- The call that a part belongs to: they are joined by their index. Some servers number all calls 0; another id is
-- another call.
local function call_of(state, delta, place)
  local index = math.tointeger(delta.index) or place
  local id = type(delta.id) == "string" and delta.id ~= "" and delta.id or nil
  local call = state.open[index]
  if not call or id and call.id and call.id ~= id then
    call = { index = index, number = #state.calls, name = "", arguments = {} }
    state.open[index] = call
    table.insert(state.calls, call)
  end
  call.id = call.id or id
  return call
end

local function add_call(state, delta, place)
  local call = call_of(state, delta, place)
  local fn = type(delta["function"]) == "table" and delta["function"] or {}
  if type(fn.name) == "string" and fn.name ~= call.name then call.name = call.name .. fn.name end
  state.excess = state.excess or limits.of_call(call.name, "", call.id) or limits.of_sizes(#state.calls, state.said)
  if type(fn.arguments) == "table" then call.whole = fn.arguments else add_text(state, call.arguments, fn.arguments) end
end

local function before(a, b)
  if a.index ~= b.index then return a.index < b.index end
  return a.number < b.number
end

local function joined_calls(state)
  local list = json.list {}
  table.sort(state.calls, before)
  for i, call in ipairs(state.calls) do
    list[i] = { id = call.id, type = "function",
      ["function"] = { name = call.name, arguments = call.whole or table.concat(call.arguments) } }
  end
  return #list > 0 and list or nil
end

local function add_delta(state, delta)
  state.seen = true
  add_text(state, state.content, delta.content)
  add_text(state, state.refusal, delta.refusal)
  for place, call in ipairs(type(delta.tool_calls) == "table" and delta.tool_calls or {}) do
    if type(call) == "table" then add_call(state, call, place - 1) end
  end
  if type(delta.function_call) == "table" then add_call(state, { ["function"] = delta.function_call }, 0) end
end

local function add_chunk(state, chunk)
  for _, name in ipairs { "id", "model", "usage", "error" } do
    if chunk[name] ~= nil then state.raw[name] = chunk[name] end
  end
  for _, choice in ipairs(type(chunk.choices) == "table" and chunk.choices or {}) do
    if type(choice) == "table" and (choice.index == nil or choice.index == 0) then
      if type(choice.message) == "table" then state.message = choice.message end -- the whole answer as one event
      if type(choice.delta) == "table" then add_delta(state, choice.delta) end
      state.finish = type(choice.finish_reason) == "string" and choice.finish_reason or state.finish
    end
  end
end

local function joined_text(parts)
  return #parts > 0 and table.concat(parts) or nil
end

-- The message that the parts make; nil and why there is none.
local function joined(state)
  if state.excess then return { role = "assistant", content = joined_text(state.content) } end
  if state.broken then return nil, "one of its events cannot be read: " .. state.broken end
  if state.raw.error then return nil end
  if not (state.message or state.seen) then return nil, "it has no answer" end
  if not (state.message or state.finish or state.done) then return nil, "it ends before the answer does" end
  return state.message or { role = "assistant", content = joined_text(state.content),
    refusal = joined_text(state.refusal), tool_calls = joined_calls(state) }
end

--- The answer in one piece, as if no stream had been sent.
---@param body string
---@return table? raw in OpenAI's format; with `error` alone, where the server says that it failed
---@return string? why nil and what is wrong with it
function stream.read(body)
  local state = { raw = {}, content = {}, refusal = {}, calls = {}, open = {}, said = 0 }
  local many = each_event(body, function(data)
    if text.trim(data) == "[DONE]" then
      state.done = true
      return
    end
    local chunk, why = limits.decode(data)
    if type(chunk) == "table" then add_chunk(state, chunk) else state.broken = tostring(why) end
    return state.excess or state.broken
  end)
  state.raw.excess = state.excess
  local message, why = joined(state)
  if many then message, why = nil, many end
  if not message and why then return nil, "it is a stream of events, and " .. why end
  if message then state.raw.choices = { { index = 0, message = message, finish_reason = state.finish } } end
  return state.raw
end

return stream
