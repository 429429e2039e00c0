-- cli/mcp: what the server answers, without a desktop: the tools' definitions, what is no message, both forms of the
-- protocol, questions, cancelling.
local t = require "harness"
local exchange = require "deskpilot.cli.mcp.exchange"
local call_module = require "deskpilot.cli.mcp.call"
local client = require "deskpilot.cli.mcp.client"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local offers = require "deskpilot.cli.mcp.offers"
local files = require "deskpilot.base.files"
local protocol = require "deskpilot.mcp.protocol"
local run_files = require "deskpilot.cli.mcp.run_files"
local shared_desktop = require "deskpilot.cli.mcp.shared_desktop"
local schema = require "deskpilot.base.schema"
local server_module = require "deskpilot.cli.mcp.server"
local spawn = require "spawn"
local task = require "deskpilot.base.task"
local token = require "deskpilot.cli.mcp.token"
local token_count = require "deskpilot.agent.token_count"
local tools = require "deskpilot.cli.mcp.tools"
local uv = require "luv"

local tests = {}

-- Every client sends them to its model with every request.
function tests.the_tools_cost_little()
  local list = tools.of {}
  t.ok(#list <= 12, #list .. " tools")
  local definitions, names = {}, {}
  for i, tool in ipairs(list) do
    definitions[i] = server_module.definition(tool)
    t.ok(tool.name:find "^%l+$", tool.name)
    t.ok(not names[tool.name], tool.name .. " is there once")
    names[tool.name] = true
    t.ok(schema.check(definitions[i].inputSchema), tool.name)
  end
  local words = json.encode { tools = definitions }
  local count = token_count.of_text(words)
  t.ok(count > 500 and count <= 1500, ("tools/list has %d tokens, 1500 at most"):format(count))
end

local function a_tool(name, run, parameters)
  return { name = name, description = name, parameters = parameters or schema.declare { type = "object",
    properties = {} }, run = run }
end

local number = schema.declare { type = "object", required = { "n" }, additionalProperties = false,
  properties = { n = { type = "integer", minimum = 1 } } }

local function a_server(more)
  local list = {
    a_tool("echo", function(_, args) return "n is " .. args.n end, number),
    a_tool("broken", function() error "a defect" end),
    a_tool("slow", function() task.sleep(600) return "never" end),
    a_tool("asks", function(call)
      local answers, err = call:ask({ it = { method = "elicitation/create", params = { message = "?" } } }, 0.5)
      return answers and "heard " .. tostring(answers.it.action), err
    end),
  }
  return server_module.new { tools = list, resources = more or {}, prompts = {}, instructions = "" }
end

local with_sessions = { protocolVersion = "2025-11-25", capabilities = { elicitation = {} } }

local function meta(capabilities)
  return { [protocol.meta.version] = "2026-07-28", [protocol.meta.capabilities] = capabilities or {} }
end

-- The decoded answer to a request.
local function ask(server, who, method, params, send)
  local line, status = exchange.new(server, who):answer(who, { id = 1, method = method, params = params or {} }, send)
  return line and json.decode(line), status
end

local function call(server, who, name, args, more)
  local params = { name = name, arguments = args }
  for key, value in pairs(more or {}) do params[key] = value end
  return ask(server, who, "tools/call", params)
end

function tests.both_forms_of_the_protocol()
  local server = a_server()
  local old, new = client.by_handshake(with_sessions), client.by_meta { _meta = meta() }
  t.eq({ old.revision, old.stateless, new.revision, new.stateless }, { "2025-11-25", false, "2026-07-28", true })
  t.eq(client.by_handshake { protocolVersion = "2024-01-01" }.revision, "2025-11-25")
  t.eq(client.by_handshake { protocolVersion = "2025-06-18" }.revision, "2025-06-18")
  local result = call(server, old, "echo", { n = 3 }).result
  t.eq(result, { content = { { type = "text", text = "n is 3" } } })
  result = call(server, new, "echo", { n = 3 }).result
  t.eq(result.resultType, "complete")
  t.eq(result._meta[protocol.meta.server].name, "deskpilot")
  result = ask(server, new, "tools/list").result
  t.eq({ #result.tools, result.ttlMs > 0, result.cacheScope }, { 4, true, "private" })
  t.eq(ask(server, old, "tools/list").result.ttlMs, nil)
  for _, case in ipairs { { old, "server/discover" }, { new, "ping" }, { new, "logging/setLevel" },
    { old, "no/such" }, { old, "prompts/list" }, { new, "initialize" } } do
    local answer, status = ask(server, case[1], case[2])
    t.eq({ answer.error.code, status }, { -32601, 404 }, case[2])
  end
  t.eq(#ask(server, new, "server/discover").result.supportedVersions, #protocol.revisions)
  for _, wrong in ipairs { {}, { _meta = 7 }, { _meta = { [protocol.meta.version] = "2026-07-28" } } } do
    local _, err = pcall(client.by_meta, wrong)
    t.eq({ err.code, err.status }, { -32602, 400 })
  end
  local other = meta()
  other[protocol.meta.version] = "1999-01-01"
  local _, err = pcall(client.by_meta, { _meta = other })
  t.eq({ err.code, err.data.requested, err.data.supported[1] }, { -32022, "1999-01-01", "2026-07-28" })
end

function tests.what_is_wrong_with_a_call()
  local server, old = a_server(), client.by_handshake(with_sessions)
  t.eq(call(server, old, "nothing").error.code, -32602)
  for _, args in ipairs { {}, { n = 0 }, { n = "x" }, "no object" } do
    local result = call(server, old, "echo", args).result
    t.eq(result.isError, true)
    t.has(result.content[1].text, "echo: ")
  end
  t.eq(call(server, old, "echo", { n = "5" }).result.content[1].text, "n is 5") -- which is clear
  local answer = call(server, old, "broken")
  t.eq({ answer.error.code, answer.error.message }, { -32603, "this has failed inside deskpilot" })
  t.eq(ask(server, old, "tools/list", { cursor = "99" }).error.code, -32602)
  t.eq(ask(server, old, "tools/list", { cursor = {} }).error.code, -32602)
  t.eq(ask(server, old, "resources/read", { uri = 7 }).error.code, -32602)
  t.eq(ask(server, old, "resources/read", { uri = "x:y" }).error.code, -32002)
  t.eq(ask(server, client.by_meta { _meta = meta() }, "resources/read", { uri = "x:y" }).error.code, -32602)
end

function tests.lists_come_in_pages()
  local all = {}
  for i = 1, 250 do all[i] = { uri = "a:" .. i, name = "n" .. i } end
  local server = a_server { { list = function() return all end, templates = {}, read = function() end } }
  local old, seen, cursor = client.by_handshake(with_sessions), 0, nil
  repeat
    local result = ask(server, old, "resources/list", { cursor = cursor }).result
    seen, cursor = seen + #result.resources, result.nextCursor
  until not cursor
  t.eq(seen, 250)
end

-- A client with sessions is sent a request, by the connection that its own came by.
function tests.a_question_by_a_request()
  local server, old, sent = a_server(), client.by_handshake(with_sessions), {}
  local work = task.start(ask, server, old, "tools/call", { name = "asks" }, function(line)
    table.insert(sent, json.decode(line))
  end)
  t.wait_until("the question", function() return #sent == 1 end)
  t.eq(sent[1].method, "elicitation/create")
  old:answered { kind = "result", id = "unknown", result = {} }
  old:answered { kind = "result", id = sent[1].id, result = { action = "accept" } }
  local _, answer = work:wait()
  t.eq(answer.result.content[1].text, "heard accept")
  answer = call(server, client.by_handshake { protocolVersion = "2025-11-25" }, "asks") -- which cannot be asked
  t.eq(answer.error.code, -32600)
end

-- One without sessions comes again. Its state is a name that nobody can make up, and that counts once.
function tests.a_question_by_a_result()
  local server = a_server()
  local function new(capabilities) return client.by_meta { _meta = meta(capabilities or { elicitation = {} }) } end
  local answer = call(server, new {}, "asks")
  t.eq(answer.error.code, -32021)
  t.eq(answer.error.data.requiredCapabilities.elicitation, {})
  local first = call(server, new(), "asks").result
  t.eq({ first.resultType, first.inputRequests.it.method }, { "input_required", "elicitation/create" })
  local again = { requestState = first.requestState, inputResponses = { it = { action = "accept" } } }
  t.eq(call(server, new(), "echo", nil, again).error.code, -32602)
  t.eq(call(server, new(), "asks", { x = 1 }, again).error.code, -32602)
  again.requestState = first.requestState .. "0"
  t.eq(call(server, new(), "asks", nil, again).error.code, -32602)
  again.requestState = first.requestState
  t.eq(call(server, new(), "asks", nil, again).result.content[1].text, "heard accept")
  t.eq(call(server, new(), "asks", nil, again).error.code, -32602)
  local late = call(server, new(), "asks").result
  t.wait_until("the end of the question's time", function() return next(server.waiting) == nil end)
  again.requestState = late.requestState
  t.eq(call(server, new(), "asks", nil, again).error.code, -32602)
end

-- A request that was answered with what is wanted is over: nothing is said of it any more until it is there again.
function tests.nothing_is_said_between_a_question_and_its_answer()
  local server, usual = a_server(), call_module.timing.heartbeat
  local back <close> = setmetatable({}, { __close = function() call_module.timing.heartbeat = usual end })
  t.ok(back)
  call_module.timing.heartbeat = 0.05
  local heard = 0
  local function send() heard = heard + 1 end
  local function meta_with_token()
    local all = meta { elicitation = {} }
    all[protocol.meta.progress], all[protocol.meta.log_level] = "t", "debug"
    return { _meta = all }
  end
  local more = meta_with_token()
  more.name = "asks"
  local first = ask(server, client.by_meta(more), "tools/call", more, send).result
  t.eq(first.resultType, "input_required")
  local before = heard
  task.sleep(0.3)
  t.eq(heard, before)
  more = meta_with_token()
  more.name = "slow"
  local work = task.start(ask, server, client.by_meta(more), "tools/call", more, send)
  t.wait_until("a word of progress", function() return heard > before end)
  work:cancel "the test is over"
end

function tests.calls_that_wait_are_few()
  local server, refused = a_server(), 0
  for _ = 1, 20 do
    local answer = call(server, client.by_meta { _meta = meta { elicitation = {} } }, "asks")
    if answer.error then refused = refused + 1 end
  end
  t.eq(refused, 4)
end

function tests.cancelling_and_too_many_at_a_time()
  local server, old = a_server(), client.by_handshake(with_sessions)
  local talk, works = exchange.new(server, old), {}
  for i = 1, 64 do
    works[i] = task.start(function()
      return talk:answer(old, { id = i, method = "tools/call", params = { name = "slow" } })
    end)
  end
  t.eq(json.decode((talk:answer(old, { id = 64, method = "ping", params = {} }))).error.code, -32600)
  t.eq(json.decode((talk:answer(old, { id = 65, method = "ping", params = {} }))).error.message,
    "too many requests at a time")
  talk:hear { kind = "notification", method = "notifications/cancelled", params = { requestId = 99 } }
  for i = 1, 64 do
    talk:hear { kind = "notification", method = "notifications/cancelled", params = { requestId = i } }
    local ok, line = works[i]:wait()
    t.eq({ ok, line }, { true, nil })
  end
  t.eq(talk.count, 0)
  t.eq(json.decode((talk:answer(old, { id = 1, method = "ping", params = {} }))).result, {})
end

-- Whoever is cancelled in the queue, or just when it was woken, holds nobody up.
function tests.the_desktop_goes_from_call_to_call()
  local place = shared_desktop.new({ turn = 0, goal = {}, emit = function() end }, {})
  local had, calls = {}, {}
  local function begin(name)
    calls[name] = task.start(function()
      task.sleep(0)
      place:turn({}, function()
        had[#had + 1] = name
        task.await(function(done) calls[name].finish = done end)
      end)
    end)
    task.sleep(0.01)
  end
  for _, name in ipairs { "a", "b", "c", "d" } do begin(name) end
  t.eq(had, { "a" })
  calls.b:cancel "in the queue"
  calls.a.finish()
  calls.c:cancel "just when it was woken"
  t.wait_until("the last one's turn", function() return had[2] end)
  t.eq(had, { "a", "d" })
  calls.d:cancel "at work"
  begin "e"
  t.eq(had, { "a", "d", "e" })
  calls.e.finish()
  t.ok((calls.e:wait()))
  t.eq({ place.call, #place.queue, place.run.turn }, { nil, 0, 3 })
end

tests.only_files_of_runs_are_read = spawn.in_folder(function(folder)
  local name = "20260101T000000Z-one"
  assert(files.make_folder(files.join(folder, name, "screenshots")))
  assert(journal.open(files.join(folder, name))).close()
  assert(files.write(files.join(folder, name, "screenshots", "a.png"), "\137PNG"))
  assert(files.write(files.join(folder, "outside.json"), "{}"))
  local runs = run_files.of(folder)
  local base = "deskpilot://runs/" .. name .. "/"
  t.eq(runs.list()[1].uri, base .. "journal.jsonl")
  t.has(runs.read(base .. "journal.jsonl")[1].text, '{"event":"journal"')
  t.eq(runs.read(base .. "screenshots/a.png")[1].blob, "iVBORw==")
  for _, path in ipairs { "../outside.json", "screenshots/../../outside.json", "./journal.jsonl", "screenshots", "",
    "/etc/passwd", "screenshots\\..\\..\\outside.json", "%2e%2e/outside.json", "journal.jsonl/", "C:/outside.json" } do
    t.eq(runs.read(base .. path), nil, path)
  end
  t.eq(runs.read("deskpilot://runs/../outside.json"), nil)
  t.eq(runs.read("file:///" .. folder .. "/outside.json"), nil)
  t.eq(runs.complete("run", "2026"), { name })
  t.eq(runs.complete("path", ""), {})
end)

tests.the_token_is_private_and_long = spawn.in_folder(function(folder)
  local path = files.join(folder, "state", "token")
  local made = t.ok(token.of(path))
  t.eq(#made, 48)
  t.eq(token.of(path), made)
  assert(files.write(path, "short\n"))
  t.fails("invalid", "at least 16", token.of(path))
  if t.platform == "linux" then
    assert(files.write(path, ("x"):rep(20)))
    assert(uv.fs_chmod(path, tonumber("644", 8)))
    t.fails("refused", "others can read", token.of(path))
  end
end)

tests.offered_files_are_checked = spawn.in_folder(function(folder)
  local path = files.join(folder, "offer.lua")
  local function offered(source)
    assert(files.write(path, source))
    return offers.read(path)
  end
  t.fails("invalid", "must return a table", offered "return 7")
  t.fails("invalid", "tools[1] has no run", offered
    'return { tools = { { name = "a", description = "b", parameters = {} } } }')
  t.fails("invalid", "it may have tools", offered "return { tolls = {} }")
  t.fails("invalid", "offer.lua", offered "return {")
  local got = t.ok(offered
    'return { resources = { { uri = "a:b", name = "n", read = function() return "words" end } } }')
  t.eq(got.resources.read("a:b")[1].text, "words")
  t.eq(got.resources.read("a:c"), nil)
end)

return tests
