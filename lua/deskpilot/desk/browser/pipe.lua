--- A transport of the DevTools protocol (cdp.lua) for a browser that was started with --remote-debugging-pipe: JSON
--- messages over two pipes, each of which ends with a zero byte. The browser ends when the pipes are closed.
local errors = require "deskpilot.base.errors"
local signal = require "deskpilot.base.signal"
local task = require "deskpilot.base.task"

local pipe = {}

-- Bytes that may be queued before a sender has to wait, and where there is an error for one that cannot wait, a
-- callback.
local QUEUE_LIMIT, QUEUE_MAX = 1 << 20, 64 << 20
-- Bytes that a piece of a message counts for in addition to its own, so that their number is limited too.
local PIECE_OVERHEAD = 64

---@class deskpilot.browser_pipe: deskpilot.cdp_transport
---@field closed deskpilot.error? why it has ended
local Pipe = {}
Pipe.__index = Pipe

local function finish(self, err)
  if self.closed then return end
  self.closed = err
  self.pipes:close()
  self.drained:notify()
end

local function lose(self, err)
  if self.closed then return end
  finish(self, err)
  self.listener.on_close(err)
end

local function lost_by(why)
  return errors.new(why and "io" or "unavailable", "%s", why and "its pipe is broken: " .. tostring(why)
    or "it has closed its pipe")
end

local function too_long(self)
  lose(self, errors.new("protocol", "it sent a message of more than %d bytes", self.listener.max_message))
end

-- The beginning of a message whose end has not come is kept in pieces: it may be as long as many of them.
local function take(self, data)
  local from = 1
  while not self.closed do
    local at = data:find("\0", from, true)
    local piece = data:sub(from, (at or 0) - 1)
    self.size = self.size + #piece + PIECE_OVERHEAD
    if self.size > self.listener.max_message then return too_long(self) end
    self.parts[#self.parts + 1] = piece
    if not at then return end
    local message = self.parts[2] and table.concat(self.parts) or piece
    self.parts, self.size, from = {}, 0, at + 1
    self.listener.on_message(message)
  end
end

--- Begins to read from pipes that are connected to a browser.
---@param pipes deskpilot.pipes belongs to the transport from now on
---@param listener deskpilot.cdp_listener
---@return deskpilot.browser_pipe
function pipe.open(pipes, listener)
  local self = setmetatable({ pipes = pipes, listener = listener, parts = {}, size = 0, drained = signal.new() }, Pipe)
  take(self, pipes.rest)
  if self.closed then return self end
  pipes.output:read_start(function(why, data)
    if data then take(self, data) else lose(self, lost_by(why)) end
  end)
  return self
end

--- Sends a message. Waits while more than 1 MB is queued; in a callback, which cannot wait, it is queued at once.
---@param bytes string without a zero byte
---@return boolean? queued, deskpilot.error? err why it has ended; "unavailable" if 64 MB are queued
function Pipe:send(bytes)
  local function pending() return self.closed and 0 or self.pipes.input:get_write_queue_size() end
  while task.may_wait() and pending() > QUEUE_LIMIT do
    self.drained:wait_until(1, function() return pending() <= QUEUE_LIMIT end)
  end
  if self.closed then return nil, self.closed end
  if pending() > QUEUE_MAX then
    return errors.fail("unavailable", "the browser does not read: %d MB are in the send queue", QUEUE_MAX >> 20)
  end
  self.pipes.input:write({ bytes, "\0" }, function(why)
    if why then return lose(self, lost_by(why)) end
    self.drained:notify()
  end)
  return true
end

--- Closes the pipes, upon which the browser ends. A second call does nothing.
function Pipe:close()
  finish(self, errors.new("cancelled", "this side has closed the pipe"))
end

return pipe
