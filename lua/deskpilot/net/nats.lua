--- NATS for scripts: messages by subjects, requests and their answers. JetStream, which keeps messages, is in
--- net/jetstream.lua, and its store of keys and values in net/nats_kv.lua. A call suspends its task, not the process.
--- Once a connection is open it is made again for as long as it takes: a call that waits goes on waiting, up to its
--- limit. Certificates are always verified. What comes from the server is untrusted.
local uv = require "luv"
local errors = require "deskpilot.base.errors"
local system = require "native.system"
local subscriptions = require "deskpilot.net.nats_subscription"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local nats = {}

---@class deskpilot.nats.options
---@field servers string|string[]|nil "nats://host:4222", "tls://host:4222", "wss://host:443" (a websocket listener),
---  "ws://host:80"; several, in one text too (joined by ","), are those of one cluster; default nats://127.0.0.1:4222
---@field client "own"|nil "own": deskpilot's own client (net/nats_client.lua) also where libnats could do it;
---  deskpilot.exe, ws:// and wss:// have always that
---@field name string? what the server's monitoring calls this client; default "deskpilot"
---@field timeout number? seconds for one attempt at one server; default 2
---@field credentials_file string? what NATS's tools write for a user (a JWT and its seed)
---@field user string?
---@field password string?
---@field token string?
---@field ca_file string? PEM file of certificate authorities to trust instead of the system's; TLS is wanted then
---@field cert_file string? PEM file of this client's own certificate, where the server wants one
---@field key_file string? its key
---@field tls_name string? the name in the server's certificate, where it is not that of the address

---@class deskpilot.nats.message
---@field subject string
---@field reply string? where an answer is expected
---@field data string
---@field headers table<string, string>

---@class deskpilot.nats
---@field servers string its addresses, for sentences
---@field max_payload integer bytes that the server takes of a message's data and headers together
---@field connected boolean
---@field closed deskpilot.error? why the connection has ended for good; nil while it lasts
---@field trouble string? what was last refused or not sent, in the server's words
local Connection = {}
Connection.__index = Connection

local WAIT = 5 -- seconds that a request waits for its answer

-- --- connecting --------------------------------------------------------------------------------------------------

local SCHEMES = { nats = true, tls = true, ws = true, wss = true }

local function addresses(servers)
  local list = {}
  for _, part in ipairs(type(servers) == "table" and servers or { servers or "127.0.0.1" }) do
    for address in part:gmatch("[^,%s]+") do
      if not address:find("://", 1, true) then address = "nats://" .. address end
      if not SCHEMES[address:match "^(%l+)://"] then
        errors.mistake("%q is no address of a NATS server, which begins with nats://, tls://, wss:// or ws://", address)
      end
      list[#list + 1] = address
    end
  end
  if not list[1] then errors.mistake "there is no address of a NATS server" end
  return list
end

-- Without the users and passwords that addresses may hold.
local function for_sentences(list)
  local shown = {}
  for i, address in ipairs(list) do
    local scheme, rest = address:match("^(%l+://)(.*)$")
    shown[i] = scheme .. (text.after_last(rest, "@") or rest)
  end
  return table.concat(shown, ", ")
end

-- The one that has what is asked for: native.nats, or what is like it.
local function client_for(options, list)
  local on_web = table.concat(list, " "):find "%f[%l]wss?://"
  local own = system.platform == "windows" or on_web or options.client == "own"
  return require(own and "deskpilot.net.nats_client" or "native.nats")
end

local function identity(options, list)
  if options.credentials_file then return "the credentials of " .. options.credentials_file end
  if options.token then return "the token" end
  if options.user then return ("the user %q and its password"):format(options.user) end
  if table.concat(list):find("@", 1, true) then return "the user and password in its address" end
end

local function explain(self, err, who, seconds)
  local at = "the NATS server " .. self.servers
  local sentences = {
    refused = who and at .. " refused " .. who or at .. " wants credentials, and none are given",
    timed_out = ("%s has not answered within %g s"):format(at, seconds),
    unavailable = "no NATS server answers at " .. self.servers .. ": start one, or give the address of one that runs",
    protocol = at .. " and this program do not agree on TLS",
  }
  return errors.new(err.code, "%s (%s)", sentences[err.code] or "cannot connect to NATS", err.message)
end

-- --- what the loop tells -----------------------------------------------------------------------------------------

local function tell_all(self, change)
  local list = {}
  for listener in pairs(self.change_listeners) do list[#list + 1] = listener end
  for _, listener in ipairs(list) do listener(change) end
end

local function callbacks(self, opened)
  return {
    on_open = function(max_payload)
      self.max_payload, self.connected, self.opened = max_payload, true, true
      opened(true)
    end,
    on_message = function(id, message)
      local listener = self.listeners[id]
      if listener then listener(message) end
    end,
    on_change = function(change, words)
      if change == "trouble" then self.trouble = words return end
      self.connected, self.lost_at = change == "back", change == "lost" and task.now() or nil
      tell_all(self, change)
    end,
    on_end = function(err)
      self.closed, self.connected = err, false
      opened(false, err)
      if self.opened and err.code ~= "cancelled" then
        self.closed = errors.new(err.code, "the NATS server %s has ended the connection (%s)", self.servers,
          err.message)
      end
      tell_all(self, "end")
    end,
  }
end

--- Connects, and waits until the connection is open.
---@param options deskpilot.nats.options?
---@return deskpilot.nats? connection, deskpilot.error? err codes: unavailable (no server, no libnats), refused (the
---  credentials), protocol (TLS: no trust, another name), timed_out, invalid (a file that cannot be used), io,
---  unsupported (TLS in this program's own client, but over WebSockets)
function nats.connect(options)
  options = options or {}
  local list = addresses(options.servers)
  local self = setmetatable({ servers = for_sentences(list), listeners = {}, change_listeners = {}, last_id = 0,
    connected = false, pending = {} }, Connection)
  local request, handle, err = { servers = list, timeout = options.timeout or 2 }, nil, nil
  for _, name in ipairs { "name", "user", "password", "token", "credentials_file", "ca_file", "cert_file", "key_file",
    "tls_name" } do
    request[name] = options[name]
  end
  request.tls = table.concat(list):find("tls://", 1, true) ~= nil
  local client = client_for(options, list)
  local open, why = task.await(function(done)
    for name, callback in pairs(callbacks(self, done)) do request[name] = callback end
    handle, err = client.connect(request)
    self.native = handle
    if not handle then done(false, err) end
    return function() if handle then handle:close() end end
  end)
  if not open then return nil, handle and explain(self, why, identity(options, list), request.timeout) or why end
  return self
end

-- --- messages ----------------------------------------------------------------------------------------------------

local function payload(data, headers)
  local size = #data
  for name, value in pairs(headers or {}) do size = size + #name + #value + 4 end
  return size + (headers and 12 or 0)
end

--- Sends a message. While the connection is lost, what is sent is kept (8 MB) until it is there again.
---@param subject string words joined by "."; a malformed one raises a Lua error
---@param data string
---@param options { reply: string?, headers: table<string, string>? }?
---@return true? queued, deskpilot.error? err invalid: more than the server takes; unavailable: it does not take what it
---  is sent; why the connection has ended
function Connection:publish(subject, data, options)
  options = options or {}
  if self.closed then return nil, self.closed end
  local size = payload(data, options.headers)
  if size > self.max_payload then
    return errors.fail("invalid", "a message of %d bytes is more than the NATS server %s takes (%d)", size,
      self.servers, self.max_payload)
  end
  return self.native:publish { subject = subject, data = data, reply = options.reply, headers = options.headers }
end

--- Calls fn(message) for each message, from the loop: it may not wait.
---@param subject string may have wildcards: "*" for one word, ">" at the end for all further ones
---@param fn fun(message: deskpilot.nats.message)
---@return fun()? stop, deskpilot.error? err
function Connection:listen(subject, fn)
  if self.closed then return nil, self.closed end
  self.last_id = self.last_id + 1
  local id = self.last_id
  local ok, err = self.native:subscribe(id, subject)
  if not ok then return nil, err end
  self.listeners[id] = fn
  return function()
    if not self.listeners[id] then return end
    self.listeners[id] = nil
    if not self.closed then self.native:unsubscribe(id) end
  end
end

--- Calls fn("lost"), fn("back") and fn("end") when the connection changes, from the loop.
---@param fn fun(change: "lost"|"back"|"end")
---@return fun() stop
function Connection:on_change(fn)
  local key = function(change) fn(change) end
  self.change_listeners[key] = true
  return function() self.change_listeners[key] = nil end
end

--- A subject that nobody else has.
---@return string
function Connection:inbox()
  self.inboxes = (self.inboxes or 0) + 1
  self.unique = self.unique or text.hex(uv.random(16))
  return ("_INBOX.%s.%d"):format(self.unique, self.inboxes)
end

--- Begins a subscription whose messages are taken one by one.
---@param subject string as for listen
---@return deskpilot.nats.subscription? subscription, deskpilot.error? err
function Connection:subscribe(subject)
  return subscriptions.open(self, subject)
end

-- --- requests ----------------------------------------------------------------------------------------------------

--- What to add to a sentence about waiting in vain: "" where the connection is there and nothing was wrong.
---@return string
function Connection:state()
  if self.connected then return self.trouble and (" (it said: %s)"):format(self.trouble) or "" end
  return self.lost_at and (": the connection was lost %.0f s ago and is being made again"):format(task.now()
    - self.lost_at) or ": it is not connected"
end

-- All answers come by one subscription.
local function answers(self)
  if self.answers then return true end
  local inbox = self:inbox()
  local stop, err = self:listen(inbox .. ".*", function(message)
    local entry = self.pending[message.subject]
    if entry then entry.done(message) end
  end)
  if not stop then return nil, err end
  self:on_change(function(change)
    local list = {}
    for _, entry in pairs(self.pending) do list[#list + 1] = entry end
    for _, entry in ipairs(list) do
      if change == "end" then entry.done(nil) elseif change == "back" and entry.again then entry.again() end
    end
  end)
  self.answers = inbox
  return true
end

--- Sends a request and waits for its answer.
---@param subject string
---@param data string
---@param options { timeout: number?, headers: table<string, string>?, again: boolean? }? timeout in seconds, default 5;
---  again: it does no harm if it arrives twice, so it is sent once more when a lost connection is back
---@return deskpilot.nats.message? answer, deskpilot.error? err not_found (nobody answers this subject), timed_out, or
---  as for publish
function Connection:request(subject, data, options)
  options = options or {}
  local ready, err = answers(self)
  if not ready then return nil, err end
  self.last_token = (self.last_token or 0) + 1
  local reply, seconds = ("%s.%d"):format(self.answers, self.last_token), options.timeout or WAIT
  local function send() return self:publish(subject, data, { reply = reply, headers = options.headers }) end
  local forget <close> = setmetatable({}, { __close = function() self.pending[reply] = nil end })
  assert(forget)
  local in_time, answer, failure = task.limit(seconds, task.await, function(done)
    self.pending[reply] = { done = done, again = options.again and send or nil }
    local sent, why = send()
    if not sent then done(nil, why) end
  end)
  if not in_time then
    return errors.fail("timed_out", "the NATS server %s has not answered a request to %s within %g s%s", self.servers,
      subject, seconds, self:state())
  end
  if not answer then return nil, failure or self.closed end
  if answer.headers.Status == "503" then
    return errors.fail("not_found", "at the NATS server %s nobody answers %s", self.servers, subject)
  end
  return answer
end

--- Sends what is queued, ends the connection, and waits for that.
---@return true
function Connection:close()
  if self.closed then return true end
  self.native:close()
  if not task.may_wait() then return true end
  task.await(function(done)
    return self:on_change(function(change) if change == "end" then done() end end)
  end)
  return true
end

Connection.__close = Connection.close

return nats
