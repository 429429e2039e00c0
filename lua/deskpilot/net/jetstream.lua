--- JetStream, by which NATS servers keep messages: streams hold them, consumers hand them out. It is spoken as
--- libnats's own calls do: requests of JSON to subjects that begin with $JS.API. Names and fields of configurations are
--- the server's, times are in seconds.
local uv = require "luv"
local errors = require "deskpilot.base.errors"
local json = require "deskpilot.base.json"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local jetstream = {}

---@class deskpilot.jetstream
---@field connection deskpilot.nats
---@field timeout number seconds that a request waits for its answer
local JetStream = {}
JetStream.__index = JetStream

local TRIES = 10 -- of making a stream that somebody else makes too
local ANSWER = { bytes = 4 << 20, values = 100000, depth = 20 } -- what is read of one

--- JetStream over a connection.
---@param connection deskpilot.nats
---@param options { timeout: number? }? default 5
---@return deskpilot.jetstream
function jetstream.of(connection, options)
  return setmetatable({ connection = connection, timeout = options and options.timeout or 5 }, JetStream)
end

--- The server counts in nanoseconds.
---@param seconds number
---@return integer
function jetstream.nanoseconds(seconds)
  return math.tointeger(math.floor(seconds * 1e9)) or 0
end

local TIMES = { max_age = true, duplicate_window = true, ack_wait = true, inactive_threshold = true,
  idle_heartbeat = true, expires = true }

-- The server's form of a configuration.
local function in_nanoseconds(config)
  local copy = {}
  for key, value in pairs(config) do
    copy[key] = TIMES[key] and jetstream.nanoseconds(value) or value
  end
  if copy.backoff then
    copy.backoff = json.list()
    for i, seconds in ipairs(config.backoff) do copy.backoff[i] = jetstream.nanoseconds(seconds) end
  end
  return copy
end

local function check_name(name, what)
  if type(name) ~= "string" or not name:find("^[%w_%-]+$") or #name > 200 then
    errors.mistake("the name of a %s has letters, digits, '_' and '-', and at most 200", what)
  end
  return name
end

local CODES = { [400] = "invalid", [403] = "forbidden", [404] = "not_found", [408] = "timed_out" }

-- The table of an answer.
local function read(self, answer)
  local value, why = json.decode(answer.data, ANSWER)
  if type(value) ~= "table" then
    return errors.fail("protocol", "the NATS server %s answered what is no JSON object: %s", self.connection.servers,
      why or "a value")
  end
  local failure = value.error
  if type(failure) == "table" then
    local err = errors.new(CODES[failure.code] or "unavailable", "the NATS server %s: %s", self.connection.servers,
      text.cut(text.one_line(tostring(failure.description)), 300))
    err.err_code = math.tointeger(failure.err_code)
    return nil, err
  end
  return value
end

local function explain(self, err)
  if err.code ~= "not_found" or err.err_code then return err end
  return errors.new("unsupported", "the NATS server %s has no JetStream, or not for this account: start it with "
    .. "-js, or enable JetStream for the account", self.connection.servers)
end

--- Asks the API. What is asked has to do no harm if it arrives twice.
---@param name string "STREAM.INFO.ORDERS"
---@param body table? in the server's form
---@return table? answer, deskpilot.error? err err.err_code is the server's own number
function JetStream:ask(name, body)
  local answer, err = self.connection:request("$JS.API." .. name, body and json.encode(body) or "",
    { timeout = self.timeout, again = true })
  if not answer then return nil, explain(self, err) end
  return read(self, answer)
end

-- Where somebody else makes the same stream in this moment, the server says of its subjects that another one has them.
local function create(self, name, body)
  local made, err
  for _ = 1, TRIES do
    made, err = self:ask("STREAM.CREATE." .. name, body)
    if made or err.err_code ~= 10065 then break end
    task.sleep(0.1)
  end
  return made, err
end

--- Makes a stream, or gives the one of that name this configuration.
---@param config table name, subjects, retention ("limits", "interest", "workqueue"), storage ("file", "memory"),
---  max_age, duplicate_window, num_replicas, ...
---@param options { leave: string[]? }? leave: the fields that a stream which is there keeps as it has them
---@return table? info, deskpilot.error? err
function JetStream:ensure_stream(config, options)
  local name = check_name(config.name, "stream")
  local body = in_nanoseconds(config)
  local made, err = create(self, name, body)
  if made then return made end
  if err.err_code ~= 10058 then return nil, err end -- it is there with another configuration
  if options and options.leave then
    local there, why = self:stream(name)
    if not there then return nil, why end
    for _, field in ipairs(options.leave) do body[field] = there.config[field] end
  end
  return self:ask("STREAM.UPDATE." .. name, body)
end

--- Changes some fields of a stream's configuration.
---@param name string
---@param fields table as for ensure_stream
---@return table? info, deskpilot.error? err not_found
function JetStream:change_stream(name, fields)
  local there, err = self:stream(name)
  if not there then return nil, err end
  for field, value in pairs(in_nanoseconds(fields)) do there.config[field] = value end
  return self:ask("STREAM.UPDATE." .. name, there.config)
end

--- The latest message of a subject, from a stream with `allow_direct`.
---@param stream string
---@param subject string
---@return deskpilot.nats.message? message, deskpilot.error? err not_found
function JetStream:latest(stream, subject)
  local answer, err = self.connection:request(("$JS.API.DIRECT.GET.%s.%s"):format(check_name(stream, "stream"),
    subject), "", { timeout = self.timeout, again = true })
  if not answer and err.code == "not_found" then -- a server that has just begun, for one
    return errors.fail("unavailable", "the NATS server %s does not give messages of the stream %s, or not yet",
      self.connection.servers, stream)
  end
  if not answer then return nil, err end
  if answer.headers.Status == "404" then
    return errors.fail("not_found", "the stream %s has no message of %s", stream, subject)
  end
  if answer.headers["Nats-Subject"] ~= subject then
    return errors.fail("protocol", "the NATS server %s answered for another subject", self.connection.servers)
  end
  return answer
end

--- What the server knows of a stream.
---@param name string
---@return table? info, deskpilot.error? err not_found
function JetStream:stream(name)
  return self:ask("STREAM.INFO." .. check_name(name, "stream"))
end

--- Removes a stream with its messages and consumers.
---@param name string
---@return table? answer, deskpilot.error? err
function JetStream:delete_stream(name)
  return self:ask("STREAM.DELETE." .. check_name(name, "stream"))
end

--- Makes a consumer that lasts, or gives the one of that name this configuration.
---@param stream string
---@param config table durable_name, ack_wait, max_deliver, max_ack_pending, filter_subject, backoff, ...; ack_policy is
---  "explicit" unless told
---@return table? info, deskpilot.error? err
function JetStream:ensure_consumer(stream, config)
  check_name(stream, "stream")
  check_name(config.durable_name, "consumer")
  local body = in_nanoseconds(config)
  body.ack_policy = body.ack_policy or "explicit"
  return self:ask(("CONSUMER.DURABLE.CREATE.%s.%s"):format(stream, config.durable_name),
    { stream_name = stream, config = body })
end

--- What the server knows of a consumer.
---@param stream string
---@param name string
---@return table? info, deskpilot.error? err not_found
function JetStream:consumer(stream, name)
  return self:ask(("CONSUMER.INFO.%s.%s"):format(check_name(stream, "stream"), check_name(name, "consumer")))
end

---@class deskpilot.jetstream.stored
---@field stream string
---@field seq integer its number there
---@field duplicate boolean? a message of that id had been there

--- Has a stream keep a message, and waits until it does. It is there once: it is sent again if the connection was lost,
--- with an id by which the server knows it (for the stream's duplicate_window, two minutes unless told).
---@param subject string
---@param data string
---@param options { id: string?, headers: table<string, string>?, timeout: number? }? id: the caller's own, for messages
---  that may be sent again by another process
---@return deskpilot.jetstream.stored? stored, deskpilot.error? err not_found: no stream takes this subject; timed_out:
---  it is not known whether the message was kept
function JetStream:publish(subject, data, options)
  options = options or {}
  local headers = { ["Nats-Msg-Id"] = options.id or text.hex(uv.random(16)) }
  for name, value in pairs(options.headers or {}) do headers[name] = value end
  local answer, err = self.connection:request(subject, data,
    { timeout = options.timeout or self.timeout, headers = headers, again = true })
  if answer then return read(self, answer) end
  if err.code ~= "not_found" then return nil, err end
  return errors.fail("not_found", "at the NATS server %s no stream takes %s", self.connection.servers, subject)
end

return jetstream
