--- The DevTools protocol against a browser that is none: a server that answers as the test says, in any order, not at
--- all, or with nonsense. What it has been asked is judged by what it got.
local t = require "harness"
local cdp = require "deskpilot.desk.browser.cdp"
local desk_module = require "deskpilot.desk"
local endpoint = require "deskpilot.desk.browser.endpoint"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local spawn = require "spawn"
local task = require "deskpilot.base.task"
local websocket_server = require "websocket_server"

local tests = {}

-- A server that hands each call to answer(peer, call).
local function serving(answer)
  return function(peer)
    peer:accept()
    for frame in function() return peer:next() end do
      if frame.kind == "close" then return peer:frame("close", frame.payload) end
      if frame.kind == "text" then answer(peer, assert(json.decode(frame.payload))) end
    end
  end
end

local function with_connection(answer, fn)
  websocket_server.with(serving(answer), function(server)
    local connection = assert(cdp.connect(endpoint.opener(server.url .. "/devtools/browser/test")))
    fn(connection)
    connection:close()
  end)
end

local function reply(peer, call, result)
  peer:frame("text", json.encode { id = call.id, result = result, sessionId = call.sessionId })
end

local function refuse(peer, call, code, message)
  peer:frame("text", json.encode { id = call.id, error = { code = code, message = message } })
end

local function event(peer, method, params, session)
  peer:frame("text", json.encode { method = method, params = params, sessionId = session })
end

function tests.calls_and_answers()
  local asked, held = {}, {}
  with_connection(function(peer, call)
    asked[#asked + 1] = call
    if call.method == "Late" then held[#held + 1] = call return end
    if call.method == "Go" then
      for i = #held, 1, -1 do reply(peer, held[i], { number = held[i].params.number }) end
    elseif call.method == "Unknown" then return refuse(peer, call, -32601, "'Unknown' wasn't found")
    elseif call.method == "Wrong" then return refuse(peer, call, -32602, "bad\nparameters")
    elseif call.method == "Gone" then return refuse(peer, call, -32000, "No target with given id found")
    elseif call.method == "No" then return refuse(peer, call, -32000, "Not allowed")
    elseif call.method == "Nothing" then return
    elseif call.method == "Odd" then return peer:frame("text", ('{"id":%d,"result":7}'):format(call.id))
    elseif call.method == "Deep" then
      return peer:frame("text", ('{"id":%d,"result":{"a":%s%s}}'):format(call.id, ("["):rep(200), ("]"):rep(200)))
    end
    reply(peer, call, { ok = true })
  end, function(connection)
    local first = t.ok(connection:begin("Late", { number = 1 }))
    local second = t.ok(connection:begin("Late", { number = 2 }))
    t.eq(connection:call("Go"), { ok = true })
    t.eq({ first:wait(), (second:wait()) }, { { number = 1 }, { number = 2 } })
    t.fails("unsupported", "the browser refused Unknown", connection:call "Unknown")
    t.fails("invalid", "Wrong: bad parameters", connection:call "Wrong")
    t.fails("not_found", "No target", connection:call "Gone")
    t.fails("refused", "Not allowed", connection:call "No")
    t.fails("protocol", "has no result", connection:call "Odd")
    t.fails("protocol", "nested too deeply", connection:call "Deep")
    local began = task.now()
    t.fails("timed_out", "did not answer Nothing within 0.2 s", connection:call("Nothing", nil, { timeout = 0.2 }))
    t.ok(task.now() - began < 10)
    t.eq(connection:call("Last", { text = "\u{e9}\0\xff" }), { ok = true }, "and goes on")
    t.eq(asked[#asked].params.text, "\u{e9}\0\u{FFFD}")
    t.eq(connection.closed, nil)
  end)
end

function tests.sessions()
  with_connection(function(peer, call)
    if call.method == "Target.attachToTarget" then return reply(peer, call, { sessionId = "S1" }) end
    if call.method == "Tell" then
      event(peer, "Told", { number = 1 }, "S2")
      event(peer, "Told", { number = 2 }, "S1")
      event(peer, "Told", { number = 3 })
    elseif call.method == "Detach" then event(peer, "Target.detachedFromTarget", { sessionId = "S1" })
    elseif call.method == "Hang" then return end
    reply(peer, call, { session = call.sessionId })
  end, function(connection)
    local session = t.ok(connection:session "T1")
    t.eq(session.id, "S1")
    t.eq(session:call "Any", { session = "S1" })
    local heard, all = {}, {}
    local off = session:on("Told", function(params) heard[#heard + 1] = params.number end)
    connection:on("Told", nil, function(params) all[#all + 1] = params.number end)
    local waiting = task.start(session.wait, session, "Told", function(params) return params.number == 2 end)
    t.ok(session:call "Tell")
    t.eq({ waiting:wait() }, { true, { number = 2 } })
    off()
    t.ok(session:call "Tell")
    t.eq({ heard, all }, { { 2 }, { 3, 3 } }, "each its own, and none when it is off")
    t.fails("timed_out", "Told did not come", session:wait("Told", nil, 0.1))
    -- Blocked: what is under way and what comes fail with its error, but for what passes.
    local errors = require "deskpilot.base.errors"
    local hanging = task.start(session.call, session, "Hang")
    session:block(errors.new("refused", "in the way"), { Any = true })
    local _, none, err = hanging:wait()
    t.fails("refused", "in the way", none, err)
    t.fails("refused", "in the way", session:call "Tell")
    t.ok(session:call "Any")
    session:block(nil)
    t.ok(session:call "Tell")
    -- Its end.
    hanging = task.start(session.call, session, "Hang")
    waiting = task.start(session.wait, session, "Never")
    t.ok(connection:call "Detach")
    for _, work in ipairs { hanging, waiting } do
      _, none, err = work:wait()
      t.fails("not_found", "has been closed", none, err)
    end
    t.fails("not_found", "has been closed", session:call "Any")
    t.eq(connection.closed, nil)
  end)
end

function tests.the_end_of_the_connection()
  local closed = 0
  websocket_server.with(function(peer)
    peer:accept()
    peer:next()
    peer:close(true)
  end, function(server)
    local connection = t.ok(cdp.connect(endpoint.opener(server.url .. "/devtools/browser/test")))
    connection:on_close(function() closed = closed + 1 end)
    local session = connection:adopt "S"
    local waiting = task.start(session.wait, session, "Never")
    t.fails("unavailable", "connection to the browser is lost", connection:call "Any")
    local _, none, err = waiting:wait()
    t.fails("unavailable", "lost", none, err)
    t.fails("unavailable", "lost", connection:call "Any")
    t.fails("unavailable", "lost", session:call "Any")
    connection:close()
    t.eq(closed, 1)
  end)
  for _, words in ipairs { "", "x", "[", "7", "null", "[]", "\"text\"", "{}", '{"method":7}', '{"id":77,' } do
    with_connection(function(peer) peer:frame("text", words) end, function(connection)
      t.fails("protocol", "a malformed message", connection:call "Any")
      t.ok(connection.closed, words)
    end)
  end
  -- Answers to nobody, and a binary message, which is read like any other.
  with_connection(function(peer, call)
    peer:frame("text", '{"id":99,"result":{}}')
    peer:frame("text", '{"id":"x","result":{}}')
    peer:frame("binary", json.encode { id = call.id, result = { ok = 1 } })
  end, function(connection)
    t.eq(connection:call "Any", { ok = 1 })
  end)
end

-- --- a browser that lies ----------------------------------------------------------------------------------

local methods = { "Target.attachedToTarget", "Target.targetInfoChanged", "Target.targetDestroyed",
  "Target.detachedFromTarget", "Browser.downloadWillBegin", "Browser.downloadProgress" }
local session_methods = { "Page.frameStartedLoading", "Page.frameStoppedLoading", "Page.frameNavigated",
  "Page.navigatedWithinDocument", "Page.frameAttached", "Page.javascriptDialogOpening", "Page.javascriptDialogClosed",
  "Inspector.targetCrashed", "Inspector.targetReloadedAfterCrash", "Network.requestWillBeSent",
  "Network.loadingFinished", "Network.loadingFailed", "Network.responseReceived" }
local fields = { "targetInfo", "targetId", "sessionId", "guid", "suggestedFilename", "url", "frameId", "frame",
  "requestId", "response", "type", "message", "defaultPrompt", "state", "receivedBytes", "totalBytes", "filePath" }

-- The same nonsense every time.
local seed = 1
local function any(list)
  seed = (seed * 1103515245 + 12345) & 0x7fffffff
  return list[(seed >> 8) % #list + 1]
end

local function nonsense(depth)
  local kinds = { 0, -1, 1e300, 2.5, "", "T1", "page", "x\0y", "../../x", ("y"):rep(5000), true, false, json.null,
    "list", "table", "table" }
  local kind = any(kinds)
  if kind == "list" then return json.list { 1, "T1", json.null } end
  if kind ~= "table" then return kind end
  if depth > 2 then return "T1" end
  local made = {}
  for _ = 1, 6 do made[any(fields)] = nonsense(depth + 1) end
  made.id, made.type, made.targetId = any { "T1", 7 }, any { "page", {} }, any { "T1", "T2", 3 }
  return made
end

local function lying(peer, call)
  if call.method == "Target.setAutoAttach" then
    event(peer, "Target.attachedToTarget", { sessionId = "S1",
      targetInfo = { targetId = "T1", type = "page", url = "u" } })
  elseif call.method == "Runtime.evaluate" and call.params.expression == "lie" then
    for _ = 1, 400 do
      event(peer, any(methods), nonsense(0))
      event(peer, any(session_methods), nonsense(0), "S1")
    end
  end
  reply(peer, call, any { {}, { product = 7 }, { result = 7 }, { result = { value = 1 } }, { processInfo = { 7 } } })
end

function tests.a_browser_that_lies()
  local desk = assert(desk_module.open { backend = "null", width = 100, height = 100,
    timing = { browser_answer = 5 } })
  local folder = spawn.folder()
  websocket_server.with(serving(lying), function(server)
    files.write(folder .. "/DevToolsActivePort", ("%d\n/devtools/browser/abc\n"):format(server.port))
    local browser = t.ok(desk.browser.attach { profile = folder, downloads = folder })
    local began = task.now()
    for _ = 1, 20 do
      local tab = t.ok(browser:tab())
      local connection = browser.connection
      -- Whatever comes of it: a value or an error, in time.
      for _, act in ipairs { function() return tab:evaluate("lie", { timeout = 0.1 }) end,
        function() return tab:info() end, function() return tab:dialog() end,
        function() return tab:screenshot() end, function() return tab:back { timeout = 0.1 } end,
        function() return tab:navigate("http://a.example/", { timeout = 0.1 }) end,
        function() return tab:wait_for { text = "x", timeout = 0.1 } end, function() return browser:tabs() end } do
        t.ok(pcall(act))
      end
      t.eq(connection.closed, nil, "it says what it likes")
      connection:close()
    end
    t.ok(task.now() - began < 150, "bounded")
    t.ok(#browser.downloads <= 200)
    browser:close()
  end)
  for _, name in ipairs(files.list(folder)) do t.eq(name, "DevToolsActivePort", "nothing was written") end
  files.remove(folder)
  desk:close()
end

return tests
