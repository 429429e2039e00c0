-- runtime/net, native.http and base/http, against real sockets on this machine.
local uv = require "luv"
local t = require "harness"
local compressed = require "compressed"
local task = require "deskpilot.base.task"
local http = require "deskpilot.net.http"
local native = require "native.http"
local model_server = require "model_server"
local ports = require "ports"
local tls_server = require "tls_server"

local tests = {}

local function with_server(script, fn)
  local server = model_server.start(script)
  server.lenient = true
  local ok, err = xpcall(fn, debug.traceback, server)
  server:stop()
  if not ok then error(err, 0) end
end

function tests.get_and_headers()
  with_server({ { body = "hi\0there", headers = { ["X-One"] = "a b", ["Content-Type"] = "text/x" } } },
    function(server)
      local result, err = http.request { url = server.origin .. "/p?q=1", headers = {
        ["X-Mine"] = "yes", ["X-Empty"] = "" } }
      t.eq(err, nil)
      t.eq(result.status, 200)
      t.eq(result.body, "hi\0there")
      t.eq(result.headers["x-one"], "a b")
      t.eq(result.headers["content-type"], "text/x")
      t.ok(result.seconds >= 0)
      t.eq(server.requests[1].method, "GET")
      t.eq(server.requests[1].path, "/p?q=1")
      t.eq(server.requests[1].headers["x-mine"], "yes")
      t.eq(server.requests[1].headers["x-empty"], "")
    end)
end

function tests.post_pieces_arrive_joined_byte_for_byte()
  with_server({ { body = "ok" } }, function(server)
    local big = string.rep("\0\255\r\nabc", 300000)
    local result = http.request { method = "POST", url = server.origin,
      body = { "first", "", big, "last" }, headers = { ["Content-Type"] = "application/json" } }
    t.eq(result.status, 200)
    local got = server.requests[1]
    t.ok(got.body == "first" .. big .. "last", "the same bytes")
    t.eq(got.headers["content-type"], "application/json")
    t.eq(got.headers.expect, nil)
    http.request { method = "PUT", url = server.origin, body = "x" }
    t.eq(server.requests[2].method, "PUT")
    t.eq(server.requests[2].body, "x")
    t.eq(server.requests[2].headers["content-type"], nil)
    http.request { method = "POST", url = server.origin }
    t.eq(server.requests[3].headers["content-length"], "0")
    http.request { method = "DELETE", url = server.origin }
    t.eq(server.requests[4].method, "DELETE")
  end)
end

function tests.body_strings_outlive_their_collection()
  with_server({ { body = "ok" } }, function(server)
    local list = { string.rep("a", 500000), string.rep("b", 500000) }
    local result
    native.request({ method = "POST", url = server.origin, body = list },
      function(r) result = r end)
    list[1], list[2] = nil, nil
    collectgarbage()
    collectgarbage()
    t.wait_until("the answer", function() return result end)
    t.eq(#server.requests[1].body, 1000000)
    t.eq(server.requests[1].body:sub(500000, 500001), "ab")
  end)
end

function tests.connections_are_kept()
  with_server({ { body = "ok" } }, function(server)
    for _ = 1, 5 do t.eq(http.request { url = server.origin }.status, 200) end
    t.eq(server.connections, 1)
  end)
end

function tests.a_dead_kept_connection_is_replaced()
  with_server({ { body = "ok" } }, function(server)
    http.request { url = server.origin }
    for socket in pairs(server.sockets) do socket:close() end
    server.sockets = {}
    local result, err = http.request { method = "POST", url = server.origin, body = { "a", "b" } }
    t.eq(err, nil)
    t.eq(result.status, 200)
    t.eq(server.requests[2].body, "ab")
  end)
end

function tests.fifty_at_once()
  local server
  local function all() return #server.requests == 50 end
  with_server({ { body = "ok", hold = all } }, function(started)
    server = started
    local works = {}
    for i = 1, 50 do
      works[i] = task.start(function()
        return http.request { method = "POST", url = server.origin, body = tostring(i), timeout = { total = 100 } }
      end)
    end
    for i = 1, 50 do
      local ok, result = works[i]:wait()
      t.ok(ok and result and result.status == 200, "together, not one after the other")
    end
    t.eq(#server.requests, 50)
  end)
end

function tests.chunked_and_streamed()
  local body = string.rep("0123456789", 1000)
  with_server({ { body = body, chunked = true }, { body = body, slow = { bytes = 2500, seconds = 0.02 } } },
    function(server)
      t.eq(http.request { url = server.origin }.body, body)
      local parts = {}
      local result = http.stream({ url = server.origin }, function(bytes) table.insert(parts, bytes) end)
      t.eq(result.body, "")
      t.ok(#parts >= 2, "came in parts")
      t.ok(table.concat(parts) == body, "all of it")
    end)
end

function tests.on_data_may_cancel_and_start()
  local body = string.rep("x", 100000)
  with_server({ { body = body, slow = { bytes = 10000, seconds = 0.01 } }, { body = "second" } },
    function(server)
      local calls, second, first = 0, nil, nil
      local cancel
      cancel = native.request({ url = server.origin, on_data = function()
        calls = calls + 1
        cancel()
        cancel()
        native.request({ url = server.origin }, function(r) second = r end)
      end }, function(...) first = { ... } end)
      t.wait_until("the second answer", function() return second end)
      task.sleep(0.1)
      t.eq(second.body, "second")
      t.eq(calls, 1)
      t.eq(first, nil, "done is not called after cancel")
    end)
end

function tests.cancelling_a_task_ends_its_request()
  with_server({ { silent = true } }, function(server)
    local work = task.start(function() return http.request { url = server.origin } end)
    t.wait_until("the request", function() return #server.requests == 1 end)
    work:cancel("enough")
    local ok, err = work:wait()
    t.eq(ok, false)
    t.eq(err.code, "cancelled")
    t.wait_until("the connection's end", function() return next(server.sockets) == nil end)
    local began = task.now()
    local done, failure = task.limit(0.1, http.request, { url = server.origin })
    t.eq(done, false)
    t.eq(failure.code, "timed_out")
    t.ok(task.now() - began < 10)
  end)
end

function tests.time_outs_say_which()
  with_server({ { silent = true }, { silent = true },
    { body = string.rep("x", 100), slow = { bytes = 1, seconds = 0.05 } },
    { body = string.rep("x", 10), slow = { bytes = 1, seconds = 0.2 } } }, function(server)
    local function ask(timeout)
      local began = task.now()
      local result, err = http.request { url = server.origin, timeout = timeout }
      return err, task.now() - began, result
    end
    local err, seconds = ask { total = 0.2 }
    t.eq(err.code, "timed_out")
    t.eq(err.timeout, "total")
    t.ok(seconds >= 0.19 and seconds < 10, seconds)
    t.has(tostring(err), server.origin)
    err, seconds = ask { total = 0.5, stall = 0.1 }
    t.eq(err.timeout, "total", "a server that thinks is no stall")
    t.ok(seconds >= 0.49 and seconds < 10, seconds)
    err = ask { total = 2.5, stall = 1.2 }
    t.eq(err.timeout, "total", "bytes that trickle are no stall")
    local none, _, result = ask { stall = 1.2 }
    t.eq(none, nil)
    t.eq(result and #result.body, 10)
  end)
end

function tests.a_body_that_stalls_in_the_middle()
  with_server({ { body = "first, and then nothing", slow = { bytes = 5, seconds = 1000 } } }, function(server)
    local began, got = task.now(), {}
    local result, err = http.stream({ url = server.origin, timeout = { stall = 0.2, total = 60 } }, function(bytes)
      got[#got + 1] = bytes
    end)
    t.eq({ result, table.concat(got) }, { nil, "first" })
    t.eq({ err.code, err.timeout }, { "timed_out", "stall" })
    t.ok(task.now() - began >= 0.19 and task.now() - began < 10)
  end)
  -- So is a request that the server does not take: more than the sockets of both hold.
  with_server({ { body = "ok" } }, function(server)
    server.deaf = true
    local result, err = http.request { method = "POST", url = server.origin, body = ("x"):rep(60 << 20),
      timeout = { stall = 0.3, total = 60 } }
    t.eq({ result, err and err.timeout }, { nil, "stall" })
  end)
end

function tests.a_stream_that_is_ended_by_its_reader()
  with_server({ { body = ("0123456789"):rep(100), slow = { bytes = 100, seconds = 0.01 } }, { body = "next" } },
    function(server)
      local size = 0
      local result, err = http.stream({ url = server.origin }, function(bytes)
        size = size + #bytes
        return size >= 200
      end)
      t.eq({ err, result and result.status, result and result.body }, { nil, 200, "" })
      t.ok(result and result.headers["content-length"] == "1000")
      t.ok(size >= 200 and size < 1000, size)
      t.wait_until("the connection's end", function() return next(server.sockets) == nil end)
      t.eq(http.request { url = server.origin }.body, "next")
    end)
end

-- --- compressed answers --------------------------------------------------------------------------------------

function tests.a_compressed_answer_that_nobody_asked_for()
  local unzipped = "hello, hello, hello, hello\n"
  with_server({ { body = compressed.gzip(unzipped), headers = { ["Content-Encoding"] = "gzip" } } }, function(server)
    local result, err = http.request { url = server.origin, max_bytes = #unzipped }
    t.eq({ err, result and result.body }, { nil, unzipped })
    t.eq(server.requests[1].headers["accept-encoding"], "identity")
    local parts = {}
    t.ok(http.stream({ url = server.origin }, function(bytes) parts[#parts + 1] = bytes end))
    t.eq(table.concat(parts), unzipped)
  end)
  for name, headers in pairs { ["no gzip"] = { ["Content-Encoding"] = "gzip" },
    ["unknown"] = { ["Content-Encoding"] = "secret" } } do
    with_server({ { body = "not compressed at all", headers = headers } }, function(server)
      local result, err = http.request { url = server.origin }
      t.fails("protocol", "127.0.0.1", result, err, name)
    end)
  end
end

-- 200 MB of zeros: the limit holds for what comes out, and no more than that is held in memory.
function tests.a_decompression_bomb()
  local bomb = compressed.bomb(200e6)
  t.ok(#bomb < 1.3e6, #bomb)
  with_server({ { body = bomb, headers = { ["Content-Encoding"] = "gzip" } } }, function(server)
    local before, most = uv.resident_set_memory(), 0
    for _, ask in ipairs { http.request, function(request)
      return http.stream(request, function() most = math.max(most, uv.resident_set_memory()) end)
    end } do
      local result, err = ask { url = server.origin, max_bytes = 1 << 20 }
      t.fails("protocol", "is larger than 1048576 bytes", result, err)
    end
    t.ok(most - before < 60 << 20, ("%d MB more"):format(most - before >> 20))
  end)
end

function tests.a_connection_that_never_stands()
  -- A listener whose backlog is full answers no SYN; TLS that is never spoken is as good a case.
  with_server({ { silent = true } }, function(server)
    local result, err = http.request { url = "https://127.0.0.1:" .. server.port,
      timeout = { connect = 0.2, total = 30 } }
    t.eq(result, nil)
    t.eq(err.code, "timed_out")
    t.eq(err.timeout, "connect")
  end)
end

function tests.nobody_there()
  local port = ports.refusing()
  local result, err = http.request { url = "http://me:hush@127.0.0.1:" .. port .. "/x?key=hush" }
  t.eq(result, nil)
  t.eq(err.code, "unavailable")
  t.eq(tostring(err), "nothing answers at http://127.0.0.1:" .. port .. " (connection refused)")
  result, err = http.request { url = "http://no-such-host.invalid/" }
  t.eq(result, nil)
  t.eq(err.code, "unavailable")
  t.has(tostring(err), "no-such-host.invalid")
end

function tests.malformed_answers()
  local replies = {
    { "SSH-2.0-OpenSSH_9.2\r\n", "protocol" },
    { "HTTP/1.1 banana\r\n\r\n", "protocol" },
    { "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello", "protocol" },
    { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "io" },
    { "", "io" },
    { "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nshort", "io" },
    { "HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n", "protocol" },
    { "HTTP/1.1 200 OK\r\n" .. ("X-Filler: " .. ("y"):rep(900) .. "\r\n"):rep(400) .. "\r\n", "protocol" },
  }
  for i, case in ipairs(replies) do
    with_server({ { raw = case[1] } }, function(server)
      local result, err = http.request { url = server.origin, timeout = { total = 30 } }
      t.eq(result, nil, "case " .. i)
      t.ok(err and (err.code == case[2] or err.code == "protocol"), i .. ": " .. tostring(err and err.code))
      t.has(tostring(err), "127.0.0.1", "case " .. i)
    end)
  end
end

function tests.an_answer_over_the_limit()
  with_server({ { body = string.rep("x", 5000) }, { body = string.rep("x", 5000), chunked = true } },
    function(server)
      for _ = 1, 2 do
        local result, err = http.request { url = server.origin, max_bytes = 4999 }
        t.eq(result, nil)
        t.eq(err.code, "protocol")
        t.has(tostring(err), "4999 bytes")
      end
      t.eq(#http.request { url = server.origin, max_bytes = 5000 }.body, 5000)
    end)
end

function tests.the_callers_mistakes_raise()
  local function try(part, request)
    t.raises(part, function() native.request(request, function() end) end)
  end
  local url = "http://127.0.0.1:1/"
  try("line ends", { url = url, headers = { A = "b\r\nEvil: 1" } })
  try("line ends", { url = url, headers = { A = "b\nEvil: 1" } })
  try("not a header's name", { url = url, headers = { ["A: b\r\nEvil"] = "1" } })
  try("not a header's name", { url = url, headers = { [""] = "1" } })
  try("NUL", { url = url, headers = { A = "b\0c" } })
  try("NUL", { url = url .. "\0evil" })
  try("control characters", { url = url .. " HTTP/1.1\r\nEvil: 1" })
  try("http:// or https://", { url = "file:///etc/passwd" })
  try("http:// or https://", { url = "gopher://x/" })
  try("must name a host", { url = "http:///x" })
  try("not an HTTP method", { url = url, method = "GET /evil HTTP/1.1\r\n" })
  try("'url' must be a string", {})
  try("'body' must be", { url = url, body = { "a", 7 } })
  try("'body' must be", { url = url, body = true })
  try("'timeout' must be", { url = url, timeout = 5 })
  try("'total' must be", { url = url, timeout = { total = -1 } })
  try("'total' must be", { url = url, timeout = { total = "5" } })
  try("'stall' must be", { url = url, timeout = { stall = 1 / 0 } })
  try("'connect' must be", { url = url, timeout = { connect = 0 / 0 } })
  try("'max_bytes' must be", { url = url, max_bytes = 1e300 })
  try("on_data", { url = url, on_data = 5 })
  try("header's value must be a string", { url = url, headers = { A = 5 } })
end

function tests.redirects_only_when_asked_for()
  local function script(_, index)
    if index == 3 then return { body = "there" } end
    return { status = 307, headers = { Location = "/next", ["X-First"] = "1" } }
  end
  with_server(script, function(server)
    local result = http.request { method = "POST", url = server.origin, body = { "a", "b" } }
    t.eq(result.status, 307)
    t.eq(result.headers.location, "/next")
    result = http.request { method = "POST", url = server.origin, body = { "a", "b" },
      follow_redirects = true }
    t.eq(result.body, "there")
    t.eq(result.headers["x-first"], nil)
    t.eq(server.requests[3].path, "/next")
    t.eq(server.requests[3].body, "ab")
  end)
  with_server({ { status = 302, headers = { Location = "ftp://example.invalid/passwd" } } }, function(server)
    local result, err = http.request { url = server.origin, follow_redirects = true }
    t.eq(result, nil)
    t.eq(err.code, "protocol")
  end)
end

function tests.a_proxy_never_stands_before_this_machine()
  local port = ports.refusing()
  local before = os.getenv("http_proxy")
  uv.os_setenv("http_proxy", "http://127.0.0.1:" .. port)
  with_server({ { body = "direct" } }, function(server)
    t.eq(http.request { url = server.origin }.body, "direct")
    t.eq(http.request { url = "http://localhost:" .. server.port }.body, "direct")
    local result, err = http.request { url = "http://example.invalid/" }
    t.eq(result, nil)
    t.eq(err.code, "unavailable") -- it went to the proxy, which is not there
    t.has(tostring(err), "refused")
  end)
  if before then uv.os_setenv("http_proxy", before) else uv.os_unsetenv("http_proxy") end
end

if t.platform == "linux" then -- the Windows suite has a server of its own for this
function tests.tls_is_verified()
  tls_server.with({ "-www" }, nil, function(port, certificate, folder)
    local function ask(host, ca)
      return http.request { url = "https://" .. host .. ":" .. port .. "/", ca_file = ca, timeout = { total = 30 } }
    end
    local result, err = ask("localhost")
    t.eq(result, nil)
    t.eq(err.code, "protocol")
    t.has(tostring(err), "verification")
    result, err = ask("localhost", certificate)
    t.eq(err, nil)
    t.eq(result and result.status, 200)
    result, err = ask("127.0.0.1", certificate) -- trusted, but another's name
    t.eq(result, nil)
    t.has(tostring(err), "verification")
    result, err = ask("localhost", folder .. "/none.pem")
    t.eq(result, nil)
    t.eq(err.code, "io")
  end)
end
end

function tests.a_request_cancelled_before_it_began()
  with_server({ { body = "ok" } }, function(server)
    local cancel = native.request({ url = server.origin }, function() end)
    cancel()
    t.eq(http.request { url = server.origin }.status, 200)
  end)
end

function tests.zz_left_open_at_the_end()
  -- The state is closed with this under way: the sanitizers see whether all is freed.
  local server = model_server.start { { silent = true } }
  server.lenient = true
  native.request({ url = server.origin, body = string.rep("x", 100000), timeout = { stall = 60 } },
    function() error("must not be called") end)
  t.wait_until("the request", function() return #server.requests == 1 end)
  t.ok(true)
end

return tests
