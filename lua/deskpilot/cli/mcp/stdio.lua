--- An MCP server on standard input and output: a message is a line. Nothing else is ever written to standard output.
local client_module = require "deskpilot.cli.mcp.client"
local exchange = require "deskpilot.cli.mcp.exchange"
local protocol = require "deskpilot.mcp.protocol"
local task = require "deskpilot.base.task"
local uv = require "luv"

local stdio = {}

local most_unread = 64 * 1024 * 1024 -- bytes that a client has not read yet; one that never reads is given up

-- A stream of the process as libuv has it; nil for a file.
local function opened(fd)
  local kind = uv.guess_handle(fd)
  local stream
  if kind == "pipe" then
    stream = uv.new_pipe()
    if not stream:open(fd) then return nil end
  elseif kind == "tcp" then
    stream = uv.new_tcp()
    if not stream:open(fd) then return nil end
  elseif kind == "tty" and fd == 0 then
    stream = uv.new_tty(0, true)
  end
  return stream
end

-- Writes lines to standard output. Returns false once nobody reads them.
local function writer(over)
  local stream = opened(1)
  return function(line)
    if not stream then
      io.stdout:write(line, "\n")
      return io.stdout:flush() ~= nil
    end
    if stream:is_closing() then return false end
    local sent = stream:write(line .. "\n", function(err)
      if err then over "its client does not read any more" end
    end)
    if not sent or stream:get_write_queue_size() > most_unread then
      over "its client does not read any more"
      return false
    end
    return true
  end, stream
end

-- Passes on what comes by standard input, until its end.
local function read(on_bytes, over)
  local stream = opened(0)
  if stream then
    stream:read_start(function(_, bytes)
      if bytes then on_bytes(bytes) else over "its client has closed its input" end
    end)
    return function()
      if not stream:is_closing() then stream:close() end
    end
  end
  local stopped = false
  local function next_part()
    uv.fs_read(0, 65536, -1, function(_, bytes)
      if stopped then return end
      if not bytes or bytes == "" then return over "its client has closed its input" end
      on_bytes(bytes)
      next_part()
    end)
  end
  next_part()
  return function() stopped = true end
end

-- Who asks: of the revision without sessions each request says so, else whoever has begun with `initialize`.
local function client_of(connection, message)
  if client_module.meta(message.params) or message.method == "server/discover" then
    return client_module.by_meta(message.params)
  end
  return connection.client
end

local function on_request(connection, message, write)
  local ok, client = pcall(client_of, connection, message)
  if not ok then return write((exchange.refused(message.id, client))) end
  if message.method == "initialize" and not (client and client.stateless) then
    connection.client = client_module.by_handshake(message.params)
    return write(protocol.result(message.id, connection.server:initialized(connection.client)))
  end
  if not client and message.method == "ping" then return write(protocol.result(message.id, {})) end
  if not client then
    return write(protocol.failure(message.id, protocol.codes.invalid_request, "begin with initialize, or say in the "
      .. "_meta of each request which revision you speak (" .. protocol.STATELESS .. ")"))
  end
  local line = connection:answer(client, message, write)
  if line then write(line) end
end

local function on_line(connection, owner, line, write)
  local message, why, code, id
  if line then message, why, code, id = protocol.read(line)
  else why, code = "message is too long", protocol.codes.invalid_request end
  if not message then return write(exchange.unreadable(id, code, why)) end
  if message.kind == "request" then
    task.start_for(owner, on_request, connection, message, write)
  else
    connection:hear(message)
  end
end

--- Takes what a client sends, in any pieces, and works on it.
---@param server deskpilot.mcp_server
---@param owner deskpilot.task with which the work ends
---@param write fun(line: string): boolean?
---@return fun(bytes: string) feed
function stdio.feeder(server, owner, write)
  local connection, lines = exchange.new(server), protocol.lines()
  return function(bytes)
    for _, line in ipairs(lines:feed(bytes)) do on_line(connection, owner, line, write) end
  end
end

--- Serves until the client has closed the input. Returns why it is over.
---@param server deskpilot.mcp_server
---@return string why
function stdio.serve(server)
  local owner = task.current()
  return task.await(function(done)
    local stop
    local function over(why)
      if stop then stop() end
      done(why)
    end
    local write, output = writer(over)
    stop = read(stdio.feeder(server, owner, write), over)
    return function()
      stop()
      if output and not output:is_closing() then output:close() end
    end
  end)
end

return stdio
