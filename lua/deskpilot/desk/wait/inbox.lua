--- Waiting for word from the display server. A descriptor can be watched by one handle of the loop
--- only, so all tasks that wait on one desk share this. Where there is no descriptor, or it does not
--- tell of everything, waits are cut short so that the waiter looks again (native poll_every).
local uv = require "luv"

local task = require "deskpilot.base.task"

local inbox = {}

---@class deskpilot.inbox
---@field native native.Desk
local Inbox = {}
Inbox.__index = Inbox

local function wake_all(self)
  local waiters = self.waiters
  self.waiters = {}
  if self.poll and not self.serving then self.poll:stop() end
  for waiter in pairs(waiters) do waiter() end
end

--- For a native desk.
---@param native native.Desk
---@return deskpilot.inbox
function inbox.new(native)
  local self = setmetatable({ native = native, waiters = {} }, Inbox)
  local fd = native:fd()
  if fd and fd >= 0 then
    self.poll = uv.new_poll(fd)
    self.poll:unref() -- who waits has a timer as well
  end
  return self
end

local function stop_serving(self)
  if not self.serving then return end
  self.serving:close()
  self.serving = nil
  self.poll:stop()
end

-- Pumps for those who do not, and wakes those who wait: what has been taken in may be theirs.
local function serve_now(self)
  local ok = self.native:pump()
  if not ok or self.native:poll_every() == 0 then stop_serving(self) end
  wake_all(self)
end

--- From now on pumps even while nobody waits, for as long as the desk has something that other programs
--- may ask for (a text in the clipboard): native poll_every tells. Does not keep the program running.
--- The timer is for what another call of ours has read from the descriptor already.
function Inbox:serve()
  local every = self.native:poll_every()
  if not self.poll or self.serving or every == 0 then return end
  self.serving = uv.new_timer()
  self.serving:unref()
  self.serving:start(every, every, function() serve_now(self) end)
  self.poll:start("r", function() serve_now(self) end)
end

--- Waits until there is something for pump, or for that many seconds, or until it is time to look again.
--- Call pump before: what has been read already does not wake anybody.
---@param seconds number
function Inbox:wait(seconds)
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
    if self.poll and not self.serving then self.poll:start("r", function() wake_all(self) end) end
    return close
  end)
end

--- To be called before the native desk is closed.
function Inbox:close()
  stop_serving(self)
  if self.poll and not self.poll:is_closing() then
    self.poll:stop()
    self.poll:close()
  end
  self.poll = nil
  wake_all(self)
end

return inbox
