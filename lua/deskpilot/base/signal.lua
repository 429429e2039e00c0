--- Something that tasks wait for and that the loop tells of: a number has come, a state has changed. Who waits
--- looks again when it is told; nothing is handed over, so nothing can be lost between two waits of a task.
local uv = require "luv"
local task = require "deskpilot.base.task"

local signal = {}

---@class deskpilot.signal
---@field waiters table<fun(), boolean>
local Signal = {}
Signal.__index = Signal

--- A new one, for which nobody waits yet.
---@return deskpilot.signal
function signal.new()
  return setmetatable({ waiters = {} }, Signal)
end

--- Wakes everyone who waits now. May be called from anywhere.
function Signal:tell()
  local waiters = self.waiters
  self.waiters = {}
  for waiter in pairs(waiters) do waiter() end
end

--- Waits until it is told, or for that many seconds.
---@param seconds number
---@return boolean told
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

--- Waits until look() gives something that is not nil or false, asking again whenever it is told; nil when that
--- many seconds are over.
---@generic T
---@param seconds number
---@param look fun(): T?
---@return T? value
function Signal:wait_until(seconds, look)
  local limit = task.now() + seconds
  while true do
    local value = look()
    if value then return value end
    if not self:wait(limit - task.now()) then return look() or nil end
  end
end

return signal
