-- mcp/http: a server that is reached by HTTP, here a socket of this process: sessions, streams of events, headers, what
-- goes wrong, and where headers of the configuration go.
local json = require "deskpilot.base.json"
local model_server = require "model_server"
local protocol = require "deskpilot.mcp.protocol"
local server = require "deskpilot.mcp.server"
local t = require "harness"
local task = require "deskpilot.base.task"

local tests = {}

server.timing.first = 0.02

local function result(request, fields) return { body = json.decode(protocol.result(request.id, fields)) } end
local function event(line) return "event: message\ndata: " .. line .. "\n\n" end
local stream = { ["Content-Type"] = "text/event-stream" }

local function refusal(request, code, words, data, status)
  return { status = status or 200, body = json.decode(protocol.failure(request and request.id, code, words, data)) }
end

local words = { { type = "text", text = "done" } }

-- A server's replies: `own` by the method of the message (or of HTTP), the usual ones otherwise.
local function script(own, stateless)
  return function(said, _, request)
    local method = said and said.method or request.method
    if own[method] then
      local reply = own[method](said, request)
      if reply then return reply end
    end
    if request.method == "GET" then return { status = 405, body = "" } end
    if request.method == "DELETE" or said.id == nil or said.method == nil then return { status = 202, body = "" } end
    if method == "server/discover" and stateless then
      return result(said, { resultType = "complete", supportedVersions = { "2026-07-28" }, capabilities =
        { tools = {} } })
    elseif method == "initialize" and not stateless then
      local reply = result(said, { protocolVersion = "2025-11-25", capabilities = { tools = {} },
        serverInfo = { name = "s", version = "1" } })
      reply.headers = { ["Mcp-Session-Id"] = "session-1" }
      return reply
    elseif method == "tools/list" then
      return result(said, { tools = { { name = "act", inputSchema = { type = "object" },
        annotations = { readOnlyHint = true } } } })
    elseif method == "tools/call" then
      return result(said, { content = words })
    end
    return refusal(said, -32601, "Method not found", nil, stateless and 404 or 200)
  end
end

-- fn(one, peer): a server that is not connected yet, and what it is made of.
local function with(own, fn, options)
  options = options or {}
  return function()
    local peer = model_server.start(script(own, options.stateless))
    peer.lenient = true
    local given = { url = peer.origin .. "/mcp", connect_timeout = 30, client = { name = "test", version = "1" } }
    for key, value in pairs(options.given or {}) do given[key] = value end
    local one = server.new("web", given)
    local closing <close> = setmetatable({}, { __close = function()
      one:close()
      peer:stop()
    end })
    fn(one, peer)
    return closing
  end
end

local function call(one, args, options)
  local list, err = one:tools(20)
  if not list then return nil, err end
  local given = { timeout = 20 }
  for key, value in pairs(options or {}) do given[key] = value end
  local found, why = one:call(list[1], args or {}, given)
  return found and found.content and found.content[1] and found.content[1].text or found, why
end

-- The requests with a message of that method, or of that method of HTTP.
local function requests(peer, method)
  local list = {}
  for _, request in ipairs(peer.requests) do
    if request.json and request.json.method == method or request.method == method then list[#list + 1] = request end
  end
  return list
end

tests.a_session = with({}, function(one, peer)
  t.eq(call(one), "done")
  t.eq(one.connection.revision, "2025-11-25")
  for _, method in ipairs { "notifications/initialized", "tools/list", "tools/call" } do
    local headers = requests(peer, method)[1].headers
    t.eq({ headers["mcp-session-id"], headers["mcp-protocol-version"], headers["mcp-method"] },
      { "session-1", "2025-11-25", nil }, method)
    t.eq({ headers.accept, headers["content-type"] }, { "application/json, text/event-stream", "application/json" })
  end
  t.eq(#requests(peer, "GET"), 1, "it has no stream of its own, and is not asked again")
  one:close()
  t.eq(requests(peer, "DELETE")[1].headers["mcp-session-id"], "session-1")
end)

tests.a_session_that_begins_in_a_stream = with({ initialize = function(said)
  return { headers = { ["Content-Type"] = "text/event-stream", ["Mcp-Session-Id"] = "session-2" }, body = event(
    protocol.result(said.id, { protocolVersion = "2025-11-25", capabilities = { tools = {} } })) .. ": more\n",
    slow = { bytes = 50, seconds = 0.01 } }
end }, function(one, peer)
  t.eq(call(one), "done")
  for _, method in ipairs { "notifications/initialized", "tools/list", "tools/call" } do
    t.eq(requests(peer, method)[1].headers["mcp-session-id"], "session-2", method)
  end
end)

tests.without_a_session_headers_repeat_the_body = with({ ["tools/list"] = function(said)
  return result(said, { tools = { { name = "läuft", inputSchema = { type = "object", properties = {
    region = { type = "string", ["x-mcp-header"] = "Region" }, inner = { type = "object", properties = {
      on = { type = "boolean", ["x-mcp-header"] = "On" }, n = { type = "integer", ["x-mcp-header"] = "N" } } },
    free = { type = "string" } } } } } })
end }, function(one, peer)
  t.eq(call(one, { region = "münchen", free = "x", inner = { on = false, n = -7 } }), "done")
  local headers = requests(peer, "tools/call")[1].headers
  t.eq({ headers["mcp-protocol-version"], headers["mcp-method"], headers["mcp-name"] },
    { "2026-07-28", "tools/call", protocol.header_value "läuft" })
  t.eq({ headers["mcp-param-region"], headers["mcp-param-on"], headers["mcp-param-n"], headers["mcp-param-free"] },
    { protocol.header_value "münchen", "false", "-7", nil })
  t.eq({ #requests(peer, "GET"), #requests(peer, "DELETE"), #requests(peer, "initialize") }, { 0, 0, 0 })
end, { stateless = true })

tests.other_headers_are_wanted_than_were_told = with({}, function(one, peer)
  local list = 0
  peer.script = script({ ["tools/list"] = function(said)
    list = list + 1
    return result(said, { tools = { { name = "act", inputSchema = { type = "object", properties = {
      region = { type = "string", ["x-mcp-header"] = list > 1 and "Region" or nil } } } } } })
  end, ["tools/call"] = function(said, request)
    if not request.headers["mcp-param-region"] then return refusal(said, -32020, "Header mismatch", nil, 400) end
  end }, true)
  t.eq(call(one, { region = "x" }), "done")
  t.eq({ list, #requests(peer, "tools/call") }, { 2, 2 })
end, { stateless = true })

tests.an_answer_that_is_a_stream = with({ ["tools/call"] = function(said)
  local token = said.params._meta.progressToken
  local body = ": hello\n\nid: 1\nretry: 10\ndata:\n\n" .. event(protocol.notification("notifications/progress",
    { progressToken = token, progress = 1, message = "half" }))
    .. event(protocol.result(said.id + 1000, { content = {} })) .. "data: nonsense\n\n"
    .. event(protocol.result(said.id, { content = words })) .. event(protocol.result(said.id, { content = {} }))
  return { headers = stream, body = body, slow = { bytes = 7, seconds = 0.001 } }
end }, function(one)
  local told = {}
  t.eq(call(one, {}, { on_progress = function(p) told[#told + 1] = p.message end }), "done")
  t.eq(told, { "half" })
end)

tests.what_is_asked_in_a_stream_is_answered_by_a_message = with({ ["tools/call"] = function(said)
  local first = event(protocol.request("q1", "elicitation/create", { message = "who?" }))
  local second = event(protocol.result(said.id, { content = words }))
  return { headers = stream, chunked = false, body = first .. second, slow = { bytes = #first, seconds = 0.4 } }
end }, function(one, peer)
  t.eq(call(one, {}, { ask = function(_, params) return { action = "accept", content = { m = params.message } } end }),
    "done")
  local found
  for _, request in ipairs(peer.requests) do
    if request.json and request.json.id == "q1" then found = request end
  end
  t.eq(found.json.result, { action = "accept", content = { m = "who?" } })
  t.eq(found.headers["mcp-session-id"], "session-1")
end)

tests.a_stream_that_breaks_off_is_gone_on_with = with({}, function(one, peer)
  local id
  peer.script = script { ["tools/call"] = function(said)
    id = said.id
    return { headers = stream, body = "id: a1\nretry: 50\ndata:\n\n" }
  end, GET = function(_, request)
    if request.headers["last-event-id"] ~= "a1" then return nil end
    return { headers = stream, body = "id: a2\n" .. event(protocol.result(id, { content = words })) }
  end }
  t.eq(call(one), "done")
end)

tests.a_stream_that_ends_without_an_answer = with({ ["tools/call"] = function()
  return { headers = stream, body = ": nothing\n\n" }
end }, function(one)
  t.fails("io", "the stream of its answer has ended without the answer", call(one))
end)

tests.a_stream_that_never_gets_on = with({ ["tools/call"] = function()
  return { headers = stream, body = "id: a\nretry: 1\ndata:\n\n" }
end, GET = function(_, request)
  return request.headers["last-event-id"] and { headers = stream, body = "id: a\nretry: 1\ndata:\n\n" }
end }, function(one)
  t.fails("io", "has ended without the answer", call(one))
end)

tests.changes_are_told_on_a_stream_of_their_own = with({ GET = function()
  return { headers = stream, body = event(protocol.notification "notifications/tools/list_changed") .. ": end\n\n" }
end }, function(one)
  local changed = 0
  one.on_change = function() changed = changed + 1 end
  t.ok(one:tools(20))
  t.wait_until("the change", function() return changed > 0 end)
end)

tests.a_session_that_is_forgotten_is_begun_again = with({}, function(one, peer)
  t.eq(call(one), "done")
  local lost = 0
  peer.script = script { ["tools/call"] = function(said, request)
    if request.headers["mcp-session-id"] == "session-1" and lost == 0 then
      lost = lost + 1
      return refusal(said, -32001, "Session not found", nil, 404)
    end
  end }
  t.eq(call(one), "done")
  t.eq({ lost, #requests(peer, "initialize") }, { 1, 2 })
end)

-- --- what goes wrong ------------------------------------------------------------------------------------------

local function answers(reply)
  return { initialize = function() return reply end, ["server/discover"] = function() return reply end }
end

for name, row in pairs {
  wants_authorization = { { status = 401, body = "" }, "refused", "asks for authorization (401): give it a token by "
    .. "headers_from (OAuth is not supported)" },
  is_forbidden = { { status = 403, body = "go away" }, "refused", "it forbids this (403) (go away)" },
  is_not_there = { { status = 404, body = "<html>nothing</html>" }, "refused", "there is nothing at this address" },
  is_broken = { { status = 500, body = "oh" }, "unavailable", "it answers with the status 500 (oh)" },
  is_another = { { body = "<html>hello</html>", headers = { ["Content-Type"] = "text/html" } }, "protocol",
    "its answer is no JSON that can be read" },
  is_cut_off = { { body = ("x"):rep(100), drop = true }, "io", "" },
  is_deep = { { body = ("["):rep(100000) }, "protocol", "nested 100000 deep" },
  is_a_list = { { body = "[]" }, "protocol", "no JSON-RPC 2.0 object" },
  says_nothing = { { body = "" }, "io", "ended without" },
} do
  tests["a_server_that_" .. name] = with(answers(row[1]), function(one)
    t.fails(row[2], row[3], one:tools(20))
  end)
end

tests.an_answer_that_is_too_large = with({ ["tools/call"] = function(said)
  return result(said, { content = { { type = "text", text = ("x"):rep(33 << 20) } } })
end }, function(one)
  t.fails("protocol", "its answer has more than 33554432 bytes", call(one, {}, { timeout = 120 }))
end)

tests.an_event_that_is_too_large = with({ ["tools/call"] = function()
  return { headers = stream, body = "data: " .. ("x"):rep(33 << 20) }
end }, function(one)
  t.fails("protocol", "one of its events has more than 33554432 bytes", call(one, {}, { timeout = 120 }))
end)

tests.nothing_is_waited_for_without_an_end = with({ ["tools/call"] = function() return { silent = true } end },
  function(one, peer)
    local began = task.now()
    t.fails("timed_out", "has not answered tools/call within 0.5 s", call(one, {}, { timeout = 0.5 }))
    t.ok(task.now() - began < 5)
    t.wait_until("it is told", function() return #requests(peer, "notifications/cancelled") == 1 end)
  end)

tests.a_drop_at_a_time_is_not_waited_for_either = with({ ["tools/call"] = function()
  return { headers = stream, body = (": wait\n"):rep(10000), slow = { bytes = 7, seconds = 0.02 } }
end }, function(one)
  t.fails("timed_out", "within 0.5 s", call(one, {}, { timeout = 0.5 }))
end)

tests.headers_of_the_configuration_reach_no_other_host = with({}, function(one, peer)
  local other = model_server.start(script {})
  other.lenient = true
  for _, status in ipairs { 301, 302, 307, 308 } do
    peer.script = function() return { status = status, headers = { Location = other.origin .. "/mcp" }, body = "" } end
    t.fails("refused", "a redirection, which is not followed", one:tools(20))
  end
  t.eq({ #other.requests, peer.requests[1].headers["x-token"] }, { 0, "secret" })
  other:stop()
end, { given = { headers = { ["X-Token"] = "secret" } } })

tests.a_server_that_is_not_there = function()
  local one = server.new("web", { url = ("http://127.0.0.1:%d/"):format(require "ports".refusing()),
    connect_timeout = 5, client = { name = "t", version = "1" } })
  t.fails("unavailable", 'the server "web": ', one:tools(5))
  one:close()
end

return tests
