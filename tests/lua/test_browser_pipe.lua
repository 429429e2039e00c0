--- The DevTools protocol over pipes, against a browser that is none: this process has the other ends and sends what the
--- test wants. And how pipes get to a program that another process starts.
local t = require "harness"
local uv = require "luv"
local cdp = require "deskpilot.desk.browser.cdp"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local pipe = require "deskpilot.desk.browser.pipe"
local pipes = require "deskpilot.desk.app.pipes"
local platform = require "deskpilot.desk.platform"
local spawn = require "spawn"
local task = require "deskpilot.base.task"

local tests = {}

local function stream_of(descriptor)
  local stream = uv.new_pipe()
  assert(stream:open(descriptor))
  return stream
end

-- Pipes, and a browser at their other ends: it reads calls, and does answer(peer, call) for each.
local function connected(answer)
  local there, back = assert(uv.pipe({ nonblock = true }, { nonblock = true })),
    assert(uv.pipe({ nonblock = true }, { nonblock = true }))
  local own, peer = pipes.new(), { parts = {}, calls = {} }
  own.input, own.output = stream_of(there.write), stream_of(back.read)
  peer.input, peer.output = stream_of(there.read), stream_of(back.write)
  function peer:say(...) self.output:write { ... } end
  function peer:reply(call, result) self:say(json.encode { id = call.id, result = result }, "\0") end
  function peer:close()
    for _, stream in ipairs { self.input, self.output } do
      if not stream:is_closing() then stream:close() end
    end
  end
  function peer:listen()
    self.input:read_start(function(_, data)
      if not data then self.ended = true return end
      local from = 1
      for at in data:gmatch "()\0" do
        local call = assert(json.decode(table.concat(self.parts) .. data:sub(from, at - 1)))
        self.parts, from = {}, at + 1
        self.calls[#self.calls + 1] = call
        answer(self, call)
      end
      self.parts[#self.parts + 1] = data:sub(from)
    end)
  end
  if answer then peer:listen() end
  return own, peer
end

local function with(answer, fn)
  local own, peer = connected(answer)
  local connection = assert(cdp.connect(function(listener) return pipe.open(own, listener) end))
  fn(connection, peer)
  connection:close()
  peer:close()
end

local function echo(peer, call) peer:reply(call, call.params) end

function tests.messages_in_pieces_and_together()
  local held = {}
  with(function(peer, call)
    if call.method == "Slow" then -- each byte by itself
      for byte in (json.encode { id = call.id, result = call.params } .. "\0"):gmatch "." do
        peer:say(byte)
        task.start(function() task.sleep(0) end)
      end
    elseif call.method == "Late" then held[#held + 1] = call
    elseif call.method == "Go" then
      local parts = {}
      for i = #held, 1, -1 do parts[#parts + 1] = json.encode { id = held[i].id, result = held[i].params } .. "\0" end
      peer:say(table.concat(parts) .. json.encode { id = call.id, result = {} } .. "\0")
    else echo(peer, call) end
  end, function(connection, peer)
    t.eq(connection:call("Any", { text = "\u{e9}\0x" }), { text = "\u{e9}\0x" })
    t.eq(connection:call("Slow", { text = "z" }), { text = "z" })
    local first, second = connection:begin("Late", { n = 1 }), connection:begin("Late", { n = 2 })
    t.eq(connection:call("Go"), json.decode "{}")
    t.eq({ first:wait(), (second:wait()) }, { { n = 1 }, { n = 2 } })
    -- Longer than what a pipe holds, both ways.
    local long = ("0123456789"):rep(500000)
    t.ok(connection:call("Any", { text = long }).text == long, "five megabytes")
    t.eq(#peer.calls, 6)
  end)
end

local function ends_with(code, part, bytes, max)
  local before = cdp.max_message
  cdp.max_message = max or before
  local own, peer = connected()
  local connection = assert(cdp.connect(function(listener) return pipe.open(own, listener) end))
  cdp.max_message = before
  local told
  connection:on_close(function(err) told = err end)
  local waiting = task.start(connection.call, connection, "Any")
  if bytes then peer:say(bytes) else peer:close() end
  local _, none, err = waiting:wait()
  t.fails(code, part, none, err)
  t.ok(told == connection.closed, "told once")
  t.fails(code, part, connection:call "Again")
  connection:close()
  peer:close()
end

function tests.what_no_browser_sends()
  ends_with("unavailable", "the connection to the browser is lost: it has closed its pipe")
  ends_with("protocol", "malformed message", "\0")
  ends_with("protocol", "malformed message", "[[[[\0")
  ends_with("protocol", "malformed message", "{}\0")
  ends_with("unavailable", "more than 100000 bytes", ("x"):rep(100001), 100000)
  ends_with("unavailable", "more than 100000 bytes", ('{"id":1,"result":["%s"]}\0'):format(("x"):rep(1e5)), 100000)
  -- The message before counts, what comes after it does not.
  with(function(peer, call)
    peer:say(json.encode { id = call.id, result = { ok = true } }, "\0nonsense\0", json.encode { method = "E" }, "\0")
  end, function(connection)
    local heard = 0
    connection:on("E", nil, function() heard = heard + 1 end)
    t.eq(connection:call "Any", { ok = true })
    t.fails("protocol", "malformed message", connection:call "Any")
    t.eq(heard, 0)
  end)
end

-- A handler may close the connection while there is more to be read.
function tests.closed_by_a_handler()
  with(function(peer, call)
    peer:say('{"method":"Stop"}\0{"method":"Stop"}\0' .. json.encode { id = call.id, result = {} } .. "\0")
  end, function(connection, peer)
    local count = 0
    connection:on("Stop", nil, function()
      count = count + 1
      connection:close()
    end)
    t.fails("unavailable", "has been closed", connection:call "Any")
    t.eq(count, 1)
    t.wait_until("the browser to be told", function() return peer.ended end)
  end)
end

-- One that does not read: calls wait in a task, and in a callback there is an error before memory is full.
function tests.a_browser_that_does_not_read()
  local own, peer = connected()
  local connection = assert(cdp.connect(function(listener) return pipe.open(own, listener) end))
  local text, sent = ("x"):rep(1 << 20), 0
  local sender = task.start(function()
    for _ = 1, 8 do
      if not connection:begin("Any", { text = text }) then return end
      sent = sent + 1
    end
  end)
  task.sleep(0.2)
  t.ok(sent >= 1 and sent <= 3, ("%d MB were queued"):format(sent))
  local refused
  local timer = uv.new_timer()
  timer:start(0, 0, function()
    timer:close()
    for _ = 1, 80 do
      local call, err = connection:begin("Any", { text = text })
      if not call then refused = err return end
    end
  end)
  t.wait_until("a refusal", function() return refused end)
  t.has(tostring(refused), "does not read")
  peer.input:read_start(function() end)
  t.wait_until("the rest to be sent", function() return sent == 8 end, 60)
  sender:wait()
  connection:close()
  t.fails("unavailable", "has been closed", connection:begin "Any")
  peer:close()
end

-- --- to a program that another process starts ---------------------------------------------------------------

local function read_some(descriptor)
  return task.await(function(done)
    uv.fs_read(descriptor, 100, -1, function(_, data) done(data) end)
    return function() end
  end)
end

function tests.pipes_are_joined()
  local folder = files.absolute(spawn.folder())
  local own = pipes.new()
  local offer = t.ok(own:offer(folder))
  t.ok(#offer.word >= 32, offer.word)
  -- Somebody else is there first, in all the ways that there are.
  local strangers = {}
  for i, words in ipairs { "", "nonsense 3\n", ("0"):rep(32) .. " 4\n", ("x"):rep(5000) } do
    local stranger = uv.new_pipe()
    strangers[i] = stranger
    stranger:connect(offer.path, function(err)
      if err then return end
      stranger:write(words)
      stranger:read_start(function(_, data)
        if not data then stranger:close() end
      end)
    end)
  end
  t.ok(not own:wait(0.2), "none of them is taken")
  local descriptors, release = pipes.join(offer)
  t.ok(descriptors, tostring(release))
  t.ok(own:wait(10), "ours is")
  own.input:write "to it"
  t.eq(read_some(descriptors[1]), "to it")
  t.eq(uv.fs_write(descriptors[2], "from it"), 7)
  local got = own.rest
  own.output:read_start(function(_, data) got = got .. (data or "") end)
  t.wait_until("its words", function() return got == "from it" end)
  t.wait_until("the strangers to be sent away", function()
    for _, stranger in ipairs(strangers) do
      if not stranger:is_closing() then return false end
    end
    return true
  end)
  local descriptor, why = platform.open_pipe(offer.path)
  local ok = descriptor and uv.fs_write(descriptor, "x")
  if descriptor then why() end
  t.ok(not ok, "nobody listens any more")
  release()
  own:close()
  own:close()
  t.eq(files.list(folder), {}, "and nothing is left")
  files.remove(folder)
end

function tests.pipes_that_nobody_offers()
  local folder = files.absolute(spawn.folder())
  local none, err = pipes.join { path = platform.pipe_path(folder, "none"), word = "x" }
  t.fails("io", "cannot connect a program", none, err)
  t.ok(errors.is(err))
  local own = pipes.new()
  t.ok(own:offer(folder))
  own:close()
  t.eq(files.list(folder), {})
  files.remove(folder)
end

return tests
