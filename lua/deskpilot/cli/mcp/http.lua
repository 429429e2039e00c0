--- An MCP server on HTTP, for programs of this machine: POST to /mcp. A request is answered by JSON, or, once there is
--- something to say before the answer, by a stream of events; a client that closes it has cancelled its request.
---
--- Who may ask: only what knows the token (`Authorization: Bearer ...`), and no page of a foreign site: Host and Origin
--- have to be those of this server.
local client_module = require "deskpilot.cli.mcp.client"
local exchange = require "deskpilot.cli.mcp.exchange"
local failure = require "deskpilot.cli.mcp.failure"
local http_server = require "deskpilot.net.http_server"
local protocol = require "deskpilot.mcp.protocol"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"
local uv = require "luv"

local http = {}

--- Seconds.
http.timing = {
  stream = 0.5,   -- after which a request without an answer gets a stream, so that its end is noticed
  alive = 15,     -- between two signs of life in a stream
}

local most_sessions = 256
local names, codes = protocol.headers, protocol.codes

local function say(status, line, headers)
  headers = headers or {}
  headers["Content-Type"] = "application/json"
  return { status = status, headers = headers, body = line }
end

local function refuse(status, words, headers)
  return say(status, protocol.failure(nil, codes.invalid_request, words), headers)
end

-- --- who may ask ----------------------------------------------------------------------------------------------

-- In a time that does not depend on where the two differ.
local function equal(a, b)
  if #a ~= #b then return false end
  local different = 0
  for i = 1, #a do different = different | (a:byte(i) ~ b:byte(i)) end
  return different == 0
end

-- Why a request is not served at all; nil where it is.
local function stranger(state, request)
  local headers, port = request.headers, state.http.port
  local origin = headers.origin
  if origin and origin ~= "http://127.0.0.1:" .. port and origin:lower() ~= "http://localhost:" .. port then
    return refuse(403, "pages of other sites are not served here")
  end
  if not state.token then return nil end
  local given = (headers.authorization or ""):match "^[Bb]earer +(%S+)$"
  if given and equal(given, state.token) then return nil end
  return refuse(401, "this needs the header Authorization: Bearer TOKEN, with the token of the file that deskpilot mcp "
    .. "has named", { ["WWW-Authenticate"] = "Bearer" })
end

-- --- a request and its answer ---------------------------------------------------------------------------------

local function event(line)
  return "event: message\ndata: " .. line .. "\n\n"
end

-- A queue of what is to be said, and whoever waits for it.
local function new_outbox()
  local outbox = { lines = {} }
  function outbox.tell()
    local wake = outbox.wake
    outbox.wake = nil
    if wake then wake() end
  end
  function outbox.wait(seconds)
    if #outbox.lines > 0 or outbox.over then return end
    task.limit(seconds, task.await, function(done)
      outbox.wake = done
      return function() outbox.wake = nil end
    end)
  end
  return outbox
end

-- The rest of an answer as events; ends the work where the client goes away.
local function stream(outbox, work)
  return function(write)
    local leaving <close> = setmetatable({}, { __close = function() work:cancel("the client has gone") end })
    assert(leaving)
    while true do
      local lines = outbox.lines
      outbox.lines = {}
      for _, line in ipairs(lines) do
        if not write(event(line)) then return end
      end
      if outbox.over and #outbox.lines == 0 then return end
      outbox.wait(http.timing.alive)
      if #outbox.lines == 0 and not outbox.over and not write ": still at work\n\n" then return end
    end
  end
end

-- Answers a request: in one piece where there is nothing to be said before, and it is ready soon.
local function answer(state, session, client, message, request)
  local streams = (request.headers.accept or ""):find("text/event-stream", 1, true) ~= nil
  local outbox, last, status = new_outbox(), nil, nil
  local function send(line)
    table.insert(outbox.lines, line)
    outbox.tell()
    return true
  end
  local work = task.start_for(state.owner, function()
    task.sleep(0)
    last, status = session:answer(client, message, streams and send or nil)
    outbox.over = true
    if last and outbox.streams then table.insert(outbox.lines, last) end
    outbox.tell()
  end)
  local leaving <close> = setmetatable({}, { __close = function()
    if not outbox.streams then work:cancel("the client has gone") end
  end })
  assert(leaving)
  outbox.wait(streams and http.timing.stream or http.timing.alive)
  while not streams and not outbox.over do outbox.wait(http.timing.alive) end
  if outbox.over and #outbox.lines == 0 then
    if not last then return { status = 202 } end -- it was cancelled
    return say(status or 200, last)
  end
  outbox.streams = true
  if outbox.over and last then table.insert(outbox.lines, last) end
  return { headers = { ["Content-Type"] = "text/event-stream", ["X-Accel-Buffering"] = "no" },
    stream = stream(outbox, work) }
end

-- --- without sessions -----------------------------------------------------------------------------------------

-- What HTTP repeats of a request has to be what the request says.
local function compare_headers(headers, message)
  local meta = message.params._meta
  local function mismatch(name)
    failure.raise(codes.header_mismatch, ("the header %s is missing or is not what the request says"):format(name), nil,
      400)
  end
  if headers[names.version] ~= meta[protocol.meta.version] then mismatch "MCP-Protocol-Version" end
  return function()
    if headers[names.method] ~= message.method then mismatch "Mcp-Method" end
    local field = protocol.named[message.method]
    local said = field and headers[names.name]
    if field and (not said or protocol.header_text(said) ~= message.params[field]) then mismatch "Mcp-Name" end
  end
end

local function check_stateless(headers, message)
  if type(message.params._meta) ~= "table" or type(message.params._meta[protocol.meta.version]) ~= "string"
    or type(message.params._meta[protocol.meta.capabilities]) ~= "table" then
    client_module.by_meta(message.params) -- says what is missing
  end
  local the_rest = compare_headers(headers, message)
  local client = client_module.by_meta(message.params)
  the_rest()
  return client
end

local function without_session(state, message, request)
  if message.kind ~= "request" then return { status = 202 } end
  local ok, client = pcall(check_stateless, request.headers, message)
  if not ok then
    local line, status = exchange.refused(message.id, client)
    return say(status or 400, line)
  end
  return answer(state, exchange.new(state.server), client, message, request)
end

-- --- with sessions --------------------------------------------------------------------------------------------

-- Few clients say that they have gone: where there are too many sessions, the one that was used least lately makes
-- room.
local function make_room(state)
  local oldest
  for id, session in pairs(state.sessions) do
    if session.count == 0 and (not oldest or session.used < state.sessions[oldest].used) then oldest = id end
  end
  if oldest then state.sessions[oldest], state.count = nil, state.count - 1 end
end

local function begin_session(state, message)
  if state.count >= most_sessions then make_room(state) end
  if state.count >= most_sessions then return refuse(429, "there are too many sessions") end
  local id = text.hex(uv.random(16))
  local session = exchange.new(state.server, client_module.by_handshake(message.params))
  session.used = task.now()
  state.sessions[id], state.count = session, state.count + 1
  return say(200, protocol.result(message.id, state.server:initialized(session.client)), { ["Mcp-Session-Id"] = id })
end

local function with_session(state, message, request)
  if message.kind == "request" and message.method == "initialize" then return begin_session(state, message) end
  local id = request.headers[names.session]
  if not id then
    return say(400, protocol.failure(message.id, codes.invalid_request, "the header Mcp-Session-Id is missing: begin "
      .. "with initialize"))
  end
  local session = state.sessions[id]
  if not session then
    return say(404, protocol.failure(message.id, codes.invalid_request, "there is no such session"))
  end
  session.used = task.now()
  if message.kind ~= "request" then
    session:hear(message)
    return { status = 202 }
  end
  return answer(state, session, session.client, message, request)
end

local function end_session(state, request)
  local id = request.headers[names.session]
  local session = id and state.sessions[id]
  if not session then return refuse(404, "there is no such session") end
  for _, work in pairs(session.active) do work:cancel("its session was ended") end
  state.sessions[id], state.count = nil, state.count - 1
  return { status = 204 }
end

-- --- the server -----------------------------------------------------------------------------------------------

local function is_stateless(message, headers)
  local version = headers[names.version]
  local known, stateless = protocol.knows(version)
  return stateless or version ~= nil and not known or client_module.meta(message.params or {}) ~= nil
end

local function post(state, request)
  local kind = (request.headers["content-type"] or ""):lower()
  if not kind:find("^application/json") then return refuse(415, "the body must be application/json") end
  local message, why, code, id = protocol.read(request.body)
  if not message then return say(400, exchange.unreadable(id, code, why)) end
  if is_stateless(message, request.headers) then return without_session(state, message, request) end
  return with_session(state, message, request)
end

local function handle(state, request)
  local no = stranger(state, request)
  if no then return no end
  if request.path ~= "/mcp" then return refuse(404, "the server is at /mcp") end
  if request.method == "POST" then return post(state, request) end
  if request.method == "DELETE" then return end_session(state, request) end
  return refuse(405, "only POST is served here", { Allow = "POST, DELETE" })
end

--- Serves until the current task is cancelled.
---@param server deskpilot.mcp_server
---@param options { port: integer, token: string?, started: fun(url: string) }
---@return nil, deskpilot.error err where it cannot serve at that port
function http.serve(server, options)
  local state = { server = server, token = options.token, sessions = {}, count = 0, owner = task.current() }
  local listener, err = http_server.start(function(request) return handle(state, request) end,
    { port = options.port, max_body = protocol.limits.bytes, max_connections = 128 })
  if not listener then return nil, err end
  local closing <close> = setmetatable({}, { __close = function() listener:stop() end })
  assert(closing)
  state.http = listener
  options.started(listener.url .. "/mcp")
  task.await(function() end)
end

return http
