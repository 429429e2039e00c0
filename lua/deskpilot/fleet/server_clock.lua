--- The clock of the NATS server, by which workers on several machines agree on what a minute is: the server stamps what
--- it stores.
local task = require "deskpilot.base.task"
local uv = require "luv"

local server_clock = {}

---@class deskpilot.fleet.server_clock
local Clock = {}
Clock.__index = Clock

--- A clock that goes by this machine's until it was compared.
---@param bucket deskpilot.nats_kv
---@param key string that only this worker writes
---@return deskpilot.fleet.server_clock
function server_clock.new(bucket, key)
  local seconds, micros = uv.gettimeofday()
  return setmetatable({ bucket = bucket, key = key, ahead = seconds + micros / 1e6 - task.now() }, Clock)
end

--- Seconds since 1970 by the server's clock.
---@return number
function Clock:now() return task.now() + self.ahead end

--- Compares it with the server's. It is off by half of a message's way at the most.
---@return true? ok, deskpilot.error? err
function Clock:compare()
  local before = task.now()
  local revision, err = self.bucket:put(self.key, "")
  if not revision then return nil, err end
  local after = task.now()
  local entry, why = self.bucket:get(self.key)
  if not entry then return nil, why end
  if entry.stored then self.ahead = entry.stored - (before + after) / 2 end
  return true
end

return server_clock
