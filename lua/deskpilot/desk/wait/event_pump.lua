--- Waits for events of the display server. The loop can watch a file descriptor with one handle only, so all tasks that
--- wait on a desk share one event pump. Where the desk has no descriptor, or the descriptor does not report every kind
--- of change, a wait ends after native:poll_every() milliseconds, so that the caller checks again.
local uv = require "luv"

local task = require "deskpilot.base.task"

local event_pump = {}

local LISTEN = 50 -- milliseconds between two looks at a desk without a descriptor

---@class deskpilot.event_pump
---@field native native.Desk
local EventPump = {}
EventPump.__index = EventPump

local function wake_all(self)
  local waiters = self.waiters
  self.waiters = {}
  if self.poll and not self.serving and not self.listener then self.poll:stop() end
  for waiter in pairs(waiters) do waiter() end
end

--- A new event pump for a desk's connection.
---@param native native.Desk
---@return deskpilot.event_pump
function event_pump.new(native)
  local self = setmetatable({ native = native, waiters = {} }, EventPump)
  local fd = native:fd()
  if fd and fd >= 0 then
    self.poll = uv.new_poll(fd)
    self.poll:unref() -- each wait has a timer, which keeps the loop running
  end
  return self
end

local function stop_serving(self)
  if not self.serving then return end
  self.serving:close()
  self.serving = nil
  if not self.listener then self.poll:stop() end
end

-- Pumps, and wakes all waiting tasks: the events that were read may concern them.
local function serve_now(self)
  local ok = self.native:pump()
  if not ok or self.native:poll_every() == 0 then stop_serving(self) end
  if not ok then self:listen(nil) end
  if self.listener then self.listener() end
  wake_all(self)
end

--- Calls a function after each time that something was pumped, also while no task waits; nil ends that. Where the desk
--- has no descriptor that is twenty times a second. Does not keep the program running.
---@param listener fun()?
function EventPump:listen(listener)
  self.listener = listener
  if self.poll and listener then
    self.poll:start("r", function() serve_now(self) end)
  elseif self.poll and not self.serving and not next(self.waiters) then
    self.poll:stop()
  elseif listener and not self.listening then
    self.listening = uv.new_timer()
    self.listening:unref()
    self.listening:start(LISTEN, LISTEN, function() serve_now(self) end)
  elseif self.listening and not listener then
    self.listening:close()
    self.listening = nil
  end
end

--- Keeps pumping even while no task waits, as long as the desk owns a selection (the clipboard's text) that other
--- programs may request, which is while native:poll_every() is not 0. Does not keep the program running. The timer is
--- needed because another call may already have read a request from the descriptor into the connection's queue.
function EventPump:serve()
  local every = self.native:poll_every()
  if not self.poll or self.serving or self.listening or every == 0 then return end
  self.serving = uv.new_timer()
  self.serving:unref()
  self.serving:start(every, every, function() serve_now(self) end)
  self.poll:start("r", function() serve_now(self) end)
end

--- Waits until there are events to pump, but at most `seconds` and native:poll_every(). Call native:pump first: events
--- that have been read from the descriptor already do not end the wait.
---@param seconds number
function EventPump:wait(seconds)
  local every = self.native:poll_every() / 1000
  if every > 0 then seconds = math.min(seconds, every) end
  task.await(function(done)
    local timer = uv.new_timer()
    local finish
    local function close()
      self.waiters[finish] = nil
      if not timer:is_closing() then timer:close() end
    end
    function finish()
      close()
      done()
    end
    self.waiters[finish] = true
    uv.update_time()
    timer:start(math.max(1, math.ceil(seconds * 1000)), 0, finish)
    if self.poll and not self.serving and not self.listener then
      self.poll:start("r", function() wake_all(self) end)
    end
    return close
  end)
end

--- Ends all waits. To be called before the native desk is closed.
function EventPump:close()
  self:listen(nil)
  stop_serving(self)
  if self.poll and not self.poll:is_closing() then
    self.poll:stop()
    self.poll:close()
  end
  self.poll = nil
  wake_all(self)
end

return event_pump
