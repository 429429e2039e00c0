-- What goes wrong between a run and a model server, on each wire: a run asks once in its turn, and ends as documented,
-- with a sentence, and with a journal that is whole (which is checked when its folder is removed).
local uv = require "luv"
local t = require "harness"
local client = require "deskpilot.model.client"
local compressed = require "compressed"
local json = require "deskpilot.base.json"
local model_server = require "model_server"
local null_run = require "null_run"
local ports = require "ports"
local task = require "deskpilot.base.task"
local tls_server = require "tls_server"
local wires = require "deskpilot.model.wire"

local tests = {}

local unseen = { width = 64, height = 64 } -- no picture is sent
local said = { text = "I wait – é.", calls = { { "wait", { seconds = 0.1 } } } }

-- One row for each wire: how its servers answer, whole and as a stream, how they fail, and a parameter that one of them
-- might not take.
local rows = {
  { wire = "chat", model = "some-model", kind = require "compatible.vllm", takes_not = "temperature" },
  { wire = "responses", model = "gpt-5.4", kind = require "vendors.responses", takes_not = "max_output_tokens" },
  { wire = "anthropic", model = "claude-opus-5-5", kind = require "vendors.anthropic", takes_not = "stream" },
  { wire = "gemini", model = "gemini-3.5-flash", kind = require "vendors.gemini", takes_not = "temperature" },
}

for _, row in ipairs(rows) do
  local body = { model = row.model, tools = json.list(), messages = json.list(), input = json.list(),
    contents = json.list() }
  row.whole = json.encode(row.kind.answer(said, 2, body))
  local pieces = row.kind.stream(row.kind.answer(said, 2, body), body)
  row.stream = type(pieces) == "table" and table.concat(pieces) or pieces
end

local as_stream = { ["Content-Type"] = "text/event-stream" }
local as_json = { ["Content-Type"] = "application/json" }

local function failure(row, status, message, param, headers)
  return { status = status, headers = headers or as_json, body = json.encode(row.kind.failure(status, message, param)) }
end

-- A run that asks once. `replies`: a list of model_server's replies, the last one is repeated; or a function.
local function play(row, replies, options)
  options = options or {}
  local server = model_server.start(replies)
  server.lenient = true
  local made = { endpoint = options.endpoint or server.origin .. wires.of(row.wire).base, model = row.model,
    wire = row.wire, retries = 1, backoff = { 0.01 }, stall = 20, timeout = 60, api_key = "sk-the-key-itself",
    on_retry = function(info) server.waited = info.wait end }
  for key, value in pairs(options) do made[key] = value end
  local asking = assert(client.new(made))
  local got = { server = server }
  local _, events = null_run.play({ task = "x" }, { client = asking, screen = unseen, turn = function(run)
    local began = task.now()
    for _ = 1, options.times or 1 do
      got.reply, got.err = run:ask { persona = "p", system = "s", tools = { "wait" }, temperature = 0.5,
        max_tokens = 200, text = options.text or "t", image = false }
    end
    got.seconds = task.now() - began
    run:stop("succeeded", "asked")
  end })
  got.notes = {}
  for _, event in ipairs(null_run.only(events, "note")) do table.insert(got.notes, event.message) end
  got.notes, got.waited, got.count = table.concat(got.notes, "\n"), server.waited, #server.requests
  got.events = events
  t.eq(events[#events].event, "run_end")
  t.eq(#null_run.only(events, "model_request"), #null_run.only(events, "model_reply"), "each request has its end")
  for _, request in ipairs(server.requests) do
    if not options.keyless then t.has(json.encode(request.headers), "sk-the-key-itself") end
  end
  server:stop()
  t.ok(not json.encode(null_run.only(events, "model_reply")):find("sk-the-key", 1, true), "no key in the journal")
  return got
end

-- It was answered in the end.
local function answered(row, what, got, count)
  local reply = got.reply
  t.ok(reply, ("%s, %s: %s"):format(row.wire, what, tostring(got.err)))
  if not reply then return end
  t.eq({ reply.content, reply.calls[1] and reply.calls[1].name, got.count }, { said.text, "wait", count or 1 },
    row.wire .. ", " .. what)
end

-- It was not, and this is said.
local function failed(row, what, got, code, part, count)
  t.fails(code, part, got.reply, got.err)
  t.eq(got.count, count, row.wire .. ", " .. what)
  local told = null_run.only(got.events, "model_reply")
  t.eq(told[#told].error and told[#told].error.code, code, row.wire .. ", " .. what)
end

local function each(fn)
  return function()
    for _, row in ipairs(rows) do fn(row) end
  end
end

tests.a_good_answer_in_every_way = each(function(row)
  answered(row, "whole", play(row, { { body = row.whole, headers = as_json } }))
  answered(row, "a stream", play(row, { { body = row.stream, headers = as_stream } }))
  answered(row, "byte by byte", play(row, { { body = row.stream, headers = as_stream, chunked = true,
    slow = { bytes = 3, seconds = 0 } } }))
  answered(row, "a stream with CRLF", play(row, { { body = row.stream:gsub("\r?\n", "\r\n"), headers = as_stream } }))
end)

tests.a_wrong_content_type = each(function(row)
  for _, kind in ipairs { "text/plain", "text/event-stream", "application/octet-stream" } do
    answered(row, "whole as " .. kind, play(row, { { body = row.whole, headers = { ["Content-Type"] = kind } } }))
    answered(row, "a stream as " .. kind, play(row, { { body = row.stream, headers = { ["Content-Type"] = kind } } }))
  end
end)

tests.status_500 = each(function(row)
  local bad = failure(row, 500, "the GPU is on fire")
  failed(row, "500", play(row, { bad }), "unavailable", "answered 500: the GPU is on fire", 2)
  answered(row, "500 once", play(row, { bad, { body = row.whole, headers = as_json } }), 2)
end)

tests.status_429 = each(function(row)
  local good = { body = row.whole, headers = as_json }
  local got = play(row, { failure(row, 429, "slow down", nil, { ["Retry-After"] = "0.3" }), good })
  answered(row, "seconds", got, 2)
  t.ok(got.waited == 0.3 and got.seconds >= 0.29, got.waited)
  got = play(row, function(_, index) -- the date is that of the answer: how long the request took is no matter
    local date = os.date("!%a, %d %b %Y %H:%M:%S GMT", os.time() + 2)
    return index == 1 and failure(row, 429, "slow down", nil, { ["Retry-After"] = date }) or good
  end)
  answered(row, "a date", got, 2)
  t.ok(got.waited and got.waited > 0 and got.waited <= 2, got.waited)
  failed(row, "always", play(row, { failure(row, 429, "slow down", nil, { ["Retry-After"] = "0" }) }), "unavailable",
    "answered 429: slow down", 2)
end)

tests.a_reset = each(function(row)
  local drop = { body = row.whole, headers = as_json, drop = true }
  failed(row, "reset", play(row, { drop }), "io", "the connection to http://127.0.0.1", 2)
  answered(row, "reset once", play(row, { drop, { body = row.whole, headers = as_json } }), 2)
  local stream = { body = row.stream, headers = as_stream, drop = true }
  failed(row, "in a stream", play(row, { stream }), "io", "the connection to http://127.0.0.1", 2)
end)

tests.a_stall = each(function(row)
  local stuck = { body = row.stream, headers = as_stream, slow = { bytes = #row.stream // 2, seconds = 1000 } }
  failed(row, "stall", play(row, { stuck }, { stall = 0.2 }), "timed_out", "stalled: not a byte for 0.2 s", 2)
  answered(row, "stall once", play(row, { stuck, { body = row.stream, headers = as_stream } }, { stall = 0.2 }), 2)
end)

tests.a_drip = each(function(row)
  local got = play(row, { { body = row.stream, headers = as_stream, slow = { bytes = 1, seconds = 0.02 } } },
    { timeout = 0.7, stall = 0.5 })
  failed(row, "drip", got, "timed_out", "no whole answer from http://127.0.0.1", 1)
  t.ok(got.seconds < 20, got.seconds)
end)

tests.silence = each(function(row)
  failed(row, "silence", play(row, { { silent = true } }, { timeout = 0.3, stall = 0.1 }), "timed_out",
    "no whole answer", 1)
end)

tests.a_truncated_stream = each(function(row)
  local half = { body = row.stream:sub(1, #row.stream // 2), headers = as_stream }
  failed(row, "truncated", play(row, { half }), "protocol", "it is a stream of events, and", 2)
  answered(row, "truncated once", play(row, { half, { body = row.stream, headers = as_stream } }), 2)
end)

tests.invalid_utf8 = each(function(row)
  for what, body in pairs { whole = row.whole, stream = row.stream } do
    local got = play(row, { { body = body:gsub("–", "\xff"), headers = what == "whole" and as_json or as_stream } })
    t.eq(got.reply and got.reply.content, body:find("–", 1, true) and "I wait \u{FFFD} é." or said.text, row.wire)
  end
end)

tests.a_page_instead = each(function(row)
  local page = { headers = { ["Content-Type"] = "text/html" }, body = "<html><title>Log in</title></html>" }
  failed(row, "HTML", play(row, { page }), "protocol", 'answers with a web page ("Log in")', 2)
  page.status = 502
  failed(row, "HTML with 502", play(row, { page }), "unavailable", "answered 502: Log in", 2)
end)

tests.nothing_in_it = each(function(row)
  for _, headers in ipairs { as_json, as_stream } do
    failed(row, "empty", play(row, { { body = "", headers = headers } }), "protocol",
      "answered what is no " .. wires.of(row.wire).answer, 2)
  end
end)

tests.more_than_is_read = each(function(row)
  failed(row, "huge", play(row, { { body = (" "):rep((32 << 20) + 1), headers = as_json } }), "protocol",
    "is larger than 33554432 bytes", 1)
end)

-- The sanitizer keeps the last 256 MB that were freed: they are to be there before memory is measured.
local is_filled = false
local function fill_quarantine()
  for i = 1, is_filled and 0 or 10 do assert(#(" "):rep(3e7 + i) > 0) end
  is_filled = true
  collectgarbage()
end

tests.compressed_answers = each(function(row)
  local headers = { ["Content-Encoding"] = "gzip", ["Content-Type"] = "application/json" }
  answered(row, "gzip", play(row, { { body = compressed.gzip(row.whole), headers = headers } }))
  headers = { ["Content-Encoding"] = "gzip", ["Content-Type"] = "text/event-stream" }
  answered(row, "gzip of a stream", play(row, { { body = compressed.gzip(row.stream), headers = headers,
    slow = { bytes = 40, seconds = 0 } } }))
  fill_quarantine()
  local before = uv.resident_set_memory()
  failed(row, "a bomb", play(row, { { body = compressed.bomb(400e6), headers = headers } }), "protocol",
    "is larger than 33554432 bytes", 1)
  t.ok(uv.resident_set_memory() - before < 250e6, uv.resident_set_memory() - before)
end)

tests.a_redirect = each(function(row)
  local other = model_server.start { { body = row.whole, headers = as_json } }
  other.lenient = true
  local got = play(row, { { status = 307, headers = { Location = other.endpoint .. "/somewhere" }, body = "" } })
  failed(row, "redirect", got, "protocol", "answered 307: moved to " .. other.endpoint .. "/somewhere (it leads "
    .. "elsewhere, and no key is taken there", 1)
  t.eq(#other.requests, 0, "nobody followed it")
  other:stop()
end)

tests.nobody_there = each(function(row)
  local got = play(row, {}, { endpoint = ("http://127.0.0.1:%d"):format(ports.refusing()) })
  failed(row, "refused", got, "unavailable", "no model server answers at http://127.0.0.1", 0)
end)

if t.platform == "linux" then
function tests.a_certificate_that_nobody_knows()
  tls_server.with({ "-www" }, nil, function(port)
    each(function(row)
      local got = play(row, {}, { endpoint = ("https://localhost:%d/v1"):format(port) })
      failed(row, "TLS", got, "protocol", ("the TLS verification of https://localhost:%d failed"):format(port), 0)
    end)()
  end)
end
end

-- A parameter of a request, wherever its wire has it.
local function has(request, name)
  local body = request.json
  return body[name] ~= nil or name == "stream" and request.path:find("stream", 1, true) ~= nil
    or type(body.generationConfig) == "table" and body.generationConfig[name] ~= nil
end

tests.a_parameter_that_is_refused = each(function(row)
  local got = play(row, function(_, _, request)
    if has(request, row.takes_not) then
      return failure(row, 400, ("Unsupported parameter: '%s' is not supported with this model."):format(row.takes_not),
        row.takes_not)
    end
    return { body = row.whole, headers = as_json }
  end, { times = 3 })
  answered(row, "a parameter", got, 4)
  t.eq(#null_run.only(got.events, "model_reply"), 3)
  local sentence = row.takes_not == "stream" and "gives no streams" or "does not take " .. row.takes_not
  local _, told = got.notes:gsub(sentence, "")
  t.eq(told, 1, "told once: " .. got.notes)
  -- Where it is not the parameter after all, it is said as it is, and the run goes on.
  got = play(row, { failure(row, 400, ("'%s' is not supported"):format(row.takes_not), row.takes_not) })
  failed(row, "always", got, "protocol", ("answered 400: '%s' is not supported"):format(row.takes_not), 2)
end)

tests.more_than_the_context_holds = each(function(row)
  local function text(short) return ("word "):rep(4000 >> 4 * short) end
  local function script(most)
    return function(_, _, request)
      if #request.body > most then return failure(row, 400, "prompt is too long: 9000 tokens > 4096 maximum") end
      return { body = row.whole, headers = as_json }
    end
  end
  local got = play(row, script(10000), { text = text })
  answered(row, "once too long", got, 2)
  t.has(got.notes, "the request is longer than " .. row.model .. " takes")
  t.has(got.notes, "(1 of 2 times)")
  got = play(row, script(10), { text = text })
  failed(row, "always too long", got, "protocol", "prompt is too long", 3)
  t.has(got.notes, "(2 of 2 times)")
  got = play(row, script(10), { text = "a text that is no function" })
  failed(row, "a text", got, "protocol", "prompt is too long", 1)
end)

return tests
