-- Servers that are programs and mean no good, or are broken: whatever they write, a call ends in time with an error or
-- an answer, memory stays within bounds, and the program goes on.
local json = require "deskpilot.base.json"
local mcp_peer = require "mcp_peer"
local protocol = require "deskpilot.mcp.protocol"
local server = require "deskpilot.mcp.server"
local spawn = require "spawn"
local t = require "harness"
local task = require "deskpilot.base.task"

local tests = {}

server.timing.first = 0.02

-- What comes of calling the only tool of a server that is made of that source.
local function call(folder, source, options)
  local one = server.new("peer", { command = mcp_peer.command(folder, [[tool "act" ]] .. source, options.stateless),
    connect_timeout = 30, client = { name = "test", version = "1" }, roots = function() return json.list() end })
  local closing <close> = setmetatable({}, { __close = function() one:close() end })
  assert(closing)
  local list, problem = one:tools(30)
  if not list then return nil, problem end
  return one:call(list[1], {}, { timeout = options.timeout or 20, ask = function()
    return { action = "accept", content = {} }
  end })
end

local function judge(row, result, err)
  if row[2] then return t.fails(row[2], row[3], result, err) end
  t.eq(result and result.content[1].text, "after", tostring(err))
end

-- name: the source of calls.act(m), the error's code (nil: it succeeds) and a part of its words.
for name, row in pairs {
  a_line_without_an_end = { [[while true do io.write(("x"):rep(1 << 20)) end]], "protocol",
    "a line of more than 33554432 bytes" },
  deep_json = { [[say('{"jsonrpc":"2.0","id":' .. m.id .. ',"result":' .. ('{"a":'):rep(200000) .. '1'
    .. ('}'):rep(200000) .. '}') words(m, "after")]] },
  many_values = { [[say('{"jsonrpc":"2.0","id":' .. m.id .. ',"result":{"a":[' .. ("[],"):rep(5000000) .. '1]}}')
    words(m, "after")]] },
  nonsense = { [[say "hello" say "{}" say "[1,2]" say "null" say(("\0\255"):rep(100)) say '{"jsonrpc":"2.0"}'
    words(m, "after")]] },
  nothing_but_nonsense = { [[while true do say "a word of mine" end]], "protocol",
    "lines that are no messages; the last (a word of mine)" },
  wrong_ids = { [[for _, id in ipairs { 0, -1, 999999, "x", 1.5, m.id + 1, tostring(m.id) } do
      say(json.encode { jsonrpc = "2.0", id = id, result = {} })
    end
    say '{"jsonrpc":"2.0","id":null,"result":{}}' say '{"jsonrpc":"2.0","result":{}}'
    say '{"jsonrpc":"2.0","id":{},"result":{}}'
    words(m, "after")]] },
  two_answers = { [[words(m, "after") words(m, "again") refuse(m, -1, "and an error")]] },
  no_answer = { [[while true do hear() end]], "timed_out", "has not answered tools/call within 0.5 s", timeout = 0.5 },
  an_endless_chatter = { [[while true do
      say(protocol.notification("notifications/message", { level = "info", data = "blah" }))
    end]], "protocol", "it has sent 20000 messages and no answer" },
  endless_questions = { [[for i = 1, 100000 do
      say(protocol.request(5000 + i, "ping"))
    end]], "protocol", "it " },
  progress_that_is_none = { [[for _, p in ipairs { "x", {}, { progress = "many" }, { progress = 1e300 } } do
      say(protocol.notification("notifications/progress", type(p) == "table" and { progressToken =
        m.params._meta.progressToken, progress = p.progress, total = {}, message = 7 } or { progressToken = p }))
    end words(m, "after")]] },
  a_result_of_odd_types = { [[answer(m, { content = "text" })]], "protocol", "a result without content" },
  an_error_of_odd_types = { [[say('{"jsonrpc":"2.0","id":' .. m.id .. ',"error":"no"}') words(m, "after")]] },
  an_error_without_an_end = { [[refuse(m, 7, ("very "):rep(1000000) .. "bad")]], "refused", "very very" },
  an_end = { [[os.exit(9)]], "io", "has ended" },
  deaf = { [[while true do end]], "timed_out", "within 0.5 s", timeout = 0.5 },
} do
  for _, stateless in ipairs { true, false } do
    tests[name .. (stateless and "" or "_after_initialize")] = spawn.in_folder(function(folder)
      collectgarbage()
      local before, began = collectgarbage "count", task.now()
      judge(row, call(folder, "calls.act = function(m) " .. row[1] .. " end",
        { timeout = row.timeout, stateless = stateless }))
      t.ok(task.now() - began < 60, task.now() - began)
      t.wait_until("what it wrote is forgotten", function() -- with the process, half a second after its end
        collectgarbage()
        return collectgarbage "count" - before < 20000
      end)
    end)
  end
end

-- Changed bytes of what a good server says: every outcome is an answer or an error.
function tests.changed_messages()
  local random = 12345
  local function number(most)
    random = (random * 1103515245 + 12345) & 0x7fffffff
    return random % most + 1
  end
  local good = { protocol.result(7, { content = { { type = "text", text = "x" } }, structuredContent = { a = { 1 } } }),
    protocol.failure(7, -32022, "no", { supported = { "2026-07-28" } }),
    protocol.request("a", "elicitation/create", { message = "m", requestedSchema = { type = "object" } }),
    protocol.notification("notifications/progress", { progressToken = 7, progress = 0.5 }) }
  local pieces = { "null", "{}", "[]", "1e999", '"', "\\ud800", "-1", "true", '{"a":', "\255", "" }
  local read = 0
  for round = 1, 20000 do
    local line = good[round % #good + 1]
    for _ = 1, number(3) do
      local at = number(#line)
      line = line:sub(1, at - 1) .. pieces[number(#pieces)] .. line:sub(at + number(4))
    end
    local message, why, code = protocol.read(line)
    if message then
      read = read + 1
      t.ok(({ request = 1, notification = 1, result = 1, error = 1 })[message.kind], line)
    elseif type(why) ~= "string" or math.type(code) ~= "integer" then
      t.ok(false, line)
    end
  end
  t.ok(read > 100 and read < 20000, read)
end

return tests
