--- Reads an answer that comes as a stream of events (text/event-stream), piece by piece, as if it had come whole. What
--- the events mean is the wire's. Some servers and proxies send a stream that nobody asked for, and others an answer in
--- one piece where a stream was asked for: both are recognised by how they begin.
local event_stream = require "deskpilot.net.event_stream"
local limits = require "deskpilot.model.limits"
local text = require "deskpilot.base.text"

local stream = {}

local longest_beginning = 4096 -- bytes of blanks and comments before the first event
-- The lines are those that say nothing too.
local most = { bytes = limits.most.bytes, events = limits.most.events, lines = 4 * limits.most.events }

-- Whether what has come is the beginning of a stream; nil while it may still turn out to be one.
local function is_one(body)
  local beginning = body:sub(1, longest_beginning):gsub("^\u{FEFF}", ""):match("^%s*(.*)$")
  for _, field in ipairs(event_stream.fields) do
    if text.starts(beginning, field) then return true end
    if #body < longest_beginning and text.starts(field, beginning) then return nil end
  end
  return false
end

---@class deskpilot.model.stream.reader
---@field answer deskpilot.model.wire.events
---@field is_stream boolean? nil while it is not known
---@field events deskpilot.event_stream.reader
local Reader = {}
Reader.__index = Reader

--- A reader of an answer that is about to come.
---@param events deskpilot.model.wire.events an empty answer of the wire
---@param on_event (fun(): boolean?)? is called after each event; true where no more is wanted
---@return deskpilot.model.stream.reader
function stream.reader(events, on_event)
  local reader = event_stream.reader(function(data, name)
    return events:add(data, name) or on_event and on_event()
  end, most)
  return setmetatable({ answer = events, events = reader, pieces = {} }, Reader)
end

--- Takes a piece of the answer.
---@param bytes string
---@return boolean? enough true where no more of it is wanted
function Reader:feed(bytes)
  if self.is_stream then return self.events:feed(bytes) end
  table.insert(self.pieces, bytes)
  if self.is_stream == false then return false end
  local body = table.concat(self.pieces)
  self.pieces, self.is_stream = { body }, is_one(body)
  if not self.is_stream then return false end
  self.pieces = {}
  return self.events:feed(body)
end

--- What has come, where it is no stream: once, since it may be large.
---@return string
function Reader:body()
  local body = self.is_stream and "" or table.concat(self.pieces)
  self.pieces = {}
  return body
end

--- The answer, when no more comes, as if no stream had been sent.
---@return table? raw as the wire's body; with `error` alone, where the server says that it failed
---@return string? why nil and what is wrong with it
function Reader:finish()
  self.events:finish()
  local raw, why = nil, self.events.why
  if not why then raw, why = self.answer:result() end
  if not raw then return nil, "it is a stream of events, and " .. why end
  return raw
end

--- A whole stream.
---@param body string
---@param events deskpilot.model.wire.events an empty answer of the wire
---@return table? raw as for finish
---@return string? why
function stream.read(body, events)
  local reader = stream.reader(events)
  reader.is_stream = true
  reader:feed(body)
  return reader:finish()
end

return stream
