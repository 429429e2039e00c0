-- A WebSocket that is open, against real sockets on this machine: both directions at full speed and none, and every
-- way to end. Opening one is test_websocket_opening.lua's, what frames may look like test_websocket_frames.lua's.
local t = require "harness"
local task = require "deskpilot.base.task"
local websocket = require "deskpilot.net.websocket"
local websocket_server = require "websocket_server"

local tests = {}
local bytes_of, closing = websocket_server.frame_bytes, websocket_server.closing
local with_server, echo = websocket_server.with, websocket_server.echo

function tests.a_server_that_reads_slowly_makes_the_sender_wait()
  local message = ("x"):rep(100000)
  with_server(function(peer)
    peer:accept()
    peer:stop_reading()
    task.sleep(0.3)
    peer:read_on()
    for frame in function() return peer:next() end do
      if frame.kind == "close" then break end
      t.ok(frame.payload == message)
    end
  end, function(server)
    local socket = assert(websocket.open(server.url))
    local most, waited, sent = 0, false, 0
    local work = task.start(function()
      for _ = 1, 300 do
        if not socket:send(message) then break end
        sent = sent + 1
        most = math.max(most, socket.native:pending())
      end
      waited = true
    end)
    t.ok(not waited, "30 MB are not on their way at once")
    t.ok(work:wait())
    t.eq(sent, 300)
    t.ok(most <= (1 << 20) + 2 * #message, most .. " bytes waited at most")
    t.wait_until("them to arrive", function() return #server.peers[1].frames == 300 end, 60)
    socket:close()
    t.eq(#server.peers[1].frames, 301)
  end)
end

function tests.a_callback_cannot_wait_and_is_told_when_it_is_too_much()
  local over = false
  with_server(function(peer)
    peer:accept()
    peer:stop_reading()
    peer:frame("text", "go")
    t.wait_until("the end", function() return over end, 60)
  end, function(server)
    local why
    local socket
    socket = assert(websocket.open(server.url, { on_message = function()
      local megabytes = ("x"):rep(8 << 20)
      for _ = 1, 30 do
        local ok, err = socket:send(megabytes, { binary = true })
        if not ok then
          why = err
          break
        end
      end
    end }))
    t.wait_until("the refusal", function() return why end, 60)
    t.eq(why.code, "unavailable")
    t.ok(socket.native:pending() < 80 << 20, socket.native:pending())
    local began = task.now()
    socket:close()
    over = true
    t.ok(task.now() - began < 15, "a server that reads nothing holds nobody up")
    t.eq(socket.closed.code, "cancelled")
  end)
end

function tests.a_server_that_is_too_fast_is_made_to_wait()
  local count, message = 400, ("y"):rep(100000)
  with_server(function(peer)
    peer:accept()
    for i = 1, count do peer:frame("binary", ("%06d"):format(i) .. message) end
    peer:next()
  end, function(server)
    local socket = assert(websocket.open(server.url))
    t.wait_until("the queue to fill", function() return socket.queue.bytes > 1 << 20 end, 60)
    task.sleep(0.3)
    t.ok(socket.queue.bytes < 2 << 20, "not everything was taken in: " .. socket.queue.bytes)
    t.ok(server.peers[1].handle:get_write_queue_size() > 1 << 20, "the rest waits at the server")
    for i = 1, count do
      local bytes = socket:receive(10)
      if not bytes or tonumber(bytes:sub(1, 6)) ~= i then t.ok(false, "message " .. i) break end
    end
    local none, err = socket:receive(0.05)
    t.eq(none, nil)
    t.eq(err.code, "timed_out")
    socket:close()
  end)
end

function tests.a_flood_of_pings_fills_no_memory()
  local flood = {}
  for i = 1, 10000 do flood[i] = bytes_of("ping", ("%099d"):format(i)) end
  flood = table.concat(flood)
  local socket, most = nil, 0
  with_server(function(peer)
    peer:accept()
    t.wait_until("the client", function() return socket end, 60)
    peer:stop_reading()
    for _ = 1, 20 do
      peer:write(flood)
      while peer.handle:get_write_queue_size() > 0 do
        task.sleep(0.01)
        most = math.max(most, socket.native:pending())
      end
    end
    peer:frame("text", "after")
    peer:read_on()
    peer:rest_of_it()
  end, function(server)
    socket = assert(websocket.open(server.url))
    t.eq(socket:receive(60), "after")
    socket:close()
    t.ok(most < 1000, most .. " bytes of pongs waited at most, of 20 MB of pings")
  end)
end

function tests.large_messages_both_ways()
  local message = ("0123456789abcdef"):rep(10 * 65536)
  with_server(echo, function(server)
    local socket = assert(websocket.open(server.url))
    t.eq(socket:send(message, { binary = true }), true)
    local bytes, kind = socket:receive(60)
    t.ok(bytes == message, "10 MB came back as they were")
    t.eq(kind, "binary")
    socket:close()
  end)
end

function tests.closing_by_this_side()
  with_server(function(peer)
    peer:accept()
    t.eq(peer:next().payload, "last words")
    t.eq(peer:next().payload, closing(1001, "going"))
    peer:frame("text", "too late")
    peer:frame("close", closing(1001))
    t.eq(peer:next(), nil)
  end, function(server)
    local closed, messages = {}, 0
    local socket = assert(websocket.open(server.url, { on_close = function(err) table.insert(closed, err) end,
      on_message = function() messages = messages + 1 end }))
    socket:send("last words")
    t.eq(socket:close(1001, "going"), true)
    t.eq(#closed, 1)
    t.eq(closed[1].code, "cancelled")
    t.eq(closed[1].close_code, 1001)
    t.eq(messages, 0)
    t.eq(socket:close(), true)
    t.eq(select(2, socket:send("x")), closed[1])
    t.eq(select(2, socket:receive(1)), closed[1])
    t.eq(#closed, 1)
  end)
end

function tests.a_server_that_does_not_agree_to_a_closing()
  local function closes(name, answer)
    with_server(function(peer)
      peer:accept()
      while not peer.ended do
        answer(peer)
        if peer.handle:is_closing() then return end
        if not peer:next() then return end
      end
    end, function(server)
      local closed = 0
      local socket = assert(websocket.open(server.url, { on_close = function() closed = closed + 1 end,
        on_message = function() end }))
      local began = task.now()
      socket:close()
      t.ok(task.now() - began < 15, name .. ": " .. task.now() - began)
      t.eq(closed, 1, name)
    end)
  end
  local waiting = {} -- all at once, for some take as long as is waited for an answer
  for name, answer in pairs { silence = function() end, messages = function(peer) peer:frame("text", "never") end,
    nonsense = function(peer) peer:write(("\xff"):rep(100)) end,
    ["an end"] = function(peer) peer:close() end, ["a reset"] = function(peer) peer:close(true) end } do
    table.insert(waiting, task.start(closes, name, answer))
  end
  for _, one in ipairs(waiting) do t.eq({ one:wait() }, { true }) end
end

function tests.the_connection_breaks()
  for name, how in pairs { ["an end"] = function(peer) peer:close() end,
    ["half an end"] = function(peer) peer:shutdown() end,
    ["a reset"] = function(peer) peer:close(true) end,
    ["in a frame"] = function(peer) peer:frame("text", "half", { length = 100 }) peer:shutdown() end } do
    with_server(function(peer)
      peer:accept(nil, bytes_of("text", "one") .. bytes_of("text", "two"))
      peer:next()
      how(peer)
      if not peer.handle:is_closing() then peer:rest_of_it() end
    end, function(server)
      local closed
      local socket = assert(websocket.open(server.url, { on_close = function(err) closed = err end }))
      socket:send("now")
      t.wait_until(name, function() return closed end, 30)
      t.eq(closed.code, "io", name)
      t.eq(closed.close_code, 1006, name)
      t.has(tostring(closed), server.url, name)
      t.eq(socket:receive(1), "one", name .. ": what came before is still there")
      t.eq(socket:receive(1), "two", name)
      t.eq(select(2, socket:receive(1)), closed, name)
    end)
  end
end

function tests.those_who_wait_are_told_of_the_end()
  local waiting
  with_server(function(peer)
    peer:accept()
    peer:stop_reading()
    t.wait_until("both to wait", function() return waiting end)
    peer:close(true)
  end, function(server)
    local socket = assert(websocket.open(server.url))
    local receiver = task.start(function() return socket:receive() end)
    local sender = task.start(function()
      while true do
        local ok, err = socket:send(("x"):rep(1 << 20))
        if not ok then return ok, err end
      end
    end)
    t.wait_until("the sender to wait", function() return #socket.senders == 1 end)
    waiting = true
    for name, work in pairs { receiver = receiver, sender = sender } do
      local ok, value, err = work:wait()
      t.ok(ok, value)
      t.eq(value, nil, name)
      t.eq(err and err.code, "io", name)
    end
  end)
end

function tests.closing_is_heard_by_who_was_not_listening()
  with_server(function(peer)
    peer:accept(nil, bytes_of("binary", ("x"):rep(3 << 20)))
    peer:frame("binary", ("y"):rep(8 << 20)) -- more than is read before somebody takes some
    t.eq(peer:next().kind, "close")
    peer:frame("close", closing(1000))
    t.eq(peer:next(), nil)
    t.eq(peer.broke, nil, "it ended when it had read everything, not with a reset")
  end, function(server)
    local socket = assert(websocket.open(server.url))
    t.wait_until("the queue to fill", function() return socket.queue.bytes > 1 << 20 end, 60)
    socket:close()
    t.eq(socket.closed.code, "cancelled")
  end)
end

function tests.who_sends_to_a_paused_connection_that_breaks_is_told()
  local full
  with_server(function(peer)
    peer:accept(nil, bytes_of("binary", ("x"):rep(3 << 20)))
    peer:frame("binary", ("y"):rep(3 << 20)) -- more than is read before somebody takes some
    t.wait_until("the client's queue to fill", function() return full end, 60)
    peer:close(true)
  end, function(server)
    local socket = assert(websocket.open(server.url))
    t.wait_until("the queue to fill", function() return socket.queue.bytes > 1 << 20 end, 60)
    full = true
    local err
    repeat
      task.sleep(0.01)
      err = select(2, socket:send(("z"):rep(100000)))
    until err
    t.eq(err.code, "io")
    t.eq(#socket:receive(), 3 << 20)
  end)
end

function tests.everything_may_be_done_in_a_callback()
  with_server(function(peer)
    local request = peer:accept(nil, bytes_of("text", "one") .. bytes_of("text", "two"))
    if not request.line:find("again") then t.eq(peer:next().payload, "answer") end
    t.eq(peer:next().kind, "close")
    peer:frame("close", closing(1000))
    peer:rest_of_it()
  end, function(server)
    local messages, closed, again, socket = {}, 0, nil, nil
    socket = assert(websocket.open(server.url, { on_message = function(bytes)
      table.insert(messages, bytes)
      socket:send("answer")
      socket:close()
      socket:close()
      t.eq(select(2, socket:send("more")).code, "cancelled")
    end, on_close = function()
      closed = closed + 1
      again = task.start(function() return websocket.open(server.url .. "/again"):close() end)
    end }))
    t.wait_until("the end", function() return again and again:ended() end)
    t.eq({ again:wait() }, { true, true })
    t.eq(messages, { "one" }, "nothing is told after a close")
    t.eq(closed, 1)
  end)
end

function tests.cancelled_senders_and_receivers_leave_nothing_behind()
  with_server(echo, function(server)
    local socket = assert(websocket.open(server.url))
    local receiver = task.start(function() return socket:receive() end)
    receiver:cancel("enough")
    local ok, err = task.limit(0.05, function() return socket:receive() end)
    t.eq(ok, false)
    t.eq(err.code, "timed_out")
    t.eq(#socket.receivers, 0)
    socket:send("mine")
    t.eq(socket:receive(30), "mine")
    socket:close()
  end)
end

function tests.a_socket_closes_with_its_block()
  with_server(echo, function(server)
    local kept
    local work = task.start(function()
      local socket <close> = assert(websocket.open(server.url))
      kept = socket
      socket:receive()
    end)
    t.wait_until("the socket", function() return kept end)
    work:cancel("enough")
    t.wait_until("its end", function() return kept.closed end)
    t.eq(server.peers[1].frames[1].payload, closing(1000))
  end)
end

function tests.fifty_at_once()
  with_server(echo, function(server)
    local works = {}
    for i = 1, 50 do
      works[i] = task.start(function()
        local socket = assert(websocket.open(server.url, { timeout = 60 }))
        for j = 1, 20 do
          socket:send(i .. " " .. j)
          assert(socket:receive(60) == i .. " " .. j)
        end
        return socket:close()
      end)
    end
    for i = 1, 50 do t.ok(select(2, works[i]:wait()) == true, "socket " .. i) end
  end)
end

function tests.zz_left_open_at_the_end()
  -- The state is closed with these under way: the sanitizers see whether all is freed.
  local server = websocket_server.start(function(peer)
    if peer:accept().line:find("open") then
      peer:frame("text", "half", { length = 100 })
      peer:rest_of_it()
    end
  end)
  local silent = websocket_server.start(function(peer) peer:rest_of_it() end)
  local open = assert(websocket.open(server.url .. "/open", { on_close = function() error("must not be called") end }))
  task.start(websocket.open, silent.url)
  open:send(("x"):rep(30 << 20))
  local closing_one = assert(websocket.open(server.url .. "/open"))
  task.start(closing_one.close, closing_one)
  t.wait_until("the connection", function() return silent.peers[1] end)
  t.ok(true)
end

return tests
