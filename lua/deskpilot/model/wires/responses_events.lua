--- The events of a response that comes as a stream. The last one holds the whole of it; those before are counted.
local json = require "deskpilot.base.json"
local limits = require "deskpilot.model.limits"
local progress = require "deskpilot.model.wires.progress"
local replies = require "deskpilot.model.reply"

---@class deskpilot.model.wires.responses_events: deskpilot.model.wire.events
local Events = {}
Events.__index = Events

local last = { ["response.completed"] = true, ["response.incomplete"] = true, ["response.failed"] = true }

-- What the pieces of a text are seen as meanwhile.
local lists = { ["response.output_text.delta"] = "content", ["response.refusal.delta"] = "content",
  ["response.reasoning_summary_text.delta"] = "thinking", ["response.reasoning_text.delta"] = "thinking" }

local function add_item(self, data)
  local item = type(data.item) == "table" and data.item or {}
  self.items = self.items + 1
  if item.type ~= "function_call" and item.type ~= "computer_call" then return end
  local call, excess = progress.call(self.seen, item.name or item.type, item.call_id)
  self.open[math.tointeger(data.output_index) or self.items - 1] = call
  call.item, self.excess = item, self.excess or excess
end

local function end_item(self, data)
  self.ended[#self.ended + 1] = data.item
  local call = self.open[math.tointeger(data.output_index) or -1]
  if call and type(data.item) == "table" then
    call.item, call.ended = data.item, true
    if data.item.type == "computer_call" then call.whole = data.item end
  end
end

local function add_piece(self, data)
  if type(data.delta) ~= "string" then return end
  local call = data.type == "response.function_call_arguments.delta"
    and self.open[math.tointeger(data.output_index) or -1]
  self.refuses = self.refuses or data.type == "response.refusal.delta"
  local list = call and call.arguments or self.seen[lists[data.type] or ""] or {}
  self.excess = self.excess or progress.add(self.seen, list, data.delta)
end

function Events:add(text)
  if text == "[DONE]" then return true end
  local data, why = limits.decode(text)
  if type(data) ~= "table" then
    self.broken = tostring(why)
    return true
  end
  if last[data.type] and type(data.response) == "table" then self.raw, self.done = data.response, true
  elseif data.type == "error" then self.error = data.error or { message = data.message, code = data.code }
  elseif data.type == "response.output_item.added" then add_item(self, data)
  elseif data.type == "response.output_item.done" then end_item(self, data)
  else add_piece(self, data) end
  return self.raw ~= nil or self.error ~= nil or self.excess ~= nil
end

function Events:view() return self.seen end

--- Only what is to be kept of an answer that is not worth its rest.
function Events:cut(content, calls)
  local output = json.list()
  if content ~= "" then
    output[1] = { type = "message", role = "assistant", content = { { type = "output_text", text = content } } }
  end
  for i = 1, math.min(calls, #self.seen.calls) do
    local call, item = self.seen.calls[i], {}
    for key, value in pairs(call.item) do item[key] = value end
    if item.type == "function_call" and not call.ended then item.arguments = table.concat(call.arguments) end
    output[#output + 1] = item
  end
  self.raw = { object = "response", status = "incomplete", incomplete_details = { reason = "max_output_tokens" },
    output = output }
  self.excess, self.broken, self.error = nil, nil, nil
end

-- The end of an item is marked, and then it comes whole.
function Events:complete(number)
  local call = self.seen.calls[number]
  if not (call and call.ended) then return nil end
  if self.refuses or (call.item.status or "completed") ~= "completed" then return false end
  return call.item.type == "computer_call" or type(limits.decode(tostring(call.item.arguments))) == "table"
end

function Events:part(number)
  local output = json.list()
  local words, thoughts = table.concat(self.seen.content), table.concat(self.seen.thinking)
  if thoughts ~= "" then
    output[1] = { type = "reasoning", summary = json.list { { type = "summary_text", text = thoughts } } }
  end
  if words ~= "" then
    output[#output + 1] = { type = "message", role = "assistant",
      content = json.list { { type = "output_text", text = words } } }
  end
  output[#output + 1] = self.seen.calls[number].item
  return { object = "response", status = "in_progress", output = output }
end

function Events:result()
  if self.excess then return replies.remains(self.excess, table.concat(self.seen.content)) end
  if self.broken then return nil, "one of its events cannot be read: " .. self.broken end
  if self.error then return { error = self.error } end
  if not self.raw then return nil, self.items > 0 and "it ends before the answer does" or "it has no answer" end
  -- Some servers leave the items to the events before.
  if type(self.raw.output) ~= "table" or #self.raw.output == 0 then self.raw.output = json.list(self.ended) end
  return self.raw
end

local responses_events = {}

--- No answer yet.
---@return deskpilot.model.wires.responses_events
function responses_events.new()
  return setmetatable({ ended = {}, open = {}, items = 0, seen = progress.new() }, Events)
end

return responses_events
