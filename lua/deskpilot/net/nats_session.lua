--- One connection to one NATS server: its byte stream, the greeting, who connects, and the words that follow. What it
--- has to say comes from the loop.
local uv = require "luv"
local credentials = require "deskpilot.net.nats_credentials"
local errors = require "deskpilot.base.errors"
local protocol = require "deskpilot.net.nats_protocol"
local text = require "deskpilot.base.text"
local wires = require "deskpilot.net.nats_wire"

local nats_session = {}

---@class deskpilot.nats_session
local Session = {}
Session.__index = Session

--- Ends it without a word.
function Session:close()
  if self.over then return end
  self.over = true
  self.timer:close()
  if self.wire then self.wire:close() end
end

--- Ends it for a reason.
---@param code string of an error
---@param words string
function Session:fail(code, words)
  if self.over then return end
  self:close()
  self.handlers.on_end(errors.new(code, "%s", words))
end

---@param bytes string
function Session:write(bytes) if not self.over then self.wire:write(bytes) end end

--- Bytes that wait to be sent.
---@return integer
function Session:pending() return self.over and 0 or self.wire:pending() end

-- The words of a refusal by the server, as the code of an error.
local function code_of(words)
  words = words:lower()
  if words:find("authori[sz]ation") or words:find "authentication" or words:find("revoked", 1, true) then
    return "refused"
  end
  return words:find("tls", 1, true) and "protocol" or "unavailable"
end

-- Who connects, in what the server is told.
local function identify(self, facts, info)
  local options, address = self.options, self.address
  if options.credentials_file then
    local found, err = credentials.read(options.credentials_file)
    if not found then return nil, err end
    facts.jwt = found.token
    if type(info.nonce) == "string" then facts.sig = found.sign(info.nonce) end
  elseif options.token then
    facts.auth_token = options.token
  elseif options.user then
    facts.user, facts.pass = options.user, options.password or ""
  elseif address.password then
    facts.user, facts.pass = address.user, address.password
  elseif address.user then
    facts.auth_token = address.user
  end
  return facts
end

local function greet(self, info)
  if info.tls_required and not text.starts(self.address.scheme, "ws") then
    return self:fail("protocol", "the server wants TLS, and the address begins with nats://")
  end
  local most = math.tointeger(info.max_payload)
  if not most or most < 1 then return self:fail("unavailable", "its greeting has no largest message (max_payload)") end
  self.info = { max_payload = math.min(most, protocol.most_message) }
  local facts, err = identify(self, { verbose = false, pedantic = false, lang = "lua", version = "1", protocol = 1,
    name = self.options.name or "deskpilot", echo = true, headers = true, no_responders = true }, info)
  if not facts then return self:fail(err.code, tostring(err)) end
  self:write(protocol.connect(facts))
end

local function hear(self, word)
  if word.kind == "error" then
    self.refusal = text.cut(text.one_line(word.words), 200)
    local code = code_of(self.refusal)
    if not self.open or code == "refused" then return self:fail(code, self.refusal) end
  elseif word.kind == "info" then
    if not self.info then greet(self, word.info) end
    return
  elseif not self.info then
    return self:fail("unavailable", "it does not speak NATS's protocol: it has not greeted")
  end
  if word.kind == "pong" and not self.open then
    self.open = true
    self.timer:stop()
    self.handlers.on_open(self.info)
  elseif self.open then
    self.handlers.on_word(word)
  elseif word.kind == "ping" then
    self:write "PONG\r\n"
  end
end

-- A listener's error is reported as in any callback, after the words that have come with it.
local function read(self, bytes)
  local failure
  self.reader:add(bytes)
  while not self.over do
    local word, why = self.reader:next()
    if why then self:fail("unavailable", "it does not speak NATS's protocol: it has sent " .. why) end
    if not word then break end
    local ok, err = xpcall(hear, errors.traceback, self, word)
    if not ok then failure = failure or err end
  end
  if failure then error(failure, 0) end
end

--- Begins one.
---@param address deskpilot.nats_wire.address
---@param options table of the client
---@param handlers { on_open: fun(info: table), on_word: fun(word: deskpilot.nats_protocol.word), on_end: fun(err:
---  deskpilot.error) } on_end once, unless it was closed before
---@return deskpilot.nats_session
function nats_session.open(address, options, handlers)
  local self = setmetatable({ address = address, options = options, handlers = handlers, timer = uv.new_timer(),
    reader = protocol.reader() }, Session)
  uv.update_time()
  self.timer:start(math.ceil(options.timeout * 1000), 0, function()
    self:fail("timed_out", "it has not greeted in time")
  end)
  local wire, err = wires.open(address, options, {
    on_open = function() end, -- the server speaks first
    on_bytes = function(bytes) read(self, bytes) end,
    on_end = function(why) self:fail(why.code, why.message) end,
  })
  self.wire = wire
  if not wire then -- from the loop, as all else
    self.timer:start(0, 0, function() self:fail(err.code, tostring(err)) end)
  end
  return self
end

return nats_session
