--- Error values: a failure that is not the caller's mistake is returned as `nil, err`, where err.code is one of a
--- closed list (docs/errors.md). Native modules return the same kind of table.
local shipped = require "native.shipped"

local errors = {}

---@class deskpilot.error
---@field code string one of errors.codes
---@field message string a sentence that its reader can act on
---@field where string? the line of the mission that made the call, "m.lua:12"
---@field raised boolean? a call has raised it instead of returning it (in scripts)
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

local ships = setmetatable({}, { __index = function(known, source)
  local name = source:match("^@(.*)$")
  -- The shipped missions are what a user would write.
  known[source] = name ~= nil and not name:find("^missions/") and shipped.read(name) ~= nil
  return known[source]
end })

--- The line that called into deskpilot: the innermost frame of the running coroutine whose file is none of
--- deskpilot's own modules.
---@return string? where "m.lua:12"; nil if all frames are deskpilot's
function errors.caller()
  for level = 2, math.huge do
    local info = debug.getinfo(level, "Sl")
    if not info then return nil end
    if info.currentline > 0 and not ships[info.source] then
      return ("%s:%d"):format(info.short_src, info.currentline)
    end
  end
end

--- Raises the error for a caller's mistake, with the caller's file and line.
---@param message string the sentence; where more arguments follow, a format string for them
---@param ... any
function errors.mistake(message, ...)
  if select("#", ...) > 0 then message = message:format(...) end
  local where = errors.caller()
  error(where and where .. ": " .. message or message, 0)
end

--- The sentence of a failure, after the line of the mission that it happened at, if that is known.
---@param err any an error value, or whatever else was raised
---@return string
function errors.words(err)
  if errors.is(err) and err.where then return err.where .. ": " .. err.message end
  return tostring(err)
end

--- Whether what was raised ends a task: the task has been cancelled. A failure of a call has the same code where what
--- it waited for was given up by somebody else.
---@param err any
---@return boolean
function errors.interrupts(err)
  return errors.is(err, "cancelled") and not err.raised
end

--- Whether `value` is an error with that code, or any error if no code is given.
---@param value any
---@param code string?
---@return boolean
function errors.is(value, code)
  return type(value) == "table" and getmetatable(value) ~= nil and errors.codes[value.code] == true
    and (code == nil or value.code == code)
end

--- Whether what was raised says that there is no memory.
---@param err any
---@return boolean
function errors.no_memory(err)
  return type(err) == "string" and err:find("not enough memory", 1, true) ~= nil
end

--- For xpcall: a message with its traceback. An error value stays as it is, and so does the message that there is no
--- memory: of that the place says nothing.
---@param err any
---@return any
function errors.traceback(err)
  if type(err) ~= "string" or errors.no_memory(err) then return err end
  return debug.traceback(err, 2)
end

return errors
