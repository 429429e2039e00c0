--- What a client sends to the server of a mission: a request that is the same whether it comes whole or in pieces, or a
--- refusal; a form in it that has bounded fields or a sentence; an answer that holds its header lines together.
local http_form = require "deskpilot.net.http_form"
local http_message = require "deskpilot.net.http_message"
local values = require "fuzz_values"

local PORT, MOST = 8080, 100000

-- The request, or the refusal's status and body, of a buffer; nil while more is to come.
local function read(buffer)
  local ok, request, at = pcall(http_message.head, buffer)
  if ok and not request then return nil end
  if ok then ok, request.why = pcall(http_message.check, request, PORT, MOST) end
  if ok then
    request.body = buffer:sub(at, at + request.length - 1)
    return request
  end
  local why = type(request) == "table" and request.why or request
  if not http_message.is_refusal(why) then error(why, 0) end
  assert(why.status >= 400 and why.status < 600, "a refusal of another status")
  return why
end

local function check_fields(fields, err)
  if not fields then return values.sentence(tostring(err), 2000) end
  assert(#fields <= 200, "too many fields")
  for _, field in ipairs(fields) do
    assert(type(field.name) == "string" and type(field.value) == "string", "a field without name or value")
    assert(not (field.filename or ""):find "[/\\%c]", "a file's name with a folder")
  end
end

local function check_request(request)
  assert(request.path:find "^/" and not request.path:find "[%c\\]", "a path")
  assert(not (request.path .. "/"):find("/../", 1, true), "a path that leads out of its folder")
  assert(math.type(request.length) == "integer" and request.length >= 0 and request.length <= MOST, "a length")
  for name, value in pairs(request.headers) do
    assert(name == name:lower() and not value:find "[\0\r\n]", "a header")
  end
  check_fields(http_form.read(request))
  check_fields(http_form.pairs(request.query))
end

-- What is answered repeats words of the request.
local function check_answer(request)
  local reply = { status = request.status, headers = { ["X-Path"] = request.path, Location = request.query },
    body = request.body }
  local ok, bytes = pcall(http_message.response, reply, request.keep, request.head_only)
  if not ok then return values.sentence(bytes, 100 + #(request.path or "")) end
  local head = bytes:sub(1, (bytes:find("\r\n\r\n", 1, true)))
  local _, lines = head:gsub("\r\n", "")
  assert(lines <= 8, "a header that was split")
end

return function(bytes)
  local whole = read(bytes)
  local step = 1 + #bytes // 7
  for size = step, #bytes - 1, step do
    local part = read(bytes:sub(1, size))
    if part then -- what is known of a part stays so
      assert(whole and part.status == whole.status and part.path == whole.path, "another request in pieces")
    end
  end
  if not whole then return end
  if not http_message.is_refusal(whole) then check_request(whole) end
  check_answer(whole)
end
