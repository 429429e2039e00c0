--- The chat client: sends a request to an OpenAI-compatible server, with retries, and returns the answer in one form,
--- however the server formats it. Waits in a task. A failure is `nil, err` with a sentence that says what to do.
local http = require "deskpilot.net.http"
local errors = require "deskpilot.base.errors"
local json = require "deskpilot.base.json"
local limits = require "deskpilot.model.limits"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"
local advice = require "deskpilot.model.advice"
local decode = require "deskpilot.model.decode"
local endpoints = require "deskpilot.model.endpoint"
local replay = require "deskpilot.model.replay"
local requests = require "deskpilot.model.request"
local secrets = require "deskpilot.model.secrets"
local stream = require "deskpilot.model.stream"

local client = {}

client.default_endpoint = endpoints.default
client.default_model = "qwen3-vl-2b-instruct"

local longest_wait = 60 -- seconds; a longer Retry-After is reduced to this
local longest_failure = 64 * 1024 -- bytes that are read of the page or message with which a server fails

---@class deskpilot.model.reply
---@field content string? without the thinking before it
---@field thinking string? the text in <think>...</think>
---@field tool_calls { id: string, name: string, arguments: string }[]
---@field finish_reason string?
---@field refusal string? the model's explanation if it refuses to answer
---@field usage { input_tokens: integer, output_tokens: integer }
---@field seconds number for the whole call, including retries and waits
---@field attempts integer
---@field note string? of a recorded answer: how the request differs from the one that it was given to
---@field excess string? what in the answer is too large: then none of it was read (deskpilot.model.limits)
---@field raw table? the decoded body, or in its place what was too large; run:ask keeps it in the run's folder alone

--- A reply as run:ask returns it.
---@class deskpilot.reply: deskpilot.model.reply
---@field calls deskpilot.model.call[] the tool calls in it
---@field calls_error string? a sentence about the first malformed call

---@class deskpilot.model.client
---@field endpoint string the base address, without a password
---@field name string the model's name
---@field literal boolean whether the embedded model `literal` answers, without a server
---@field replay deskpilot.model.replay? the recorded run that answers (`replay:RUN`), without a server
local Client = {}
Client.__index = Client
Client.__name = "deskpilot.model.client"

-- The key and the URLs of each client. They are not in the client's own table, so that printing it shows no secret.
local private = setmetatable({}, { __mode = "k" })

---@class deskpilot.model.options
---@field endpoint string? with or without /v1, or "literal"; default http://localhost:1234/v1
---@field model string? its name; "literal" is the embedded one, "replay:RUN" a recorded run
---@field api_key string?
---@field api_key_from string? the variable or the file that it is from, for messages
---@field api_key_withheld string? why there is one that is not sent, for messages
---@field api_key_option string? the configuration key that names its file; model.api_key_file unless told
---@field timeout number? seconds for a whole answer; default 240
---@field connect_timeout number? seconds; default 10
---@field retries integer? default 3
---@field backoff number[]? seconds before each retry, the last one is repeated; default { 0.5, 1, 2 }
---@field ca_file string?
---@field on_retry fun(info: { attempt: integer, wait: number, error: deskpilot.error })?

--- Creates a client. It connects when it is first used.
---@param options deskpilot.model.options
---@return deskpilot.model.client? client, deskpilot.error? err code "invalid" for a bad address or key
function client.new(options)
  local model = options.model or client.default_model
  local self = setmetatable({
    name = model, literal = model == "literal" or options.endpoint == "literal",
    timeout = options.timeout or 240, connect_timeout = options.connect_timeout or 10,
    retries = options.retries or 3, backoff = options.backoff or { 0.5, 1, 2 },
    on_retry = options.on_retry, ca_file = options.ca_file,
    key_from = options.api_key_from, key_option = options.api_key_option,
  }, Client)
  if self.literal then
    self.name, self.endpoint = "literal", "literal"
    return self
  end
  if replay.folder(model) then
    local recorded, problem = replay.open(replay.folder(model))
    if not recorded then return nil, problem end
    self.endpoint, self.replay = "replay", recorded
    return self
  end
  local key = options.api_key
  if key == "" then key = nil end
  if key and key:find("[%c%s]") then
    return errors.fail("invalid", "the API key holds white space or control characters")
  end
  local address = options.endpoint or client.default_endpoint
  local own_secrets = endpoints.secrets(address)
  own_secrets[#own_secrets + 1] = key
  for _, secret in ipairs(own_secrets) do secrets.register(secret) end
  local urls, err = endpoints.parse(address)
  if not urls then return nil, err end
  if urls.has_password and not urls.is_private then
    return errors.fail("invalid", "the address %s holds a password, which http:// shows to everybody on the way: use "
      .. "https://", urls.shown)
  end
  self.key_withheld = options.api_key_withheld
  if key and not urls.is_private then
    self.key_withheld = ("the API key from %s is not sent there, because http:// shows it to everybody on the way: use "
      .. "https://, or a tunnel to an address of this machine"):format(self.key_from or "whoever made the client")
    key = nil
  end
  private[self] = { urls = urls, key = key, secrets = own_secrets }
  self.endpoint = urls.shown
  return self
end

--- Reading an answer --------------------------------------------------------------------------------

-- Some servers send the content as a list of parts, like the content of requests.
local function content_text(content)
  if type(content) ~= "table" then return type(content) == "string" and content or nil end
  local parts = {}
  for _, part in ipairs(content) do
    if type(part) == "table" and type(part.text) == "string" then parts[#parts + 1] = part.text end
  end
  return #parts > 0 and table.concat(parts, "\n") or nil
end

local function argument_text(arguments)
  if type(arguments) == "table" then return json.encode(arguments) end
  if arguments == nil then return "{}" end
  return tostring(arguments)
end

local function tool_calls(message)
  local source = message.tool_calls
  if type(message.function_call) == "table" then source = { { ["function"] = message.function_call } } end
  local calls = {}
  for i, call in ipairs(type(source) == "table" and source or {}) do
    local fn = type(call) == "table" and (call["function"] or call)
    if type(fn) ~= "table" then fn = {} end
    calls[i] = {
      id = type(call) == "table" and type(call.id) == "string" and call.id ~= "" and call.id
        or "call_" .. i,
      name = type(fn.name) == "string" and fn.name or "", arguments = argument_text(fn.arguments),
    }
  end
  return calls
end

local function tokens(value)
  return type(value) == "number" and value >= 0 and math.tointeger(math.floor(value)) or 0
end

-- The decoded body of an answer, also of one that came as a stream; nil and why it is none.
local function decode_body(result)
  local body = result.body
  result.body = nil -- what is decoded stands for it, and it may be large
  local raw, why = limits.decode(body)
  if raw ~= nil then return raw end
  if stream.is_one(body, result.headers["content-type"]) then return stream.read(body) end
  return nil, "it cannot be read: " .. text.cut(text.one_line(secrets.mask(tostring(why))), 120)
end

-- What is too large in an answer; nil where nothing is.
local function excess_of(content, calls)
  local said = #(content or "")
  for _, call in ipairs(calls) do
    local why = limits.of_call(call.name, call.arguments, call.id)
    if why then return why end
    said = said + #call.arguments
  end
  return limits.of_sizes(#calls, said)
end

-- What stands in a run's files for an answer that is too large, so that a replay has the same.
local function remains(excess, content)
  content = secrets.mask((content or ""):sub(1, 1 << 16)) -- before it is cut
  return { excess = excess, choices = json.list { { index = 0,
    message = { role = "assistant", content = text.cut(content, 2000) } } } }
end

--- Converts a decoded body in OpenAI's format to a reply.
---@return deskpilot.model.reply? reply, deskpilot.error? err code "protocol"
function client.read(raw)
  local choice = type(raw) == "table" and type(raw.choices) == "table" and raw.choices[1]
  local message = type(choice) == "table" and choice.message
  if type(message) ~= "table" then
    return errors.fail("protocol", "it has no choices[1].message")
  end
  local usage = type(raw.usage) == "table" and raw.usage or {}
  local content, calls, thinking = content_text(message.content), tool_calls(message), nil
  local excess = type(raw.excess) == "string" and raw.excess or excess_of(content, calls)
  if excess then
    raw, content, calls, message = remains(excess, content), nil, {}, {}
  elseif content then
    content, thinking = decode.split_thinking(content)
  end
  return {
    content = content, thinking = thinking, tool_calls = calls, excess = excess,
    finish_reason = type(choice.finish_reason) == "string" and choice.finish_reason or nil,
    refusal = type(message.refusal) == "string" and message.refusal or nil,
    usage = {
      input_tokens = tokens(usage.prompt_tokens), output_tokens = tokens(usage.completion_tokens),
    },
    raw = raw,
  }
end

--- Failures -----------------------------------------------------------------------------------------

local function fail(self, code, message, fields)
  local err = errors.new(code, "%s", secrets.mask(message))
  for key, value in pairs(fields or {}) do err[key] = value end
  err.endpoint = self.endpoint
  return nil, err
end

local function not_there(self, err)
  local why = tostring(err):match("^[^(]*%((.*)%)$") or tostring(err)
  local next_step = private[self].urls.is_local and advice.start(self.endpoint) or "check the address and the network"
  return fail(self, "unavailable", ("no model server answers at %s (%s): %s"):format(
    self.endpoint, why, next_step), { unreachable = true })
end

local function transport_failure(self, err)
  if err.not_begun then return nil, err end
  if err.code == "unavailable" then return not_there(self, err) end
  return fail(self, err.code, "the model server at " .. self.endpoint .. ": " .. tostring(err),
    { timeout = err.timeout })
end

--- The server's error message, from any of the usual fields of its answer.
local function server_message(body)
  if #body > longest_failure then -- at a blank, so that no key is cut in half
    body = body:sub(1, longest_failure):match("^.*%s") or ""
  end
  local decoded = limits.decode(body)
  local said = decoded
  if type(decoded) == "table" then
    said = decoded.error or decoded.message or decoded.detail
    if type(said) == "table" then said = said.message or said[1] end
    if type(said) == "table" then said = said.message or said.msg end
  end
  if type(said) ~= "string" then said = body end
  -- Masked before it is shortened: a key that is cut in half would not be recognised.
  said = text.cut(text.one_line(secrets.mask(said)), 500)
  return said ~= "" and said or "(no explanation)"
end

local codes = { [401] = "refused", [403] = "refused", [404] = "not_found", [408] = "timed_out" }

-- The title of a page where an answer should be, masked before it is shortened; nil where it is no page.
local function page_title(result)
  return advice.page_title { headers = result.headers, body = secrets.mask(result.body:sub(1, 8192)) }
end

local function status_failure(self, result)
  local status = result.status
  local code = codes[status] or ((status == 429 or status >= 500) and "unavailable") or "protocol"
  local title = page_title(result)
  if title and (status == 404 or status == 405) then
    return fail(self, code, advice.page(self.endpoint, title), { status = status, page = true })
  end
  local hint = ""
  if status == 401 or status == 403 then
    hint = " (" .. (self.key_withheld or advice.key(private[self].key, self.key_from,
      self.key_option)) .. ")"
  end
  local said = title and title ~= "" and title or server_message(result.body)
  return fail(self, code, ("the model server at %s answered %d: %s%s"):format(
    self.endpoint, status, said, hint), { status = status, html = title ~= nil })
end

-- A web page where an answer should be.
local function page_failure(self, result)
  local title = page_title(result)
  if not title then return nil end
  return fail(self, "protocol", advice.page(self.endpoint, title), { page = true, status = result.status })
end

--- Asking -------------------------------------------------------------------------------------------

local function headers(self)
  local key = private[self].key
  return {
    ["Content-Type"] = "application/json", ["Accept"] = "application/json",
    ["Authorization"] = key and "Bearer " .. key or nil,
  }
end

--- Makes one attempt. After a failure the third result says whether a retry may help ("yes", "once" or nil), and the
--- fourth how many seconds the server asks to wait.
local function attempt(self, body)
  local result, err = http.request {
    method = "POST", url = private[self].urls.chat, headers = headers(self), body = body,
    timeout = { connect = self.connect_timeout, total = self.timeout },
    max_bytes = limits.most.body, ca_file = self.ca_file,
  }
  if not result then
    local again = not err.not_begun
      and (err.code == "unavailable" or err.code == "io" or err.timeout == "connect")
    local _, explained = transport_failure(self, err)
    return nil, explained, again and "yes" or nil
  end
  if result.status ~= 200 then
    local again = result.status == 429 or result.status >= 500
    local _, explained = status_failure(self, result)
    return nil, explained, again and "yes" or nil, endpoints.retry_after(result.headers["retry-after"])
  end
  local _, page = page_failure(self, result)
  if page then return nil, page, "once" end
  local raw, why = decode_body(result)
  local reply
  if raw ~= nil then reply, why = client.read(raw) end
  -- Who was given the key has no reason to say it, and what is decided from the answer could type it somewhere. What is
  -- too large has been left out before.
  if reply then return secrets.strip(reply, private[self].secrets) end
  local said = type(raw) == "table" and raw.error and (" (" .. server_message(json.encode(raw)) .. ")") or ""
  local _, explained = fail(self, "protocol", ("the model server at %s answered what is no chat "
    .. "completion: %s%s"):format(self.endpoint, tostring(why), said))
  return nil, explained, "once"
end

local function pause(self, number, err, asked)
  local wait = self.backoff[math.min(number, #self.backoff)] or 0
  wait = math.min(asked or wait, longest_wait)
  if self.on_retry then self.on_retry { attempt = number, wait = wait, error = err } end
  task.sleep(wait)
end

local function ask_server(self, request)
  local body = requests.pieces(request, self.name)
  local malformed, number = 0, 0
  while true do
    number = number + 1
    local reply, err, again, asked = attempt(self, body)
    if reply then return reply, number end
    if again == "once" then
      malformed = malformed + 1
      if malformed > 1 then again = nil end
    end
    if not again or number > self.retries then
      err.attempts = number
      return nil, err
    end
    pause(self, number, err, asked)
  end
end

local function ask_literal(request)
  local literal = require "deskpilot.model.literal"
  local reply, err = client.read(literal.chat(request))
  return reply, reply and 1 or err
end

local function ask_replay(self, request)
  local raw, note = self.replay:answer(request, requests.record(request, self.name))
  if not raw then return nil, note end
  local reply, why = client.read(raw)
  if not reply then return nil, why end
  reply.note = note
  return reply, 1
end

--- Sends a request and waits for its answer.
---@param request deskpilot.model.request
---@return deskpilot.model.reply? reply, deskpilot.error? err with err.attempts, and err.status if a server answered;
---  codes: unavailable (no server, or overloaded), timed_out, refused, not_found, protocol, io
function Client:chat(request)
  local began = task.now()
  local reply, more
  if self.literal then reply, more = ask_literal(request)
  elseif self.replay then reply, more = ask_replay(self, request)
  else reply, more = ask_server(self, request) end
  if not reply then return nil, more end
  reply.seconds, reply.attempts = task.now() - began, more
  return reply
end

--- The request as a table for the run's files: images are replaced by their paths, secrets are masked.
---@param request deskpilot.model.request
---@return table
function Client:record(request)
  return requests.record(request, self.name)
end

--- The names of the server's models: one attempt, with a short timeout.
---@return string[]? names, deskpilot.error? err
function Client:models()
  if self.literal or self.replay then return { self.name } end
  local result, err = http.request {
    url = private[self].urls.models, headers = headers(self), ca_file = self.ca_file,
    timeout = { connect = self.connect_timeout, total = self.connect_timeout + 5 }, max_bytes = limits.models.bytes,
  }
  if not result then return transport_failure(self, err) end
  if result.status ~= 200 then return status_failure(self, result) end
  local _, page = page_failure(self, result)
  if page then return nil, page end
  local raw = secrets.strip(json.decode(result.body, limits.models), private[self].secrets)
  local list = type(raw) == "table" and raw.data
  if not list and type(raw) == "table" and raw.object == "list" then list = {} end -- null where there is none
  if type(list) ~= "table" then
    return fail(self, "protocol", "the list of models from " .. self.endpoint .. " is malformed",
      { status = result.status })
  end
  local names = {}
  for _, model in ipairs(list) do
    if type(model) == "table" and type(model.id) == "string" then names[#names + 1] = model.id end
  end
  return names
end

return client
