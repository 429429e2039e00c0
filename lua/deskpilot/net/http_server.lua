--- A small HTTP/1.1 server on 127.0.0.1, for pages and answers that a script gives to its own browser. Requests are
--- bounded in size, number and time. The server itself reads no files: every reply is the handler's.
local uv = require "luv"
local errors = require "deskpilot.base.errors"
local http_message = require "deskpilot.net.http_message"
local task = require "deskpilot.base.task"

local http_server = {}

local linger = { seconds = 2, bytes = 16 * 1024 * 1024 } -- limits of drain()

---@class deskpilot.http_server.request
---@field method string "GET" or "POST", for example
---@field path string decoded, without the query, from "/" on
---@field query string the part after "?", not decoded; "" where there is none
---@field headers table<string, string> names in lower case
---@field body string
---@field head_only boolean whether the method was HEAD

---@class deskpilot.http_server.reply
---@field status integer? default 200
---@field headers table<string, string>? Content-Length is added; the default Content-Type is plain text
---@field body string?
---@field stream fun(write: fun(bytes: string): boolean)? in place of `body`: writes it piece by piece, each of which is
---  sent at once; false where the client does not take it. It runs in a task, which is cancelled when the client closes
---  the connection. The connection ends with it

---@class deskpilot.http_server.options
---@field port integer? default: any free one
---@field max_body integer? bytes of one request's body; default 8 MB
---@field max_connections integer? at a time, default 32; further ones are closed
---@field seconds number? timeout for receiving a request, and for sending its answer; default 15

---@class deskpilot.http_server
---@field port integer
---@field url string "http://127.0.0.1:PORT", without a slash at its end
---@field failures string[] errors that the handler raised, newest last; such a request is answered with 500
local Server = {}
Server.__index = Server

-- The next bytes of a connection; nil at its end. The socket is read only during this call, so that the kernel holds
-- back a sender whose bytes nobody has asked for.
local function read_some(socket)
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

-- The next request; nil when the client has closed the connection. Raises a refusal of http_message.
local function receive(server, connection)
  local buffer = connection.rest
  local request, at
  while true do
    request, at = http_message.head(buffer)
    if request then break end
    local bytes = read_some(connection.socket)
    if not bytes then return nil end
    connection.started = true
    buffer = buffer .. bytes
  end
  http_message.check(request, server.port, server.max_body)
  if request.length > 0 and (request.headers.expect or ""):lower() == "100-continue" then
    write(connection.socket, "HTTP/1.1 100 Continue\r\n\r\n")
  end
  local parts, size = { buffer:sub(at) }, #buffer - at + 1
  while size < request.length do
    local bytes = read_some(connection.socket)
    if not bytes then return nil end
    parts[#parts + 1], size = bytes, size + #bytes
  end
  local all = table.concat(parts)
  request.body, connection.rest = all:sub(1, request.length), all:sub(request.length + 1)
  connection.started = connection.rest ~= ""
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

-- Reads and drops what a client still sends before its connection is closed. If a socket is closed with unread bytes,
-- TCP resets the connection, and the client may lose the reply that says why.
local function drain(socket)
  if not socket:is_closing() then socket:shutdown() end
  task.limit(linger.seconds, function()
    local taken = 0
    while taken < linger.bytes do
      local bytes = read_some(socket)
      if not bytes then return end
      taken = taken + #bytes
    end
  end)
end

-- A body as it is made. What a client sends meanwhile is dropped; that it has closed is what is listened for.
local function stream(server, connection, reply)
  local socket = connection.socket
  local function send(bytes)
    local in_time, sent = task.limit(server.seconds, write, socket, bytes)
    return in_time and sent or false
  end
  if not send(http_message.response(reply, false)) then return end
  local work = task.start(function()
    task.sleep(0) -- from here on it can be cancelled
    reply.stream(function(bytes) return bytes == "" or send(http_message.chunk(bytes)) end)
  end)
  local listening = not socket:is_closing() and socket:read_start(function(_, bytes)
    if not bytes then work:cancel("the client has closed the connection") end
  end)
  if not listening then work:cancel("the client has closed the connection") end
  local ok, err = work:wait()
  if not socket:is_closing() then socket:read_stop() end
  if ok and send(http_message.chunk "") then return drain(socket) end
  if not ok and not errors.is(err, "cancelled") then table.insert(server.failures, tostring(err)) end
end

-- Serves one request. Whether the connection stays open.
local function one_request(server, connection)
  local in_time, ok, request = task.limit(server.seconds, pcall, receive, server, connection)
  local reply, keep
  if not in_time then
    if not connection.started then return false end -- an idle connection
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
  if reply.stream and not head_only then
    stream(server, connection, reply)
    return false
  end
  local made, bytes = pcall(http_message.response, reply, keep, head_only)
  if not made then
    table.insert(server.failures, tostring(bytes))
    bytes, keep = http_message.response({ status = 500, body = "The answer was malformed.\n" }, false), false
  end
  local taken, sent = task.limit(server.seconds, write, connection.socket, bytes)
  if not (taken and sent) then return false end
  if not keep then drain(connection.socket) end
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
  local connection = { socket = socket, rest = "", started = false }
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

--- Starts a server. The handler runs in a task of its own per connection, may wait, and ends with the task that has
--- started the server. A HEAD request reaches the handler as a GET.
---@param handler fun(request: deskpilot.http_server.request): deskpilot.http_server.reply? nil is answered with 404
---@param options deskpilot.http_server.options?
---@return deskpilot.http_server? server, deskpilot.error? err code "io" where the port is in use
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

--- Closes the server and its connections, and cancels handlers that still run.
function Server:stop()
  close(self.listener)
  local all = {}
  for _, work in pairs(self.work) do all[#all + 1] = work end
  for _, work in ipairs(all) do work:cancel("the server was stopped") end
end

return http_server
