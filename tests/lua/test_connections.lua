--- The connections to a model server: kept between requests, whatever the wire and however its answers end; opened
--- anew, without a failed request, where a server has closed them.
local t = require "harness"
local client = require "deskpilot.model.client"
local model_server = require "model_server"
local task = require "deskpilot.base.task"

local tests = {}

local as_stream = { ["Content-Type"] = "text/event-stream" }

-- Its servers' answers, whole and as a stream.
local kinds = {
  chat = { kind = require "compatible.vllm", model = "m" },
  anthropic = { kind = require "vendors.anthropic", model = "claude-opus-5-5" },
  responses = { kind = require "vendors.responses", model = "gpt-4.1" },
  gemini = { kind = require "vendors.gemini", model = "gemini-test" },
}

local function answers(row)
  local body = { model = row.model, stream = true, stream_options = { include_usage = true }, messages = {}, input = {},
    contents = {} }
  local whole = row.kind.answer({ text = "Hello." }, 3, body)
  local stream = row.kind.stream(whole, body)
  return whole, type(stream) == "table" and table.concat(stream) or stream
end

local function ask(asked)
  return asked:chat { messages = { { role = "user", content = "Hello?" } }, max_tokens = 50 }
end

local function open(endpoint, row, wire, more)
  local options = { endpoint = endpoint, model = row.model, wire = wire, stream = "on", retries = 0, api_key = "key",
    timeout = 20 }
  for name, value in pairs(more or {}) do options[name] = value end
  return assert(client.new(options))
end

local function serve(script)
  local server = model_server.start(script)
  server.lenient = true
  return server, setmetatable({}, { __close = function() server:stop() end })
end

function tests.one_connection_for_all_requests()
  for wire, row in pairs(kinds) do
    local whole, stream = answers(row)
    for name, reply in pairs { whole = { body = whole }, stream = { headers = as_stream, body = stream },
      chunks = { headers = as_stream, body = stream, chunked = true },
      slow = { headers = as_stream, body = stream, chunked = true, slow = { bytes = 200, seconds = 0 } } } do
      local server, closing <close> = serve { reply }
      assert(closing)
      local asked = open(server.endpoint, row, wire)
      for _ = 1, 5 do
        t.has(t.ok(ask(asked), wire).content, "Hello.", wire)
        task.sleep(0.02)
      end
      t.eq({ #server.requests, server.connections }, { 5, 1 }, wire .. ", " .. name)
    end
  end
end

-- The answer is there when the server has said so. The end of the body, which it sends later, is not waited for, but
-- it leaves the connection fit for the next request.
function tests.the_end_of_a_body_that_comes_late()
  for _, wire in ipairs { "chat", "anthropic", "responses" } do
    local row, answered = kinds[wire], 0
    local _, stream = answers(row)
    local server, closing <close> = serve(function(_, index)
      return { headers = as_stream, parts = { stream, function() return answered >= index end } }
    end)
    assert(closing)
    local asked = open(server.endpoint, row, wire)
    for i = 1, 3 do
      t.has(t.ok(ask(asked), wire).content, "Hello.", wire)
      answered = i
      task.sleep(0.15) -- the server looks every 0.02 s
    end
    t.eq({ #server.requests, server.connections }, { 3, 1 }, wire)
  end
end

-- A server that never ends the body costs a connection, and nothing else.
function tests.the_end_of_a_body_that_never_comes()
  local row = kinds.anthropic
  local _, stream = answers(row)
  local server, closing <close> = serve(function()
    return { headers = as_stream, parts = { stream, function() return false end } }
  end)
  assert(closing)
  local asked, began = open(server.endpoint, row, "anthropic"), task.now()
  for _ = 1, 3 do t.ok(ask(asked)) end
  t.ok(task.now() - began < 15, "none of them has waited for the end: each would for 20 s")
  t.eq(server.connections, 3)
  t.wait_until("the connections are given up", function()
    local left = 0
    for socket in pairs(server.sockets) do
      if not socket:is_closing() then left = left + 1 end
    end
    return left == 0
  end, 10)
end

-- What was idle too long for a server is closed: between two requests, or just as the next one comes.
function tests.a_server_that_closes_idle_connections()
  for wire, row in pairs(kinds) do
    local _, stream = answers(row)
    local server, closing <close> = serve { { headers = as_stream, body = stream } }
    assert(closing)
    local asked, retries = open(server.endpoint, row, wire), 0
    asked.on_retry = function() retries = retries + 1 end
    t.ok(ask(asked), wire)
    for socket in pairs(server.sockets) do socket:close() end
    server.sockets = {}
    local reply = t.ok(ask(asked), wire .. ": closed while nobody looked")
    t.eq({ reply.attempts, retries, server.connections }, { 1, 0, 2 }, wire)
  end
end

-- It reads the request that comes on a connection that it has given up, and closes it without a word.
function tests.a_server_that_closes_as_the_request_comes()
  local row = kinds.chat
  local whole = answers(row)
  local seen = 0
  local server, closing <close> = serve(function(_, index, request)
    seen = seen + 1
    if index == 2 then return { raw = "" } end
    return { body = whole, headers = { ["X-Connection"] = tostring(request.connection) } }
  end)
  assert(closing)
  local asked = open(server.endpoint, row, "chat")
  t.ok(ask(asked))
  local reply = t.ok(ask(asked), "asked again on a connection of its own") or {}
  t.eq({ reply.attempts, seen, server.connections }, { 1, 3, 2 })
end

return tests
