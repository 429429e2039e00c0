-- What a run makes of the ways of model servers: streams and their first words, answers without an end, what a server
-- does not take and what is remembered of it, other models that stand in.
local uv = require "luv"
local t = require "harness"
local client = require "deskpilot.model.client"
local compatible_server = require "compatible_server"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local model_server = require "model_server"
local native = require "native.image"
local null_run = require "null_run"
local ports = require "ports"
local progress = require "deskpilot.cli.progress"
local provider = require "deskpilot.model.provider"
local task = require "deskpilot.base.task"

local tests = {}

local png = native.base64(assert(assert(native.new(4, 4)):png()))

local function picture() return { base64 = png, mime = "image/png" } end

local function delta(part, finish)
  return ("data: %s\n\n"):format(json.encode { id = "s", choices = { { index = 0, delta = part,
    finish_reason = finish } } })
end

local function streamed(pieces, more)
  local reply = { headers = { ["Content-Type"] = "text/event-stream" }, body = table.concat(pieces), chunked = true }
  for key, value in pairs(more or {}) do reply[key] = value end
  return reply
end

local ended = delta(json.decode "{}", "stop") .. "data: [DONE]\n\n"

local function new(server, options)
  local made = { endpoint = server.endpoint, model = "m", retries = 1, backoff = { 0.01 }, timeout = 60 }
  for key, value in pairs(options or {}) do made[key] = value end
  return assert(client.new(made))
end

-- A run on that client whose turn is `fn`; its notes.
local function in_run(asking, fn)
  local _, events = null_run.play({ task = "x" }, { client = asking, turn = function(run)
    fn(run)
    run:stop("succeeded", "asked")
  end })
  local notes = {}
  for _, event in ipairs(null_run.only(events, "note")) do table.insert(notes, event.message) end
  return table.concat(notes, "\n"), events
end

local function ask(run, more)
  local request = { persona = "p", system = "s", text = "t", tools = { "wait" }, max_tokens = 100 }
  for key, value in pairs(more or {}) do request[key] = value end
  return run:ask(request)
end

-- --- streams -------------------------------------------------------------------------------------------------

function tests.the_progress_line_says_what_is_said()
  local go = {}
  local server = model_server.start { streamed({ delta { content = "I will press the key "
    .. "" }, delta { content = "seven." },
    ended }, { slow = { bytes = 100, seconds = 0.3 } }) }
  local lines, shown = {}, nil
  local display = progress.new { tty = true, columns = function() return 200 end, write = function(words)
    lines[#lines + 1] = words
  end }
  in_run(new(server), function(run)
    display.model_request(run, { event = "model_request", persona = "executor", at = 0 })
    local work = task.start(ask, run)
    t.wait_until("the first words", function() return run.answering and #run.answering.content > 0 end)
    display.model_request(run, { event = "model_request", persona = "executor", at = 0 }) -- draws it
    shown = table.concat(lines)
    go.reply = select(2, work:wait())
    t.eq(run.answering, nil, "over")
  end)
  display.close()
  server:stop()
  t.has(shown, "executor says: I will press the key")
  t.eq(go.reply and go.reply.content, "I will press the key seven.")
end

function tests.a_run_that_is_stopped_ends_its_stream_at_once()
  local server = model_server.start { streamed({ delta { content = ("word "):rep(2000) }, ended },
    { slow = { bytes = 100, seconds = 0.2 } }) }
  local asking = new(server)
  local work = task.start(asking.chat, asking, { messages = { { role = "user", content = "t" } } })
  t.wait_until("the request", function() return #server.requests == 1 end)
  task.sleep(0.1)
  local began = task.now()
  work:cancel("interrupted by Ctrl+C")
  t.eq(select(2, work:wait()).code, "cancelled")
  t.ok(task.now() - began < 10, "all of it takes more than 20 s")
  t.wait_until("the connection's end", function() return next(server.sockets) == nil end)
  server:stop()
end

function tests.all_was_said_before_the_connection_broke()
  local server = model_server.start { { raw = "HTTP/1.1 200 OK\r\nContent-Type: "
    .. "text/event-stream\r\nContent-Length: 99999"
    .. "\r\n\r\n" .. delta { content = "whole" } .. ended } }
  local reply, err = new(server):chat { messages = { { role = "user", content = "t" } } }
  server:stop()
  t.eq({ err, reply and reply.content, #server.requests }, { nil, "whole", 1 })
end

-- Whether a stream is asked for.
local function asks(options, tools, providers)
  local server = model_server.start { model_server.reply_text "x" }
  local folder
  if providers then
    folder = assert(files.make_temporary_folder(uv.os_tmpdir(), "providers"))
    files.make_folder(folder .. "/deskpilot/model")
    files.write(folder .. "/deskpilot/model/providers.lua", ("return { ollama = { endpoint = %q, stream = 'text' } }")
      :format(server.endpoint))
    provider.look_in { folder }
  end
  new(server, options):chat { messages = { { role = "user", content = "t" } }, tools = tools }
  provider.look_in(nil)
  if folder then files.remove(folder) end
  server:stop()
  t.eq(server:problems(), "")
  return server.requests[1].json.stream == true
end

function tests.when_a_stream_is_asked_for()
  local tools = { { type = "function", ["function"] = { name = "wait", parameters = { type = "object" } } } }
  t.eq(asks({}, tools), true)
  t.eq(asks({ stream = "off" }, tools), false)
  t.eq(asks({ stream = "on" }, tools, true), true)
  t.eq(asks({}, tools, true), false, "Ollama loses streamed calls")
  t.eq(asks({}, nil, true), true, "but no words")
end

-- --- answers without an end ----------------------------------------------------------------------------------

-- What comes of an answer that goes on after these pieces by more and more of that one.
local function endless(pieces, again, max_tokens)
  local body = {}
  for _, piece in ipairs(pieces) do body[#body + 1] = piece end
  local part = type(again) == "function" and again or function() return again end
  for i = 1, 3000 do body[#body + 1] = part(i) end
  local server = model_server.start { streamed(body, { slow = { bytes = 2000, seconds = 0.002 } }) }
  local began, got = task.now(), {}
  local notes, events = in_run(new(server), function(run)
    got.reply, got.err = ask(run, { max_tokens = max_tokens })
  end)
  if notes:find("cut off", 1, true) then
    t.wait_until("the connection's end", function() return next(server.sockets) == nil end)
  end
  server:stop()
  return got.reply or {}, notes, events, task.now() - began
end

local call = '<tool_call>{"name": "wait", "arguments": {"seconds": 1}}</tool_call>'

function tests.an_answer_that_says_the_same_again_and_again()
  local reply, notes = endless({ delta { content = "I wait.\n" } }, delta { content = call .. "\n" })
  t.eq(#(reply.calls or {}), 1, "of the many one is left")
  t.eq(reply.calls and reply.calls[1].args, { seconds = 1 })
  t.has(notes, "p: the answer was cut off: it says the same again and again")
  reply, notes = endless({ delta { content = call } }, delta { content = " Let me think about that once more." })
  t.eq(#(reply.calls or {}), 1)
  t.has(notes, "says the same")
  -- No call is in it, and none will come.
  reply, notes = endless({}, delta { content = "ha " })
  t.eq({ #(reply.calls or {}), reply.finish_reason }, { 0, "length" })
  t.has(notes, "says the same")
  reply, notes = endless({ delta { content = "" } }, delta { reasoning_content = "Hm, wait. " })
  t.eq(#(reply.calls or {}), 0)
  t.has(notes, "it thinks the same again and again")
end

function tests.the_same_call_again_and_again()
  local function part(i, arguments)
    return delta { tool_calls = { { index = i, id = "c" .. i, ["function"] = { name = "wait",
      arguments = arguments } } } }
  end
  local reply, notes = endless({}, function(i) return part(i - 1, '{"seconds":1}') end)
  t.eq(#(reply.calls or {}), 1)
  t.has(notes, "it calls the same again and again")
  -- A few of them may be meant.
  local server = model_server.start { streamed { part(0, '{"seconds":1}'), part(1, '{"seconds":1}'),
    part(2, '{"seconds":1}'), ended } }
  local asking = new(server)
  local whole = asking:chat { messages = { { role = "user", content = "t" } } }
  server:stop()
  t.eq({ #whole.tool_calls, whole.cut_off }, { 3 })
end

function tests.a_server_that_knows_no_limit()
  local function other(i) return delta { content = ("%x "):format(i * i * 7919 % 99991) } end
  local reply, notes = endless({ delta { content = call } }, other, 100)
  t.eq(#(reply.calls or {}), 1)
  t.has(notes, "it is longer than 100 tokens")
  -- Without a call it is waited for, since one may still come.
  reply, notes = endless({}, function(i) return i == 3000 and delta { content = call } .. ended or other(i) end, 100)
  t.eq(#(reply.calls or {}), 1)
  t.ok(not notes:find("cut off", 1, true), notes)
end

-- --- what a server does not take -----------------------------------------------------------------------------

local function with_cache(fn)
  local folder = assert(files.make_temporary_folder(uv.os_tmpdir(), "cache"))
  local ok, err = xpcall(fn, debug.traceback, folder .. "/servers.json")
  files.remove(folder)
  if not ok then error(err, 0) end
end

local plan = { calls = { { "wait", { seconds = 1 } } } }

function tests.what_was_learned_is_known_the_next_time()
  with_cache(function(cache)
    local server = compatible_server.start("openrouter", function() return plan end)
    local function options() return { model = server.model, api_key = server.key, cache = cache } end
    local notes = in_run(new(server, options()), function(run)
      t.ok(ask(run))
      t.ok(ask(run))
    end)
    t.has(notes, "does not take tool_choice, which is left out from now on")
    t.has(notes, ("%s was never calibrated: `deskpilot calibrate --model %s`"):format(server.model, server.model))
    t.eq(select(2, notes:gsub("tool_choice", "")), 1)
    local before = #server.refused
    notes = in_run(new(server, options()), function(run) t.ok(ask(run)) end)
    t.eq({ #server.refused, notes }, { before, "" }, "another run sends none, and says nothing")
    local other = options()
    other.model = "another"
    t.eq(new(server, other).quirks.refuses, {}, "of another model nothing is known")
    server:stop()
    local kept = files.read(cache)
    t.ok(not kept:find(server.key, 1, true), "no key in " .. kept)
  end)
end

function tests.streams_that_lose_calls()
  with_cache(function(cache)
    local server = compatible_server.start("ollama", function() return plan end)
    for i = 1, 2 do
      local notes = in_run(new(server, { model = server.model, cache = cache }), function(run)
        local reply = t.ok(ask(run))
        t.eq(reply and reply.calls[1].name, "wait")
      end)
      t.eq(notes:find("loses the calls of tools in streams", 1, true) ~= nil, i == 1, notes)
    end
    server:stop()
    local asked = {}
    for i, request in ipairs(server.requests) do asked[i] = request.json.stream == true end
    t.eq(asked, { true, false, false })
  end)
end

function tests.fewer_pictures()
  local server = compatible_server.start("vllm", function() return plan end)
  local notes = in_run(new(server, { model = server.model, api_key = server.key }), function(run)
    for _ = 1, 2 do t.ok(ask(run, { images = { picture(), picture(), picture() } })) end
  end)
  server:stop()
  local counts = {}
  for i, request in ipairs(server.requests) do counts[i] = compatible_server.view(request.json).pictures end
  t.eq(counts, { 3, 1, 1 })
  t.has(notes, "takes at most 1 of the pictures of a request")
end

function tests.no_pictures_and_no_tools()
  local server = model_server.start(function(body)
    if compatible_server.view(body).pictures > 0 then
      return { status = 400, body = { error = "Model does not support images. Please use a model that does." } }
    elseif body.tools then
      return { status = 400, body = { error = { message = "registry.ollama.ai/library/m does not support tools" } } }
    end
    return model_server.reply_text(call)
  end)
  local notes = in_run(new(server), function(run)
    for _ = 1, 2 do
      local reply, err = ask(run, { images = { picture() } })
      t.eq({ err, reply and reply.calls[1] and reply.calls[1].name }, { nil, "wait" })
    end
  end)
  server:stop()
  t.eq(#server.requests, 4)
  t.has(notes, "takes no pictures")
  t.has(notes, "takes no tools, which are described in words from now on")
  local system = server.requests[4].json.messages[1].content
  t.has(system, "wait")
end

function tests.a_usage_that_nobody_tells()
  local server = model_server.start { { body = { choices = { { index = 0, finish_reason = "stop",
    message = { role = "assistant", content = ("four"):rep(100) } } } } } }
  local notes, events = in_run(new(server), function(run)
    for _ = 1, 2 do t.ok(ask(run, { image = false, text = ("word"):rep(1000) })) end
    t.ok(run.tokens > 2200 and run.tokens < 5000, run.tokens)
  end)
  server:stop()
  t.eq(select(2, notes:gsub("they are estimated", "")), 1)
  local usage = null_run.only(events, "model_reply")[1].usage
  t.eq({ usage.estimated, usage.output_tokens }, { true, 100 })
end

-- --- other models that stand in ------------------------------------------------------------------------------

-- Asks twice, first a server that gives `reply` (none: nobody is there), then whoever stands in.
local function stand_in(reply, options)
  local first = reply and model_server.start { reply }
  local second = model_server.start { model_server.reply_tool("wait", { seconds = 1 }) }
  local endpoint = first and first.endpoint or ("http://127.0.0.1:%d/v1"):format(ports.refusing())
  local asking = new({ endpoint = endpoint }, { model = "one", api_key = "sk-of-the-first", retries = 0 })
  asking.fallback = new(second, { model = "two" })
  for key, value in pairs(options or {}) do asking[key] = value end
  local got = {}
  got.notes, got.events = in_run(asking, function(run)
    got.reply, got.err = ask(run)
    got.again = ask(run)
    got.model = run.model.name
  end)
  if first then first:stop() end
  second:stop()
  got.first, got.second = first and #first.requests or 0, second.requests
  return got
end

function tests.another_model_stands_in()
  local failing = { unreachable = false, ["500"] = { status = 500, body = "{}" },
    quota = { status = 429, body = { error = { message = "You exceeded your current "
      .. "quota", code = "insufficient_quota" } } },
    paid = { status = 402, body = { error = { message = "Insufficient credits", code = 402 } } },
    page = { headers = { ["Content-Type"] = "text/html" }, body = "<html>" },
    long = { status = 400, body = { error = { message = "prompt is too long" } } } }
  for what, reply in pairs(failing) do
    local got = stand_in(reply or nil)
    t.ok(got.reply and got.again, what .. ": " .. tostring(got.err))
    t.eq({ got.model, #got.second }, { "two", 2 }, what)
    t.eq(select(2, got.notes:gsub("is asked from now on, since one at http", "")), 1, what .. ": " .. got.notes)
    for _, request in ipairs(got.second) do
      t.eq({ request.headers.authorization, request.json.model }, { nil, "two" }, "the first one's key is not shown")
    end
    local asked = {}
    for i, event in ipairs(null_run.only(got.events, "model_request")) do asked[i] = event.model end
    t.eq(asked, { "one", "two", "two" }, what)
  end
end

function tests.what_a_person_has_to_put_right()
  for status, code in pairs { [401] = "refused", [404] = "not_found" } do
    local got = stand_in { status = status, body = { error = { message = "no" } } }
    t.eq({ got.reply, got.err and got.err.code, #got.second }, { nil, code, 0 })
  end
end

return tests
