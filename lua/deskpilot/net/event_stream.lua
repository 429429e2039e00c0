--- Reads a stream of events (text/event-stream), piece by piece. The stream is somebody else's: its size is limited.
local text = require "deskpilot.base.text"

local event_stream = {}

local longest_name = 100 -- bytes of an event's name
local longest_id = 1000

---@class deskpilot.event_stream.limits
---@field bytes integer of one event that has not ended
---@field lines integer those that say nothing counted
---@field events integer

--- How the lines of a stream begin: https://html.spec.whatwg.org/#parsing-an-event-stream
event_stream.fields = { "data:", "event:", "id:", "retry:", ":" }

---@class deskpilot.event_stream.reader
---@field enough boolean? whether no more of it is wanted
---@field why string? which limit it exceeds, "it has more than 10 lines"; it is enough then
---@field id string? the id that the latest event had
---@field retry number? seconds that the server asks to wait before it is asked for more
local Reader = {}
Reader.__index = Reader

--- A reader of a stream that is about to come.
---@param on_event fun(data: string, name: string?, reader: deskpilot.event_stream.reader): boolean? is called with
---  each event; true where no more is wanted
---@param most deskpilot.event_stream.limits
---@return deskpilot.event_stream.reader
function event_stream.reader(on_event, most)
  return setmetatable({ on_event = on_event, most = most, pieces = {}, held = 0, size = 0, lines = 0, events = 0 },
    Reader)
end

local function end_event(self)
  local data, name = self.data, self.name
  self.data, self.name, self.size = nil, nil, 0
  if data and self.on_event(table.concat(data, "\n"), name, self) then self.enough = true end
end

local function count(self, what)
  self[what] = self[what] + 1
  if self[what] <= self.most[what] then return true end
  self.why, self.enough = ("it has more than %d %s"):format(self.most[what], what), true
end

-- What stands behind the field's name, without the one blank that may follow it.
local function value_of(line, name)
  return line:sub(line:find("^ ", #name + 1) and #name + 2 or #name + 1)
end

local function take_line(self, line)
  if not count(self, "lines") then return end
  if line == "" then return end_event(self) end
  if text.starts(line, "data:") then
    if not self.data and not count(self, "events") then return end
    self.data = self.data or {}
    self.size = self.size + #line
    table.insert(self.data, value_of(line, "data:"))
  elseif text.starts(line, "event:") then
    self.name = text.trim(line:sub(7, 7 + longest_name))
  elseif text.starts(line, "id:") then
    local id = value_of(line, "id:")
    if #id <= longest_id and not id:find "%c" then self.id = id ~= "" and id or nil end
  elseif text.starts(line, "retry:") then
    local wait = value_of(line, "retry:")
    if #wait <= 9 and wait:find "^%d+$" then self.retry = tonumber(wait) / 1000 end
  end
end

-- A function that gives the place of the first line end from a place on; the places grow from call to call. Each byte
-- is looked at twice in all, by memchr.
local function line_ends(body)
  local returns, feeds = 0, 0
  return function(at)
    if returns < at then returns = body:find("\r", at, true) or math.huge end
    if feeds < at then feeds = body:find("\n", at, true) or math.huge end
    return math.min(returns, feeds)
  end
end

-- The whole lines of what is there. What is left waits for its end; so does a CR that comes last, since an LF after it
-- belongs to the same line end.
local function take_lines(self)
  local body = table.concat(self.pieces)
  local at, end_of = 1, line_ends(body)
  if not self.begun then
    self.begun = true
    if text.starts(body, "\u{FEFF}") then at = 4 end
  end
  while not self.enough do
    local stop = end_of(at)
    if stop > #body or stop == #body and body:byte(stop) == 13 then break end
    take_line(self, body:sub(at, stop - 1))
    at = body:find("^\r\n", stop) and stop + 2 or stop + 1
  end
  self.pieces = { body:sub(at) }
  self.held = #body - at + 1
end

--- Takes a piece of the stream.
---@param bytes string
---@return boolean? enough true where no more of it is wanted
function Reader:feed(bytes)
  if self.enough then return true end
  table.insert(self.pieces, bytes)
  self.held = self.held + #bytes
  -- The rest of a line is put together once its end has come, however small the pieces are.
  if #self.pieces == 1 or bytes:find("[\r\n]") then take_lines(self) end
  if not self.enough and self.held + self.size > self.most.bytes then
    self.why, self.enough = ("one of its events has more than %d bytes"):format(self.most.bytes), true
  end
  return self.enough
end

--- Takes what is left as the last line of the last event, when no more comes.
function Reader:finish()
  if self.enough then return end
  table.insert(self.pieces, "\n")
  take_lines(self)
  if not self.enough then end_event(self) end
end

return event_stream
