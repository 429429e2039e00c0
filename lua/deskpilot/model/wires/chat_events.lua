--- The events of a chat completion that comes as a stream, joined as they come.
local json = require "deskpilot.base.json"
local limits = require "deskpilot.model.limits"
local replies = require "deskpilot.model.reply"
local text = require "deskpilot.base.text"
local thinking = require "deskpilot.model.thinking"

---@class deskpilot.model.wires.chat_events: deskpilot.model.wire.events
local Events = {}
Events.__index = Events

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

local function joined_calls(calls)
  local list = json.list {}
  for i, call in ipairs(calls) do
    list[i] = { id = call.id, type = "function",
      ["function"] = { name = call.name, arguments = call.whole or table.concat(call.arguments) } }
  end
  return #list > 0 and list or nil
end

local function add_delta(state, delta)
  state.seen, state.count = true, state.count + 1
  add_text(state, state.content, delta.content)
  add_text(state, state.refusal, delta.refusal)
  for _, name in ipairs(thinking.fields) do
    if type(delta[name]) == "string" then
      if state.thought <= limits.most.content then table.insert(state.thinking, delta[name]) end
      state.thought = state.thought + #delta[name]
      break -- some servers send the same in two fields
    end
  end
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

local function message_of(state, calls)
  return { role = "assistant", content = joined_text(state.content), refusal = joined_text(state.refusal),
    reasoning_content = joined_text(state.thinking), tool_calls = joined_calls(calls) }
end

-- The message that the parts make; nil and why there is none.
local function joined(state)
  if state.excess then return { role = "assistant", content = joined_text(state.content) } end
  if state.broken then return nil, "one of its events cannot be read: " .. state.broken end
  if state.raw.error then return nil end
  if not (state.message or state.seen) then return nil, "it has no answer" end
  if not (state.message or state.finish or state.done) then return nil, "it ends before the answer does" end
  table.sort(state.calls, before)
  return state.message or message_of(state, state.calls)
end

function Events:add(data)
  if text.trim(data) == "[DONE]" then
    self.done = true
    return true
  end
  local chunk, why = limits.decode(data)
  if type(chunk) == "table" then add_chunk(self, chunk) else self.broken = tostring(why) end
  return self.excess ~= nil or self.broken ~= nil
end

function Events:view()
  return { content = self.content, thinking = self.thinking, calls = self.calls, count = self.count,
    size = self.said + self.thought }
end

-- Only what is to be kept of an answer that is not worth its rest.
function Events:cut(content, calls)
  self.content, self.finish = { content }, "length"
  for i = #self.calls, calls + 1, -1 do self.calls[i] = nil end
  self.message, self.seen, self.excess, self.broken, self.raw.error = nil, true, nil, nil, nil
end

-- Reasons for the end of an answer that is whole.
local ends = { tool_calls = true, function_call = true, stop = true }

-- Whether no call that is still to come belongs before this one: they are numbered one after the other, or are all 0.
local function is_in_order(state, number)
  local index, last = state.calls[number].index, number > 1 and state.calls[number - 1].index or 0
  return index >= last and (index == number - 1 or index == 0)
end

-- The protocol marks no call's end: it is there where the next call begins or the answer ends. What is no JSON may
-- still be mended then.
function Events:complete(number)
  local call = self.calls[number]
  if not call or not self.calls[number + 1] and not ends[self.finish] then return nil end
  if self.message or call.name == "" or not is_in_order(self, number) then return false end
  return call.whole ~= nil or type(limits.decode(table.concat(call.arguments))) == "table"
end

function Events:part(number)
  return { choices = { { index = 0, message = message_of(self, { self.calls[number] }) } } }
end

function Events:result()
  if self.excess then return replies.remains(self.excess, joined_text(self.content)) end
  local message, why = joined(self)
  if not message and why then return nil, why end
  if message then self.raw.choices = { { index = 0, message = message, finish_reason = self.finish } } end
  return self.raw
end

local chat_events = {}

--- No answer yet.
---@return deskpilot.model.wires.chat_events
function chat_events.new()
  return setmetatable({ raw = {}, content = {}, refusal = {}, thinking = {}, calls = {}, open = {}, said = 0,
    thought = 0, count = 0 }, Events)
end

return chat_events
