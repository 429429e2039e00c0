--- HTTP for scripts: a request suspends the task that makes it, never the process. Certificates are
--- always verified. What the server answers, whatever its status, is a result; an error is that no
--- answer came.
local native = require "native.http"
local task = require "deskpilot.base.task"

local http = {}

---@class deskpilot.http.request
---@field method string? "GET" unless told
---@field url string http or https
---@field headers table<string, string>?
---@field body string|string[]|nil a list is sent piece by piece and never joined
---@field timeout { connect: number?, total: number?, stall: number? }? seconds; connect 30 unless told
---@field max_bytes integer? of the answer's body; 64 MB unless told
---@field ca_file string? PEM file of the authorities to trust instead of the system's
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
      err.not_begun = true -- trying again would not help
      done(nil, err)
    end
    return cancel
  end)
end

--- Makes a request and waits for its end. A malformed URL or header is a Lua error.
---@param request deskpilot.http.request
---@return deskpilot.http.result? result, deskpilot.error? err codes: unavailable (nothing listens, no
--- such host, no libcurl), timed_out (err.timeout = "connect", "total" or "stall"), protocol, io
function http.request(request)
  return run(request)
end

--- The same, but the body goes to `on_data(bytes)` as it comes (from the loop: it may not wait), and
--- the result's body is empty.
---@param request deskpilot.http.request
---@param on_data fun(bytes: string)
---@return deskpilot.http.result? result, deskpilot.error? err
function http.stream(request, on_data)
  local copy = { on_data = on_data }
  for key, value in pairs(request) do copy[key] = copy[key] or value end
  return run(copy)
end

return http
