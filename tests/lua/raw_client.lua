--- Sends bytes to a port of this machine and tells what came back: for requests that no proper client makes.
local uv = require "luv"
local task = require "deskpilot.base.task"

local raw_client = {}

local Connection = {}
Connection.__index = Connection

function raw_client.open(port)
  local self = setmetatable({ socket = uv.new_tcp(), came = "", closed = false }, Connection)
  task.await(function(done) self.socket:connect("127.0.0.1", port, done) end)
  self.socket:read_start(function(_, bytes)
    if bytes then self.came = self.came .. bytes return end
    self.closed = true
  end)
  return self
end

function Connection:send(bytes)
  if not self.socket:is_closing() then self.socket:write(bytes) end
end

--- Waits until `fn(self)` is true or those seconds are over; gives what came.
function Connection:wait(fn, seconds)
  local limit = task.now() + (seconds or 30)
  while not fn(self) and task.now() < limit do task.sleep(0.01) end
  return self.came
end

function Connection:close()
  if not self.socket:is_closing() then self.socket:close() end
end

--- Sends all of it, and gives what came until the other side closed, and whether it did.
function raw_client.talk(port, bytes, seconds)
  local connection = raw_client.open(port)
  connection:send(bytes)
  local came = connection:wait(function(self) return self.closed end, seconds)
  connection:close()
  return came, connection.closed
end

return raw_client
