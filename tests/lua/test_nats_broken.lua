-- The client of NATS in Lua against servers that are no good: what they say at the wrong time or not at all, what they
-- refuse, and what comes back after a loss. The servers are sockets of this test.
local nats = require "deskpilot.net.nats"
local t = require "harness"
local task = require "deskpilot.base.task"
local uv = require "luv"

local tests = {}

local GREETING = 'INFO {"max_payload":1000,"headers":true}\r\n'

-- fn(url, server): server.connections are those that have come, each with what it has said; `play(connection)` is
-- called for each, and `heard(connection)` whenever it has said something.
local function with_server(play, fn, heard)
  local server = { connections = {}, socket = uv.new_tcp() }
  local leave <close> = setmetatable({}, { __close = function()
    server.socket:close()
    for _, one in ipairs(server.connections) do one:close() end
  end })
  t.ok(leave)
  assert(server.socket:bind("127.0.0.1", 0))
  server.socket:listen(5, function()
    local one = { said = "", socket = uv.new_tcp() }
    function one.say(_, bytes) if not one.socket:is_closing() then one.socket:write(bytes) end end
    function one.close() if not one.socket:is_closing() then one.socket:close() end end
    server.socket:accept(one.socket)
    server.connections[#server.connections + 1] = one
    one.socket:read_start(function(_, bytes)
      if not bytes then return one:close() end
      one.said = one.said .. bytes
      if heard then heard(one) end
    end)
    play(one, #server.connections)
  end)
  fn("nats://127.0.0.1:" .. server.socket:getsockname().port, server)
end

-- Says PONG to each PING of a client's.
local function answers(one)
  while true do
    local _, stop = one.said:find("PING\r\n", one.answered or 1, true)
    if not stop then break end
    one.answered = stop + 1
    one:say "PONG\r\n"
  end
  one.answered = math.max(one.answered or 1, #one.said - 4)
end

local function greets(one) one:say(GREETING) end

local function connect(url, options)
  options = options or {}
  options.servers, options.client, options.timeout = url, "own", options.timeout or 20
  return nats.connect(options)
end

function tests.a_greeting_that_is_none()
  for bytes, part in pairs {
    ["HTTP/1.1 400 Bad Request\r\n\r\n"] = "does not speak NATS's protocol", ["INFO {}\r\n"] = "no largest message",
    ['INFO {"max_payload":-1}\r\n'] = "no largest message", ['INFO {"max_payload":"x"}\r\n'] = "no largest message",
    ["PING\r\n"] = "it has not greeted", ["MSG a 1 1\r\nx\r\n"] = "it has not greeted",
    ["INFO [\r\n"] = "greeting", [("x"):rep(100000)] = "a line of more than",
    ["-ERR 'maximum connections exceeded'\r\n"] = "maximum connections exceeded",
  } do
    with_server(function(one) one:say(bytes) end, function(url)
      t.fails("unavailable", part, connect(url))
    end)
  end
  with_server(function(one) one:close() end, function(url)
    t.fails("unavailable", "no NATS server answers at " .. url, connect(url))
  end)
  with_server(function(one) one:say 'INFO {"max_payload":1000,"tls_required":true}\r\n' end, function(url, server)
    t.fails("protocol", "do not agree on TLS", connect(url, { user = "ann", password = "secret" }))
    t.eq(server.connections[1].said, "", "nothing was said in the open")
  end)
  with_server(greets, function(url)
    t.fails("timed_out", "has not answered within 0.2 s", connect(url, { timeout = 0.2 }))
  end)
end

function tests.of_several_servers_the_first_good_one()
  with_server(function(one) one:close() end, function(bad)
    with_server(greets, function(good)
      local connection <close> = assert(connect { bad, good })
      t.eq(connection.max_payload, 1000)
    end, answers)
  end)
end

function tests.what_it_says_of_itself()
  with_server(greets, function(url, server)
    local connection <close> = assert(connect(url:gsub("//", "//ann:p%%40@"), { name = "deskpilot worker" }))
    t.ok(connection.connected)
    local facts = require("deskpilot.base.json").decode(server.connections[1].said:match "^CONNECT ([^\r]*)\r\n")
    t.eq({ facts.user, facts.pass, facts.name, facts.headers, facts.no_responders, facts.verbose },
      { "ann", "p@", "deskpilot worker", true, true, false })
  end, answers)
end

-- What comes in the middle of a connection ends it, and it is made again, with its subscriptions.
function tests.broken_words_cost_the_connection_only()
  for _, bytes in ipairs { "MSG a 1 99999999999\r\n", "MSG a 1 2\r\nabcdef", "nonsense\r\n", ("y"):rep(100000),
    "HMSG a 1 9 8\r\n" } do
    with_server(greets, function(url, server)
      local connection <close> = assert(connect(url))
      local got = {}
      assert(connection:listen("a.*", function(message) got[#got + 1] = message.data end))
      t.wait_until("the subscription", function() return server.connections[1].said:find "SUB a%.%* 1\r\n" end)
      server.connections[1]:say("MSG a.b 1 2\r\nok\r\nMSG a.b 77 4\r\nelse\r\n" .. bytes)
      t.wait_until("another connection", function() return server.connections[2] and connection.connected end)
      t.wait_until("its subscription", function() return server.connections[2].said:find "SUB a%.%* 1\r\n" end)
      server.connections[2]:say "MSG a.b 1 5\r\nagain\r\n"
      t.wait_until("its message", function() return got[2] end)
      t.eq(got, { "ok", "again" })
    end, answers)
  end
end

function tests.what_is_published_meanwhile_is_kept_up_to_a_limit()
  local open = true
  with_server(function(one) if open then one:say(GREETING) else one:close() end end, function(url, server)
    local connection <close> = assert(connect(url))
    local changes = {}
    connection:on_change(function(change) changes[#changes + 1] = change end)
    open = false
    server.connections[1]:close()
    t.wait_until("the loss", function() return not connection.connected end)
    t.ok(connection:publish("a", "kept"))
    t.fails("timed_out", "is being made again", connection:request("a", "", { timeout = 0.1 }))
    local sent, err = true, nil
    for _ = 1, 20000 do
      sent, err = connection:publish("a", ("x"):rep(900))
      if not sent then break end
    end
    t.fails("unavailable", "8 MB are waiting for it", sent, err)
    open = true
    t.wait_until("the connection", function() return connection.connected end)
    local last = server.connections[#server.connections]
    t.wait_until("what was kept", function() return #last.said > 5 << 20 end)
    t.has(last.said, "PUB a 4\r\nkept\r\n")
    t.eq(changes, { "lost", "back" })
  end, answers)
end

function tests.a_server_that_reads_nothing_is_noticed()
  with_server(greets, function(url, server)
    local connection = assert(connect(url))
    server.connections[1].socket:read_stop()
    connection.max_payload = 16 << 20
    local sent, err, bytes = nil, nil, ("x"):rep(8 << 20)
    for _ = 1, 20 do
      sent, err = connection:publish("a", bytes)
      if not sent then break end
    end
    t.fails("unavailable", "64 MB are waiting", sent, err)
    local began = task.now()
    connection:close()
    t.ok(task.now() - began < 10, "it is not waited for without an end")
  end, answers)
end

function tests.credentials_that_were_taken_back_end_it()
  with_server(function(one, count)
    one:say(GREETING)
    if count > 1 then one:say "-ERR 'Authorization Violation'\r\n" end
  end, function(url, server)
    local connection = assert(connect(url, { user = "ann", password = "a" }))
    server.connections[1]:say "-ERR 'User Authentication Expired'\r\n"
    t.wait_until("the end", function() return connection.closed end)
    t.eq(connection.closed.code, "refused")
    t.has(tostring(connection.closed), "Authorization Violation")
    t.eq(#server.connections, 3, "it has tried twice")
    t.fails("refused", "has ended the connection", connection:publish("a", ""))
  end, answers)
end

function tests.what_is_refused_is_told_and_the_connection_stays()
  with_server(greets, function(url, server)
    local connection <close> = assert(connect(url))
    server.connections[1]:say "-ERR 'Permissions Violation for Publish to \"a\"'\r\nPING\r\n"
    t.wait_until("its words", function() return connection.trouble end)
    t.has(connection.trouble, "Permissions Violation")
    t.wait_until("the answer to its ping", function() return server.connections[1].said:find "PONG\r\n" end)
    t.ok(connection.connected)
  end, answers)
end

function tests.a_subscription_that_has_ended_is_told_nothing()
  with_server(greets, function(url, server)
    local connection <close> = assert(connect(url))
    local got = {}
    assert(connection:listen("a", function(message) got[#got + 1] = message.data end))
    local stop = assert(connection:listen("b", function(message) got[#got + 1] = message.data end))
    t.wait_until("the subscriptions", function() return server.connections[1].said:find "SUB b 2\r\n" end)
    stop()
    t.wait_until("its end", function() return server.connections[1].said:find "UNSUB 2\r\n" end)
    server.connections[1]:say "MSG b 2 1\r\nx\r\nMSG a 1 1\r\ny\r\n"
    t.wait_until("the other one", function() return got[1] end)
    t.eq(got, { "y" })
  end, answers)
end

return tests
