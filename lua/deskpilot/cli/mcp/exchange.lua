--- What both transports do with a message: a request is answered in a task of its own, which `notifications/cancelled`
--- ends; an answer goes to whom has asked.
local failure = require "deskpilot.cli.mcp.failure"
local protocol = require "deskpilot.mcp.protocol"
local task = require "deskpilot.base.task"

local exchange = {}

local most_active = 64

--- The requests of a connection or a session that are worked on.
---@class deskpilot.mcp_exchange
---@field server deskpilot.mcp_server
---@field client deskpilot.mcp_client? of one that began with `initialize`
local Exchange = {}
Exchange.__index = Exchange

---@param server deskpilot.mcp_server
---@param client deskpilot.mcp_client?
---@return deskpilot.mcp_exchange
function exchange.new(server, client)
  return setmetatable({ server = server, client = client, active = {}, count = 0 }, Exchange)
end

--- Works on a request in the current task until it is answered. Where it is cancelled, nobody is told and nil is given.
---@param client deskpilot.mcp_client
---@param message deskpilot.mcp.message
---@param send (fun(line: string): boolean?)?
---@return string? line, integer? status
function Exchange:answer(client, message, send)
  local id = message.id
  if self.active[id] or self.count >= most_active then
    return protocol.failure(id, protocol.codes.invalid_request, self.active[id]
      and "a request with this id is worked on already" or "too many requests at a time"), 400
  end
  self.count = self.count + 1
  local leaving <close> = setmetatable({}, { __close = function()
    self.active[id], self.count = nil, self.count - 1
  end })
  assert(leaving)
  local work = task.start(function()
    task.sleep(0) -- from here on it can be cancelled
    return self.server:answer(client, message, send)
  end)
  self.active[id] = work
  local ok, line, status = work:wait()
  if ok then return line, status end
end

--- A notification of the client's, or its answer to a request of ours.
---@param message deskpilot.mcp.message
function Exchange:hear(message)
  if message.kind == "result" or message.kind == "error" then
    if self.client then self.client:answered(message) end
  elseif message.method == "notifications/cancelled" then
    local work = self.active[message.params.requestId]
    if work then work:cancel("the client has cancelled it") end
  end
end

--- The answer to what is no message.
---@param id deskpilot.mcp.id?
---@param code integer
---@param why string
---@return string line
function exchange.unreadable(id, code, why)
  return protocol.failure(id, code, "this " .. why)
end

--- The error answer for a failure that was raised.
---@param id deskpilot.mcp.id
---@param err any
---@return string line, integer? status
function exchange.refused(id, err)
  local f = failure.of(err)
  return protocol.failure(id, f.code, f.message, f.data), f.status
end

return exchange
