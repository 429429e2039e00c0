--- A subscription of a NATS connection whose messages are taken one by one.
local errors = require "deskpilot.base.errors"
local task = require "deskpilot.base.task"

local nats_subscription = {}

---@class deskpilot.nats.subscription
---@field tells_changes boolean? next() also returns when the connection is lost, and when it is back
---@field missed integer messages that were dropped because nobody took them
local Subscription = {}
Subscription.__index = Subscription

local MOST_KEPT = 10000 -- messages that a subscription holds for its task

--- Begins one; Connection:subscribe's own.
---@param connection deskpilot.nats
---@param subject string as for listen
---@return deskpilot.nats.subscription? subscription, deskpilot.error? err
function nats_subscription.open(connection, subject)
  local self = setmetatable({ connection = connection, first = 1, last = 0, missed = 0 }, Subscription)
  local stop, err = connection:listen(subject, function(message) self:add(message) end)
  if not stop then return nil, err end
  self.stop_listening = stop
  self.stop_changes = connection:on_change(function(change)
    if self.wake and (change == "end" or self.tells_changes) then self.wake(change) end
  end)
  return self
end

--- Adds a message, as if it had come.
---@param message deskpilot.nats.message
function Subscription:add(message)
  if self.last - self.first + 1 >= MOST_KEPT then self.missed = self.missed + 1 return end
  self.last = self.last + 1
  self[self.last] = message
  if self.wake then self.wake() end
end

--- The first of the messages that have come, of which there has to be one.
---@return deskpilot.nats.message
function Subscription:take()
  local message = self[self.first]
  self[self.first] = nil
  self.first = self.first + 1
  return message
end

--- The next message.
---@param seconds number
---@return deskpilot.nats.message? message, deskpilot.error? err timed_out, or why the connection has ended
function Subscription:next(seconds)
  if self.first > self.last and not self.connection.closed then
    local _, change = task.limit(seconds, task.await, function(done)
      self.wake = done
      return function() self.wake = nil end
    end)
    self.wake = nil
    if type(change) == "string" and change ~= "end" and self.first > self.last then
      return errors.fail("unavailable", "the connection to the NATS server %s is %s", self.connection.servers, change)
    end
  end
  if self.first > self.last then
    return nil, self.connection.closed or errors.new("timed_out", "no message within %g s%s", seconds,
      self.connection:state())
  end
  return self:take()
end

--- Takes what has come and was not taken yet, without waiting.
---@return fun(): deskpilot.nats.message?
function Subscription:rest()
  return function()
    if self.first <= self.last then return self:take() end
  end
end

--- Ends the subscription.
function Subscription:close()
  self.stop_listening()
  self.stop_changes()
end

return nats_subscription
