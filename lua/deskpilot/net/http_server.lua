--- A small HTTP/1.1 server for this machine alone (127.0.0.1): the pages and answers that a script gives to a
--- browser of its own. What comes in is bounded in size, number and time, and nothing of it is taken for a file's
--- path: what a request gets is what the handler says.
local uv = require "luv"
local errors = require "deskpilot.base.errors"
local http_message = require "deskpilot.net.http_message"
local task = require "deskpilot.base.task"

local http_server = {}

local linger = { seconds = 2, bytes = 16 * 1024 * 1024 } -- how long a refused sender is heard out

---@class deskpilot.http_server.request
---@field method string "GET" or "POST", for example
---@field path string decoded, without the query, from "/" on
---@field query string what followed "?", as it came; "" where there is none
---@field headers table<string, string> names in lower case
---@field body string
---@field head_only boolean whether the method was HEAD

---@class deskpilot.http_server.reply
---@field status integer? 200 unless told
---@field headers table<string, string>? Content-Length is added; Content-Type is plain text unless told
---@field body string?

---@class deskpilot.http_server.options
---@field port integer? any free one unless told
---@field max_body integer? bytes of one request's body, 8 MB unless told
---@field max_connections integer? at a time, 32 unless told; more are closed
---@field seconds number? that a request may take to arrive, and its answer to be taken; 15 unless told

---@class deskpilot.http_server
---@field port integer
---@field url string "http://127.0.0.1:PORT", without a slash at its end
---@field failures string[] what the handler raised, newest last; such a request is answered with 500
local Server = {}
Server.__index = Server

-- Reading begins here and stops with the first bytes, so that no more is held than is asked for.
local function more(socket)
  return task.await(function(done)
    local function stop()
      if not socket:is_closing() then socket:read_stop() end
    end
    local ok = not socket:is_closing() and socket:read_start(function(_, bytes)
      stop()
      done(bytes)
    end)
    if not ok then done(nil) end
    return stop
  end)
end

local function write(socket, bytes)
  return task.await(function(done)
    if socket:is_closing() or not socket:write(bytes, function(why) done(not why) end) then done(false) end
  end)
end

-- The next request, nil when the other side has closed; a refusal is an error of http_message.
local function receive(server, connection)
  local buffer = connection.rest
  local request, at
  while true do
    request, at = http_message.head(buffer)
    if request then break end
    local bytes = more(connection.socket)
    if not bytes then return nil end
    connection.heard = true
    buffer = buffer .. bytes
  end
  http_message.check(request, server.port, server.max_body)
  if request.length > 0 and (request.headers.expect or ""):lower() == "100-continue" then
    write(connection.socket, "HTTP/1.1 100 Continue\r\n\r\n")
  end
  local parts, size = { buffer:sub(at) }, #buffer - at + 1
  while size < request.length do
    local bytes = more(connection.socket)
    if not bytes then return nil end
    parts[#parts + 1], size = bytes, size + #bytes
  end
  local all = table.concat(parts)
  request.body, connection.rest = all:sub(1, request.length), all:sub(request.length + 1)
  connection.heard = connection.rest ~= ""
  return request
end

local function answer(server, request)
  local ok, reply = xpcall(server.handler, debug.traceback, request)
  if not ok then
    if errors.is(reply, "cancelled") then error(reply, 0) end
    table.insert(server.failures, tostring(reply))
    return { status = 500, body = "The handler of this request failed.\n" }
  end
  return reply or { status = 404, body = "There is nothing here.\n" }
end

-- A sender that is cut off in the middle may never read why, so its bytes are taken for a while.
local function hear_out(socket)
  if not socket:is_closing() then socket:shutdown() end
  task.limit(linger.seconds, function()
    local taken = 0
    while taken < linger.bytes do
      local bytes = more(socket)
      if not bytes then return end
      taken = taken + #bytes
    end
  end)
end

-- Whether the connection goes on after it.
local function one_request(server, connection)
  local in_time, ok, request = task.limit(server.seconds, pcall, receive, server, connection)
  local reply, keep
  if not in_time then
    if not connection.heard then return false end -- kept open for nothing
    reply = { status = 408, body = "This request took too long.\n" }
  elseif not ok then
    if not http_message.is_refusal(request) then error(request, 0) end
    reply = request
  elseif not request then
    return false
  else
    reply, keep = answer(server, request), request.keep
  end
  local head_only = ok and request and request.head_only
  local made, bytes = pcall(http_message.response, reply, keep, head_only)
  if not made then
    table.insert(server.failures, tostring(bytes))
    bytes, keep = http_message.response({ status = 500, body = "The answer was malformed.\n" }, false), false
  end
  local taken, sent = task.limit(server.seconds, write, connection.socket, bytes)
  if not (taken and sent) then return false end
  if not keep then hear_out(connection.socket) end
  return keep
end

local function close(socket)
  if not socket:is_closing() then socket:close() end
end

local function serve(server, socket)
  local closing <close> = setmetatable({}, { __close = function()
    server.work[socket] = nil
    server.open = server.open - 1
    close(socket)
  end })
  assert(closing)
  local connection = { socket = socket, rest = "", heard = false }
  while one_request(server, connection) do end -- luacheck: ignore
end

local function accept(server, owner)
  local socket = uv.new_tcp()
  if not server.listener:accept(socket) or server.open >= server.max_connections then
    close(socket)
    return
  end
  server.open = server.open + 1
  local work = task.start_for(owner, serve, server, socket)
  if not work:ended() then server.work[socket] = work end
end

--- Starts one. Each request is handled in a task of its own, which ends with the task that calls this and may
--- wait. A HEAD request is given to the handler as a GET.
---@param handler fun(request: deskpilot.http_server.request): deskpilot.http_server.reply? nil is answered with 404
---@param options deskpilot.http_server.options?
---@return deskpilot.http_server? server, deskpilot.error? err code "io" where the port is taken
function http_server.start(handler, options)
  options = options or {}
  local server = setmetatable({ handler = handler, failures = {}, work = {}, open = 0,
    max_body = options.max_body or 8 * 1024 * 1024, max_connections = options.max_connections or 32,
    seconds = options.seconds or 15, listener = uv.new_tcp() }, Server)
  local owner = task.current()
  local ok, why = server.listener:bind("127.0.0.1", options.port or 0)
  if ok then ok, why = server.listener:listen(64, function() accept(server, owner) end) end
  if not ok then
    close(server.listener)
    return errors.fail("io", "cannot serve on 127.0.0.1, port %d: %s", options.port or 0, tostring(why))
  end
  server.port = server.listener:getsockname().port
  server.url = ("http://127.0.0.1:%d"):format(server.port)
  return server
end

--- Closes the server and its connections, whatever they wait for.
function Server:stop()
  close(self.listener)
  local all = {}
  for _, work in pairs(self.work) do all[#all + 1] = work end
  for _, work in ipairs(all) do work:cancel("the server was stopped") end
end

return http_server
