--- Waiting for word from the display server. A descriptor can be watched by one handle of the loop
--- only, so all tasks that wait on one desk share this.
local uv = require "luv"

local task = require "deskpilot.base.task"

local inbox = {}

local Inbox = {}
Inbox.__index = Inbox

local function wake_all(self)
  local waiters = self.waiters
  self.waiters = {}
  if self.poll then self.poll:stop() end
  for waiter in pairs(waiters) do waiter() end
end

--- For a native desk.
function inbox.new(native)
  local self = setmetatable({ waiters = {} }, Inbox)
  local fd = native:fd()
  if fd and fd >= 0 then self.poll = uv.new_poll(fd) end
  return self
end

--- Waits until there is something for pump, or for that many seconds. Call pump before: what has been
--- read already does not wake anybody.
---@param seconds number
function Inbox:wait(seconds)
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
    if self.poll then self.poll:start("r", function() wake_all(self) end) end
    return close
  end)
end

--- To be called before the native desk is closed.
function Inbox:close()
  if self.poll and not self.poll:is_closing() then
    self.poll:stop()
    self.poll:close()
  end
  self.poll = nil
  wake_all(self)
end

return inbox
