--- A condition variable for tasks: notify() wakes all tasks that wait, and each checks the state that it waits for
--- again. The signal carries no value, so nothing is lost when a task is not waiting at that moment.
local uv = require "luv"
local task = require "deskpilot.base.task"

local signal = {}

---@class deskpilot.signal
---@field waiters table<fun(), boolean>
local Signal = {}
Signal.__index = Signal

--- A new signal.
---@return deskpilot.signal
function signal.new()
  return setmetatable({ waiters = {} }, Signal)
end

--- Wakes all tasks that wait now. May be called from a task or from a callback of the loop.
function Signal:notify()
  local waiters = self.waiters
  self.waiters = {}
  for waiter in pairs(waiters) do waiter() end
end

--- Waits for notify(), at most `seconds`.
---@param seconds number math.huge is eleven days here
---@return boolean notified false after the timeout
function Signal:wait(seconds)
  if seconds <= 0 then return false end
  return task.await(function(done)
    local timer = uv.new_timer()
    local woken
    local function close()
      self.waiters[woken] = nil
      if not timer:is_closing() then timer:close() end
    end
    function woken()
      close()
      done(true)
    end
    self.waiters[woken] = true
    uv.update_time()
    timer:start(math.ceil(math.min(seconds, 1e6) * 1000), 0, function()
      close()
      done(false)
    end)
    return close
  end)
end

--- Waits until look() returns something other than nil or false. look() is called at once and after each notify().
---@generic T
---@param seconds number timeout, after which the result is nil; math.huge where there is none
---@param look fun(): T?
---@return T? value
function Signal:wait_until(seconds, look)
  local limit = task.now() + seconds
  while true do
    local value = look()
    if value then return value end
    if task.now() >= limit then return nil end
    self:wait(limit - task.now())
  end
end

return signal
