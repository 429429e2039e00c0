--- An error answer of the protocol, raised by whoever finds that a request cannot be served.
local errors = require "deskpilot.base.errors"
local protocol = require "deskpilot.mcp.protocol"

local failure = {}

---@class deskpilot.mcp_failure
---@field code integer of protocol.codes
---@field message string
---@field data any
---@field status integer? of the HTTP answer, where it is not 200
local meta = { __name = "deskpilot.mcp_failure" }
meta.__tostring = function(self) return self.message end

--- One as a value.
---@param code integer
---@param message string
---@param data any
---@param status integer?
---@return deskpilot.mcp_failure
function failure.new(code, message, data, status)
  return setmetatable({ code = code, message = message, data = data, status = status }, meta)
end

--- Raises one.
---@param code integer
---@param message string
---@param data any
---@param status integer?
function failure.raise(code, message, data, status)
  error(failure.new(code, message, data, status), 0)
end

--- Whether a raised value is one.
---@param value any
---@return boolean
function failure.is(value)
  return getmetatable(value) == meta
end

--- Whatever was raised as one. A defect of ours is told as such, without its traceback, which goes to the log.
---@param err any
---@return deskpilot.mcp_failure
function failure.of(err)
  if failure.is(err) then return err end
  warn(tostring(err))
  return failure.new(protocol.codes.internal, errors.is(err) and tostring(err) or "this has failed inside deskpilot")
end

return failure
