--- The clock of the NATS server, by which workers on several machines agree on what a minute is: the server stamps what
--- it stores.
local task = require "deskpilot.base.task"
local uv = require "luv"

local server_clock = {}

local SHORT = 0.2 -- seconds for a message and its answer, for which a comparison is exact enough
local TRIES = 5

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

-- One comparison: how far the server's clock is ahead, and how long the message and its answer took.
local function compare_once(self)
  local before = task.now()
  local revision, err = self.bucket:put(self.key, "")
  if not revision then return nil, err end
  local after = task.now()
  local entry, why = self.bucket:get(self.key)
  if not entry then return nil, why end
  return entry.stored and entry.stored - (before + after) / 2 or self.ahead, after - before
end

--- Compares it with the server's. It is off by half of a message's way at the most: where that was long, as on a busy
--- machine, it is compared again, and the shortest counts.
---@return true? ok, deskpilot.error? err
function Clock:compare()
  local shortest = math.huge
  for _ = 1, TRIES do
    local ahead, way = compare_once(self)
    if not ahead then return nil, way end
    if way < shortest then self.ahead, shortest = ahead, way end
    if way <= SHORT then break end
  end
  return true
end

return server_clock
