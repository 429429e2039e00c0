-- base/http_server, http_message and http_form: proper requests by a proper client, and all others.
local t = require "harness"
local raw = require "raw_client"
local http = require "deskpilot.net.http"
local http_form = require "deskpilot.net.http_form"
local http_server = require "deskpilot.net.http_server"
local task = require "deskpilot.base.task"

local tests = {}

-- fn(server, seen), with a server that keeps the requests it was given and says which path was asked for. A request
-- for /slow is answered when seen.enough is true.
local function with_server(options, fn)
  local seen = {}
  local server = assert(http_server.start(function(request)
    table.insert(seen, request)
    if request.path == "/slow" then t.wait_until("the end of its answer", function() return seen.enough end, 60) end
    if request.path == "/broken" then error("a defect of the handler's") end
    if request.path == "/split" then return { headers = { X = "a\r\nb: c" } } end
    if request.path == "/none" then return nil end
    return { headers = { ["X-Method"] = request.method }, body = "path " .. request.path }
  end, options))
  local closing <close> = setmetatable({}, { __close = function() server:stop() end })
  assert(closing)
  fn(server, seen)
end

local function get(server, rest)
  return ("GET /a HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%s\r\n"):format(server.port, rest or "")
end

function tests.proper_requests()
  with_server({}, function(server, seen)
    local reply = assert(http.request { url = server.url .. "/caf%C3%A9?a=1&b=2" })
    t.eq(reply.status, 200)
    t.eq(reply.body, "path /café")
    t.eq(seen[1].query, "a=1&b=2")
    t.eq(reply.headers["cache-control"], "no-store")
    local body = ("x"):rep(3000000)
    reply = assert(http.request { url = server.url .. "/big", method = "POST", body = body })
    t.eq(reply.headers["x-method"], "POST")
    t.ok(seen[2].body == body, "three million bytes arrive as they were sent")
    reply = assert(http.request { url = server.url .. "/h", method = "HEAD" })
    t.eq({ reply.status, reply.body, reply.headers["x-method"] }, { 200, "", "GET" })
    t.eq(reply.headers["content-length"], "7")
    t.eq(assert(http.request { url = server.url .. "/none" }).status, 404)
  end)
end

function tests.a_handler_may_wait_and_fail()
  with_server({}, function(server, seen)
    local slow = task.start(http.request, { url = server.url .. "/slow" })
    t.wait_until("the slow request", function() return #seen == 1 end)
    t.eq(assert(http.request { url = server.url .. "/quick" }).body, "path /quick")
    t.ok(not slow:ended(), "the slow one is still being made")
    seen.enough = true
    local _, reply = slow:wait()
    t.eq(reply.body, "path /slow")
    t.eq(assert(http.request { url = server.url .. "/broken" }).status, 500)
    t.has(server.failures[1], "a defect of the handler's")
    reply = assert(http.request { url = server.url .. "/split" })
    t.eq({ reply.status, reply.headers.b }, { 500 })
    t.has(server.failures[2], "line end")
    t.eq(assert(http.request { url = server.url .. "/still" }).status, 200)
  end)
end

-- Pieces arrive as they are written; and a client that closes the connection ends the work.
function tests.an_answer_in_pieces()
  local closed, second = false, false
  local server = assert(http_server.start(function(request)
    return { headers = { ["Content-Type"] = "text/event-stream" }, stream = function(write)
      t.ok(write "first\n")
      if request.path == "/broken" then error "a defect of the stream's" end
      local ended <close> = setmetatable({}, { __close = function() closed = not second end })
      t.ok(ended)
      t.wait_until("the wish for more", function() return second end, 60)
      t.ok(write "")
      t.ok(write "second\n")
    end }
  end))
  local got = ""
  local reply = assert(http.stream({ url = server.url .. "/" }, function(bytes)
    got = got .. bytes
    if got == "first\n" then second = true end
  end))
  t.eq({ reply.status, reply.headers["content-type"], got }, { 200, "text/event-stream", "first\nsecond\n" })
  t.eq(reply.headers["transfer-encoding"], "chunked")
  second = false
  assert(http.stream({ url = server.url .. "/" }, function() return true end))
  t.wait_until("the end of the work that nobody waits for", function() return closed end)
  t.eq(server.failures, {})
  http.stream({ url = server.url .. "/broken" }, function() end)
  t.wait_until("the failure", function() return #server.failures == 1 end)
  t.has(server.failures[1], "a defect of the stream's")
  server:stop()
end

function tests.connections_are_kept_and_requests_queue()
  with_server({}, function(server, seen)
    local both = get(server) .. get(server, "Connection: close\r\n")
    local came, closed = raw.talk(server.port, both)
    t.eq(select(2, came:gsub("HTTP/1%.1 200 OK", "")), 2, came)
    t.ok(closed, "closed, as it was asked to be")
    t.eq(#seen, 2)
    came, closed = raw.talk(server.port, "GET /old HTTP/1.0\r\n\r\n")
    t.has(came, "path /old")
    t.ok(closed, "HTTP/1.0 keeps nothing")
    local connection = raw.open(server.port)
    connection:send(get(server, "Expect: 100-continue\r\nContent-Length: 5\r\n"))
    t.has(connection:wait(function(self) return self.came ~= "" end), "HTTP/1.1 100 Continue\r\n\r\n")
    connection:send("hello")
    t.has(connection:wait(function(self) return self.came:find("path /a", 1, true) end), "200 OK")
    t.eq(seen[4].body, "hello")
    connection:close()
  end)
end

function tests.what_is_refused()
  with_server({ max_body = 1000 }, function(server, seen)
    local host = ("Host: localhost:%d\r\n"):format(server.port)
    for request, status in pairs {
      ["\r\n\r\n"] = 400, ["nonsense\r\n\r\n"] = 400, ["get / HTTP/1.1\r\n" .. host .. "\r\n"] = 400,
      ["GET http://127.0.0.1/ HTTP/1.1\r\n" .. host .. "\r\n"] = 400,
      ["GET / HTTP/2.0\r\n" .. host .. "\r\n"] = 400,
      ["GET /../etc/passwd HTTP/1.1\r\n" .. host .. "\r\n"] = 400,
      ["GET /%2e%2E/x HTTP/1.1\r\n" .. host .. "\r\n"] = 400,
      ["GET /a/.. HTTP/1.1\r\n" .. host .. "\r\n"] = 400,
      ["GET /..%5cx HTTP/1.1\r\n" .. host .. "\r\n"] = 400,
      ["GET /%zz HTTP/1.1\r\n" .. host .. "\r\n"] = 400,
      ["GET /%00 HTTP/1.1\r\n" .. host .. "\r\n"] = 400,
      ["GET / HTTP/1.1\r\n\r\n"] = 400,
      ["GET / HTTP/1.1\r\n" .. host .. host .. "\r\n"] = 400,
      ["GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"] = 421,
      ["GET / HTTP/1.1\r\n" .. host .. "no colon\r\n\r\n"] = 400,
      ["GET / HTTP/1.1\r\n" .. host .. "a: b\0c\r\n\r\n"] = 400,
      ["GET / HTTP/1.1\r\n" .. host .. "a: b\r\n folded: c\r\n\r\n"] = 400,
      ["POST / HTTP/1.1\r\n" .. host .. "Content-Length: -1\r\n\r\n"] = 400,
      ["POST / HTTP/1.1\r\n" .. host .. "Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx"] = 400,
      ["POST / HTTP/1.1\r\n" .. host .. "Content-Length: 1001\r\n\r\n"] = 413,
      ["POST / HTTP/1.1\r\n" .. host .. "Content-Length: 99999999999999999999999\r\n\r\n"] = 413,
      ["POST / HTTP/1.1\r\n" .. host .. "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"] = 501,
      ["GET /" .. ("x"):rep(20000) .. " HTTP/1.1\r\n" .. host .. "\r\n"] = 431,
      [("x"):rep(20000)] = 431,
    } do
      local connection = raw.open(server.port)
      connection:send(request)
      local came = connection:wait(function(self) return self.came:find("\r\n\r\n.") end)
      t.has(came, "HTTP/1.1 " .. status .. " ", request:sub(1, 60))
      connection:close()
    end
    t.eq(#seen, 0, "the handler was told of none")
    t.eq(server.failures, {})
    t.eq(assert(http.request { url = server.url .. "/a" }).status, 200)
  end)
end

function tests.a_large_body_is_told_why_it_is_refused()
  with_server({ max_body = 1000 }, function(server)
    local reply = assert(http.request { url = server.url .. "/a", method = "POST", body = ("x"):rep(2000000),
      headers = { Expect = "" } })
    t.eq(reply.status, 413)
  end)
end

function tests.slow_senders_and_readers()
  with_server({ seconds = 0.5, max_connections = 3 }, function(server)
    local began = task.now()
    local came, closed = raw.talk(server.port, "GET / HT")
    t.has(came, "HTTP/1.1 408 ")
    t.ok(closed)
    came, closed = raw.talk(server.port, get(server, "Content-Length: 10\r\n") .. "half")
    t.has(came, "HTTP/1.1 408 ")
    t.ok(closed)
    came, closed = raw.talk(server.port, "")
    t.eq({ came, closed }, { "", true }, "one that says nothing is closed without a word")
    t.ok(task.now() - began < 30, "each ends soon")
    local held = { raw.open(server.port), raw.open(server.port), raw.open(server.port) }
    local fourth = raw.open(server.port)
    fourth:wait(function(self) return self.closed end)
    t.ok(fourth.closed, "one connection too many is closed")
    fourth:close()
    for _, connection in ipairs(held) do
      connection:wait(function(self) return self.closed end)
      connection:close()
    end
    t.eq(assert(http.request { url = server.url .. "/a" }).status, 200, "and there is room again")
  end)
end

function tests.stopping_closes_what_is_open()
  local idle, waiting
  with_server({}, function(server, seen)
    idle, waiting = raw.open(server.port), raw.open(server.port)
    waiting:send(("GET /slow HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n"):format(server.port))
    t.wait_until("the request", function() return #seen == 1 end)
    t.eq(assert(http.request { url = server.url .. "/a" }).status, 200)
    server:stop()
    for _, connection in ipairs { idle, waiting } do
      connection:wait(function(self) return self.closed end)
      t.eq({ connection.closed, connection.came }, { true, "" })
      connection:close()
    end
    local _, err = http.request { url = server.url .. "/a" }
    t.eq(err and err.code, "unavailable")
  end)
end

function tests.a_port_that_is_taken()
  with_server({}, function(server)
    local other, err = http_server.start(function() end, { port = server.port })
    t.eq(other, nil)
    t.eq(err.code, "io")
    t.has(tostring(err), tostring(server.port))
  end)
end

function tests.forms_of_pairs()
  t.eq(http_form.pairs("a=1&b=x+y%26z&&c=&d"), { { name = "a", value = "1" }, { name = "b", value = "x y&z" },
    { name = "c", value = "" }, { name = "d", value = "" } })
  t.eq(http_form.pairs(""), {})
  local _, err = http_form.pairs("a=%g1")
  t.eq(err.code, "protocol")
  t.has(tostring(select(2, http_form.pairs(("a=1&"):rep(201)))), "more than 200")
end

local function multipart(parts, boundary)
  local body = {}
  for _, part in ipairs(parts) do body[#body + 1] = "--" .. boundary .. "\r\n" .. part .. "\r\n" end
  return table.concat(body) .. "--" .. boundary .. "--\r\n"
end

function tests.forms_of_parts()
  local bytes = "\0\r\n--bound\r\n\255 PNG"
  local body = multipart({
    'Content-Disposition: form-data; name="a"\r\n\r\nGrüße',
    'Content-Disposition: form-data; name="f"; filename="C:\\x\\../%22p%22.png"\r\nContent-Type: image/png\r\n\r\n'
      .. bytes,
    'content-disposition: form-data; filename=""; name="g"\r\n\r\n',
  }, "bound--ary")
  t.eq(http_form.multipart(body, 'multipart/form-data; boundary="bound--ary"'), {
    { name = "a", value = "Grüße" }, { name = "f", value = bytes, filename = '"p".png', type = "image/png" },
    { name = "g", value = "", filename = "" } })
  local many = {}
  for i = 1, 201 do many[i] = 'Content-Disposition: form-data; name="a"\r\n\r\n' end
  for what, broken in pairs {
    ["no end"] = body:sub(1, -10), ["boundary is not in the body"] = "x",
    ["no header lines"] = multipart({ "x" }, "bound--ary"),
    ["no name"] = multipart({ "Content-Type: a\r\n\r\n" }, "bound--ary"),
    ["more than 200"] = multipart(many, "bound--ary"),
  } do
    local fields, err = http_form.multipart(broken, "multipart/form-data; boundary=bound--ary")
    t.eq(fields, nil, what)
    t.has(tostring(err), what)
  end
  local _, err = http_form.multipart(body, "multipart/form-data")
  t.has(tostring(err), "no valid boundary")
  _, err = http_form.read { headers = { ["content-type"] = "text/plain" }, body = "" }
  t.eq(err.code, "unsupported")
end

return tests
