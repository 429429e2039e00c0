--- An output of a child process (process.lua), of which a limited number of bytes is kept:
---   "flow"  all of it, until it is taken; the child has to wait while more than the limit is there
---   "head"  the first bytes; `truncated` is true where there were more
---   "tail"  the last bytes
local uv = require "luv"

local stream = {}

---@class deskpilot.stream
---@field pipe table luv's
---@field ended boolean? nothing more will come
---@field truncated boolean? bytes were dropped
local Stream = {}
Stream.__index = Stream

--- A stream that is not read yet.
---@param kind "flow"|"head"|"tail"
---@param limit integer bytes
---@param changed fun() called when something has come, and at the end
---@return deskpilot.stream
function stream.new(kind, limit, changed)
  return setmetatable({ pipe = uv.new_pipe(), kind = kind, limit = limit, changed = changed, parts = {}, size = 0,
    first = 1, searched = 0 }, Stream)
end

local keep = {}

function keep.flow(self, data)
  if self.size >= self.limit then self:pause() end
  return data
end

function keep.head(self, data)
  local excess = self.size - self.limit
  if excess <= 0 then return data end
  self.truncated, self.size = true, self.limit
  return data:sub(1, #data - excess)
end

-- Twice the limit before anything is dropped, so that not every piece is copied again and again.
function keep.tail(self, data)
  if self.size <= 2 * self.limit then return data end
  data = (table.concat(self.parts) .. data):sub(-self.limit)
  self.parts, self.size, self.truncated = {}, #data, true
  return data
end

local function take_in(self, data)
  self.size = self.size + #data
  local kept = keep[self.kind](self, data) -- which may begin a new list of parts
  self.parts[#self.parts + 1] = kept
end

--- Begins to read.
function Stream:start()
  self.paused = nil
  self.pipe:read_start(function(_, data)
    if data then take_in(self, data) else self:close() end
    self.changed()
  end)
end

function Stream:pause()
  self.paused = true
  self.pipe:read_stop()
end

-- Goes on reading where there is room again.
local function resume(self)
  if self.paused and not self.ended and self.size < self.limit then self:start() end
end

--- Stops reading; what has come stays.
function Stream:close()
  self.ended = true
  if not self.pipe:is_closing() then self.pipe:close() end
end

--- Whether the end of it is known: it has ended, or it waits to be read.
---@return boolean
function Stream:is_over()
  return self.ended or self.paused or false
end

--- What is kept, for "head" and "tail".
---@return string
function Stream:contents()
  local whole = table.concat(self.parts)
  return self.kind == "tail" and whole:sub(-self.limit) or whole
end

-- Removes the parts before number `count`, and of that one the bytes before `from`.
local function drop(self, count, from)
  local parts = self.parts
  if count > 1 then table.move(parts, count, #parts + count - 1, 1) end
  self.first = from
  if parts[1] and self.first > #parts[1] then
    table.remove(parts, 1)
    self.first = 1
  end
  self.searched = 0
end

--- Takes the next line, without its end ("\n" or "\r\n").
---@param self deskpilot.stream of the kind "flow"
---@return string? line nil while there is none
---@return string? problem
function stream.take_line(self)
  local parts = self.parts
  for i = self.searched + 1, #parts do
    local first = i == 1 and self.first or 1
    local at = parts[i]:find("\n", first, true)
    if at then
      local line = i == 1 and parts[1]:sub(first, at - 1)
        or parts[1]:sub(self.first) .. table.concat(parts, "", 2, i - 1) .. parts[i]:sub(1, at - 1)
      self.size = self.size - #line - 1
      drop(self, i, at + 1)
      resume(self)
      return (line:gsub("\r$", ""))
    end
    self.searched = i
  end
  if self.size >= self.limit then return nil, ("a line of more than %d bytes"):format(self.limit) end
  if self.ended then return stream.take_all(self) end
end

--- Takes all that has come.
---@param self deskpilot.stream of the kind "flow"
---@return string? bytes nil while there is nothing
function stream.take_all(self)
  if #self.parts == 0 then return nil end
  local bytes = self.parts[1]:sub(self.first) .. table.concat(self.parts, "", 2)
  self.parts, self.size, self.first, self.searched = {}, 0, 1, 0
  resume(self)
  return bytes
end

return stream
