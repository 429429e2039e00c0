-- NATS, JetStream and its keys and values, against Debian's nats-server: what it keeps and delivers, what may go wrong
-- on the way, and what is said then.
local files = require "deskpilot.base.files"
local jetstream = require "deskpilot.net.jetstream"
local nats = require "deskpilot.net.nats"
local nats_kv = require "deskpilot.net.nats_kv"
local nats_server = require "nats_server"
local ports = require "ports"
local pull = require "deskpilot.net.jetstream_pull"
local t = require "harness"
local task = require "deskpilot.base.task"

local tests = {}

-- Calls fn(connection, jetstream, puller, server) with a stream JOBS and its consumer.
local function with_jobs(config, fn)
  nats_server.with("", function(server)
    local connection <close> = assert(server:connect())
    local js = jetstream.of(connection)
    assert(js:ensure_stream { name = "JOBS", subjects = { "jobs.>" }, retention = "workqueue" })
    config.durable_name = "workers"
    assert(js:ensure_consumer("JOBS", config))
    local puller <close> = pull.from(js, "JOBS", "workers")
    fn(connection, js, puller, server)
  end)
end

-- How many messages the server still has, and how many of them are with somebody.
local function left(js)
  return js:stream("JOBS").state.messages, js:consumer("JOBS", "workers").num_ack_pending
end

local function only(puller, seconds)
  local messages = assert(puller:fetch(1, seconds))
  t.eq(#messages, 1)
  return messages[1]
end

-- --- messages ----------------------------------------------------------------------------------------------------

function tests.what_is_there_is_taken_at_once()
  with_jobs({ ack_wait = 30 }, function(_, js, puller)
    local began = task.now()
    t.eq(#assert(puller:fetch(1, 0)), 0)
    assert(js:publish("jobs.a", "1"))
    assert(js:publish("jobs.a", "2"))
    t.eq(only(puller, 0).data, "1")
    t.eq(#assert(puller:fetch(5, 0)), 1)
    t.eq(#assert(puller:fetch(5, 0)), 0)
    t.ok(task.now() - began < 3, "none of it waits")
    assert(js:publish("jobs.a", "3"))
    t.eq(only(puller, 5).data, "3", "and it can wait again")
  end)
end

function tests.messages_come_with_their_bytes_and_headers()
  nats_server.with("", function(server)
    local one <close> = assert(server:connect { name = "one" })
    local other <close> = assert(server:connect())
    local subscription = assert(other:subscribe "a.*")
    other:request("nobody", "") -- the server has the subscription now
    local bytes = "\0\r\n\255" .. ("x"):rep(100000)
    t.ok(one:publish("a.b", bytes, { headers = { Kind = "test: 1" } }))
    local message = assert(subscription:next(30))
    t.eq(message.subject, "a.b")
    t.ok(message.data == bytes)
    t.eq(message.headers.Kind, "test: 1")
    t.eq(message.reply, nil)
    t.fails("timed_out", "no message within 0.1 s", subscription:next(0.1))
  end)
end

function tests.a_request_is_answered_or_nobody_is_there()
  nats_server.with("", function(server)
    local connection <close> = assert(server:connect())
    assert(connection:listen("double", function(message)
      connection:publish(message.reply, message.data .. message.data)
    end))
    t.eq(assert(connection:request("double", "ab")).data, "abab")
    local list, works = {}, {}
    for i = 1, 50 do
      works[i] = task.start(function() list[i] = assert(connection:request("double", tostring(i))).data end)
    end
    for i, work in ipairs(works) do
      t.ok(work:wait())
      t.eq(list[i], i .. tostring(i))
    end
    t.fails("not_found", "nobody answers nobody", connection:request("nobody", ""))
    assert(connection:listen("silent", function() end))
    t.fails("timed_out", "has not answered a request to silent within 0.2 s",
      connection:request("silent", "", { timeout = 0.2 }))
  end)
end

function tests.what_would_be_another_command_is_refused()
  nats_server.with("", function(server)
    local connection <close> = assert(server:connect())
    for _, subject in ipairs { "", "a b", "a\r\nPUB b 0", ".a", "a.", "a..b", ("a"):rep(2000) } do
      t.raises("a subject of NATS", connection.publish, connection, subject, "")
      t.raises("a subject of NATS", connection.listen, connection, subject, print)
    end
    t.raises("NUL", connection.publish, connection, "a\0b", "")
    t.raises("a header", connection.publish, connection, "a", "", { headers = { ["A:"] = "" } })
    t.raises("a header", connection.publish, connection, "a", "", { headers = { A = "1\r\nB: 2" } })
    t.fails("invalid", "is more than the NATS server", connection:publish("a", ("x"):rep(connection.max_payload + 1)))
    t.ok(connection:publish("a", ("x"):rep(connection.max_payload)))
    t.fails("not_found", "", connection:request("nobody", "")) -- the server has kept the connection
    t.ok(connection.connected)
  end)
end

function tests.many_messages_come_all_and_in_order()
  nats_server.with("", function(server)
    local connection <close> = assert(server:connect())
    local seen, wrong = 0, nil
    assert(connection:listen("many", function(message)
      seen = seen + 1
      if message.data ~= tostring(seen) then wrong = wrong or message.data end
    end))
    for i = 1, 20000 do assert(connection:publish("many", tostring(i))) end
    t.wait_until("all of them", function() return seen == 20000 end, 60)
    t.eq(wrong, nil)
  end)
end

-- --- JetStream ---------------------------------------------------------------------------------------------------

function tests.a_message_that_is_acknowledged_is_gone()
  with_jobs({}, function(_, js, puller)
    local stored = assert(js:publish("jobs.a", "first"))
    t.eq(stored.seq, 1)
    assert(js:publish("jobs.b", "second", { headers = { Row = "2" } }))
    local messages = assert(puller:fetch(2, 30))
    t.eq({ messages[1].data, messages[2].data, messages[2].headers.Row }, { "first", "second", "2" })
    t.eq({ messages[1].seq, messages[1].delivered, messages[1].pending }, { 1, 1, 1 })
    t.eq({ left(js) }, { 2, 2 })
    t.ok(messages[1]:ack())
    t.eq({ left(js) }, { 1, 1 })
    t.ok(messages[2]:ack())
    t.eq({ left(js) }, { 0, 0 })
    t.eq(assert(puller:fetch(1, 0.2)), {})
  end)
end

function tests.a_message_that_is_not_acknowledged_comes_again()
  with_jobs({ ack_wait = 0.5 }, function(_, js, puller)
    assert(js:publish("jobs.a", "job"))
    t.eq(only(puller, 30).delivered, 1)
    local again = only(puller, 30)
    t.eq({ again.data, again.delivered }, { "job", 2 })
    t.ok(again:ack())
    t.eq({ left(js) }, { 0, 0 })
  end)
end

function tests.in_progress_keeps_a_message()
  with_jobs({ ack_wait = 3 }, function(_, js, puller)
    assert(js:publish("jobs.a", "job"))
    local message = only(puller, 30)
    local taken
    local thief = task.start(function() taken = assert(puller:fetch(1, 9)) end)
    for _ = 1, 20 do
      t.ok(message:in_progress())
      task.sleep(0.3)
    end
    t.ok(message:ack())
    t.ok(thief:wait())
    t.eq(taken, {}, "for two times ack_wait nobody else got it")
    t.eq({ left(js) }, { 0, 0 })
  end)
end

function tests.an_id_is_taken_once()
  with_jobs({}, function(_, js, puller)
    t.eq(assert(js:publish("jobs.a", "one", { id = "row-1" })).duplicate, nil)
    local second = assert(js:publish("jobs.a", "two", { id = "row-1" }))
    t.eq({ second.duplicate, second.seq }, { true, 1 })
    assert(js:publish("jobs.a", "three", { id = "row-2" }))
    local messages = assert(puller:fetch(3, 0.5))
    t.eq({ #messages, messages[1].data, messages[2].data }, { 2, "one", "three" })
  end)
end

function tests.nak_delays_and_term_ends()
  with_jobs({ ack_wait = 60 }, function(_, js, puller)
    assert(js:publish("jobs.a", "job"))
    t.ok(only(puller, 30):nak())
    local second = only(puller, 30)
    t.eq(second.delivered, 2)
    local began = task.now()
    t.ok(second:nak(1))
    local third = only(puller, 30)
    t.eq(third.delivered, 3)
    t.ok(task.now() - began >= 1, "it came after " .. task.now() - began .. " s")
    t.ok(third:term())
    t.eq(js:consumer("JOBS", "workers").num_ack_pending, 0)
    t.eq(assert(puller:fetch(1, 0.5)), {})
  end)
end

function tests.a_fetch_that_is_given_up_takes_nothing()
  with_jobs({ ack_wait = 60 }, function(_, js, puller)
    local ok, err = task.limit(0.3, puller.fetch, puller, 1, 30)
    t.ok(not ok)
    t.eq(err.code, "timed_out")
    assert(js:publish("jobs.a", "job"))
    t.eq(only(puller, 30).delivered, 1, "nobody had got it before")
    assert(js:publish("jobs.b", "other"))
    t.ok(not task.limit(1, puller.fetch, puller, 2, 30), "of two, one is there")
    t.eq(only(puller, 30).data, "other", "it was given back at once")
  end)
end

function tests.what_is_not_there_is_said()
  with_jobs({}, function(connection, js)
    t.fails("not_found", "no stream takes other.a", js:publish("other.a", ""))
    t.fails("not_found", "stream not found", js:stream "OTHER")
    t.fails("not_found", "consumer not found", js:consumer("JOBS", "other"))
    t.fails("not_found", "has no consumer other of a stream JOBS", pull.from(js, "JOBS", "other"):fetch(1, 1))
    t.raises("the name of a stream", js.stream, js, "A.B")
    local _, err = js:ensure_stream { name = "MORE", subjects = { "jobs.x" } }
    t.has(tostring(err), "subjects overlap")
    assert(connection:listen("liar", function(message) connection:publish(message.reply, "{}{") end))
    assert(connection:listen("liar2", function(message) connection:publish(message.reply, "7") end))
    t.fails("protocol", "no JSON object", js:publish("liar", ""))
    t.fails("protocol", "no JSON object", js:publish("liar2", ""))
  end)
end

-- --- keys and values ---------------------------------------------------------------------------------------------

local function with_bucket(fn)
  nats_server.with("", function(server)
    local connection <close> = assert(server:connect())
    local js = jetstream.of(connection)
    fn(assert(nats_kv.open(js, "runs")), js, server)
  end)
end

function tests.a_value_is_changed_by_whoever_knows_its_revision()
  with_bucket(function(runs)
    t.fails("not_found", "the bucket runs has no key a", runs:get "a")
    local first = assert(runs:create("a", "1"))
    t.fails("stale", "was changed by somebody else", runs:create("a", "2"))
    local entry = assert(runs:get "a")
    t.eq({ entry.key, entry.value, entry.revision }, { "a", "1", first })
    local second = assert(runs:update("a", "2", first))
    t.fails("stale", "was changed by somebody else", runs:update("a", "3", first))
    t.eq(runs:get("a").value, "2")
    t.fails("stale", "", runs:delete("a", first))
    t.ok(runs:delete("a", second))
    t.fails("not_found", "", runs:get "a")
    t.ok(runs:create("a", "anew"))
    t.eq(runs:get("a").value, "anew")
    t.ok(runs:put("a", "\0binary\255"))
    t.eq(runs:get("a").value, "\0binary\255")
    for _, key in ipairs { "", ".a", "a.", "a..b", "a b", "a*", ">" } do
      t.raises("a key has", runs.put, runs, key, "")
    end
  end)
end

function tests.of_those_who_change_at_once_each_counts_once()
  with_bucket(function(runs)
    assert(runs:create("counter", "0"))
    local works = {}
    for i = 1, 10 do
      works[i] = task.start(function()
        for _ = 1, 5 do
          repeat
            local entry = assert(runs:get "counter")
            local done, err = runs:update("counter", tostring(entry.value + 1), entry.revision)
            if not done then t.eq(err.code, "stale") end
          until done
        end
      end)
    end
    for _, work in ipairs(works) do t.ok(work:wait()) end
    t.eq(runs:get("counter").value, "50")
  end)
end

function tests.keys_and_changes_are_told()
  with_bucket(function(runs)
    t.eq(assert(runs:keys()), {})
    for _, key in ipairs { "b", "a.1", "a.2", "gone" } do assert(runs:put(key, "1")) end
    assert(runs:put("b", "2"))
    assert(runs:delete "gone")
    t.eq(assert(runs:keys()), { "a.1", "a.2", "b" })
    t.eq(assert(runs:keys { under = "a" }), { "a.1", "a.2" })
    local watch <close> = assert(runs:watch { under = "a" })
    local seen = {}
    while not watch.current do
      local entry = assert(watch:next(30))
      seen[#seen + 1] = entry.key .. "=" .. entry.value
    end
    t.eq(seen, { "a.1=1", "a.2=1" })
    t.fails("timed_out", "no change of the bucket runs", watch:next(0.2))
    assert(runs:put("b", "3"))
    assert(runs:put("a.2", "2"))
    assert(runs:delete "a.1")
    local entry = assert(watch:next(30))
    t.eq({ entry.key, entry.value, entry.deleted }, { "a.2", "2" })
    entry = assert(watch:next(30))
    t.eq({ entry.key, entry.value, entry.deleted }, { "a.1", "", true })
  end)
end

-- --- a server that goes ------------------------------------------------------------------------------------------

function tests.a_fetch_and_a_watch_outlive_the_server()
  with_jobs({ ack_wait = 60 }, function(connection, js, puller, server)
    local runs = assert(nats_kv.open(js, "runs"))
    assert(runs:put("a", "1"))
    local watch <close> = assert(runs:watch())
    t.eq(assert(watch:next(30)).value, "1")
    assert(js:publish("jobs.a", "first"))
    assert(js:publish("jobs.a", "held"))
    assert(js:ensure_stream { name = "KEPT", subjects = { "kept" } })
    assert(js:publish("kept", "", { id = "kept" }))
    local first, held = only(puller, 30), only(puller, 30)
    local others, change = {}, nil
    -- A server that was killed may have forgotten what it had delivered, and does so again.
    local fetching = task.start(function()
      for message in function() return only(puller, 90) end do
        if message.data == "after" then return message:ack() end
        others[message.data] = message:ack()
      end
    end)
    local watching = task.start(function() change = assert(watch:next(90)) end)
    server:kill()
    t.wait_until("the loss to be noticed", function() return not connection.connected end, 30)
    t.fails("timed_out", "the connection was lost", jetstream.of(connection, { timeout = 0.2 }):stream "JOBS")
    t.fails("unavailable", "is being made again", pull.from(js, "JOBS", "workers"):fetch(1, 0.2))
    local acknowledged = task.start(function() return first:ack() end)
    server:start()
    t.wait_until("the connection", function() return connection.connected end, 60)
    t.eq({ acknowledged:wait() }, { true, true }, "what is waited for is asked again")
    t.eq(assert(js:publish("kept", "", { id = "kept" })).duplicate, true)
    t.ok(held:ack())
    assert(js:publish("jobs.b", "after"))
    assert(runs:put("a", "2"))
    t.eq({ fetching:wait() }, { true, true })
    others.first, others.held = nil, nil
    t.eq(others, {})
    t.eq({ left(js) }, { 0, 0 })
    t.ok(watching:wait())
    t.eq({ change.key, change.value }, { "a", "2" })
  end)
end

function tests.no_server_and_one_that_says_nothing()
  local began = task.now()
  local url = "nats://127.0.0.1:" .. ports.refusing()
  t.fails("unavailable", "no NATS server answers at " .. url, nats.connect { servers = url })
  t.ok(task.now() - began < 20)
  t.fails("unavailable", "no NATS server answers at nats://no-such-host.invalid:1",
    nats.connect { servers = "nats://secret:word@no-such-host.invalid:1" })
  t.raises("is no address of a NATS server", nats.connect, { servers = "http://a" })
  local uv = require "luv"
  local silent <close> = setmetatable({ socket = uv.new_tcp() }, { __close = function(self) self.socket:close() end })
  assert(silent.socket:bind("127.0.0.1", 0))
  silent.socket:listen(5, function() end)
  local _, err = nats.connect { servers = "127.0.0.1:" .. silent.socket:getsockname().port, timeout = 0.3 }
  t.has(tostring(err), "127.0.0.1:" .. silent.socket:getsockname().port)
end

function tests.the_loop_goes_on_while_it_connects_and_closes()
  local uv = require "luv"
  local silent <close> = setmetatable({ socket = uv.new_tcp() }, { __close = function(self) self.socket:close() end })
  assert(silent.socket:bind("127.0.0.1", 0))
  silent.socket:listen(5, function() end)
  local ticks, over = 0, false
  local clock = task.start(function()
    while not over do
      ticks = ticks + 1
      task.sleep(0.01)
    end
  end)
  nats.connect { servers = "127.0.0.1:" .. silent.socket:getsockname().port, timeout = 1 }
  over = true
  clock:wait()
  t.ok(ticks >= 10, ticks .. " turns of the loop meanwhile")
  local given_up = task.limit(0.1, nats.connect,
    { servers = "127.0.0.1:" .. silent.socket:getsockname().port, timeout = 1 })
  t.ok(not given_up)
end

-- --- who may -----------------------------------------------------------------------------------------------------

function tests.wrong_credentials_are_refused_by_name()
  nats_server.with('authorization { user: "ann", password: "right" }', function(server)
    t.ok(assert(server:connect { user = "ann", password = "right" }):close())
    t.fails("refused", 'refused the user "ann" and its password', server:connect { user = "ann", password = "wrong" })
    t.fails("refused", "refused the token", server:connect { token = "wrong" })
    t.fails("refused", "wants credentials, and none are given", server:connect())
    local _, err = nats.connect { servers = server.url:gsub("//", "//ann:hidden@") }
    t.has(tostring(err), "refused the user and password in its address")
    t.ok(not tostring(err):find("hidden", 1, true))
  end)
  nats_server.with('authorization { token: "right" }', function(server)
    t.ok(assert(server:connect { token = "right" }):close())
    t.fails("refused", "refused the token", server:connect { token = "wrong" })
  end)
end

function tests.a_credentials_file_that_is_none_or_not_the_servers()
  nats_server.with('authorization { user: "ann", password: "right" }', function(server)
    local missing = server.folder .. "/missing.creds"
    local _, err = server:connect { credentials_file = missing }
    t.has(tostring(err), missing)
    local file = server.folder .. "/other.creds"
    assert(files.write(file, "-----BEGIN NATS USER JWT-----\neyJ0eXAiOiJKV1QifQ.e30.c2ln\n"
      .. "------END NATS USER JWT------\n\n"
      .. "-----BEGIN USER NKEY SEED-----\nSUAGMJH5XLGZKQQWAWKRZJIGMOU4HPFUYLXJMXOO5NLFEO2OOQJ5LPRDPM\n"
      .. "------END USER NKEY SEED------\n"))
    t.fails("refused", "refused the credentials of " .. file, server:connect { credentials_file = file })
  end)
end

function tests.what_the_account_may_not_do_is_said()
  nats_server.with([[authorization { users: [
    { user: "ann", password: "a", permissions: { publish: ["ok.>"], subscribe: ["_INBOX.>"] } } ] }]], function(server)
    local connection <close> = assert(server:connect { user = "ann", password = "a" })
    local _, err = connection:request("other", "", { timeout = 2 })
    t.has(tostring(err), "Permissions Violation")
    t.ok(connection.connected)
  end)
end

function tests.tls_is_wanted_and_checked()
  nats_server.with(function(folder)
    nats_server.certificates(folder, "ours", "server", "DNS:localhost")
    nats_server.certificates(folder, "ours", "client", "DNS:worker")
    nats_server.certificates(folder, "theirs", "stranger", "DNS:worker")
    return ("tls { cert_file: %q, key_file: %q, ca_file: %q, verify: true }"):format(folder .. "/server.pem",
      folder .. "/server.key", folder .. "/ours.pem")
  end, function(server)
    local function options(words)
      local all = { servers = "tls://localhost:" .. server.port, ca_file = server.folder .. "/ours.pem",
        cert_file = server.folder .. "/client.pem", key_file = server.folder .. "/client.key" }
      for name, value in pairs(words) do all[name] = value end
      return all
    end
    local connection = assert(nats.connect(options {}))
    t.fails("not_found", "", connection:request("nobody", ""))
    connection:close()
    t.fails("protocol", "do not agree on TLS", nats.connect(options { ca_file = server.folder .. "/theirs.pem" }))
    t.fails("protocol", "do not agree on TLS", nats.connect(options { tls_name = "example.org" }))
    local by_number = "tls://127.0.0.1:" .. server.port
    t.fails("protocol", "do not agree on TLS", nats.connect(options { servers = by_number }))
    t.ok(assert(nats.connect(options { servers = by_number, tls_name = "localhost" })):close())
    local _, err = nats.connect(options { cert_file = server.folder .. "/stranger.pem",
      key_file = server.folder .. "/stranger.key" })
    t.ok(err)
    t.fails("invalid", "missing.pem", nats.connect(options { ca_file = server.folder .. "/missing.pem" }))
    t.fails("protocol", "TLS", nats.connect { servers = "nats://localhost:" .. server.port })
  end)
end

function tests.a_server_without_tls_is_not_spoken_to_in_the_open()
  nats_server.with("", function(server)
    t.fails("protocol", "do not agree on TLS", nats.connect { servers = server.url:gsub("nats:", "tls:") })
  end)
end

return tests
