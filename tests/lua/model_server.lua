--- A real HTTP server on 127.0.0.1 that stands for a model server: it speaks HTTP/1.1 with kept
--- connections, checks every request against the chat-completions schema more strictly than any
--- real one, records it, and answers from a script. In-process use:
---
---   local server = require("model_server").start { server_reply, ... }   -- or function(request, i)
---   server.endpoint; server.requests[1].json; server.requests[1].problems; server:stop()
---
--- Each request has `seconds`: from the moment when it was there until its answer was on the way. With server.forget
--- what it said is not kept: that of a long run would fill the memory.
---
--- The list of models (GET /v1/models) is the server's own affair: server.models is a list of names, "scripted" where
--- the script is to answer, or nil for a server that has no such list.
---
--- A reply: { status = 200, headers = {}, body = string|table, delay = seconds, drop = true (closes
--- in mid-body), slow = { bytes =, seconds = } (so many at a time), raw = bytes (instead of HTTP),
--- silent = true (never answers), hold = function (no answer before it returns true), chunked = true, parts = { ... }
--- (in place of a body, one after the other: bytes, or a function that returns true when the next may be sent), broken
--- = true (closes after the last of them, without the body's end) }. A list's last reply is repeated.
local uv = require "luv"
local json = require "deskpilot.base.json"

local model_server = {}

--- Replies ------------------------------------------------------------------------------------------

local function completion(message, finish)
  message.role = "assistant"
  return {
    status = 200,
    body = {
      id = "chatcmpl-test", object = "chat.completion", created = 1, model = "test",
      choices = { { index = 0, message = message, finish_reason = finish } },
      usage = { prompt_tokens = 100, completion_tokens = 10, total_tokens = 110 },
    },
  }
end

--- A reply with one tool call; `args` a table, or a string sent as it is.
function model_server.reply_tool(name, args, id)
  local text = type(args) == "string" and args or json.encode(args or {})
  return completion({
    tool_calls = {
      { id = id or "call_1", type = "function", ["function"] = { name = name, arguments = text } },
    },
  }, "tool_calls")
end

--- A reply of plain text.
function model_server.reply_text(text)
  return completion({ content = text }, "stop")
end

--- A reply with any message table.
function model_server.reply_message(message, finish)
  return completion(message, finish or "stop")
end

--- Checking -----------------------------------------------------------------------------------------

local checks = {}

local function is_list(t)
  if type(t) ~= "table" then return false end
  local n = 0
  for _ in pairs(t) do n = n + 1 end
  return n == #t
end

local function only(problems, where, t, known)
  for key in pairs(t) do
    if not known[key] then table.insert(problems, where .. ": unknown field " .. tostring(key)) end
  end
end

local function want(problems, where, value, kind)
  if type(value) == kind then return true end
  table.insert(problems, where .. ": must be a " .. kind .. ", is a " .. type(value))
  return false
end

local alphabet = {}
for i, c in ipairs { ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"):byte(1, -1) } do
  alphabet[c] = i - 1
end

local function is_base64(text) return #text % 4 == 0 and text:find "^[%w+/]*=?=?$" ~= nil end

--- The bytes of a base64 text (strict), or nil.
---@return string?
function model_server.decode_base64(text)
  if not is_base64(text) then return nil end
  local out = {}
  for at = 1, #text, 4 do
    local a, b, c, d = text:byte(at, at + 3)
    local word = alphabet[a] << 18 | alphabet[b] << 12 | (alphabet[c] or 0) << 6 | (alphabet[d] or 0)
    local three = string.char(word >> 16, word >> 8 & 255, word & 255)
    out[#out + 1] = three:sub(1, d ~= 61 and 3 or c ~= 61 and 2 or 1)
  end
  return table.concat(out)
end

local signatures = { png = "\137PNG\r\n\26\n", jpeg = "\255\216\255" }

local function check_image(problems, where, url)
  local kind, data = url:match("^data:image/(%a+);base64,(.*)$")
  local signature = signatures[kind]
  if not signature then
    table.insert(problems, where .. ": not a base64 data URL of a PNG or JPEG")
    return
  end
  -- All of it would take longer than the run takes to make it.
  local bytes = is_base64(data) and model_server.decode_base64(data:sub(1, 24))
  if not bytes then table.insert(problems, where .. ": not base64")
  elseif bytes:sub(1, #signature) ~= signature then
    table.insert(problems, where .. ": the bytes are no " .. kind)
  elseif kind == "png" and bytes:sub(13, 16) ~= "IHDR" then
    table.insert(problems, where .. ": the PNG has no IHDR")
  end
end

local function check_part(problems, where, part)
  if not want(problems, where, part, "table") then return end
  if part.type == "text" then
    only(problems, where, part, { type = true, text = true })
    want(problems, where .. ".text", part.text, "string")
  elseif part.type == "image_url" then
    only(problems, where, part, { type = true, image_url = true })
    if not want(problems, where .. ".image_url", part.image_url, "table") then return end
    only(problems, where .. ".image_url", part.image_url, { url = true, detail = true })
    if want(problems, where .. ".image_url.url", part.image_url.url, "string") then
      check_image(problems, where .. ".image_url.url", part.image_url.url)
    end
  else
    table.insert(problems, where .. ": unknown part type " .. tostring(part.type))
  end
end

local function check_call(problems, where, call)
  if not want(problems, where, call, "table") then return end
  only(problems, where, call, { id = true, type = true, ["function"] = true })
  want(problems, where .. ".id", call.id, "string")
  if call.type ~= "function" then table.insert(problems, where .. ".type must be function") end
  local fn = call["function"]
  if not want(problems, where .. ".function", fn, "table") then return end
  only(problems, where .. ".function", fn, { name = true, arguments = true })
  want(problems, where .. ".function.name", fn.name, "string")
  if want(problems, where .. ".function.arguments", fn.arguments, "string") and
    not json.decode(fn.arguments) then
    table.insert(problems, where .. ".function.arguments is not JSON")
  end
end

local message_fields = {
  system = { role = true, content = true, name = true },
  user = { role = true, content = true, name = true },
  assistant = { role = true, content = true, name = true, tool_calls = true, refusal = true },
  tool = { role = true, content = true, tool_call_id = true },
}

local function check_message(problems, where, message, open_calls)
  if not want(problems, where, message, "table") then return end
  local known = message_fields[message.role]
  if not known then
    table.insert(problems, where .. ": unknown role " .. tostring(message.role))
    return
  end
  only(problems, where, message, known)
  for i, call in ipairs(message.tool_calls or {}) do
    check_call(problems, where .. ".tool_calls[" .. i .. "]", call)
    open_calls[type(call) == "table" and call.id or 0] = true
  end
  if message.role == "tool" and not open_calls[message.tool_call_id] then
    table.insert(problems, where .. ": answers no tool call of before")
  end
  if type(message.content) == "table" then
    if #message.content == 0 then table.insert(problems, where .. ".content is empty") end
    for i, part in ipairs(message.content) do
      check_part(problems, where .. ".content[" .. i .. "]", part)
    end
  elseif not (message.role == "assistant" and message.content == nil and message.tool_calls) then
    want(problems, where .. ".content", message.content, "string")
  end
end

local schema_types = {
  object = true, array = true, string = true, number = true, integer = true, boolean = true,
}
local schema_fields = {
  type = true, properties = true, required = true, description = true, items = true, enum = true,
  minimum = true, maximum = true, minItems = true, maxItems = true, minLength = true,
  maxLength = true, additionalProperties = true, pattern = true, default = true, title = true,
}

local function check_schema(problems, where, schema)
  if not want(problems, where, schema, "table") then return end
  only(problems, where, schema, schema_fields)
  if not schema_types[schema.type] then
    table.insert(problems, where .. ".type is " .. tostring(schema.type))
  end
  for name, property in pairs(schema.properties or {}) do
    check_schema(problems, where .. "." .. tostring(name), property)
  end
  if schema.type == "array" then check_schema(problems, where .. ".items", schema.items) end
  if schema.enum ~= nil and (not is_list(schema.enum) or #schema.enum == 0) then
    table.insert(problems, where .. ".enum is no list of values")
  end
  if schema.required == nil then return end
  if not is_list(schema.required) then table.insert(problems, where .. ".required is no list") end
  for _, name in ipairs(schema.required) do
    if not (schema.properties or {})[name] then
      table.insert(problems, where .. ".required names no property: " .. tostring(name))
    end
  end
end

local function check_tool(problems, where, tool, names)
  if not want(problems, where, tool, "table") then return end
  only(problems, where, tool, { type = true, ["function"] = true })
  if tool.type ~= "function" then table.insert(problems, where .. ".type must be function") end
  local fn = tool["function"]
  if not want(problems, where .. ".function", fn, "table") then return end
  only(problems, where, fn, { name = true, description = true, parameters = true, strict = true })
  if want(problems, where .. ".name", fn.name, "string") then
    if not fn.name:find("^[%w_-]+$") or #fn.name > 64 then
      table.insert(problems, where .. ": not a function's name: " .. fn.name)
    end
    if names[fn.name] then table.insert(problems, where .. ": a second " .. fn.name) end
    names[fn.name] = true
  end
  if fn.description ~= nil then want(problems, where .. ".description", fn.description, "string") end
  if fn.parameters == nil then return end
  check_schema(problems, where .. ".parameters", fn.parameters)
  if fn.parameters.type ~= "object" then
    table.insert(problems, where .. ".parameters.type must be object")
  end
end

local function in_range(problems, name, value, least, most, whole)
  if value == nil then return end
  if type(value) ~= "number" or value < least or value > most or (whole and value % 1 ~= 0) then
    table.insert(problems, name .. " is " .. tostring(value))
  end
end

--- What is wrong with a chat-completions request, as a list of sentences.
---@param body string its JSON text
---@return string[] problems, table? request
function checks.request(body)
  local problems = {}
  local request, why = json.decode(body)
  if type(request) ~= "table" then return { "not a JSON object: " .. tostring(why) } end
  if body:find('"tools":[]', 1, true) or body:find('"tools":{}', 1, true) then
    table.insert(problems, "an empty list of tools")
  end
  if body:find('"required":{}', 1, true) then table.insert(problems, "required is an object") end
  if body:find('"properties":[]', 1, true) then table.insert(problems, "properties is a list") end
  only(problems, "request", request, {
    model = true, messages = true, tools = true, tool_choice = true, temperature = true,
    max_tokens = true, max_completion_tokens = true, stream = true, stream_options = true, seed = true, stop = true,
    top_p = true,
  })
  if request.stream_options ~= nil and request.stream ~= true then
    table.insert(problems, "stream_options without stream")
  end
  want(problems, "model", request.model, "string")
  in_range(problems, "temperature", request.temperature, 0, 2)
  in_range(problems, "max_tokens", request.max_tokens, 1, 1e7, true)
  if not is_list(request.messages) or #request.messages == 0 then
    table.insert(problems, "messages must be a list that is not empty")
  else
    local open_calls = {}
    for i, message in ipairs(request.messages) do
      check_message(problems, "messages[" .. i .. "]", message, open_calls)
    end
  end
  local names = {}
  for i, tool in ipairs(request.tools or {}) do
    check_tool(problems, "tools[" .. i .. "]", tool, names)
  end
  if request.tool_choice ~= nil and not request.tools then
    table.insert(problems, "tool_choice without tools")
  end
  return problems, request
end

model_server.check = checks.request

--- HTTP ---------------------------------------------------------------------------------------------

local reasons = {
  [200] = "OK", [400] = "Bad Request", [401] = "Unauthorized", [404] = "Not Found",
  [429] = "Too Many Requests", [500] = "Internal Server Error", [503] = "Service Unavailable",
}

--- One request's head: its first line and headers (lower-case names); nil while it is not whole.
local function parse_head(buffer)
  local stop = buffer:find("\r\n\r\n", 1, true)
  if not stop then return nil end
  local head = buffer:sub(1, stop + 1)
  local method, path, version = head:match("^(%u+) (%S+) HTTP/(1%.[01])\r\n")
  local headers = {}
  for name, value in head:gmatch("\r\n([^:\r\n]+):[ \t]*([^\r\n]*)") do
    headers[name:lower()] = value
  end
  return { method = method, path = path, version = version, headers = headers }, stop + 4
end

--- The chunks from `at` joined, and where they end; nil while they are not whole.
local function parse_chunks(buffer, at)
  local parts = {}
  while true do
    local size, from = buffer:match("^(%x+)[^\r\n]*\r\n()", at)
    if not size then return nil end
    local n = tonumber(size, 16)
    if #buffer < from + n + 1 then return nil end
    if n == 0 then return table.concat(parts), from + 2 end
    parts[#parts + 1] = buffer:sub(from, from + n - 1)
    at = from + n + 2
  end
end

--- The first whole request of the connection's bytes, which it takes off them; nil if there is none.
local function take_request(connection)
  if connection.need and connection.size < connection.need then return nil end
  local buffer = table.concat(connection.parts)
  connection.parts = { buffer }
  local request, at = parse_head(buffer)
  if not request then return nil end
  local body, after
  if (request.headers["transfer-encoding"] or ""):lower() == "chunked" then
    body, after = parse_chunks(buffer, at)
  else
    local length = tonumber(request.headers["content-length"] or 0)
    connection.need = at - 1 + length -- do not join the bytes again before they have all come
    if #buffer < connection.need then return nil end
    body, after = buffer:sub(at, at + length - 1), at + length
  end
  if not body then return nil end
  connection.need = nil
  request.body = body
  local rest = buffer:sub(after)
  connection.parts, connection.size = { rest }, #rest
  return request
end

local function head_of(reply, size)
  local status = reply.status or 200
  local lines = { ("HTTP/1.1 %d %s"):format(status, reasons[status] or "Status") }
  local seen = {}
  for name, value in pairs(reply.headers or {}) do
    lines[#lines + 1] = name .. ": " .. value
    seen[name:lower()] = true
  end
  if not seen["content-type"] then lines[#lines + 1] = "Content-Type: application/json" end
  lines[#lines + 1] = reply.chunked and "Transfer-Encoding: chunked" or "Content-Length: " .. size
  return table.concat(lines, "\r\n") .. "\r\n\r\n"
end

local function after(server, seconds, fn)
  local timer = uv.new_timer()
  server.timers[timer] = true
  uv.update_time()
  timer:start(math.ceil(seconds * 1000), 0, function()
    server.timers[timer] = nil
    if not timer:is_closing() then timer:close() end
    fn()
  end)
end

local function once(server, ready, fn)
  if ready() then fn() return end
  after(server, 0.02, function() once(server, ready, fn) end)
end

local function close(handle)
  if not handle:is_closing() then handle:close() end
end

local function send(connection, bytes, done)
  if connection.socket:is_closing() then return end
  connection.socket:write(bytes, done)
end

local function send_slowly(server, connection, bytes, slow, done, from)
  from = from or 1
  if from > #bytes or connection.socket:is_closing() then done() return end
  send(connection, bytes:sub(from, from + slow.bytes - 1))
  after(server, slow.seconds, function()
    send_slowly(server, connection, bytes, slow, done, from + slow.bytes)
  end)
end

local function chunks_of(body)
  local parts = {}
  for at = 1, #body, 1000 do
    local part = body:sub(at, at + 999)
    parts[#parts + 1] = ("%x\r\n%s\r\n"):format(#part, part)
  end
  return table.concat(parts) .. "0\r\n\r\n"
end

local function send_parts(server, connection, reply, done, number)
  local part = reply.parts[number]
  local function go_on() send_parts(server, connection, reply, done, number + 1) end
  if type(part) == "function" then once(server, part, go_on)
  elseif part then send(connection, ("%x\r\n%s\r\n"):format(#part, part), go_on)
  elseif reply.broken then close(connection.socket)
  else send(connection, "0\r\n\r\n", done) end
end

local function answer(server, connection, reply, done)
  if reply.silent then return end
  if reply.raw then
    send(connection, reply.raw, function() close(connection.socket) end)
    return
  end
  if reply.parts then
    reply.chunked = true
    send(connection, head_of(reply))
    return send_parts(server, connection, reply, done, 1)
  end
  local body = reply.body or ""
  if type(body) == "table" then body = json.encode(body) end
  local head = head_of(reply, #body)
  if reply.drop then
    send(connection, head .. body:sub(1, #body // 2), function() close(connection.socket) end)
    return
  end
  if reply.chunked then body = chunks_of(body) end
  if not reply.slow then send(connection, head .. body, done) return end
  send(connection, head)
  send_slowly(server, connection, body, reply.slow, done)
end

local function pick(server, request, index)
  local script = server.script
  if type(script) == "function" then return script(request.json, index, request) end
  return script[math.min(index, #script)]
end

local serve

-- Answers a request for the list of models; true where it was one.
local function list_models(server, connection, request)
  if request.method ~= "GET" or not request.path:find("/models[^/]*$") or server.models == "scripted" then
    return false
  end
  local reply = { status = 404, body = { error = { message = "there is nothing at " .. request.path } } }
  if server.models then
    local data = json.list()
    for i, name in ipairs(server.models) do data[i] = { id = name, object = "model" } end
    reply = { body = { object = "list", data = data } }
  end
  answer(server, connection, reply, function() serve(server, connection) end)
  return true
end

local function handle(server, connection, request)
  if list_models(server, connection, request) then return end
  local began = uv.hrtime()
  if request.method == "POST" then request.problems, request.json = checks.request(request.body) end
  request.problems = request.problems or {}
  request.connection = connection.number
  table.insert(server.requests, request)
  local reply = pick(server, request, #server.requests)
  if reply == nil then
    reply = { status = 500, body = { error = { message = "the script has no reply for this" } } }
  elseif #request.problems > 0 and not server.lenient then
    local problem = table.concat(request.problems, "; ")
    reply = { status = 400, body = { error = { message = "schema: " .. problem } } }
  end
  connection.busy = true
  local function go()
    request.seconds = (uv.hrtime() - began) / 1e9
    if server.forget then request.body, request.json = nil, nil end
    answer(server, connection, reply, function()
      connection.busy = false
      if request.headers.connection == "close" then close(connection.socket)
      else serve(server, connection) end
    end)
  end
  if reply.hold then once(server, reply.hold, go)
  elseif reply.delay then after(server, reply.delay, go)
  else go() end
end

function serve(server, connection)
  if connection.busy or connection.socket:is_closing() then return end
  local request = take_request(connection)
  if request then handle(server, connection, request) end
end

local function accept(server)
  local socket = uv.new_tcp()
  server.listener:accept(socket)
  server.connections = server.connections + 1
  server.sockets[socket] = true
  if server.deaf then return end -- reads nothing
  local connection = { socket = socket, parts = {}, size = 0, number = server.connections }
  socket:read_start(function(err, bytes)
    if err or not bytes then
      server.sockets[socket] = nil
      close(socket)
      return
    end
    table.insert(connection.parts, bytes)
    connection.size = connection.size + #bytes
    serve(server, connection)
  end)
end

local Server = {}
Server.__index = Server

--- Closes the server and its connections.
function Server:stop()
  close(self.listener)
  for socket in pairs(self.sockets) do close(socket) end
  for timer in pairs(self.timers) do close(timer) end
  self.sockets, self.timers = {}, {}
end

--- What was wrong with all requests so far; "" when nothing was.
function Server:problems()
  local all = {}
  for i, request in ipairs(self.requests) do
    for _, problem in ipairs(request.problems) do table.insert(all, i .. ": " .. problem) end
  end
  return table.concat(all, "\n")
end

--- Starts a server. `script`: a list of replies or function(json, index, request) -> reply. It
--- answers a request that breaks the schema with 400, unless server.lenient is set.
function model_server.start(script, port)
  local server = setmetatable({
    script = script, requests = {}, sockets = {}, timers = {}, connections = 0,
    listener = uv.new_tcp(),
  }, Server)
  assert(server.listener:bind("127.0.0.1", port or 0))
  assert(server.listener:listen(128, function() accept(server) end))
  server.port = server.listener:getsockname().port
  server.origin = ("http://127.0.0.1:%d"):format(server.port)
  server.endpoint = server.origin .. "/v1"
  return server
end

--- `deskpilot-test tests/lua/model_server.lua`: checks itself and the shape of its own replies.
function model_server.self_test()
  local t = require "harness"
  local function problems(request) return table.concat(checks.request(json.encode(request)), "\n") end
  local user = { role = "user", content = "hello" }
  t.eq(problems { model = "m", messages = { user } }, "")
  t.has(problems { model = "m", messages = { user }, colour = 1 }, "unknown field colour")
  t.has(problems { model = "m", messages = { user }, tools = json.list() }, "empty list of tools")
  t.has(problems { model = "m", messages = { { role = "user", content = {
    { type = "image_url", image_url = { url = "data:image/png;base64,AAAA" } } } } } }, "no png")
  t.has(problems { model = "m", messages = { user }, tools = { { type = "function",
    ["function"] = { name = "a b", parameters = { type = "object", required = { "x" } } } } } },
    "not a function's name")
  t.eq(model_server.decode_base64("aGVsbG8="), "hello")
end

-- The test runner calls every function of the table that a file returns; given to it as a file,
-- this one shows the runner its own test alone.
if ... == nil then return { model_server_checks_itself = model_server.self_test } end

return model_server
