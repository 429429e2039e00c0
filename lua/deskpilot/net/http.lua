--- HTTP for scripts. A request suspends the task that makes it, not the process. Certificates are always verified. An
--- answer of the server is a result, whatever its status; an error means that there was no answer.
local native = require "native.http"
local task = require "deskpilot.base.task"

local http = {}

---@class deskpilot.http.request
---@field method string? default "GET"
---@field url string http or https
---@field headers table<string, string>?
---@field body string|string[]|nil the pieces of a list are sent one after the other, without a copy of the whole
---@field timeout { connect: number?, total: number?, stall: number? }? seconds; default: connect 30, no others
---@field max_bytes integer? of the answer's body; default 64 MB
---@field ca_file string? PEM file of certificate authorities to trust instead of the system's
---@field follow_redirects boolean?

---@class deskpilot.http.result
---@field status integer
---@field headers table<string, string> names in lower case
---@field body string
---@field seconds number

local function run(request)
  return task.await(function(done)
    local cancel, err = native.request(request, done)
    if not cancel then
      err.not_begun = true -- nothing was sent: a retry would fail in the same way
      done(nil, err)
    end
    return cancel
  end)
end

--- Makes a request and waits for the answer. A malformed URL or header raises a Lua error.
---@param request deskpilot.http.request
---@return deskpilot.http.result? result, deskpilot.error? err codes: unavailable (nothing listens, no
--- such host, no libcurl), timed_out (err.timeout = "connect", "total" or "stall"), protocol, io
function http.request(request)
  return run(request)
end

--- Makes a request whose answer's body is passed to `on_data` as it arrives. The result's body is empty.
---@param request deskpilot.http.request
---@param on_data fun(bytes: string) called from the loop: it may not wait
---@return deskpilot.http.result? result, deskpilot.error? err
function http.stream(request, on_data)
  local copy = { on_data = on_data }
  for key, value in pairs(request) do copy[key] = copy[key] or value end
  return run(copy)
end

return http
