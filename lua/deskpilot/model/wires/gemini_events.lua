--- The answer of generateContent that comes as a stream: each event is one with some more parts.
local json = require "deskpilot.base.json"
local limits = require "deskpilot.model.limits"
local progress = require "deskpilot.model.wires.progress"
local replies = require "deskpilot.model.reply"

---@class deskpilot.model.wires.gemini_events: deskpilot.model.wire.events
local Events = {}
Events.__index = Events

local function add_text(self, part)
  local last = self.parts[#self.parts]
  self.excess = self.excess
    or progress.add(self.seen, part.thought == true and self.seen.thinking or self.seen.content, part.text)
  -- Texts of one kind are one, up to the part that is signed.
  if last and last.texts and last.thought == part.thought and not last.signature then
    last.texts[#last.texts + 1], last.signature = part.text, part.thoughtSignature
  else
    self.parts[#self.parts + 1] = { texts = { part.text }, thought = part.thought, signature = part.thoughtSignature }
  end
end

local function add_part(self, part)
  if type(part.text) == "string" then return add_text(self, part) end
  local entry = { part = part }
  self.parts[#self.parts + 1] = entry
  local call = part.functionCall
  if type(call) ~= "table" then return end
  local args, excess = type(call.args) == "table" and call.args or {}
  entry.call, excess = progress.call(self.seen, call.name, call.id, args)
  self.uses[#self.uses + 1] = entry
  self.seen.size = self.seen.size + #json.encode(args)
  self.excess = self.excess or excess or limits.of_sizes(#self.seen.calls, self.seen.size)
end

function Events:add(text)
  local data, why = limits.decode(text)
  if type(data) ~= "table" then
    self.broken = tostring(why)
    return true
  end
  for _, name in ipairs { "usageMetadata", "modelVersion", "responseId", "promptFeedback", "error" } do
    if data[name] ~= nil then self.raw[name] = data[name] end
  end
  local candidate = type(data.candidates) == "table" and data.candidates[1]
  if type(candidate) == "table" then
    self.begun = true
    self.reason = candidate.finishReason or self.reason
    self.done = self.reason ~= nil
    local content = type(candidate.content) == "table" and candidate.content or {}
    for _, part in ipairs(type(content.parts) == "table" and content.parts or {}) do
      if type(part) == "table" then add_part(self, part) end
    end
  end
  return self.excess ~= nil or self.raw.error ~= nil
end

function Events:view() return self.seen end

--- Only what is to be kept of an answer that is not worth its rest.
function Events:cut(content, calls)
  local kept = {}
  if content ~= "" then kept[1] = { texts = { content } } end
  for _, entry in ipairs(self.parts) do
    if entry.call and calls > 0 then kept[#kept + 1], calls = entry, calls - 1 end
  end
  self.parts, self.reason = kept, "MAX_TOKENS"
  self.excess, self.broken, self.raw.error = nil, nil, nil
end

-- A call comes as one part, unless it says that there is more of it.
function Events:complete(number)
  local entry = self.uses[number]
  local call = entry and entry.part.functionCall
  if not call then return nil end
  return type(call.name) == "string" and call.willContinue ~= true and call.partialArgs == nil
    and (call.args == nil or type(call.args) == "table")
end

local function written(entry)
  return entry.part or { text = table.concat(entry.texts), thought = entry.thought,
    thoughtSignature = entry.signature }
end

function Events:part(number)
  local parts = json.list()
  for _, entry in ipairs(self.parts) do
    if entry.texts then parts[#parts + 1] = written(entry) end
  end
  parts[#parts + 1] = self.uses[number].part
  return { candidates = { { index = 0, content = { role = "model", parts = parts } } } }
end

function Events:result()
  local parts, words = json.list(), {}
  for i, entry in ipairs(self.parts) do
    parts[i] = written(entry)
    words[#words + 1] = not entry.thought and parts[i].text or nil
  end
  if self.excess then return replies.remains(self.excess, table.concat(words)) end
  if self.broken then return nil, "one of its events cannot be read: " .. self.broken end
  if self.raw.error then return { error = self.raw.error } end
  if self.begun and not self.reason then return nil, "it ends before the answer does" end
  if not self.begun and not self.raw.promptFeedback then return nil, "it has no answer" end
  if self.begun then
    self.raw.candidates = { { index = 0, finishReason = self.reason, content = { role = "model", parts = parts } } }
  end
  return self.raw
end

local gemini_events = {}

--- No answer yet.
---@return deskpilot.model.wires.gemini_events
function gemini_events.new()
  return setmetatable({ raw = {}, parts = {}, uses = {}, seen = progress.new() }, Events)
end

return gemini_events
