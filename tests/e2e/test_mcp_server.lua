-- deskpilot mcp: a desktop for other programs' models. Judged by what applications have written and by what is left
-- behind.
local files = require "deskpilot.base.files"
local http = require "deskpilot.net.http"
local json = require "deskpilot.base.json"
local mcp_talk = require "mcp_talk"
local native = require "native.image"
local page_server = require "page_server"
local spawn = require "spawn"
local t = require "harness"
local task = require "deskpilot.base.task"
local uv = require "luv"

local tests = {}

t.side_by_side(2)

local editor = { "--desktop", "private", "--app", "mousepad --disable-server" }

local function number_of(words, what)
  return math.tointeger(tonumber((words:match("%[(%d+)%][^\n]*" .. what))))
end

-- Every line that a server wrote to its standard output is a message.
local function check_lines(talk)
  for _, line in ipairs(talk.lines) do
    local message = json.decode(line)
    t.ok(type(message) == "table" and message.jsonrpc == "2.0", "a line that is no message: " .. line:sub(1, 200))
  end
end

-- A server on HTTP: its address and its token.
local function with_http(words, fn)
  local folder = spawn.folder()
  local list = { spawn.program, "mcp", "--desktop", "private", "--http", "0", "--token", folder .. "/token", "--runs",
    folder .. "/runs", table.unpack(words) }
  local child = spawn.start(list)
  local closing <close> = setmetatable({}, { __close = function()
    if not child.status then child:kill "sigterm" end
    child:wait()
    files.remove(folder)
  end })
  t.ok(closing)
  child:wait_for_word "serving MCP at "
  fn(child.stderr:match "serving MCP at ([^;%s]+)", files.read(folder .. "/token"):match "%S+", folder, child)
end

-- Types two lines into an editor, saves them, and reads the file.
local function write_a_file(stateless)
  return spawn.in_folder(function(folder)
    local talk <close> = mcp_talk.start(editor, { stateless = stateless })
    if not stateless then t.eq(talk:initialize().protocolVersion, "2025-11-25") end
    local words = talk:look_until 'text ""'
    t.has(words, "PICTURE: 1024x640")
    local area = t.ok(number_of(words, 'text ""'), words)
    local said, failed = talk:call("click", { element = area })
    t.ok(not failed, said)
    t.has(said, "Active window: ")
    t.ok(not select(2, talk:call("type", { text = "Grüße vom Server\nZweite Zeile 😀\n" })))
    t.ok(not select(2, talk:call("press", { keys = "ctrl+s" })))
    said, failed = talk:call("wait", { text = "Save As", seconds = 30 })
    t.ok(not failed, said)
    t.ok(not select(2, talk:call("press", { keys = "ctrl+a" })))
    t.ok(not select(2, talk:call("type", { text = folder .. "/saved.txt\n" })))
    t.wait_until("the file", function() return files.exists(folder .. "/saved.txt") end)
    t.wait_until("its text", function()
      return files.read(folder .. "/saved.txt") == "Grüße vom Server\nZweite Zeile 😀\n"
    end)
    check_lines(talk)
    t.eq(talk:leave(), 0)
  end)
end

tests.a_client_that_begins_with_initialize_writes_a_file = write_a_file(false)
tests.a_client_without_sessions_writes_a_file = write_a_file(true)

local mission = [[
return {
  task = '1. Click "Text area"\n2. Type "by a mission\\n"\n3. Press ctrl+s\n4. Wait for "Save As"\n'
    .. '5. Press ctrl+a\n6. Type "PATH"\n7. Press enter\n8. Wait for "mission.txt - Mousepad"',
  policy = "three_body",
  verify = function(m) return m.checks.file { path = "PATH", equals = "by a mission\n" } end,
}
]]

-- A mission is run by a deskpilot of its own on the server's desktop, and its run can be read as a resource.
tests.a_mission_is_run_to_its_end = spawn.in_folder(function(folder)
  assert(files.make_folder(folder .. "/missions"))
  local path = folder .. "/mission.txt"
  assert(files.write(folder .. "/missions/greet.lua", (mission:gsub("PATH", path))))
  assert(files.write(folder .. "/deskpilot.lua", "return {}"))
  local talk <close> = mcp_talk.start({ "--model", "literal", table.unpack(editor) }, { cwd = folder })
  talk:initialize()
  talk:look_until 'text ""'
  local answer = talk:request("tools/call", { name = "run", arguments = { mission = "greet" },
    _meta = { progressToken = "p" } }, 120)
  local words = answer.result.content[1].text
  t.ok(not answer.result.isError, words)
  t.has(words, "succeeded: ")
  t.eq(files.read(folder .. "/mission.txt"), "by a mission\n")
  local uri = words:match "deskpilot://%S+"
  local read = talk:request("resources/read", { uri = uri }).result
  t.has(read.contents[1].text, '"event":"run_end"')
  local said, failed = talk:call("run", { mission = "../missions/greet" })
  t.ok(failed, said)
  t.has(said, "no path")
end)

-- Deskpilot's own agent, within the server's run.
function tests.a_task_is_done_by_an_agent()
  local talk <close> = mcp_talk.start { "--model", "literal", "--desktop", "private", "--app", "galculator" }
  talk:initialize()
  talk:look_until '"7"'
  local said, failed = talk:call("run", { task = '1. Click "7"\n2. Click "*"\n3. Click "6"\n4. Click "="' }, 120)
  t.ok(not failed, said)
  talk:look_until '= "42"'
  said, failed = talk:call("run", { task = "think of something nice" }, 120)
  t.ok(failed, said)
  t.has(said, "not done: ")
  said, failed = talk:call("press", { keys = "escape" })
  t.ok(not failed, said)
  t.eq(talk:leave(), 0)
end

-- Whatever comes by standard input: each request has one answer, and what is none is told.
function tests.what_is_no_message()
  local talk <close> = mcp_talk.start { "--desktop", "private" }
  local function raw(line) assert(talk.child:write(line .. "\n", 60)) end
  for _, line in ipairs { "garbage", "[]", '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', "\xff\xfe", "", "\r",
    '{"jsonrpc":"1.0","id":1,"method":"ping"}', '{"jsonrpc":"2.0","id":{},"method":"ping"}',
    '{"jsonrpc":"2.0","id":"r","method":"tools/list"}', '{"jsonrpc":"2.0","id":"d","method":"server/discover"}',
    ("x"):rep(40 << 20) } do raw(line) end
  t.eq(talk:request("ping").result, {})
  local codes = {}
  for i, line in ipairs(talk.lines) do
    local answer = json.decode(line)
    codes[i] = answer.error and answer.error.code
  end
  t.eq(codes, { -32700, -32600, -32600, -32700, -32600, -32600, -32600, -32602, -32600 })
  talk:initialize()
  local _, answer = talk:begin("tools/call", { name = "wait", arguments = { seconds = 500 } })
  t.raises("no answer", answer, 0.3)
  local began = task.now()
  t.eq(talk:leave(), 0) -- in the middle of a call
  t.ok(task.now() - began < 20, "it ends with its client")
end

function tests.a_port_that_is_taken()
  with_http({}, function(url, _, folder)
    local child = spawn.run { spawn.program, "mcp", "--desktop", "private", "--http", url:match ":(%d+)/", "--no-token",
      "--runs", folder .. "/other" }
    t.eq(child.status, 3)
    t.has(child.stderr, "cannot serve on 127.0.0.1")
    t.eq(child.stdout, "")
  end)
end

-- What needs a person's yes is asked by the client, or refused with what could be done about it.
local function consent(stateless)
  return function()
    local words = { "--desktop", "private", "--set", "safety.approve=open_app", "--app", "mousepad --disable-server" }
    do
      local talk <close> = mcp_talk.start(words, { stateless = stateless })
      if not stateless then talk:initialize() end
      local said, failed = talk:call("app", { name = "galculator" })
      t.ok(failed, said)
      t.has(said, "it lacks the capability elicitation")
      t.has(said, "safety.approve")
    end
    local talk <close> = mcp_talk.start(words, { stateless = stateless,
      capabilities = { elicitation = { form = {} } } })
    local answer, asked = { action = "decline" }, nil
    if not stateless then talk:initialize() end
    function talk.on_request(message)
      asked = message
      return answer
    end
    -- A client without sessions is told what is wanted, and comes again.
    local function open()
      if not stateless then return talk:call("app", { name = "galculator" }) end
      local result = talk:request("tools/call", { name = "app", arguments = { name = "galculator" } }).result
      t.eq(result.resultType, "input_required")
      asked = result.inputRequests.question
      local params = { name = "app", arguments = { name = "mousepad" }, requestState = result.requestState,
        inputResponses = { question = answer } }
      t.eq(talk:request("tools/call", params).error.code, -32602) -- it was for another call
      params.arguments.name = "galculator"
      result = talk:request("tools/call", params).result
      t.eq(talk:request("tools/call", params).error.code, -32602) -- it was used
      return result.content[1].text, result.isError == true
    end
    local said, failed = open()
    t.ok(failed, said)
    t.has(asked.params.message, 'open "galculator')
    t.eq(asked.params.requestedSchema.properties.answer.enum, { "yes", "no", "always" })
    answer = { action = "accept", content = { answer = "no" } }
    said, failed = open()
    t.ok(failed, said)
    t.has(said, "a person does not allow this")
    answer = { action = "accept", content = { answer = "yes" } }
    said, failed = open()
    t.ok(not failed, said)
    t.has(talk:call("window", { action = "list" }), "galculator")
    t.eq(talk:leave(), 0)
  end
end

tests.consent_is_asked_of_a_client_with_sessions = consent(false)
tests.consent_is_asked_of_a_client_without_sessions = consent(true)

-- A client that asks for something else instead of answering does without; so does one that says nothing.
function tests.a_question_that_nobody_answers_holds_nobody_up()
  local talk <close> = mcp_talk.start({ "--desktop", "private", "--set", "safety.approve=open_app" },
    { stateless = true, capabilities = { elicitation = {} } })
  local result = talk:request("tools/call", { name = "app", arguments = { name = "galculator" } }).result
  t.eq(result.resultType, "input_required")
  local began = task.now()
  t.ok(not select(2, talk:call("window", { action = "list" })))
  t.ok(task.now() - began < 20, "the second call did not wait for the first one's answer")
  local late = talk:request("tools/call", { name = "app", arguments = { name = "galculator" },
    requestState = result.requestState,
    inputResponses = { question = { action = "accept", content = { answer = "yes" } } } })
  t.eq(late.error.code, -32602)
end

function tests.only_what_is_allowed_is_acted_on()
  local talk <close> = mcp_talk.start { "--desktop", "private", "--allow", "galculator", "--allow", "Save A*", "--app",
    "mousepad --disable-server", "--app", "galculator" }
  talk:initialize()
  talk:look_until "galculator"
  talk:look_until "Mousepad"
  local said, failed = talk:call("window", { action = "focus", title = "Mousepad" })
  t.ok(failed, said)
  t.has(said, "Mousepad is not among what this server may act on (--allow galculator, Save A*)")
  said, failed = talk:call("app", { name = "mousepad" })
  t.ok(failed, said)
  said, failed = talk:call("window", { action = "close", title = "Mousepad" })
  t.ok(failed, said)
  said, failed = talk:call("window", { action = "minimize", title = "Mousepad" })
  t.ok(failed, said)
  said, failed = talk:call("page", { action = "open", url = "http://127.0.0.1:1/" })
  t.ok(failed, said)
  t.has(said, "Chromium is not among what this server may act on")
  said, failed = talk:call("run", { mission = "editor" })
  t.ok(failed, said)
  t.has(said, "--allow")
  t.ok(not select(2, talk:call("window", { action = "focus", title = "galculator" })))
  local words = talk:look_until '"7"'
  said, failed = talk:call("click", { element = number_of(words, '"7"') })
  t.ok(not failed, said)
  talk:look_until '= "7"'
  said, failed = talk:call("press", { keys = "8" })
  t.ok(not failed, said)
  talk:look_until '= "78"'
end

-- A call that takes long tells that it goes on, and ends where it is cancelled; others are answered meanwhile.
function tests.progress_and_cancelling()
  local talk <close> = mcp_talk.start { "--desktop", "private" }
  talk:initialize()
  local id, answer = talk:begin("tools/call", { name = "wait", arguments = { seconds = 600, text = "never seen" },
    _meta = { progressToken = 7 } })
  t.wait_until("a word of progress", function() return #talk.heard >= 2 end)
  local first, second = talk.heard[1].params, talk.heard[2].params
  t.eq({ talk.heard[1].method, first.progressToken, first.message }, { "notifications/progress", 7, "waiting" })
  t.ok(second.progress > first.progress, "it grows")
  t.eq(talk:request("ping").result, {})
  talk:send { method = "notifications/cancelled", params = { requestId = id } }
  t.ok(not select(2, talk:call("window", { action = "list" })), "the desktop is free again")
  t.raises("no answer", answer, 0.1)
  t.eq(talk:leave(), 0)
end

function tests.pictures_have_the_width_that_is_asked_for()
  local talk <close> = mcp_talk.start { "--desktop", "private:2560x1600", "--app", "mousepad --disable-server" }
  talk:initialize()
  talk:look_until 'text ""'
  for _, width in ipairs { 400, 2560 } do
    local words, failed, result = talk:call("look", { width = width })
    t.ok(not failed, words)
    local picture = result.content[2]
    t.eq(picture.type, "image")
    t.ok(#picture.data < 1000000, "less than a million characters")
    t.has(words, ("PICTURE: %dx"):format(width))
    t.eq((native.load(native.from_base64(picture.data)):size()), width)
  end
  local words, failed, result = talk:call("look", { region = { 0, 0, 200, 100 } })
  t.ok(not failed, words)
  t.eq(result.content[2].type, "image")
  words, failed = talk:call("click", { at = { 5000, 10 } })
  t.ok(failed, words)
  t.has(words, "no place in the picture of 2560x1600 pixels")
end

function tests.words_only()
  local talk <close> = mcp_talk.start { "--text", table.unpack(editor) }
  talk:initialize()
  local words, _, result = talk:call("look", {})
  t.has(words, "PICTURE: 1024x640")
  t.eq(#result.content, 1)
  local said, failed = talk:call("look", { region = { 0, 0, 200, 100 } })
  t.ok(failed, said)
  said, failed = talk:call("find", { text = "Document" })
  t.ok(not failed, said)
  t.has(said, 'menu "Document"')
  said, failed = talk:call("find", { text = "nothing like this anywhere" })
  t.ok(failed, said)
end

local form = [[<!DOCTYPE html><title>Order</title><label>Name <input id="name"></label>
<label>Size <select id="size"><option>Small</option><option>Large</option></select></label>
<button onclick="fetch('/order?' + document.getElementById('name').value + '-' + document.getElementById('size').value)
  .then(() => document.body.append('Total: 42 crowns'))">Order</button>]]

-- Elements of a page have numbers too; clicks and texts go the browser's way.
function tests.a_page_is_opened_filled_in_and_read()
  local server = page_server.start { ["/"] = form, ["/order"] = "done" }
  local talk <close> = mcp_talk.start { "--desktop", "private" }
  talk:initialize()
  local said, failed = talk:call("page", { action = "open", url = server.url .. "/" }, 90)
  t.ok(not failed, said)
  local words = talk:look_until "Order"
  said, failed = talk:call("type", { element = number_of(words, '"Name"'), text = "Zoë", replace = true })
  t.ok(not failed, said)
  said, failed = talk:call("page", { action = "select", element = number_of(words, '"Size"'), text = "Large" })
  t.ok(not failed, said)
  local found = talk:call("find", { text = "Order" })
  said, failed = talk:call("click", { element = number_of(found, 'button "Order"') })
  t.ok(not failed, said)
  t.wait_until("the order", function() return server:count "/order" > 0 end)
  t.eq(server.requests[#server.requests].target, "/order?Zo%C3%AB-Large")
  talk:look_until "Total: 42"
  t.has(talk:call("page", { action = "read", text = "Total:" }), "42 crowns")
  said, failed = talk:call("page", { action = "open", url = "file:///etc/passwd" })
  t.ok(failed, said)
  server:stop()
  t.eq(talk:leave(), 0)
end

-- Nothing but files of runs.
function tests.resources_are_runs_and_nothing_else()
  local talk <close> = mcp_talk.start(editor)
  talk:initialize()
  talk:look_until 'text ""'
  local list = talk:request("resources/list").result.resources
  local journal, picture
  for _, one in ipairs(list) do
    if one.uri:find("journal.jsonl", 1, true) then journal = one.uri end
    if one.uri:find("screenshots/", 1, true) then picture = one.uri end
  end
  t.has(talk:request("resources/read", { uri = journal }).result.contents[1].text, '"event":"observed"')
  local shot = talk:request("resources/read", { uri = picture }).result.contents[1]
  t.eq(shot.mimeType, "image/png")
  t.ok(native.load(native.from_base64(shot.blob)))
  local run = journal:match "^deskpilot://runs/([^/]+)/"
  local completion = talk:request("completion/complete", { ref = { type = "ref/resource", uri =
    "deskpilot://runs/{run}/{+path}" }, argument = { name = "run", value = run:sub(1, 4) } }).result.completion
  t.eq(completion.values, { run })
  assert(files.write(talk.runs .. "/secret.json", "{}"))
  assert(uv.fs_symlink("/etc/hostname", talk.runs .. "/" .. run .. "/name.txt"))
  for _, uri in ipairs { "deskpilot://runs/" .. run .. "/../secret.json", "deskpilot://runs/../secret.json",
    "deskpilot://runs/" .. run .. "/name.txt", "deskpilot://runs/" .. run .. "/screenshots", "file:///etc/hostname",
    "deskpilot://runs/" .. run .. "//etc/hostname", "deskpilot://runs/secret.json/secret.json" } do
    local answer = talk:request("resources/read", { uri = uri })
    t.eq({ answer.error and answer.error.code, answer.error and answer.error.data.uri }, { -32002, uri })
  end
end

-- Processes whose command line has that text.
local function processes_with(part)
  local found = {}
  for _, name in ipairs(files.list "/proc") do
    local file = name:find "^%d+$" and io.open("/proc/" .. name .. "/cmdline", "rb")
    local words = file and file:read "a" or ""
    if file then file:close() end
    if words:find(part, 1, true) then found[#found + 1] = name .. " " .. words:gsub("%z", " ") end
  end
  return found
end

function tests.a_killed_server_leaves_no_desktop()
  local folder = files.temporary_folder() .. "/killed"
  assert(files.make_folder(folder))
  local talk <close> = mcp_talk.start(editor, { env = { TMPDIR = folder } })
  talk:initialize()
  talk:look_until 'text ""'
  t.ok(#processes_with(folder) > 0, "its desktop has processes")
  uv.kill(talk.child.pid, "sigkill")
  t.wait_until("the end of what it has started", function() return #processes_with(folder) == 0 end)
  t.wait_until("an empty folder", function() return #files.list(folder) == 0 end)
end

-- A display that is killed is told of, and the server still ends with its client.
function tests.a_desktop_that_has_gone_is_told_of()
  local folder = files.temporary_folder() .. "/gone"
  assert(files.make_folder(folder))
  local talk <close> = mcp_talk.start(editor, { env = { TMPDIR = folder } })
  talk:initialize()
  talk:look_until 'text ""'
  for _, words in ipairs(processes_with(folder)) do
    if words:find "Xvfb" then uv.kill(math.tointeger(tonumber(words:match "^%d+")), "sigkill") end
  end
  t.wait_until("the end of the display", function() return select(2, talk:call("look", { picture = false })) end)
  for _, call in ipairs { { "click", { at = { 10, 10 } } }, { "press", { keys = "a" } }, { "wait", { seconds = 1 } },
    { "window", { action = "list" } }, { "look", {} } } do
    local said, failed = talk:call(call[1], call[2])
    t.ok(failed, call[1])
    t.has(said, "was lost: the desktop has gone")
  end
  t.eq(talk:leave(), 0)
end

function tests.calls_have_the_desktop_one_after_the_other()
  local talk <close> = mcp_talk.start({ "--desktop", "private" }, { stateless = true })
  local first, one = talk:begin("tools/call", { name = "wait", arguments = { seconds = 1, text = "never seen" } })
  local second, other = talk:begin("tools/call", { name = "window", arguments = { action = "list" } })
  local third, ping = talk:begin "server/discover"
  one() other() ping()
  local order = {}
  for i, line in ipairs(talk.lines) do order[i] = json.decode(line).id end
  t.eq(order, { third, first, second }, "what needs no desktop does not wait")
end

-- --- HTTP -----------------------------------------------------------------------------------------------------

local function post(url, token, message, headers)
  message.jsonrpc = "2.0"
  local all = { ["Content-Type"] = "application/json", Accept = "application/json, text/event-stream",
    Authorization = token and "Bearer " .. token or nil }
  for name, value in pairs(headers or {}) do all[name] = value end
  local reply = assert(http.request { url = url, method = "POST", headers = all, body = json.encode(message) })
  return reply.status, json.decode(reply.body) or reply.body, reply
end

function tests.http_serves_those_who_know_the_token()
  with_http({}, function(url, token, folder)
    t.eq(uv.fs_stat(folder .. "/token").mode & tonumber("777", 8), tonumber("600", 8))
    local hello = { id = 1, method = "initialize", params = { protocolVersion = "2025-06-18", capabilities = {} } }
    t.eq(post(url, nil, hello), 401)
    t.eq(post(url, token .. "x", hello), 401)
    t.eq(post(url, token, hello, { Origin = "http://evil.example.com" }), 403)
    t.eq(post(url, token, hello, { Host = "evil.example.com" }), 421)
    local status, answer, reply = post(url, token, hello, { Origin = url:match "^http://[^/]+" })
    t.eq({ status, answer.result.protocolVersion }, { 200, "2025-06-18" })
    local session = reply.headers["mcp-session-id"]
    t.eq(post(url, token, { id = 2, method = "ping" }), 400)
    t.eq(post(url, token, { id = 2, method = "ping" }, { ["Mcp-Session-Id"] = "x" }), 404)
    t.eq(post(url, token, { id = 2, method = "ping" }, { ["Mcp-Session-Id"] = session }), 200)
    t.eq(post(url, token, { method = "notifications/initialized" }, { ["Mcp-Session-Id"] = session }), 202)
    t.eq(assert(http.request { url = url, headers = { Authorization = "Bearer " .. token } }).status, 405)
    t.eq(assert(http.request { url = url, method = "DELETE", headers = { Authorization = "Bearer " .. token,
      ["Mcp-Session-Id"] = session } }).status, 204)
    t.eq(post(url, token, { id = 3, method = "ping" }, { ["Mcp-Session-Id"] = session }), 404)
  end)
end

-- A stream that its client closes ends the call, so that the next one has the desktop.
function tests.http_ends_what_nobody_waits_for()
  with_http({}, function(url, token)
    local function call(id, name, args)
      local headers = { ["MCP-Protocol-Version"] = "2026-07-28", ["Mcp-Method"] = "tools/call", ["Mcp-Name"] = name,
        ["Content-Type"] = "application/json", Accept = "application/json, text/event-stream",
        Authorization = "Bearer " .. token }
      return { url = url, method = "POST", headers = headers, body = json.encode { jsonrpc = "2.0", id = id,
        method = "tools/call", params = { name = name, arguments = args, _meta = { progressToken = id,
          ["io.modelcontextprotocol/protocolVersion"] = "2026-07-28",
          ["io.modelcontextprotocol/clientCapabilities"] = {} } } } }
    end
    local heard
    assert(http.stream(call(1, "wait", { seconds = 600, text = "never seen" }), function(bytes)
      heard = bytes
      return true
    end))
    t.has(heard, "notifications/progress")
    local reply = assert(http.request(call(2, "window", { action = "list" })))
    t.has(reply.body, "there are no windows")
  end)
end

return tests
