--- WebSockets for scripts (ws and wss, RFC 6455). Certificates are always verified. Messages from the server are
--- bounded in size and checked. A server that violates the protocol, or disconnects, ends the connection with an error.
local native = require "native.websocket"
local errors = require "deskpilot.base.errors"
local task = require "deskpilot.base.task"

local websocket = {}

-- Bytes that may be queued, in either direction, before the sender has to wait.
local QUEUE_LIMIT = 1 << 20
-- Bytes that a queued message counts for in addition to its own, so that empty messages are limited too.
local MESSAGE_OVERHEAD = 64
-- The limit of the send queue for callers that cannot wait (callbacks).
local SEND_QUEUE_MAX = 64 << 20

---@class deskpilot.websocket.options
---@field timeout number? seconds until it is open; default 10
---@field headers table<string, string>?
---@field protocols string[]? subprotocols offered to the server, the preferred one first
---@field max_message integer? bytes of one message from the server; default 64 MB
---@field ca_file string? PEM file of certificate authorities to trust instead of the system's
---@field on_message fun(bytes: string, kind: "text"|"binary")? called from the loop: it may not wait
---@field on_close fun(err: deskpilot.error)? called once, after a successful open, when the connection has ended: code
---  cancelled (this side closed it), unavailable (the server closed it: err.close_code, err.reason), io (the connection
---  broke), protocol (the server violated it: err.close_code was sent to the server), no_memory

---@class deskpilot.websocket
---@field protocol string the subprotocol that the server has chosen; "" for none
---@field closed deskpilot.error? why the connection has ended; nil while it is open
local Socket = {}
Socket.__index = Socket

local function wake(waiters)
  local list = table.move(waiters, 1, #waiters, 1, {})
  for i = #waiters, 1, -1 do waiters[i] = nil end
  for _, done in ipairs(list) do done() end
end

-- Waits until wake(waiters), at most that many seconds (nil: without a limit).
local function wait(waiters, seconds)
  local function starter(done)
    waiters[#waiters + 1] = done
    return function()
      for i = #waiters, 1, -1 do
        if waiters[i] == done then table.remove(waiters, i) end
      end
    end
  end
  if seconds then return (task.limit(seconds, task.await, starter)) end
  task.await(starter)
  return true
end

local function keep(self, bytes, kind)
  local queue = self.queue
  queue.last = queue.last + 1
  queue[queue.last] = { bytes, kind }
  queue.bytes = queue.bytes + #bytes + MESSAGE_OVERHEAD
  if queue.bytes > QUEUE_LIMIT then self.native:pause(true) end
  wake(self.receivers)
end

local function take(self)
  local queue = self.queue
  local message = queue[queue.first]
  if not message then return nil end
  queue[queue.first] = nil
  queue.first = queue.first + 1
  queue.bytes = queue.bytes - #message[1] - MESSAGE_OVERHEAD
  if queue.bytes <= QUEUE_LIMIT then self.native:pause(false) end
  return message[1], message[2]
end

local function ended(self, err)
  self.closed = err
  local ok, why = true, nil
  if self.protocol and self.on_close then ok, why = xpcall(self.on_close, debug.traceback, err) end
  wake(self.openers)
  wake(self.senders)
  wake(self.receivers)
  wake(self.closers)
  if not ok then error(why, 0) end -- reported like an error in any callback of the loop
end

--- Opens a WebSocket and waits until it is open.
---@param url string ws or wss
---@param options deskpilot.websocket.options?
---@return deskpilot.websocket? socket, deskpilot.error? err codes: unavailable (nothing listens, no such host, no
---  libcurl), refused (the server answered with an HTTP status instead: err.status), timed_out, protocol, io, invalid
---  (an impossible port)
function websocket.open(url, options)
  options = options or {}
  local self = setmetatable({ on_message = options.on_message, on_close = options.on_close,
    openers = {}, senders = {}, receivers = {}, closers = {}, queue = { first = 1, last = 0, bytes = 0 } }, Socket)
  local socket, err = native.open { url = url, timeout = options.timeout, headers = options.headers,
    protocols = options.protocols, max_message = options.max_message, ca_file = options.ca_file,
    low_water = QUEUE_LIMIT,
    on_open = function()
      self.protocol = self.native:protocol()
      wake(self.openers)
    end,
    on_message = function(bytes, kind)
      if self.on_message then self.on_message(bytes, kind) else keep(self, bytes, kind) end
    end,
    on_drain = function() wake(self.senders) end,
    on_end = function(why) ended(self, why) end }
  if not socket then return nil, err end
  self.native = socket
  local abandoned <close> = setmetatable({}, { __close = function()
    if not self.protocol then socket:close(1000, "") end
  end })
  assert(abandoned)
  wait(self.openers)
  if not self.protocol then return nil, self.closed end
  return self
end

--- Sends a message. Waits while more than 1 MB is in the send queue; in a callback, which cannot wait, the message is
--- queued at once.
---@param bytes string must be UTF-8 for a text message (otherwise a Lua error)
---@param options { binary: boolean? }? default: a text message
---@return true? queued, deskpilot.error? err why the connection has ended; "unavailable" if the send queue holds 64 MB
function Socket:send(bytes, options)
  local waits = task.may_wait()
  while waits and not self.closed and self.native:pending() > QUEUE_LIMIT do wait(self.senders) end
  if self.closed then return nil, self.closed end
  if self.native:pending() > SEND_QUEUE_MAX then
    return errors.fail("unavailable", "the WebSocket's server does not read: %d MB are in the send queue",
      SEND_QUEUE_MAX >> 20)
  end
  return self.native:send(bytes, options and options.binary)
end

--- The next message, for sockets that were opened without on_message. Messages that arrived before the connection ended
--- can still be received afterwards.
---@param timeout number? seconds; without it there is no limit
---@return string? bytes, "text"|"binary"|deskpilot.error kind or the error: timed_out, or why the connection has ended
function Socket:receive(timeout)
  local limit = timeout and task.now() + timeout
  while true do
    local bytes, kind = take(self)
    if bytes then return bytes, kind end
    if self.closed then return nil, self.closed end
    local left = limit and limit - task.now()
    if left and left <= 0 then return errors.fail("timed_out", "no message within %g s", timeout) end
    wait(self.receivers, left)
  end
end

--- Closes the connection: sends what is queued, then the closing handshake, and waits for the server's answer. After 2
--- s the connection ends in any case. In a callback, which cannot wait, this only starts the closing.
---@param code integer? default 1000 (normal closure)
---@param reason string? UTF-8 of at most 123 bytes
---@return true
function Socket:close(code, reason)
  if self.closed then return true end
  self.native:close(code or 1000, reason or "")
  while not self.closed and task.may_wait() do wait(self.closers) end
  return true
end

-- For `local socket <close> = websocket.open(...)`.
function Socket:__close()
  self:close()
end

return websocket
