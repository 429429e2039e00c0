-- model/client against a real server on this machine: what it sends, what it reads, what it retries.
local t = require "harness"
local json = require "deskpilot.base.json"
local task = require "deskpilot.base.task"
local client = require "deskpilot.model.client"
local decode = require "deskpilot.model.decode"
local endpoint = require "deskpilot.model.endpoint"
local limits = require "deskpilot.model.limits"
local secrets = require "deskpilot.model.secrets"
local chat = require "deskpilot.model.wires.chat"
local model_server = require "model_server"
local ports = require "ports"
local files = require "deskpilot.base.files"
local text = require "deskpilot.base.text"

local tests = {}

local png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"

local function with_server(script, fn)
  local server = model_server.start(script)
  local ok, err = xpcall(fn, debug.traceback, server)
  server:stop()
  if not ok then error(err, 0) end
end

local function new(server, options)
  options = options or {}
  options.endpoint = options.endpoint or server.endpoint
  options.backoff = options.backoff or { 0.02, 0.04, 0.08 }
  return assert(client.new(options))
end

local function tool(name)
  return { type = "function", ["function"] = { name = name, description = "d", parameters = {
    type = "object", properties = { key = { type = "string" } }, required = json.list { "key" } } } }
end

local function request(more)
  local r = { persona = "executor", messages = {
    { role = "system", content = "You are one." },
    { role = "user", content = {
      { type = "text", text = 'Look: "quoted" é \n image-0-1. done' },
      { type = "image", base64 = png, mime = "image/png", path = "screenshots/step_0001.png" },
      { type = "text", text = "after" },
    } },
  } }
  for key, value in pairs(more or {}) do r[key] = value end
  return r
end

function tests.what_is_sent()
  with_server({ model_server.reply_text("hello") }, function(server)
    local c = new(server, { model = "some-model" })
    local reply, err = c:chat(request { tools = { tool "press_key" }, temperature = 0.5, max_tokens = 100,
      facts = { task = "what the run knows is not for servers" } })
    t.eq(err, nil)
    t.eq(server:problems(), "")
    t.eq(reply.content, "hello")
    t.eq(reply.tool_calls, {})
    t.eq(reply.finish_reason, "stop")
    t.eq(reply.usage, { input_tokens = 100, output_tokens = 10 })
    t.eq(reply.attempts, 1)
    t.ok(reply.seconds > 0)
    t.eq(reply.raw.id, "chatcmpl-test")
    local got = server.requests[1]
    t.eq(got.path, "/v1/chat/completions")
    t.eq(got.method, "POST")
    t.eq(got.headers.authorization, nil)
    t.eq(got.headers["content-type"], "application/json")
    t.eq(got.json.model, "some-model")
    t.eq(got.json.tool_choice, "auto")
    t.eq(got.json.persona, nil)
    t.eq(got.json.facts, nil)
    t.ok(not got.body:find("not for servers", 1, true))
    t.eq(math.tointeger(got.json.max_tokens), 100)
    t.eq(got.json.messages[2].content[1].text, 'Look: "quoted" é \n image-0-1. done')
    t.eq(got.json.messages[2].content[2].image_url.url, "data:image/png;base64," .. png)
    t.eq(got.json.messages[2].content[3].text, "after")
  end)
end

function tests.images_are_sent_byte_for_byte()
  with_server({ model_server.reply_text("ok") }, function(server)
    local c = new(server)
    local big = png:sub(1, -5) .. string.rep("ABCDefgh0123+/zz", 100000)
    local messages = { { role = "user", content = {} } }
    for i = 1, 11 do messages[1].content[i] = { type = "image", base64 = i == 2 and big or png } end
    t.ok(c:chat { messages = messages })
    t.eq(server:problems(), "")
    for i = 1, 11 do
      local url = server.requests[1].json.messages[1].content[i].image_url.url
      t.ok(url == "data:image/png;base64," .. (i == 2 and big or png), "image " .. i)
    end
  end)
  with_server({}, function(server)
    local c = new(server)
    for _, bad in ipairs { 'x","evil":"', "AAA\n", "\0" } do
      t.raises("base64", function()
        c:chat { messages = { { role = "user", content = { { type = "image", base64 = bad } } } } }
      end)
    end
  end)
end

function tests.no_tools_and_history()
  with_server({ model_server.reply_text("ok") }, function(server)
    local c = new(server)
    t.ok(c:chat(request { tools = {} }))
    t.eq(server.requests[1].json.tools, nil)
    t.eq(server.requests[1].json.tool_choice, nil)
    t.ok(c:chat { messages = {
      { role = "user", content = "go" },
      { role = "assistant", tool_calls = { { id = "c1", type = "function",
        ["function"] = { name = "wait", arguments = "{}" } } } },
      { role = "tool", tool_call_id = "c1", content = "waited" },
    } })
    t.eq(server:problems(), "")
    t.eq(server.connections, 1, "one connection for both")
  end)
end

function tests.the_record()
  secrets.register("very-secret-word")
  local c = new({ endpoint = "http://localhost:1" }, { api_key = "my-own-key" })
  local record = c:record(request { tools = { tool "press_key" }, facts = { task = "not sent, so not recorded" } })
  t.eq(record.facts, nil)
  t.eq(record.messages[2].content[2].image_url.url, "screenshots/step_0001.png")
  t.eq(record.persona, "executor")
  t.eq(record.tools[1]["function"].name, "press_key")
  local body = json.encode(c:record { messages = { { role = "user",
    content = "the very-secret-word and my-own-key" } } })
  t.has(body, "the *** and ***")
  t.ok(not body:find(png, 1, true))
end

function tests.tool_calls_in_every_shape()
  local function ask(message)
    local reply
    with_server({ model_server.reply_message(message, "tool_calls") }, function(server)
      reply = assert(new(server):chat(request()))
    end)
    return reply
  end
  t.eq(ask { tool_calls = { { id = "a", type = "function",
    ["function"] = { name = "wait", arguments = '{"seconds":1}' } } } }.tool_calls,
    { { id = "a", name = "wait", arguments = '{"seconds":1}' } })
  local reply = ask { content = json.null, tool_calls = { { ["function"] = { name = "wait",
    arguments = { seconds = 1 } } } } }
  t.eq(reply.tool_calls, { { id = "call_1", name = "wait", arguments = '{"seconds":1}' } })
  t.eq(reply.content, nil)
  t.eq(ask { function_call = { name = "wait", arguments = "{}" } }.tool_calls[1].name, "wait")
  t.eq(ask { content = { { type = "text", text = "a" }, { type = "text", text = "b" } } }.content, "a\nb")
  t.eq(ask { content = "", tool_calls = { "what", 5, {} } }.tool_calls[3],
    { id = "call_3", name = "", arguments = "{}" })
  t.eq(ask { content = 5, refusal = "no" }.refusal, "no")
  reply = ask { content = "<think>\nhm\n</think>\n\nyes" }
  t.eq(reply.content:match("%S+"), "yes")
  t.has(reply.thinking, "hm")
end

function tests.addresses()
  local function at(address)
    local urls = endpoint.parse(address)
    return urls and endpoint.at(urls, "/chat/completions")
  end
  local full = "http://h:1234/v1/chat/completions"
  for _, address in ipairs { "http://h:1234", "http://h:1234/", "http://h:1234/v1", "http://h:1234/v1/",
    full, full .. "/", "h:1234", " http://h:1234/v1 " } do
    t.eq(at(address), full, address)
  end
  t.eq(at("https://host/api/openai/v1"), "https://host/api/openai/v1/chat/completions")
  t.eq(at("https://host/api/openai/v1/chat/completions"), "https://host/api/openai/v1/chat/completions")
  t.eq(at("https://host/o/d?api-version=1"), "https://host/o/d/chat/completions?api-version=1")
  t.eq(endpoint.at(endpoint.parse("https://host/v1?key=1"), "/a?alt=sse"), "https://host/v1/a?alt=sse&key=1")
  t.eq(at("localhost:1234"), "http://localhost:1234/v1/chat/completions")
  for _, address in ipairs { "", "ftp://h/", "http://", "http:///v1", "http://h h/", "http://h/\r\nX: y" } do
    local urls, err = endpoint.parse(address)
    t.eq(urls, nil, address)
    t.eq(err.code, "invalid")
  end
  t.eq(endpoint.parse("http://me:hush@h:1/v1?key=hush").shown, "http://h:1/v1")
  t.eq(endpoint.parse("http://[::1]:5").is_local, true)
  t.eq(endpoint.parse("http://127.0.0.1").is_local, true)
  t.eq(endpoint.parse("http://localhost.evil.com").is_local, false)
  t.eq(client.new({}).endpoint, "http://localhost:1234/v1")
  t.eq(client.new({}).name, "qwen3-vl-2b-instruct")
end

function tests.retry_after()
  t.eq(endpoint.retry_after("7"), 7)
  t.eq(endpoint.retry_after(" 1.5 "), 1.5)
  t.eq(endpoint.retry_after("Sun, 06 Nov 1994 08:49:37 GMT", 784111770), 7)
  t.eq(endpoint.retry_after("Thu, 29 Feb 2024 00:00:00 GMT", 1709164800 - 60), 60)
  t.eq(endpoint.retry_after("Sun, 06 Nov 1994 08:49:37 GMT", 784111800), 0)
  t.eq(endpoint.retry_after("soon"), nil)
  t.eq(endpoint.retry_after(nil), nil)
end

function tests.retries()
  local busy = { status = 503, body = { error = { message = "loading" } } }
  local waits = {}
  with_server({ busy, { drop = true, body = "half of it" }, busy, model_server.reply_text("at last") },
    function(server)
      local c = new(server, { on_retry = function(info) table.insert(waits, info) end })
      local reply = assert(c:chat(request()))
      t.eq(reply.content, "at last")
      t.eq(reply.attempts, 4)
      t.ok(reply.seconds >= 0.14)
      t.eq({ waits[1].wait, waits[2].wait, waits[3].wait, #waits }, { 0.02, 0.04, 0.08, 3 })
      t.eq(waits[1].attempt, 1)
      t.has(tostring(waits[1].error), "answered 503: loading")
      t.eq(waits[2].error.code, "io")
      t.ok(server.requests[4].body == server.requests[1].body, "the same bytes each time")
    end)
  with_server({ busy }, function(server)
    local reply, err = new(server, { retries = 2 }):chat(request())
    t.eq(reply, nil)
    t.eq({ err.code, err.status, err.attempts, #server.requests }, { "unavailable", 503, 3, 3 })
  end)
end

function tests.retry_after_is_honoured()
  local wait
  with_server({ { status = 429, headers = { ["Retry-After"] = "0.3" } }, model_server.reply_text("ok") },
    function(server)
      local c = new(server, { on_retry = function(info) wait = info.wait end })
      local reply = assert(c:chat(request()))
      t.ok(reply.seconds >= 0.3, reply.seconds)
      t.eq(wait, 0.3)
    end)
  with_server({ { status = 429, headers = { ["Retry-After"] = "86400" } } }, function(server)
    local seen
    local c = new(server, { on_retry = function(info) seen = info.wait end })
    local work = task.start(c.chat, c, request())
    t.wait_until("the retry", function() return seen end)
    t.eq(seen, 60)
    task.sleep(0.1)
    t.ok(not work:ended(), "it waits")
    work:cancel("it would wait for a minute")
    t.eq(select(2, work:wait()).code, "cancelled")
    t.eq(#server.requests, 1)
  end)
end

function tests.other_refusals_are_shown_at_once()
  local function ask(reply, options)
    local err, count
    with_server({ reply }, function(server)
      err = select(2, new(server, options):chat(request()))
      count = #server.requests
    end)
    t.eq(count, 1)
    return err
  end
  local err = ask { status = 400, body = { error = { message = "no\nimages " .. ("x"):rep(900) } } }
  t.eq(err.code, "protocol")
  t.eq(err.status, 400)
  t.has(tostring(err), "answered 400: no images xxx")
  t.ok(#tostring(err) < 620)
  t.eq(ask({ status = 404, body = { error = "model 'x' not found" } }).code, "not_found")
  t.has(tostring(ask { status = 404, body = { error = "model 'x' not found" } }), "model 'x' not found")
  t.has(tostring(ask { status = 422, body = { detail = { { msg = "field required" } } } }), "field required")
  t.has(tostring(ask { status = 413, body = "<html>too big</html>" }), "too big")
  t.has(tostring(ask { status = 400, body = "" }), "no explanation")
  t.eq(ask({ status = 302, headers = { Location = "http://127.0.0.1:1/" } }).status, 302)
end

function tests.a_key_is_never_shown()
  local key = "hunter2-hunter2"
  local shown = {}
  local replies = {
    { status = 401, body = { error = { message = ("y"):rep(490) .. " wrong key " .. key } } },
    { status = 500, body = "Authorization: Bearer " .. key },
    { status = 400, body = { error = { message = "Incorrect API key provided: sk-proj-abcdefgh123" } } },
    { body = key }, { body = { error = key } }, { raw = key },
  }
  for _, reply in ipairs(replies) do
    with_server({ reply }, function(server)
      local c = new(server, { api_key = key, retries = 1, on_retry = function(info)
        table.insert(shown, tostring(info.error))
      end })
      local got, err = c:chat(request())
      t.eq(got, nil)
      table.insert(shown, tostring(err))
      table.insert(shown, t.show(c))
      t.eq(server.requests[1].headers.authorization, "Bearer " .. key)
    end)
  end
  local all = table.concat(shown, "\n")
  t.ok(not all:find("hunter", 1, true), all)
  t.ok(not all:find("abcdefgh", 1, true), all)
  t.has(all, "is the API key right?")
  local c, err = client.new { api_key = "a\r\nEvil: 1" }
  t.eq(c, nil)
  t.eq(err.code, "invalid")
  t.ok(not tostring(err):find("Evil"))
end

function tests.answers_that_are_none()
  for _, body in ipairs { "", "not json", "[]", "5", "null", "{}", '{"choices":[]}', '{"choices":[null]}',
    '{"choices":[{"message":"hi"}]}', '{"choices":{}}', '{"error":{"message":"no model loaded"}}' } do
    with_server({ { body = body } }, function(server)
      local reply, err = new(server):chat(request())
      t.eq(reply, nil, body)
      t.eq(err.code, "protocol", body)
      t.eq(#server.requests, 2, "retried once: " .. body)
      t.has(tostring(err), "no chat completion", body)
    end)
  end
  with_server({ { body = "oops" }, model_server.reply_text("fine") }, function(server)
    t.eq(new(server):chat(request()).content, "fine")
  end)
end

-- --- streams that nobody asked for ---------------------------------------------------------------------------

-- A body of events, each from a table or a text.
local function events(list, ending)
  local lines = {}
  for i, item in ipairs(list) do
    lines[i] = "data: " .. (type(item) == "table" and json.encode(item) or item) .. (ending or "\n\n")
  end
  return table.concat(lines)
end

local function delta(part, finish)
  return { id = "s", object = "chat.completion.chunk",
    choices = { { index = 0, delta = part, finish_reason = finish } } }
end

local function call_part(index, id, name, arguments)
  return { index = index, id = id, ["function"] = { name = name, arguments = arguments } }
end

local function streamed(body, headers, more)
  local reply, err, count
  local answer = { body = body, headers = headers }
  for key, value in pairs(more or {}) do answer[key] = value end
  with_server({ answer }, function(server)
    reply, err = new(server):chat(request())
    count = #server.requests
  end)
  return reply, err, count
end

local as_stream = { ["Content-Type"] = "text/event-stream; charset=utf-8" }

function tests.a_stream_is_read_like_any_answer()
  local body = events {
    delta { role = "assistant", content = "" }, delta { content = "I cli" }, delta { content = "ck – é." },
    delta { tool_calls = { call_part(0, "a", "press_key", "") } },
    delta { tool_calls = { call_part(0, nil, nil, '{"key":'), call_part(1, "b", "wait", '{"sec') } },
    delta { tool_calls = { call_part(1, nil, nil, 'onds":1}') } },
    delta { tool_calls = { call_part(0, nil, nil, '"enter"}') } },
    delta({}, "tool_calls"),
    { id = "s", choices = json.list(), usage = { prompt_tokens = 7, completion_tokens = 5 } },
    "[DONE]",
  }
  for name, how in pairs { plain = { body, as_stream }, ["as JSON"] = { body },
    ["in chunks"] = { body, as_stream, { chunked = true } },
    ["CRLF, comments"] = { ": hello\r\n\r\nevent: message\r\n" .. body:gsub("\n", "\r\n"), as_stream } } do
    local reply = t.ok(streamed(how[1], how[2], how[3]), name) or {}
    t.eq(reply.content, "I click – é.", name)
    t.eq(reply.tool_calls, { { id = "a", name = "press_key", arguments = '{"key":"enter"}' },
      { id = "b", name = "wait", arguments = '{"seconds":1}' } }, name)
    t.eq({ reply.finish_reason, reply.usage, reply.raw.id, reply.attempts },
      { "tool_calls", { input_tokens = 7, output_tokens = 5 }, "s", 1 }, name)
  end
end

function tests.streams_in_other_shapes()
  local whole = model_server.reply_tool("wait", { seconds = 1 }, "x").body
  t.eq(t.ok(streamed(events { whole }, as_stream)).tool_calls[1].name, "wait", "all in one event")
  t.eq(t.ok(streamed(events({ delta { content = "a" }, delta({ content = "b" }, "stop") }), as_stream)).content, "ab",
    "without [DONE]")
  local reply = t.ok(streamed(events { delta { tool_calls = { call_part(0, "a", "wait", "{}") } },
    delta { tool_calls = { call_part(0, "b", "press_key", "{}") } }, "[DONE]" }, as_stream))
  t.eq({ reply.tool_calls[1].name, reply.tool_calls[2].name }, { "wait", "press_key" }, "all of them numbered 0")
  reply = t.ok(streamed(events { delta { tool_calls = { { id = "a", ["function"] = { name = "wait",
    arguments = { seconds = 1 } } } } }, "[DONE]" }, as_stream))
  t.eq(reply.tool_calls, { { id = "a", name = "wait", arguments = '{"seconds":1}' } })
  t.eq(t.ok(streamed(events { delta { refusal = "I " }, delta({ refusal = "won't" }, "stop") }, as_stream)).refusal,
    "I won't")
end

function tests.streams_that_are_no_answer()
  local function refused(body, part)
    local reply, err, count = streamed(body, as_stream)
    t.eq(reply, nil, part)
    t.fails("protocol", part, reply, err)
    t.eq(count, 2, "asked again once")
  end
  refused(events { delta { content = "half" } }, "it is a stream of events, and it ends before the answer does")
  refused(events { delta { content = "half" }, '{"choices":[{"del', "[DONE]" }, "one of its events cannot be read")
  refused(events { "[DONE]" }, "it has no answer")
  refused("", "it has no answer")
  refused(events { { error = { message = "out of memory" } } }, "(out of memory)")
end

local most = limits.most

local function in_one(message)
  return { choices = { { index = 0, finish_reason = "stop", message = message } } }
end

-- Nothing is read of an answer that is too large: the model is told so, and the run's files hold its beginning.
local function unread(part, reply, err)
  if not t.ok(reply, part .. ": " .. tostring(err)) then return end
  t.eq({ reply.content, reply.tool_calls, reply.thinking }, { nil, {} }, part)
  t.has(reply.excess, part)
  t.eq(reply.raw.excess, reply.excess)
  t.ok(#json.encode(reply.raw) < 4000, part)
  local calls, why = decode.calls(reply)
  t.eq(calls, {}, part)
  t.has(why, "Your answer was too large, and nothing of it was read: " .. reply.excess, part)
  t.eq(chat.read(json.decode(json.encode(reply.raw))).excess, reply.excess, "a replay has the same")
end

function tests.the_limits_are_those_of_the_page()
  local page = t.ok(files.read("docs/policies.md"))
  for name, value in pairs(most) do
    local line = page:match("\n| `" .. name .. "`: [^\n]*") or ""
    t.ok(text.ends(line, ("| %d |"):format(value)), ("%s of docs/policies.md is not %d: %s"):format(name, value, line))
  end
end

function tests.an_answer_in_one_piece_that_is_too_large()
  local function try(part, message) unread(part, streamed(in_one(message))) end
  local many = json.list()
  for i = 1, most.calls + 1 do many[i] = call_part(i, "c" .. i, "wait", "{}") end
  try("its text has 262145 bytes, and at most 262144 are read", { content = ("a"):rep(most.content + 1) })
  try("more than 64 tools are called in it", { tool_calls = many })
  try("the name of a tool has 129 bytes, and at most 128 are read",
    { tool_calls = { call_part(0, "c", ("n"):rep(129), "{}") } })
  try("the id of a tool call has 1025 bytes, and at most 1024 are read",
    { tool_calls = { call_part(0, ("c"):rep(1025), "wait", "{}") } })
  try("the arguments of a tool call have 131073 bytes, and at most 131072 are read",
    { tool_calls = { call_part(0, "c", "wait", (" "):rep(131073)) } })
  local half = (" "):rep(most.arguments)
  try("its text has 262145 bytes, and at most 262144 are read", { content = "a",
    tool_calls = { call_part(0, "c", "wait", half), call_part(1, "d", "wait", half) } })
  local reply = t.ok(streamed(in_one { content = ("a"):rep(most.content) }))
  t.eq(reply and #reply.content, most.content, "as much as is read")
end

function tests.a_stream_that_is_too_large()
  local function try(part, change, times)
    local list = {}
    for i = 1, times do list[i] = delta(change(i)) end
    list[#list + 1] = "[DONE]"
    unread(part, streamed(events(list), as_stream))
  end
  try("its text has 262150 bytes", function(i) return { content = ("%010d"):format(i * i % 9999991) } end, 40000)
  try("more than 64 tools", function(i)
    return { tool_calls = { call_part(i, "c" .. i, "w", ("{\"n\":%d}"):format(i)) } }
  end, 100)
  try("the name of a tool has 130 bytes", function(i)
    return { tool_calls = { call_part(0, nil, ("%02d"):format(i % 100)) } }
  end, 100)
  try("the arguments of a tool call have", function()
    return { tool_calls = { call_part(0, "c", "wait", (" "):rep(100)) } }
  end, 1500)
end

-- What a server says that is no answer at all is asked for once more, and ends as one that is not JSON.
function tests.bodies_that_are_not_read()
  local function refused(part, body, headers)
    local reply, err, count = streamed(body, headers)
    t.fails("protocol", part, reply, err)
    t.eq(count, 2, "asked again once")
  end
  refused("more than 20000 values", "[" .. ("[],"):rep(20001) .. "[]]")
  refused("61 deep, and at most 60 are read", ("["):rep(61) .. ("]"):rep(61))
  refused("it has 2097153 bytes, and at most 2097152 are read", (" "):rep(most.bytes + 1))
  refused("more than 20000 values", "data: [" .. ("[],"):rep(20001) .. "[]]\n\n", as_stream)
  refused("it has more than 200000 events", ("data: {}\n\n"):rep(most.events + 1), as_stream)
end

function tests.more_than_is_received()
  local reply, err, count = streamed((" "):rep(most.body + 1))
  t.fails("protocol", "is larger than 33554432 bytes", reply, err)
  t.eq(count, 1)
end

function tests.bytes_that_are_no_utf8()
  local reply = t.ok(streamed('{"choices":[{"message":{"content":"a\xffb\xe2\x82"}}]}'))
  t.eq(reply and reply.content, "a\u{FFFD}b\u{FFFD}\u{FFFD}")
end

function tests.half_a_character_in_an_answer()
  local body = [[{"choices":[{"message":{"content":"ok \ud83d","tool_calls":[{"id":"a","type":"function","function":]]
    .. [[{"name":"type_text","arguments":"{\"text\":\"a\\ud83d\"}"}}]},"finish_reason":"tool_calls"}]}]]
  for _, sent in ipairs { { body = body }, { body = "data: " .. body .. "\n\n", headers = as_stream } } do
    local reply, _, count = streamed(sent.body, sent.headers)
    t.eq({ reply and reply.content, count }, { "ok \u{FFFD}", 1 })
    local calls = decode.calls(t.ok(reply) or {})
    t.eq(calls[1].args, { text = "a\u{FFFD}" })
  end
end

function tests.a_server_that_is_not_there()
  local retried = 0
  local address = "http://127.0.0.1:" .. ports.refusing()
  local c = new({}, { endpoint = address, on_retry = function() retried = retried + 1 end })
  local reply, err = c:chat(request())
  t.eq(reply, nil)
  t.eq(err.code, "unavailable")
  t.eq(err.unreachable, true)
  t.eq(retried, 3)
  t.has(tostring(err), address .. "/v1")
  t.has(tostring(err), "connection refused")
  t.has(tostring(err), "lms server start")
  t.has(tostring(err), "ollama serve")
  t.has(tostring(err), "http://localhost:11434/v1")
  reply, err = new({}, { endpoint = "http://no-such-host.invalid/v1", retries = 0 }):chat(request())
  t.eq(reply, nil)
  t.has(tostring(err), "check the address")
end

function tests.a_server_that_never_answers()
  with_server({ { silent = true } }, function(server)
    local began = task.now()
    local reply, err = new(server, { timeout = 0.2 }):chat(request())
    t.eq(reply, nil)
    t.eq(err.code, "timed_out")
    t.eq(#server.requests, 1, "not asked again")
    t.ok(task.now() - began < 10)
  end)
end

function tests.the_list_of_models()
  with_server({ { body = { object = "list", data = { { id = "a" }, { id = "b" } } } }, { body = "{}" } },
    function(server)
      server.models = "scripted"
      local c = new(server)
      t.eq(c:models(), { "a", "b" })
      t.eq(server.requests[1].path, "/v1/models")
      local names, err = c:models()
      t.eq(names, nil)
      t.eq(err.code, "protocol")
    end)
  -- As large as that of a server with hundreds of models, and one that is no list of models any more.
  local entry = '{"id":"m","architecture":{"inputs":["text","image"]},"x":[' .. ("1,"):rep(200) .. "1]},"
  for count, there in pairs { [400] = true, [2000] = false } do
    local body = '{"data":[' .. entry:rep(count) .. '{"id":"last"}]}'
    with_server({ { body = body } }, function(server)
      server.models = "scripted"
      local names, err = new(server):models()
      t.eq(names and #names, there and count + 1 or nil, count)
      if not there then t.fails("protocol", "is malformed", names, err) end
    end)
  end
end

function tests.masking()
  secrets.register("abc")
  secrets.register("first-part")
  secrets.register("first-part-and-more")
  t.eq(secrets.mask("x first-part-and-more y first-part abc"), "x *** y *** abc")
  t.eq(secrets.mask("locale sk-SK, desk-lamp-of-mine"), "locale sk-SK, desk-lamp-of-mine")
  t.eq(secrets.mask("Bearer abcdef.ghi=="), "Bearer ***")
end

return tests
