--- The model client: sends a request to a server, with retries, and returns the answer in one form
--- (deskpilot.model.reply), by whichever wire it goes (deskpilot.model.wire). Waits in a task. A failure is `nil, err`
--- with a sentence that says what to do.
local http = require "deskpilot.net.http"
local errors = require "deskpilot.base.errors"
local json = require "deskpilot.base.json"
local limits = require "deskpilot.model.limits"
local profiles = require "deskpilot.model.profile"
local task = require "deskpilot.base.task"
local attempt = require "deskpilot.model.attempt"
local endpoints = require "deskpilot.model.endpoint"
local estimate = require "deskpilot.model.estimate"
local failure = require "deskpilot.model.failure"
local providers = require "deskpilot.model.provider"
local quirks = require "deskpilot.model.quirks"
local replay = require "deskpilot.model.replay"
local requests = require "deskpilot.model.request"
local secrets = require "deskpilot.model.secrets"
local wires = require "deskpilot.model.wire"

local client = {}

client.default_endpoint = endpoints.default
client.default_model = "qwen3-vl-2b-instruct"

local longest_wait = 60 -- seconds; a longer Retry-After is reduced to this

---@class deskpilot.model.client
---@field endpoint string the base address, without a password
---@field name string the model's name
---@field wire deskpilot.model.wire how the server is talked to
---@field is_local boolean? whether its server is on this machine
---@field literal boolean whether the embedded model `literal` answers, without a server
---@field replay deskpilot.model.replay? the recorded run that answers (`replay:RUN`), without a server
---@field profile deskpilot.model.profile how the model points, and what may be sent to it
---@field fallback deskpilot.model.client? that is asked where this one fails
---@field quirks deskpilot.model.quirks? what is known of the server beside that; nil where none is asked
---@field usual deskpilot.provider|false|nil the program that usually listens there, once it was looked up
local Client = {}
Client.__index = Client
Client.__name = "deskpilot.model.client"

-- The key and the URLs of each client. They are not in the client's own table, so that printing it shows no secret.
local private = setmetatable({}, { __mode = "k" })

---@class deskpilot.model.options
---@field endpoint string? with or without /v1, or "literal"; default http://localhost:1234/v1
---@field model string? its name; "literal" is the embedded one, "replay:RUN" a recorded run
---@field wire string? how the server is talked to; unless told, as its provider and the profile say
---@field api_key string?
---@field api_key_from string? the variable or the file that it is from, for messages
---@field api_key_withheld string? why there is one that is not sent, for messages
---@field api_key_option string? the configuration key that names its file; model.api_key_file unless told
---@field models table<string, table>? the configuration's `models`: what it changes in the profiles of models
---@field timeout number? seconds for a whole answer; default 240
---@field connect_timeout number? seconds; default 10
---@field stall number? seconds without a byte in the middle of an answer; default 60
---@field stream "auto"|"on"|"off"|nil whether answers are asked for as streams; auto, the default: where nothing is
---  lost by it
---@field cache string|false|nil the file that remembers what servers do not take; none unless told
---@field retries integer? default 3
---@field backoff number[]? seconds before each retry, the last one is repeated; default { 0.5, 1, 2 }
---@field ca_file string?
---@field on_retry fun(info: { attempt: integer, wait: number, error: deskpilot.error })?

-- The wire that the configuration names for a model.
local function own_wire(model, models)
  for name, own in pairs(models or {}) do
    if name:lower() == model:lower() then return own.wire end
  end
end

--- Creates a client. It connects when it is first used.
---@param options deskpilot.model.options
---@return deskpilot.model.client? client, deskpilot.error? err code "invalid" for a bad address or key
function client.new(options)
  local model = options.model or client.default_model
  local self = setmetatable({
    name = model, wire = wires.of "chat", literal = model == "literal" or options.endpoint == "literal",
    timeout = options.timeout or 240, connect_timeout = options.connect_timeout or 10,
    stall = options.stall or 60, stream = options.stream or "auto",
    retries = options.retries or 3, backoff = options.backoff or { 0.5, 1, 2 },
    on_retry = options.on_retry, ca_file = options.ca_file,
    key_from = options.api_key_from, key_option = options.api_key_option,
  }, Client)
  if self.literal then
    self.name, self.endpoint = "literal", "literal"
    self.profile = assert(profiles.of "literal")
    return self
  end
  if replay.folder(model) then
    local recorded, problem = replay.open(replay.folder(model))
    if not recorded then return nil, problem end
    self.endpoint, self.replay, self.profile = "replay", recorded, assert(profiles.of "literal")
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
  local err
  self.profile, err = profiles.of(model, options.models)
  if not self.profile then return nil, err end
  self.wire, err = wires.choose(options.wire or own_wire(model, options.models), address, self.profile)
  if not self.wire then return nil, err end
  local urls, wrong = endpoints.parse(address, self.wire.base)
  if not urls then return nil, wrong end
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
  self.endpoint, self.is_local = urls.shown, urls.is_local
  self.quirks, self.learned, self.cache = quirks.new(self.profile), {}, options.cache
  if self.cache then quirks.recall(self.quirks, self.cache, self.endpoint, model) end
  if self.cache and not self.profile.calibrated and not self.quirks.told then
    self.quirks.told = true
    self.learned[1] = ("%s was never calibrated: `deskpilot calibrate --model %s` measures how it points"):format(model,
      model)
  end
  return self
end

-- --- asking ---------------------------------------------------------------------------------------------------

local function pause(self, number, err, asked)
  local wait = self.backoff[math.min(number, #self.backoff)] or 0
  wait = math.min(asked or wait, longest_wait)
  if self.on_retry then self.on_retry { attempt = number, wait = wait, error = err } end
  task.sleep(wait)
end

-- Ollama has lost the calls of streamed answers; what is known of the server goes before that.
local function asks_for_stream(self, request)
  if self.quirks.stream ~= nil then return self.quirks.stream end
  if self.stream ~= "auto" then return self.stream == "on" end
  if not request.tools or #request.tools == 0 then return true end
  if self.usual == nil then self.usual = providers.usually_at(self.endpoint) or false end -- reads a file
  return not (self.usual and self.usual.stream == "text")
end

-- Takes in what a refusal teaches, where it is about how requests are written. What the request holds (pictures, tools
-- in the protocol's own form, its length) is for whoever has made it to change.
local function learn(self, err)
  local refused = err.refusal
  local sentence = refused and quirks.add(self.quirks, refused)
  if not sentence then return false end
  table.insert(self.learned, ("%s at %s %s"):format(self.name, self.endpoint, sentence))
  return not (refused.pictures or refused.tools)
end

-- What was learned and has helped is told once, and kept for the next run.
local function tell_learned(self, reply)
  if #self.learned == 0 then return end
  reply.learned, self.learned = self.learned, {}
  if self.cache then quirks.remember(self.quirks, self.cache, self.endpoint, self.name) end
end

-- The next attempt's request.
local function written(self, request, whole)
  local streamed = not whole and asks_for_stream(self, request) or nil
  local pieces, body = requests.pieces(request, self.wire, { model = self.name, profile = self.profile,
    streamed = streamed, quirks = self.quirks })
  return { pieces = pieces, body = body, streamed = streamed, on_text = request.on_text,
    on_call = request.on_call }
end

-- A stream that has lost what was in it, and an answer in one piece that has it.
local function learn_of_streams(self, reply, empty_stream)
  local lost = empty_stream and #reply.tool_calls > 0
  if lost and quirks.add(self.quirks, { stream = false }) then
    table.insert(self.learned, ("%s at %s loses the calls of tools in streams, and is asked for none from now on")
      :format(self.name, self.endpoint))
  end
end

local function ask_server(self, request)
  local malformed, number, whole = 0, 0, false
  while true do
    number = number + 1
    local sent = written(self, request, whole)
    local reply, err, failed = attempt.make(self, private[self], sent)
    if reply then
      learn_of_streams(self, reply, whole)
      tell_learned(self, reply)
      if reply.usage.input_tokens == 0 then reply.usage = estimate.usage(sent.body, request, reply) end
      return reply, number
    end
    whole = whole or failed.whole or false
    if failed.again == "once" then
      malformed = malformed + 1
      if malformed > 1 then failed.again = nil end
    end
    if not learn(self, err) then
      if not failed.again or number > self.retries then
        err.attempts = number
        return nil, err
      end
      pause(self, number, err, failed.wait)
    end
  end
end

local function ask_literal(self, request)
  local literal = require "deskpilot.model.literal"
  local reply, err = self.wire.read(literal.chat(request))
  return reply, reply and 1 or err
end

local function ask_replay(self, request)
  local raw, note, space, name = self.replay:answer(request, requests.record(request, self.name))
  if not raw then return nil, note end
  local wire, unknown = wires.of(name)
  if not wire then return nil, unknown end
  local reply, why = wire.read(raw)
  if not reply then return nil, why end
  reply.note, reply.space = note, space
  return reply, 1
end

--- Sends a request and waits for its answer.
---@param request deskpilot.model.request
---@return deskpilot.model.reply? reply, deskpilot.error? err with err.attempts, and err.status if a server answered;
---  codes: unavailable (no server, or overloaded), timed_out, refused, not_found, protocol, io
function Client:chat(request)
  local began = task.now()
  local reply, more
  if self.literal then reply, more = ask_literal(self, request)
  elseif self.replay then reply, more = ask_replay(self, request)
  else reply, more = ask_server(self, request) end
  if not reply then return nil, more end
  if reply.turn then reply.turn.wire, reply.turn.model = self.wire.name, self.name end
  reply.seconds, reply.attempts = task.now() - began, more
  return reply
end

--- The request as a table for the run's files: images are replaced by their paths, secrets are masked.
---@param request deskpilot.model.request
---@param unmasked boolean? for who masks them as it is written (secrets.encode)
---@return table
function Client:record(request, unmasked)
  return requests.record(request, self.name, self.wire, unmasked)
end

--- The names of the server's models: one attempt, with a short timeout.
---@return string[]? names, deskpilot.error? err
function Client:models()
  if self.literal or self.replay then return { self.name } end
  local result, err = http.request {
    url = endpoints.at(private[self].urls, self.wire.models), headers = attempt.headers(self, private[self]),
    ca_file = self.ca_file,
    timeout = { connect = self.connect_timeout, total = self.connect_timeout + 5 }, max_bytes = limits.models.bytes,
  }
  if not result then return failure.of_transport(self.endpoint, private[self].urls.is_local, err) end
  if result.status ~= 200 then
    return failure.of_status(self.endpoint, result, attempt.key_hint(self, private[self]))
  end
  local page = failure.of_page(self.endpoint, result)
  if page then return nil, page end
  local raw = secrets.strip(json.decode(result.body, limits.models), private[self].secrets)
  local names = self.wire.names(raw)
  if not names then
    return failure.new(self.endpoint, "protocol", "the list of models from " .. self.endpoint .. " is malformed",
      { status = result.status })
  end
  return names
end

return client
