--- WebSockets for scripts (ws and wss, RFC 6455): messages both ways over one connection. Certificates are
--- always verified. What the server sends is bounded and checked; a server that breaks the protocol, or
--- goes, ends the connection with an error that says so.
local native = require "native.websocket"
local errors = require "deskpilot.base.errors"
local task = require "deskpilot.base.task"

local websocket = {}

-- Bytes that may wait, in either direction, before somebody is made to wait for them; and what an empty
-- message counts for.
local WAITING, EACH = 1 << 20, 64
-- For those who send from a callback and cannot be made to wait.
local MOST_WAITING = 64 << 20

---@class deskpilot.websocket.options
---@field timeout number? seconds until it is open; 10 unless told
---@field headers table<string, string>?
---@field protocols string[]? offered to the server, the favourite first
---@field max_message integer? bytes of one message from the server; 64 MB unless told
---@field ca_file string? PEM file of the authorities to trust instead of the system's
---@field on_message fun(bytes: string, kind: "text"|"binary")? called from the loop: it may not wait
---@field on_close fun(err: deskpilot.error)? called once, after a successful open, when it has ended:
--- cancelled (this side closed it), unavailable (the server did: err.close_code, err.reason), io (the
--- connection broke), protocol (the server broke its rules: err.close_code is what it was told), no_memory

---@class deskpilot.websocket
---@field protocol string the one that the server chose of those offered; "" for none
---@field closed deskpilot.error? why it has ended
local Socket = {}
Socket.__index = Socket

local function wake(waiters)
  local list = table.move(waiters, 1, #waiters, 1, {})
  for i = #waiters, 1, -1 do waiters[i] = nil end
  for _, done in ipairs(list) do done() end
end

-- Waits until somebody wakes that list, at most that many seconds.
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
  queue.bytes = queue.bytes + #bytes + EACH
  if queue.bytes > WAITING then self.native:pause(true) end
  wake(self.receivers)
end

local function take(self)
  local queue = self.queue
  local message = queue[queue.first]
  if not message then return nil end
  queue[queue.first] = nil
  queue.first = queue.first + 1
  queue.bytes = queue.bytes - #message[1] - EACH
  if queue.bytes <= WAITING then self.native:pause(false) end
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
  if not ok then error(why, 0) end -- to be reported, as any callback's
end

--- Opens a WebSocket and waits until it is open.
---@param url string ws or wss
---@param options deskpilot.websocket.options?
---@return deskpilot.websocket? socket, deskpilot.error? err codes: unavailable (nothing listens, no such host,
--- no libcurl), refused (the server answers err.status, an HTTP status, instead), timed_out, protocol, io,
--- invalid (a port that cannot be)
function websocket.open(url, options)
  options = options or {}
  local self = setmetatable({ on_message = options.on_message, on_close = options.on_close,
    openers = {}, senders = {}, receivers = {}, closers = {}, queue = { first = 1, last = 0, bytes = 0 } }, Socket)
  local socket, err = native.open { url = url, timeout = options.timeout, headers = options.headers,
    protocols = options.protocols, max_message = options.max_message, ca_file = options.ca_file,
    low_water = WAITING,
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

--- Sends a message, as text unless told. Waits only while more than a megabyte is on its way already; in a
--- callback, which cannot wait, the message is queued.
---@param bytes string a text must be UTF-8 (anything else is a Lua error)
---@param options { binary: boolean? }?
---@return true? sent, deskpilot.error? err why it has ended; unavailable when 64 MB wait already
function Socket:send(bytes, options)
  local waits = task.may_wait()
  while waits and not self.closed and self.native:pending() > WAITING do wait(self.senders) end
  if self.closed then return nil, self.closed end
  if self.native:pending() > MOST_WAITING then
    return errors.fail("unavailable", "the WebSocket's server does not take what is sent to it")
  end
  return self.native:send(bytes, options and options.binary)
end

--- The next message, for sockets that were opened without on_message. What came before the end is still
--- to be had after it.
---@param timeout number? seconds; none unless told
---@return string? bytes, "text"|"binary"|deskpilot.error kind or why there is none: timed_out, or why it has ended
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

--- Closes it: what is on its way goes first, then the server is to agree. After two seconds it ends however far that
--- has come. In a callback it only begins to.
---@param code integer? 1000 unless told
---@param reason string? UTF-8 of at most 123 bytes
---@return true
function Socket:close(code, reason)
  if self.closed then return true end
  self.native:close(code or 1000, reason or "")
  while not self.closed and task.may_wait() do wait(self.closers) end
  return true
end

-- local socket <close> = ...
function Socket:__close()
  self:close()
end

return websocket
