--- A client of NATS in Lua, with what `native.nats` (libnats) has: for deskpilot.exe, and everywhere for WebSockets
--- (ws://, wss://). nats_protocol has the protocol, nats_wire the byte streams, nats_session what is agreed on at the
--- beginning of each connection. Nothing here waits; all callbacks come from the loop, never from inside a call.
local uv = require "luv"
local credentials = require "deskpilot.net.nats_credentials"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local protocol = require "deskpilot.net.nats_protocol"
local session = require "deskpilot.net.nats_session"
local text = require "deskpilot.base.text"
local wires = require "deskpilot.net.nats_wire"

local nats_client = {}

-- Seconds.
local PING = 20              -- between two pings, of which the second without an answer ends the connection
local SOONEST, LATEST = 0.25, 2 -- between two attempts to connect again, which get rarer
local LAST = 2               -- for what is queued when it is closed

-- Bytes: sent and not taken by the server; kept while there is no connection.
local MOST_WAITING, MOST_KEPT = 64 << 20, 8 << 20
local OVERHEAD = 256 -- counted for a message in addition to its bytes
local BATCH = 32768  -- bytes that are written at once

---@class deskpilot.nats_client
local Client = {}
Client.__index = Client

local connect_next -- below

local function after(self, name, seconds, fn)
  local timers = self.timers
  if not timers[name] then timers[name] = uv.new_timer() end
  uv.update_time()
  timers[name]:start(math.ceil(seconds * 1000), 0, fn)
end

local function never(self, name)
  if self.timers[name] then self.timers[name]:stop() end
end

-- Ends it; on_end is called from the loop.
local function finish(self, err)
  if self.over then return end
  self.over = true
  if self.session then self.session:close() end
  self.session = nil
  for name in pairs(self.timers) do never(self, name) end
  after(self, "end", 0, function()
    for _, timer in pairs(self.timers) do timer:close() end
    self.flushing:close()
    self.options.on_end(err)
  end)
end

local function closed() return errors.new("cancelled", "the connection to NATS is closed") end

-- --- sending -----------------------------------------------------------------------------------------------------

local function flush(self)
  self.flushing:stop()
  if not self.open or #self.out == 0 then return end
  local bytes = table.concat(self.out)
  self.out, self.out_size = {}, 0
  self.session:write(bytes)
end

-- What is said in one turn of the loop is sent together.
local function send(self, bytes)
  self.out[#self.out + 1], self.out_size = bytes, self.out_size + #bytes
  if not self.open then return end
  if self.out_size >= BATCH then flush(self) else self.flushing:start(function() flush(self) end) end
end

local function check(why)
  if why then errors.mistake("nats: %s", why) end
end

--- Queues a message; as native.nats does.
---@param message { subject: string, reply: string?, data: string?, headers: table<string, string>? }
---@return true? queued, deskpilot.error? err
function Client:publish(message)
  check(protocol.wrong_subject(message.subject))
  check(message.reply and protocol.wrong_subject(message.reply))
  check(message.headers and protocol.wrong_headers(message.headers))
  if self.over then return nil, closed() end
  local bytes = protocol.publish(message)
  local waiting = self.out_size + (self.open and self.session:pending() or 0) + OVERHEAD * #self.out + #bytes
  local most = self.open and MOST_WAITING or MOST_KEPT
  if waiting > most then
    return errors.fail("unavailable", self.open and "the NATS server does not take what it is sent: %d MB are waiting"
      or "the connection to NATS is lost, and %d MB are waiting for it", most >> 20)
  end
  send(self, bytes)
  return true
end

--- Begins a subscription, whose messages come to on_message with that id.
---@param id integer
---@param subject string
---@return true? ok, deskpilot.error? err
function Client:subscribe(id, subject)
  check(protocol.wrong_subject(subject))
  if self.over then return nil, closed() end
  self.subscriptions[id] = subject
  if self.open then send(self, protocol.subscribe(id, subject)) end
  return true
end

--- Ends a subscription.
---@param id integer
---@return true? ok, deskpilot.error? err
function Client:unsubscribe(id)
  if self.over then return nil, closed() end
  if self.subscriptions[id] and self.open then send(self, protocol.unsubscribe(id)) end
  self.subscriptions[id] = nil
  return true
end

-- --- a connection that is open -----------------------------------------------------------------------------------

local function beat(self)
  if self.unanswered >= 2 then
    return self.session:fail("unavailable", "the server has not answered two pings")
  end
  self.unanswered = self.unanswered + 1
  send(self, "PING\r\n")
  after(self, "ping", PING, function() beat(self) end)
end

local function one_line(words) return text.cut(text.one_line(words), 200) end

local function hear(self, word)
  if word.kind == "message" then
    if self.subscriptions[word.id] then self.options.on_message(word.id, word.message) end
  elseif word.kind == "ping" then
    send(self, "PONG\r\n")
  elseif word.kind == "pong" then
    self.unanswered = math.max(0, self.unanswered - 1)
    if self.closing and self.unanswered == 0 then finish(self, closed()) end
  elseif word.kind == "error" then
    self.options.on_change("trouble", one_line(word.words))
  end
end

local function opened(self, info)
  local first = not self.was_open
  local kept = self.out
  self.was_open, self.open, self.unanswered, self.out, self.out_size = true, true, 0, {}, 0
  self.failures = 0
  for _, id in ipairs(text.keys(self.subscriptions)) do send(self, protocol.subscribe(id, self.subscriptions[id])) end
  for _, bytes in ipairs(kept) do send(self, bytes) end
  after(self, "ping", PING, function() beat(self) end)
  if first then self.options.on_open(info.max_payload) else self.options.on_change("back", "") end
end

-- --- connecting --------------------------------------------------------------------------------------------------

local function lost(self, err)
  self.open, self.session = false, nil
  never(self, "ping")
  self.flushing:stop()
  self.out, self.out_size = {}, 0 -- as what was on its way: whoever wants an answer asks again
  if self.closing then return finish(self, closed()) end
  self.at, self.failures = 0, 0
  after(self, "again", SOONEST * math.random(), function() connect_next(self) end)
  self.options.on_change("lost", one_line(err.message))
end

-- An attempt has failed. The first time each server is tried once; later on for as long as it takes.
local function failed(self, err)
  self.session = nil
  if not self.was_open then
    if not self.worst or self.worst.code == "unavailable" then self.worst = err end
    if self.at >= #self.addresses then return finish(self, self.worst) end
    return connect_next(self)
  end
  -- Credentials that a server refuses twice are not what it takes any more.
  local refusals = err.code == "refused" and (self.refused[self.at] or 0) + 1 or nil
  self.refused[self.at] = refusals
  if refusals == 2 then return finish(self, err) end
  self.failures = self.failures + 1
  local pause = math.min(LATEST, SOONEST * 2 ^ math.min(self.failures, 8))
  after(self, "again", pause * (0.75 + 0.5 * math.random()), function() connect_next(self) end)
end

function connect_next(self)
  self.at = self.at % #self.addresses + 1
  self.session = session.open(self.addresses[self.at], self.options, {
    on_open = function(info)
      self.refused = {}
      opened(self, info)
    end,
    on_word = function(word) if not self.over then hear(self, word) end end,
    on_end = function(err)
      if self.over then return end
      if self.open then lost(self, err) else failed(self, err) end
    end,
  })
end

--- Sends what is queued, then ends; on_end is called.
function Client:close()
  if self.over or self.closing then return end
  self.closing = true
  if not self.open then return finish(self, closed()) end
  self.unanswered = self.unanswered + 1
  send(self, "PING\r\n")
  flush(self)
  after(self, "close", LAST, function() finish(self, closed()) end)
end

-- What this client cannot do, in a sentence that names what can.
local function unsupported(addresses, options)
  for _, address in ipairs(addresses) do
    local on_web = text.starts(address.scheme, "ws")
    if address.scheme == "tls" or not on_web and options.ca_file then
      return "deskpilot's own client of NATS has TLS over WebSockets only: give the server a websocket listener with "
        .. "its certificate, and this program the address wss://host:port"
    end
  end
  if options.cert_file or options.key_file or options.tls_name then
    return "a certificate of one's own, or another name than the address's, is not possible with NATS over WebSockets "
      .. "(wss://): use a credentials file"
  end
end

local function prepare(options)
  local list = {}
  for i, address in ipairs(options.servers) do
    list[i] = wires.address(address)
    if not list[i] then
      return errors.fail("invalid", "%s is no address of a NATS server: scheme://host:port",
        (address:gsub("^([^/]*//).*@", "%1")))
    end
  end
  local why = unsupported(list, options)
  if why then return errors.fail("unsupported", "%s", why) end
  for _, name in ipairs { "ca_file", "credentials_file" } do
    local path, ok, err = options[name], true, nil
    if path then ok, err = (name == "ca_file" and files.read or credentials.read)(path, 1 << 20) end
    if not ok then
      return errors.fail("invalid", "cannot use %s for a connection to NATS: %s", path, tostring(err))
    end
  end
  return list
end

--- Begins to connect; as native.nats does.
---@param options table as for native.nats, with servers of nats://, ws:// and wss://
---@return deskpilot.nats_client? client, deskpilot.error? err invalid (an address or file that cannot be used),
---  unsupported (TLS without WebSockets)
function nats_client.connect(options)
  local list, err = prepare(options)
  if not list then return nil, err end
  local self = setmetatable({ options = options, addresses = list, at = 0, failures = 0, refused = {}, timers = {},
    subscriptions = {}, out = {}, out_size = 0, unanswered = 0, open = false, flushing = uv.new_prepare() }, Client)
  after(self, "again", 0, function() connect_next(self) end)
  return self
end

return nats_client
