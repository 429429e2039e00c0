--- Error values: a failure that is not the caller's mistake is returned as `nil, err`, where err.code is one of a
--- closed list (docs/errors.md). Native modules return the same kind of table.
local errors = {}

---@class deskpilot.error
---@field code string one of errors.codes
---@field message string a sentence that its reader can act on
---@field [string] any further facts about some failures: `stdout` of a program, `status` of a server, ...

--- The closed list of codes.
errors.codes = {
  unavailable = true, unsupported = true, refused = true, timed_out = true, cancelled = true,
  not_found = true, protocol = true, io = true, invalid = true, no_memory = true,
  stale = true, forbidden = true,
}

local meta = { __tostring = function(self) return self.message end, __name = "deskpilot.error" }

--- A new error value.
---@param code string one of errors.codes
---@param message string the sentence; where more arguments follow, a format string for them
---@param ... any
---@return deskpilot.error
function errors.new(code, message, ...)
  assert(errors.codes[code], code)
  if select("#", ...) > 0 then message = message:format(...) end
  return setmetatable({ code = code, message = message }, meta)
end

--- nil and a new error value, for `return errors.fail(...)`.
---@param code string one of errors.codes
---@param message string as for errors.new
---@param ... any
---@return nil, deskpilot.error
function errors.fail(code, message, ...)
  return nil, errors.new(code, message, ...)
end

--- Whether `value` is an error with that code, or any error if no code is given.
---@param value any
---@param code string?
---@return boolean
function errors.is(value, code)
  return type(value) == "table" and getmetatable(value) ~= nil and errors.codes[value.code] == true
    and (code == nil or value.code == code)
end

return errors
