--- The events of a message that comes as a stream, joined as they come.
local json = require "deskpilot.base.json"
local limits = require "deskpilot.model.limits"
local progress = require "deskpilot.model.wires.progress"
local replies = require "deskpilot.model.reply"

---@class deskpilot.model.wires.anthropic_events: deskpilot.model.wire.events
local Events = {}
Events.__index = Events

-- What a delta adds to: its own field, the block's, and what is seen of it meanwhile.
local fields = { text_delta = { "text", "text", "content" }, thinking_delta = { "thinking", "thinking", "thinking" },
  signature_delta = { "signature", "signature" }, input_json_delta = { "partial_json", "input" } }

local function open(self, data)
  local block = data.content_block
  if type(block) ~= "table" then return end
  local entry, excess = { block = block, parts = {} }, nil
  if block.type == "tool_use" then
    local whole = type(block.input) == "table" and next(block.input) ~= nil and block.input or nil
    entry.call, excess = progress.call(self.seen, block.name, block.id, whole)
    self.uses[#self.uses + 1] = entry
  end
  self.excess = self.excess or excess
  self.open[math.tointeger(data.index) or #self.order] = entry
  self.order[#self.order + 1] = entry
end

local function extend(self, data)
  local delta, entry = data.delta, self.open[math.tointeger(data.index) or -1]
  local names = type(delta) == "table" and fields[delta.type]
  local piece = names and delta[names[1]]
  if not entry or type(piece) ~= "string" then return end
  entry.parts[names[2]] = entry.parts[names[2]] or {}
  table.insert(entry.parts[names[2]], piece)
  local list = names[3] and self.seen[names[3]] or entry.call and entry.call.arguments or {}
  self.excess = self.excess or progress.add(self.seen, list, piece)
end

local function close(self, data)
  local entry = self.open[math.tointeger(data.index) or -1]
  if entry then entry.closed = true end
end

local function finish(self, data)
  for key, value in pairs(type(data.delta) == "table" and data.delta or {}) do self.raw[key] = value end
  local usage = type(self.raw.usage) == "table" and self.raw.usage or {}
  for key, value in pairs(type(data.usage) == "table" and data.usage or {}) do usage[key] = value end
  self.raw.usage = usage
end

function Events:add(text)
  local data, why = limits.decode(text)
  if type(data) ~= "table" then
    self.broken = tostring(why)
    return true
  end
  if data.type == "message_start" and type(data.message) == "table" then
    for key, value in pairs(data.message) do self.raw[key] = value end
    self.begun = true
  elseif data.type == "content_block_start" then open(self, data)
  elseif data.type == "content_block_delta" then extend(self, data)
  elseif data.type == "content_block_stop" then close(self, data)
  elseif data.type == "message_delta" then finish(self, data)
  elseif data.type == "message_stop" then self.done = true
  elseif data.type == "error" then self.raw.error = data.error end
  return self.done or self.raw.error ~= nil or self.excess ~= nil
end

-- A block with what has been added to it. The arguments of a call that was cut off are a text that is no JSON.
local function joined(entry)
  local block = {}
  for key, value in pairs(entry.block) do block[key] = value end
  for field, parts in pairs(entry.parts) do
    local whole = table.concat(parts)
    if field == "input" then
      local input = limits.decode(whole)
      block.input = type(input) == "table" and input or whole
    else
      block[field] = (type(block[field]) == "string" and block[field] or "") .. whole
    end
  end
  return block
end

function Events:view() return self.seen end

--- Only what is to be kept of an answer that is not worth its rest.
function Events:cut(content, calls)
  local kept = {}
  if content ~= "" then kept[1] = { block = { type = "text", text = content }, parts = {} } end
  for _, entry in ipairs(self.order) do
    if entry.call and calls > 0 then kept[#kept + 1], calls = entry, calls - 1 end
  end
  self.order, self.raw.stop_reason = kept, "max_tokens"
  self.excess, self.broken, self.raw.error = nil, nil, nil
end

-- The end of a block is marked.
function Events:complete(number)
  local entry = self.uses[number]
  if not (entry and entry.closed) then return nil end
  return self.begun == true and type(joined(entry).input) == "table"
end

local said = { text = true, thinking = true }

function Events:part(number)
  local content = json.list()
  for _, entry in ipairs(self.order) do
    if said[entry.block.type] then content[#content + 1] = joined(entry) end
  end
  content[#content + 1] = joined(self.uses[number])
  return { type = self.raw.type, content = content }
end

function Events:result()
  local content, words = json.list(), {}
  for i, entry in ipairs(self.order) do
    content[i] = joined(entry)
    words[#words + 1] = content[i].type == "text" and content[i].text or nil
  end
  if self.excess then return replies.remains(self.excess, table.concat(words, "\n")) end
  if self.broken then return nil, "one of its events cannot be read: " .. self.broken end
  if self.raw.error then return { error = self.raw.error } end
  if not self.begun then return nil, "it has no answer" end
  if not self.done and type(self.raw.stop_reason) ~= "string" then return nil, "it ends before the answer does" end
  self.raw.content = content
  return self.raw
end

local anthropic_events = {}

--- No answer yet.
---@return deskpilot.model.wires.anthropic_events
function anthropic_events.new()
  return setmetatable({ raw = {}, order = {}, open = {}, uses = {}, seen = progress.new() }, Events)
end

return anthropic_events
