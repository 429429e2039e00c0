--- HTTP for scripts. A request suspends the task that makes it, not the process. Certificates are always verified. An
--- answer of the server is a result, whatever its status; an error means that there was no answer.
local uv = require "luv"
local native = require "native.http"
local task = require "deskpilot.base.task"

local http = {}

---@class deskpilot.http.request
---@field method string? default "GET"
---@field url string http or https
---@field headers table<string, string>?
---@field body string|string[]|nil the pieces of a list are sent one after the other, without a copy of the whole
---@field timeout { connect: number?, total: number?, stall: number? }? seconds; default: connect 30, no others; stall:
---  without a byte while the request is sent or the answer's body has begun to come, so not while the server thinks
---@field max_bytes integer? of the answer's body, after decompression; default 64 MB
---@field ca_file string? PEM file of certificate authorities to trust instead of the system's
---@field follow_redirects boolean?

---@class deskpilot.http.result
---@field status integer
---@field headers table<string, string> names in lower case
---@field body string
---@field seconds number

local most_lingering = 2 -- seconds that a server has to end an answer of which nothing more is wanted

-- Ends a request that is not waited for any more, unless it soon ends by itself.
local function linger(cancel)
  local timer = uv.new_timer()
  uv.update_time()
  timer:start(most_lingering * 1000, 0, function()
    timer:close()
    cancel()
  end)
  timer:unref()
  return function()
    if not timer:is_closing() then timer:close() end
  end
end

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
---@param on_data fun(bytes: string, status: integer): boolean|"whole"|nil is called in the task that makes the request,
---  so it may wait: what comes meanwhile is kept. Where it returns true it has enough: the request ends with what has
---  come, as if the answer did. "whole": it has all that there is to say, and nothing is waited for; the connection is
---  kept for the next request if the server ends the answer soon. The result has no headers then
---@return deskpilot.http.result? result, deskpilot.error? err
function http.stream(request, on_data)
  local pieces, ended, status, result, err, wake = {}, false, 0, nil, nil, nil
  local stop_lingering, began = nil, task.now()
  local function tell()
    if wake then wake() end
  end
  local copy = { on_data = function(bytes, of)
    if stop_lingering then return end
    pieces[#pieces + 1], status = bytes, of
    tell()
  end }
  for key, value in pairs(request) do copy[key] = copy[key] or value end
  local cancel, failure = native.request(copy, function(...)
    ended, result, err = true, ...
    if stop_lingering then stop_lingering() end
    tell()
  end)
  if not cancel then
    failure.not_begun = true
    return nil, failure
  end
  local leaving <close> = setmetatable({}, { __close = function()
    if not stop_lingering then cancel() end
  end })
  assert(leaving)
  while #pieces > 0 or not ended do
    if #pieces == 0 then
      task.await(function(done)
        wake = done
        return function() wake = nil end
      end)
      wake = nil
    else
      local bytes = table.concat(pieces)
      pieces = {}
      local enough = on_data(bytes, status)
      if enough == "whole" and not ended then
        stop_lingering = linger(cancel)
        return { status = status, headers = {}, body = "", seconds = task.now() - began }
      elseif enough then
        cancel(true)
        break
      end
    end
  end
  return result, err
end

return http
