-- Opening a WebSocket, against real sockets on this machine: what is asked, every wrong answer, and TLS.
local uv = require "luv"
local t = require "harness"
local task = require "deskpilot.base.task"
local websocket = require "deskpilot.net.websocket"
local websocket_server = require "websocket_server"
local ports = require "ports"
local tls_server = require "tls_server"

local tests = {}
local bytes_of, closing = websocket_server.frame_bytes, websocket_server.closing
local with_server, echo = websocket_server.with, websocket_server.echo

function tests.the_request()
  local asked
  with_server(function(peer)
    asked = peer:accept({ ["Sec-WebSocket-Protocol"] = "second" }, bytes_of("text", "at once"))
    peer:next()
  end, function(server)
    local socket = assert(websocket.open(server.url .. "/a/b?c=d", { headers = { ["X-Mine"] = "yes",
      Authorization = "Bearer x" }, protocols = { "first", "second" } }))
    t.eq(socket.protocol, "second")
    t.eq(socket:receive(30), "at once")
    socket:close()
    t.eq(asked.line, "GET /a/b?c=d HTTP/1.1")
    local headers = asked.headers
    t.eq(headers.host, "127.0.0.1:" .. server.port)
    t.eq(headers.upgrade, "websocket")
    t.eq(headers.connection, "Upgrade")
    t.eq(headers["sec-websocket-version"], "13")
    t.ok(headers["sec-websocket-key"]:find("^[%w+/]+==$") and #headers["sec-websocket-key"] == 24)
    t.eq(headers["sec-websocket-protocol"], "first, second")
    t.eq(headers["x-mine"], "yes")
    t.eq(headers.authorization, "Bearer x")
    t.eq(headers.origin, nil)
    t.eq(headers["sec-websocket-extensions"], nil)
  end)
end

function tests.the_path_when_there_is_none()
  for path, line in pairs { [""] = "GET / HTTP/1.1", ["?q"] = "GET /?q HTTP/1.1", ["/%20"] = "GET /%20 HTTP/1.1" } do
    local asked
    with_server(function(peer)
      asked = peer:accept()
      peer:next()
    end, function(server)
      assert(websocket.open(server.url .. path)):close()
      t.eq(asked.line, line)
    end)
  end
end

function tests.keys_are_never_the_same()
  local keys = {}
  for _ = 1, 5 do
    with_server(function(peer)
      local key = peer:accept().headers["sec-websocket-key"]
      t.ok(not keys[key], key)
      keys[key] = true
      peer:next()
    end, function(server) assert(websocket.open(server.url)):close() end)
  end
end

-- The server answers with what `answer(request)` gives; opening then fails so.
local function opening_fails(name, answer, code, words, options)
  with_server(function(peer)
    local request = peer:request()
    local bytes, step = answer(request)
    peer:write(bytes, step)
    if not (options or {}).hang_up then peer:rest_of_it() end
  end, function(server)
    local opened = task.now()
    local socket, err = websocket.open(server.url, { timeout = 60, protocols = options and options.protocols,
      on_close = function() error("on_close is for what was open") end })
    t.eq(socket, nil, name)
    t.eq(err.code, code, name .. ": " .. tostring(err))
    t.has(tostring(err), words, name)
    t.has(tostring(err), server.url, name)
    t.ok(task.now() - opened < 30, name .. ": without waiting for the time-out")
    t.eq(err.close_code, nil, name)
    if options and options.status then t.eq(err.status, options.status, name) end
  end)
end

local function changed(change)
  return function(request) return websocket_server.answer_to(request, change) end
end

local function always(text)
  return function() return text end
end

function tests.answers_that_are_no_websocket()
  opening_fails("404", always "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone", "refused", "404 Not Found",
    { status = 404 })
  opening_fails("redirect", always "HTTP/1.1 302 Found\r\nLocation: ws://127.0.0.1:1/\r\n\r\n", "refused", "302 Found",
    { status = 302 })
  opening_fails("401", always "HTTP/1.1 401\r\nWWW-Authenticate: Basic\r\n\r\n", "refused", "401", { status = 401 })
  opening_fails("200", changed { status = "HTTP/1.1 200 OK" }, "refused", "200 OK", { status = 200 })
  opening_fails("100", always "HTTP/1.1 100 Continue\r\n\r\n", "refused", "100 Continue", { status = 100 })
  opening_fails("a colourful reason", always "HTTP/1.1 500 \27[31mred\r\n\r\n", "protocol", "something else than HTTP")
end

function tests.malformed_answers()
  for name, text in pairs { ssh = "SSH-2.0-OpenSSH_9.2\r\n", ["zeros"] = ("\0"):rep(50),
    ["a frame"] = bytes_of("text", "hi"), ["no status"] = "HTTP/1.1 banana\r\n\r\n",
    ["HTTP/2"] = "HTTP/2 101 Switching\r\n\r\n", ["short"] = "HTTP/1.1 1\r\n\r\n",
    ["bare line ends"] = "HTTP/1.1 101 Switching Protocols\nUpgrade: websocket\n\r\n\r\n" } do
    opening_fails(name, always(text), "protocol", "something else than HTTP")
  end
  opening_fails("HTTP/1.0", changed { status = "HTTP/1.0 101 Switching Protocols" }, "protocol", "HTTP/1.0")
  opening_fails("no Upgrade", changed { Upgrade = false }, "protocol", "without switching")
  opening_fails("another Upgrade", changed { Upgrade = "h2c" }, "protocol", "without switching")
  opening_fails("no Connection", changed { Connection = false }, "protocol", "without switching")
  opening_fails("another Connection", changed { Connection = "keep-alive, upgraded" }, "protocol", "without switching")
  opening_fails("no Accept", changed { ["Sec-WebSocket-Accept"] = false }, "protocol", "wrong Sec-WebSocket-Accept")
  opening_fails("another's Accept", changed { ["Sec-WebSocket-Accept"] = websocket_server.accept_for("x") }, "protocol",
    "wrong Sec-WebSocket-Accept")
  opening_fails("Accept twice", function(request)
    local accept = websocket_server.accept_for(request.headers["sec-websocket-key"])
    return websocket_server.answer_to(request, { more = "sec-websocket-accept: " .. accept .. "\r\n" })
  end, "protocol", "twice")
  opening_fails("an extension", changed { ["Sec-WebSocket-Extensions"] = "permessage-deflate" }, "protocol",
    "extension")
  opening_fails("a protocol", changed { ["Sec-WebSocket-Protocol"] = "mine" }, "protocol", "nobody offered")
  opening_fails("another protocol", changed { ["Sec-WebSocket-Protocol"] = "Mine" }, "protocol", "nobody offered",
    { protocols = { "mine", "yours" } })
  opening_fails("no colon", changed { more = "nonsense\r\n" }, "protocol", "malformed header")
  opening_fails("no name", changed { more = ": nonsense\r\n" }, "protocol", "malformed header")
  opening_fails("a folded line", changed { more = " folded: x\r\n" }, "protocol", "malformed header")
  opening_fails("a space before the colon", changed { more = "X-One : x\r\n" }, "protocol", "malformed header")
  opening_fails("a zero", changed { more = "X-One: a\0b\r\n" }, "protocol", "malformed header")
  opening_fails("a line end", changed { more = "X-One: a\nX-Two: b\r\n" }, "protocol", "malformed header")
  opening_fails("endless headers", always("HTTP/1.1 101 OK\r\n" .. ("X-Filler: " .. ("y"):rep(900) .. "\r\n"):rep(100)),
    "protocol", "headers of more than")
  opening_fails("an endless line", always("HTTP/1.1 101 " .. ("y"):rep(100000)), "protocol", "headers of more than")
  opening_fails("an end in the middle", always("HTTP/1.1 101 Swit"), "io", "before it answered", { hang_up = true })
  opening_fails("nothing", always(""), "io", "before it answered", { hang_up = true })
end

function tests.answers_that_are_unusual_and_right()
  for name, change in pairs { ["lower case"] = { Upgrade = "WebSocket", Connection = "keep-alive, UPGRADE" },
    ["other headers"] = { Server = "x", Date = "y", ["Set-Cookie"] = "z=\xff" },
    ["no reason"] = { status = "HTTP/1.1 101" }, ["an empty extension"] = { ["Sec-WebSocket-Extensions"] = "" } } do
    with_server(function(peer)
      peer:accept(change)
      peer:next()
    end, function(server)
      local socket, err = websocket.open(server.url, { protocols = { "offered" } })
      t.eq(err, nil, name)
      t.eq(socket and socket.protocol, "", name)
      if socket then socket:close() end
    end)
  end
end

function tests.an_answer_byte_by_byte_with_a_message_behind_it()
  with_server(function(peer)
    local answer = websocket_server.answer_to(peer:request(), { more = "X-Long: " .. ("x"):rep(500) .. "\r\n" })
    peer:write(answer .. bytes_of("text", "first") .. bytes_of("binary", "second"), 1)
    peer:next()
  end, function(server)
    local socket = assert(websocket.open(server.url, { timeout = 100 })) -- a turn of the loop for each
    local bytes, kind = socket:receive(60)
    t.eq(bytes .. " " .. kind, "first text")
    bytes, kind = socket:receive(60)
    t.eq(bytes .. " " .. kind, "second binary")
    socket:close()
  end)
end

function tests.a_server_that_never_answers()
  with_server(function(peer) peer:rest_of_it() end, function(server)
    local began = task.now()
    local socket, err = websocket.open(server.url, { timeout = 0.3 })
    t.eq(socket, nil)
    t.eq(err.code, "timed_out")
    t.eq(tostring(err), ("no WebSocket to %s within 0.3 s"):format(server.url))
    t.ok(task.now() - began >= 0.29 and task.now() - began < 10, task.now() - began)
  end)
  with_server(function(peer)
    peer:request()
    while not peer.ended do
      peer:write("HTTP/1.1 101 Slow")
      task.sleep(0.05)
    end
  end, function(server) -- bytes that trickle do not help
    local socket, err = websocket.open(server.url, { timeout = 0.4 })
    t.eq(socket, nil)
    t.eq(err.code, "timed_out")
  end)
end

function tests.nobody_there()
  local port = ports.refusing()
  local socket, err = websocket.open("ws://127.0.0.1:" .. port .. "/x?key=hush")
  t.eq(socket, nil)
  t.eq(err.code, "unavailable")
  t.eq(tostring(err), ("nothing answers at ws://127.0.0.1:%d (connection refused)"):format(port))
  socket, err = websocket.open("ws://no-such-host.invalid/")
  t.eq(socket, nil)
  t.eq(err.code, "unavailable")
  t.has(tostring(err), "no-such-host.invalid")
  socket, err = websocket.open("ws://127.0.0.1:70000/")
  t.eq(socket, nil)
  t.eq(err.code, "invalid")
end

function tests.opening_is_cancelled_with_its_task()
  with_server(function(peer) peer:rest_of_it() end, function(server)
    local work = task.start(function() return websocket.open(server.url) end)
    t.wait_until("the connection", function() return server.peers[1] and server.peers[1].received > 0 end)
    work:cancel("enough")
    t.wait_until("its end", function() return server.peers[1].ended end)
    local other = task.start(function() return websocket.open(server.url) end)
    other:cancel("at once")
    local ok, err = other:wait()
    t.eq(ok, false)
    t.eq(err.code, "cancelled")
  end)
end

function tests.the_callers_mistakes_raise()
  local url = "ws://127.0.0.1:1/"
  local function try(part, ...) t.raises(part, websocket.open, ...) end
  try("ws:// or wss://", "http://127.0.0.1/")
  try("ws:// or wss://", "127.0.0.1")
  try("must name a host", "ws:///x")
  try("user, password", "ws://me:hush@127.0.0.1/")
  try("user, password, #", url .. "#part")
  try("backslash", "ws://127.0.0.1\\@evil/")
  try("must be ASCII", url .. "ü")
  try("must be ASCII", "ws://bücher.example/")
  try("must be ASCII", url .. "a b")
  try("must be ASCII", url .. "x\r\nEvil: 1")
  try("NUL", url .. "\0")
  try("'url' must be a string", nil)
  try("not a header", url, { headers = { A = "b\r\nEvil: 1" } })
  try("not a header", url, { headers = { ["A b"] = "c" } })
  try("not the caller's", url, { headers = { host = "elsewhere" } })
  try("not the caller's", url, { headers = { ["sec-websocket-key"] = "x" } })
  try("not a protocol", url, { protocols = { "a, b" } })
  try("a protocol must be a string", url, { protocols = { 5 } })
  try("'protocols'", url, { protocols = "chat" })
  try("'timeout'", url, { timeout = -1 })
  try("'timeout'", url, { timeout = 0 / 0 })
  try("'max_message'", url, { max_message = "1" })
  with_server(echo, function(server)
    local socket = assert(websocket.open(server.url))
    t.raises("UTF-8", socket.send, socket, "\xff")
    t.raises("may not be closed with the code 1005", socket.close, socket, 1005)
    t.raises("may not be closed with the code", socket.close, socket, 1 << 40)
    t.raises("at most 123 bytes", socket.close, socket, 1000, ("x"):rep(124))
    t.raises("UTF-8", socket.close, socket, 1000, "\xff")
    t.eq(socket:send("still open"), true)
    t.eq(socket:receive(30), "still open")
    socket:close(4000, ("r"):rep(123))
    t.eq(server.peers[1].frames[2].payload, closing(4000, ("r"):rep(123)))
  end)
end

function tests.a_proxy_stands_before_other_machines_only()
  local before = os.getenv("http_proxy")
  local lines = {}
  with_server(function(peer)
    local request = peer:request()
    table.insert(lines, request.line)
    if request.line:find("^CONNECT") then
      peer:write("HTTP/1.1 200 Connected\r\n\r\n")
      request = peer:request()
      table.insert(lines, request.line .. " " .. request.headers.host)
    end
    peer:write(websocket_server.answer_to(request))
    peer:next()
  end, function(server)
    uv.os_setenv("http_proxy", "http://127.0.0.1:" .. server.port)
    local near = websocket.open("ws://localhost:" .. server.port .. "/near")
    local far, err = websocket.open("ws://example.invalid/far")
    if before then uv.os_setenv("http_proxy", before) else uv.os_unsetenv("http_proxy") end
    t.eq(err, nil)
    if near then near:close() end
    if far then far:close() end
    t.eq(lines, { "GET /near HTTP/1.1", "CONNECT example.invalid:80 HTTP/1.1", "GET /far HTTP/1.1 example.invalid" })
  end)
end

-- What a Peer needs of a stream, over a child's standard input and output.
local function stream_of(input, output)
  return {
    write = function(_, bytes) input:write(bytes) end,
    read_start = function(_, fn) output:read_start(fn) end,
    is_closing = function() return input:is_closing() end,
    close = function()
      input:close()
      output:close()
    end,
  }
end

if t.platform == "linux" then -- the Windows suite has a server of its own for this
function tests.tls_is_verified_and_carries_messages()
  local input, output = uv.new_pipe(), uv.new_pipe()
  tls_server.with({}, { input, output }, function(port, certificate)
    local function open(host, ca_file)
      return websocket.open(("wss://%s:%d/secret"):format(host, port), { ca_file = ca_file, timeout = 30 })
    end
    local socket, err = open("localhost")
    t.eq(socket, nil, "nobody vouches for it")
    t.eq(err.code, "protocol")
    t.has(tostring(err), "verification")
    socket, err = open("127.0.0.1", certificate)
    t.eq(socket, nil, "trusted, but another's name")
    t.has(tostring(err), "verification")
    local peer = websocket_server.peer(stream_of(input, output))
    local work = task.start(echo, peer)
    socket, err = open("localhost", certificate)
    t.eq(err, nil)
    t.eq(peer.asked and peer.asked.line, "GET /secret HTTP/1.1")
    local message = ("0123456789abcdef"):rep(1 << 18)
    for _, bytes in ipairs { "hello", "", message } do
      socket:send(bytes)
      t.ok(socket:receive(60) == bytes, #bytes .. " bytes came back")
    end
    socket:close()
    t.eq(socket.closed.code, "cancelled")
    t.ok(work:wait())
    peer:close()
  end)
end
end

return tests
