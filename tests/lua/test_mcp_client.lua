-- mcp/server and mcp/connection against servers that are processes of their own: what is agreed on, lists, calls, what
-- a server asks meanwhile, and how it goes on when one dies.
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local mcp_peer = require "mcp_peer"
local server = require "deskpilot.mcp.server"
local spawn = require "spawn"
local t = require "harness"
local task = require "deskpilot.base.task"
local tools = require "deskpilot.mcp.tools"
local uv = require "luv"

local tests = {}

server.timing.first = 0.02

-- fn(start, folder): start(source, options, stateless) gives a server that is not connected yet; all are closed.
local function with_servers(fn)
  return spawn.in_folder(function(folder)
    local all = {}
    local closing <close> = setmetatable({}, { __close = function()
      for _, one in ipairs(all) do one:close() end
    end })
    fn(function(source, options, stateless)
      local given = { command = mcp_peer.command(folder, source, stateless), connect_timeout = 60,
        client = { name = "test", version = "1" } }
      for key, value in pairs(options or {}) do given[key] = value end
      all[#all + 1] = server.new("peer", given)
      return all[#all]
    end, folder)
    return closing
  end)
end

local function call(one, name, args, options)
  local tool
  for _, each in ipairs(assert(one:tools(60))) do
    if each.name == name then tool = each end
  end
  local given = { timeout = 60 }
  for key, value in pairs(options or {}) do given[key] = value end
  local result, err = one:call(t.ok(tool, name), args or {}, given)
  return result and result.content and result.content[1] and result.content[1].text or result, err
end

local function names(list)
  local found = {}
  for i, tool in ipairs(list) do found[i] = tool.name end
  return table.concat(found, " ")
end

local echo = [[ tool "echo" calls.echo = function(m, args) words(m, json.encode(args)) end ]]

-- --- which revision -------------------------------------------------------------------------------------------

tests.each_revision_by_what_the_server_answers = with_servers(function(start)
  for stateless, revision in pairs { [true] = "2026-07-28", [false] = "2025-11-25" } do
    local one = start(echo, nil, stateless)
    t.eq(call(one, "echo", { a = { 1 } }), '{"a":[1]}')
    t.eq({ one.connection.revision, one.connection.info }, { revision,
      { name = "peer", version = stateless and "2" or "1" } })
  end
end)

tests.one_that_never_answers_what_it_does_not_know = with_servers(function(start)
  local one = start(echo .. [[handlers["server/discover"] = function() end]], { connect_timeout = 4 })
  t.eq(call(one, "echo"), "{}")
  t.eq(one.connection.revision, "2025-11-25")
end)

tests.one_that_dies_of_the_question = with_servers(function(start)
  local one = start(echo .. [[handlers["server/discover"] = function() os.exit(7) end]])
  t.eq(call(one, "echo"), "{}")
  t.eq({ one.connection.revision, one.failures }, { "2025-11-25", 0 })
end)

tests.older_revisions = with_servers(function(start)
  for _, revision in ipairs { "2025-06-18", "2025-03-26", "2024-11-05" } do
    local one = start(echo .. ([[handlers.initialize = function(m)
      answer(m, { protocolVersion = %q, capabilities = capabilities, serverInfo = { name = "p", version = "1" } })
    end]]):format(revision))
    t.eq(call(one, "echo"), "{}")
    t.eq(one.connection.revision, revision)
  end
end)

tests.one_with_which_nothing_is_common = with_servers(function(start)
  local one = start([[handlers["server/discover"] = function(m)
    refuse(m, -32022, "no", { supported = { "2031-01-01" } })
  end]])
  t.fails("unsupported", "speaks no revision of the protocol that is known here", one:connect())
  one = start([[handlers.initialize = function(m) answer(m, { protocolVersion = "1999", capabilities = {} }) end]])
  t.fails("unsupported", "it has 1999", one:connect())
  one = start(echo, { revision = "2026-07-28" })
  t.fails("unsupported", "does not speak revision 2026-07-28", one:connect())
end)

tests.one_that_names_an_older_revision_gets_that = with_servers(function(start)
  local one = start(echo .. [[handlers["server/discover"] = function(m)
    refuse(m, -32022, "no", { supported = { "2025-06-18" } })
  end]])
  t.eq(call(one, "echo"), "{}")
  t.eq(one.connection.revision, "2025-06-18")
end)

tests.what_every_request_carries = with_servers(function(start)
  local one = start([[tool "meta" calls.meta = function(m) words(m, json.encode(m.params._meta)) end]], { roots =
    function() return json.list() end }, true)
  local meta = json.decode((call(one, "meta")))
  t.eq({ meta["io.modelcontextprotocol/protocolVersion"], meta["io.modelcontextprotocol/clientInfo"],
    meta["io.modelcontextprotocol/clientCapabilities"] },
    { "2026-07-28", { name = "test", version = "1" }, { elicitation = { form = {} }, roots = {} } })
end)

-- --- lists ----------------------------------------------------------------------------------------------------

tests.lists_come_in_pages = with_servers(function(start)
  local one = start [[handlers["tools/list"] = function(m)
    local n = tonumber(m.params.cursor or "0")
    tools = json.list {}
    tool("t" .. 2 * n) tool("t" .. 2 * n + 1)
    answer(m, { tools = tools, nextCursor = n < 3 and tostring(n + 1) or nil })
  end]]
  t.eq(names(t.ok(one:tools(60))), "t0 t1 t2 t3 t4 t5 t6 t7")
end)

tests.a_list_without_an_end_has_one = with_servers(function(start)
  local one = start [[local n = 0
  handlers["tools/list"] = function(m)
    n = n + 1
    tools = json.list {}
    for i = 1, 10 do tool(("t%d_%d"):format(n, i)) end
    answer(m, { tools = tools, nextCursor = tostring(n) })
  end]]
  local list, problems = one:tools(60)
  t.eq(#t.ok(list), 200)
  t.has(problems[1], "more than 200 tools, of which the others are left out")
  one = start [[handlers["tools/list"] = function(m) answer(m, { tools = json.list(), nextCursor = "same" }) end]]
  t.eq(#t.ok(one:tools(60)), 0)
end)

tests.tools_that_cannot_be_used_are_told = with_servers(function(start)
  local one = start [[tool "good"
    tool "good"
    tool("no_object", { inputSchema = { type = "string" } })
    tool("wrong", { inputSchema = { type = "object", properties = { a = { type = "nonsense" } } } })
    tool("large", { inputSchema = { type = "object", description = ("x"):rep(60000) } })
    tool("without", { inputSchema = "none" })
    tool("strange", { inputSchema = { type = "object", ["x-own"] = 1,
      properties = { a = { ["$ref"] = "http://x/" } } } })
    tools[#tools + 1] = "no tool"
    tools[#tools + 1] = { name = ("n"):rep(300), inputSchema = { type = "object" } }]]
  local list, problems = one:tools(60)
  t.eq(names(t.ok(list)), "good strange")
  local all = table.concat(problems, "\n")
  for _, part in ipairs { "the tool good is there twice", "the tool no_object: its arguments are no object",
    "the tool wrong: its arguments cannot be checked", "the tool large: the schema of its arguments is too large",
    "the tool without: it has no schema", "a tool without a usable name" } do t.has(all, part) end
end)

tests.a_changed_list_is_told = with_servers(function(start)
  local one = start [[tool "first"
    calls.first = function(m)
      tool "second"
      say(protocol.notification "notifications/tools/list_changed")
      words(m, "done")
    end]]
  local changed = 0
  one.on_change = function(what) changed = changed + (what == "tools" and 1 or 0) end
  t.eq(call(one, "first"), "done")
  t.eq({ changed, names(t.ok(one:tools(60))) }, { 1, "first second" })
end)

tests.a_changed_list_is_told_by_a_subscription = with_servers(function(start)
  local one = start([[tool "first" capabilities.tools.listChanged = true
    handlers["subscriptions/listen"] = function(m)
      say(protocol.notification("notifications/subscriptions/acknowledged", { notifications = m.params.notifications,
        _meta = { [protocol.meta.subscription] = m.id } }))
      say(protocol.notification("notifications/tools/list_changed",
        { _meta = { [protocol.meta.subscription] = m.id } }))
    end]], nil, true)
  local changed = 0
  one.on_change = function() changed = changed + 1 end
  t.ok(one:tools(60))
  t.wait_until("the change", function() return changed == 1 end)
end)

-- --- calls ----------------------------------------------------------------------------------------------------

tests.progress_gives_more_time_but_not_for_ever = with_servers(function(start)
  local one = start [[tool "long" calls.long = function(m, args)
    for i = 1, args.steps do
      os.execute "sleep 0.2"
      say(protocol.notification("notifications/progress", { progressToken = m.params._meta.progressToken,
        progress = i, total = args.steps, message = "step\n" .. i }))
    end
    words(m, "done")
  end]]
  if t.platform == "windows" then return end -- without a shell's sleep
  local told = {}
  t.eq(call(one, "long", { steps = 6 }, { timeout = 0.8, on_progress = function(p) told[#told + 1] = p end }), "done")
  t.eq(told[6], { progress = 6, total = 6, message = "step 6" })
  t.fails("timed_out", "has not answered tools/call within 0.6 s", call(one, "long", { steps = 50 },
    { timeout = 0.5, most = 0.6 }))
end)

tests.a_call_that_is_given_up_is_cancelled = with_servers(function(start, folder)
  local path = files.join(folder, "told")
  local one = start(([[tool "never" calls.never = function(m)
      note(%q, "called " .. m.id)
    end
    handlers["notifications/cancelled"] = function(m) note(%q, "cancelled " .. m.params.requestId) end]])
    :format(path, path) .. echo)
  t.fails("timed_out", "has not answered tools/call within 0.3 s", call(one, "never", {}, { timeout = 0.3 }))
  local id = files.read(path):match "called (%d+)"
  t.wait_until("the first is cancelled", function()
    return files.read(path):find("cancelled " .. id .. "\n", 1, true)
  end)
  local work = task.start(call, one, "never")
  t.wait_until("the second is called", function() return select(2, files.read(path):gsub("called", "")) == 2 end)
  work:cancel "enough"
  t.wait_until("the second is cancelled", function()
    return select(2, files.read(path):gsub("cancelled", "")) == 2
  end)
  t.eq(call(one, "echo"), "{}", "and it goes on")
end)

tests.an_error_is_told_with_its_code = with_servers(function(start)
  local one = start [[tool "bad" calls.bad = function(m) refuse(m, -32000, "it is\nbroken") end tool "gone"]]
  local _, err = call(one, "bad")
  t.eq({ err.code, err.message, err.rpc }, { "refused",
    'the server "peer" answers with an error: it is broken (-32000)', -32000 })
  t.fails("invalid", "Unknown tool: gone", call(one, "gone"))
end)

tests.empty_lists_stay_lists = with_servers(function(start)
  local one = start [[tool("echo", { inputSchema = { type = "object", properties = { list = { type = "array" },
      inner = { type = "object", properties = { list = { type = "array", items = { type = "array" } } } } } } })
    local read, heard = protocol.read, nil
    protocol.read = function(line) heard = line return read(line) end
    calls.echo = function(m) words(m, heard) end]]
  local said = call(one, "echo", { list = {}, inner = { list = { {} } } })
  t.has(said, '"list":[]')
  t.has(said, '"inner":{"list":[[]]}')
end)

-- --- what a server asks ---------------------------------------------------------------------------------------

tests.what_a_server_asks_in_the_middle_of_a_call = with_servers(function(start)
  local one = start([[tool "asks" calls.asks = function(m)
      local said = {}
      for _, what in ipairs { "ping", "roots/list", "elicitation/create", "sampling/createMessage" } do
        local got = ask(what, { message = "who?" })
        said[#said + 1] = what .. " " .. json.encode(got.result or got.error.code)
      end
      words(m, table.concat(said, "; "))
    end]], { roots = function() return json.list { { uri = "file:///x" } } end })
  local slow = task.now()
  t.eq(call(one, "asks", {}, { timeout = 1, ask = function(method, params)
    task.sleep(1.5) -- a person takes longer than the server may
    return { action = "accept", content = { method = method, message = params.message } }
  end }), 'ping {}; roots/list {"roots":[{"uri":"file:///x"}]}; elicitation/create {"action":"accept","content":'
    .. '{"message":"who?","method":"elicitation/create"}}; sampling/createMessage -32601')
  t.ok(task.now() - slow > 1.5)
  t.has(call(one, "asks"), 'elicitation/create {"action":"cancel"}', "nobody can be asked")
end)

tests.rounds_of_questions = with_servers(function(start)
  local one = start([[tool "asks" calls.asks = function(m)
      local p = m.params
      local function more(state, requests)
        answer(m, { resultType = "input_required", requestState = state, inputRequests = requests })
      end
      if not p.requestState and not p.inputResponses then
        return more("a\0b \226\130\172", { who = { method = "elicitation/create", params = { message = "who?" } },
          where = { method = "roots/list" } })
      elseif p.inputResponses and p.inputResponses.who then
        if p.requestState ~= "a\0b \226\130\172" then return words(m, "the state has changed") end
        return more(nil, { again = { method = "elicitation/create", params = { message = "sure?" } } })
      elseif p.inputResponses and p.inputResponses.again then
        if p.requestState then return words(m, "a state that was not given") end
        return more("only a state")
      end
      words(m, json.encode { p.requestState, p.inputResponses == nil, p.arguments })
    end
    tool "ever" calls.ever = function(m) answer(m, { resultType = "input_required", requestState = "x" }) end
    tool "samples" calls.samples = function(m) answer(m, { resultType = "input_required",
      inputRequests = { s = { method = "sampling/createMessage", params = {} } } }) end
    tool "nothing" calls.nothing = function(m) answer(m, { resultType = "input_required" }) end
    tool "odd" calls.odd = function(m) answer(m, { resultType = "something" }) end
    tool "plain" calls.plain = function(m) say('{"jsonrpc":"2.0","id":' .. m.id .. ',"result":{"content":[]}}') end]],
    { roots = function() return json.list() end }, true)
  local asked = {}
  local function ask(_, params)
    asked[#asked + 1] = params.message
    return { action = "accept", content = {} }
  end
  t.eq(call(one, "asks", { a = 1 }, { ask = ask }), '["only a state",true,{"a":1}]')
  t.eq(asked, { "who?", "sure?" })
  t.fails("protocol", "has asked 10 times within one call", call(one, "ever", {}, { ask = ask }))
  t.fails("unsupported", "asks for sampling/createMessage, which deskpilot does not do", call(one, "samples", {},
    { ask = ask }))
  t.fails("protocol", "asks in a form that is not known", call(one, "nothing"))
  t.fails("protocol", "a result of a type that is not known: something", call(one, "odd"))
  t.eq(call(one, "plain").content, {}, "without a type it is complete")
end)

-- --- the end of a server --------------------------------------------------------------------------------------

-- A tool that tells its process, and waits while that file is there.
local waits = [[tool("waits", { annotations = { readOnlyHint = %s } })
  calls.waits = function(m)
    local file = io.open(%q)
    if file then
      file:close()
      note(%q, "waiting")
      while true do hear() end
    end
    words(m, "done")
  end]]

tests.a_server_that_is_killed_in_a_call_is_started_again = with_servers(function(start, folder)
  for _, read_only in ipairs { "true", "false" } do
    local hold, log = files.join(folder, "hold" .. read_only), files.join(folder, "log" .. read_only)
    assert(files.write(hold, ""))
    local one = start(waits:format(read_only, hold, log))
    local again = 0
    one.on_change = function() again = again + 1 end
    local work = task.start(call, one, "waits")
    t.wait_until("it waits", function() return files.exists(log) end)
    local pid = one.connection.transport.child.pid
    files.remove(hold)
    uv.kill(pid, "sigkill")
    local _, result, err = work:wait()
    if read_only == "true" then
      t.eq(result, "done", "what changes nothing is asked once more")
    else
      t.eq({ result, err.code, err.ended }, { nil, "io", true })
      t.has(err.message, 'the server "peer": ')
      t.has(err.message, "has ended")
      t.eq(call(one, "waits"), "done", "the next call finds it again")
    end
    t.ok(again > 0, "its tools may have changed meanwhile")
    t.ok(one.connection.transport.child.pid ~= pid)
  end
end)

-- The process has ended and nobody has heard of it: what was never sent may be sent to the next one, whatever it does.
tests.a_server_that_is_killed_before_a_call = with_servers(function(start)
  local one = start(echo)
  t.eq(call(one, "echo"), "{}")
  for _ = 1, 5 do
    local child = one.connection.transport.child
    one.connection.transport.reader:cancel "nobody is to hear of it"
    uv.kill(child.pid, "sigkill")
    t.wait_until("it has ended", function() return child.status end)
    t.eq(call(one, "echo", { a = 1 }), '{"a":1}')
    t.ok(one.connection.transport.child ~= child)
  end
end)

tests.a_server_that_cannot_live_is_given_up = with_servers(function(start, folder)
  local log = files.join(folder, "log")
  local one = start(("note(%q, 'begun') io.stderr:write('no luck today\\n') os.exit(3)"):format(log))
  for _ = 1, 6 do
    local _, err = one:connect()
    t.has(err.message, "has ended with status 3; it said: no luck today")
  end
  t.fails("unavailable", "has failed 6 times in a row, and is not started again in this run", one:connect())
  t.eq(select(2, files.read(log):gsub("begun", "")), 12, "each time with and without the question")
end)

tests.a_program_that_is_not_there = with_servers(function(start)
  local one = start("", { command = { "no-such-program-of-ours" } })
  t.fails("not_found", "no-such-program-of-ours", one:connect())
end)

tests.closing_ends_the_program = with_servers(function(start)
  local one = start(echo)
  t.eq(call(one, "echo"), "{}")
  local pid = one.connection.transport.child.pid
  one:close()
  t.wait_until("it is gone", function() return uv.kill(pid, 0) ~= 0 end)
  t.fails("unavailable", "is closed", one:connect())
end)

-- --- names ----------------------------------------------------------------------------------------------------

function tests.names_are_legal_and_unique()
  t.eq(tools.name("files", "read_file", {}), "files__read_file")
  t.eq(tools.name("my.files", "read/über file", {}):match "^my_files__read___ber_file$", "my_files__read___ber_file")
  local taken = { files__a_b = true }
  local second = tools.name("files", "a.b", taken)
  t.ok(second:find "^files__a_b_%x+$", second)
  taken[second] = true
  local third = tools.name("files", "a.b", taken)
  t.ok(third ~= second and #third <= 64, third)
  local seen = {}
  for i = 1, 300 do
    local name = tools.name("server", ("x"):rep(80) .. i % 3, seen)
    t.ok(#name <= 64 and name:find "^[%w_-]+$" and not seen[name], name)
    seen[name] = true
  end
end

return tests
