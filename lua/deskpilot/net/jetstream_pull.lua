--- Taking messages from a consumer of a stream, one fetch after the other. What was taken and not acknowledged within
--- the consumer's ack_wait is delivered again, to whoever fetches then.
local errors = require "deskpilot.base.errors"
local json = require "deskpilot.base.json"
local jetstream = require "deskpilot.net.jetstream"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local pull = {}

-- Seconds.
local GRACE = 0.5       -- the server's word that nothing came may be this late
local LONGEST_PULL = 30 -- of one request; a fetch may be many
local HEARTBEAT = 5
local PAUSE = 0.25      -- before the server is asked again that could not answer

---@class deskpilot.jetstream.message
---@field subject string
---@field data string
---@field headers table<string, string>
---@field delivered integer how often it has been delivered, with this time
---@field seq integer its number in the stream
---@field pending integer messages behind it
local Message = {}
Message.__index = Message

--- What a message's reply subject tells of it.
---@param reply string?
---@return { delivered: integer, seq: integer, consumer_seq: integer, pending: integer }? facts nil if it is none of
---  JetStream's
function pull.facts(reply)
  if not reply or not text.starts(reply, "$JS.ACK.") then return nil end
  local words = {}
  for word in reply:gmatch("[^.]+") do words[#words + 1] = word end
  local at = #words >= 11 and 7 or #words == 9 and 5 -- with and without domain and account
  if not at then return nil end
  local facts = { delivered = math.tointeger(words[at]), seq = math.tointeger(words[at + 1]),
    consumer_seq = math.tointeger(words[at + 2]), pending = math.tointeger(words[at + 4]) }
  return facts.delivered and facts.seq and facts.consumer_seq and facts.pending and facts or nil
end

local function made(self, raw, facts)
  return setmetatable({ subject = raw.subject, data = raw.data, headers = raw.headers, delivered = facts.delivered,
    seq = facts.seq, pending = facts.pending, reply = raw.reply, connection = self.connection,
    timeout = self.jetstream.timeout }, Message)
end

--- It is done with: the server forgets it. Waits for its word.
---@return true? ok, deskpilot.error? err
function Message:ack()
  local answer, err = self.connection:request(self.reply, "+ACK", { timeout = self.timeout, again = true })
  return answer and true, err
end

--- It is to be delivered again, to anybody.
---@param delay number? seconds until then; default 0
---@return true? queued, deskpilot.error? err
function Message:nak(delay)
  local word = "-NAK"
  if delay and delay > 0 then word = word .. " " .. json.encode { delay = jetstream.nanoseconds(delay) } end
  return self.connection:publish(self.reply, word)
end

--- It is still worked on: the time until it would be delivered again begins anew.
---@return true? queued, deskpilot.error? err
function Message:in_progress()
  return self.connection:publish(self.reply, "+WPI")
end

--- It is never to be delivered again. Waits for the server's word.
---@return true? ok, deskpilot.error? err
function Message:term()
  local answer, err = self.connection:request(self.reply, "+TERM", { timeout = self.timeout, again = true })
  return answer and true, err
end

---@class deskpilot.jetstream.puller
local Puller = {}
Puller.__index = Puller

--- What fetches from that consumer, for one task at a time.
---@param of deskpilot.jetstream
---@param stream string
---@param consumer string
---@return deskpilot.jetstream.puller
function pull.from(of, stream, consumer)
  return setmetatable({ jetstream = of, connection = of.connection, stream = stream, consumer = consumer }, Puller)
end

local function subscribe(self)
  if self.subscription then return true end
  local inbox = self.connection:inbox()
  local subscription, err = self.connection:subscribe(inbox)
  if not subscription then return nil, err end
  subscription.tells_changes = true
  self.subscription, self.inbox = subscription, inbox
  return true
end

--- Ends it. What it has fetched can still be acknowledged; what nobody has taken is given back.
function Puller:close()
  local subscription = self.subscription
  self.subscription = nil
  if not subscription then return end
  subscription:close()
  for raw in subscription:rest() do
    if pull.facts(raw.reply) then self.connection:publish(raw.reply, "-NAK") end
  end
end

Puller.__close = Puller.close

-- Asks for messages, those that are there (at_once) or that come; returns how long silence may last.
local function ask(self, count, seconds, at_once)
  local beat = at_once and 0 or math.min(HEARTBEAT, seconds / 2)
  local body = { batch = count, no_wait = at_once or nil }
  if not at_once then body.expires = jetstream.nanoseconds(seconds) end
  if beat >= 0.5 then body.idle_heartbeat = jetstream.nanoseconds(beat) end
  local ok, err = self.connection:publish(("$JS.API.CONSUMER.MSG.NEXT.%s.%s"):format(self.stream, self.consumer),
    json.encode(body), { reply = self.inbox })
  if not ok then return nil, err end
  return body.idle_heartbeat and 2 * beat + GRACE or seconds + GRACE
end

local function no_consumer(self)
  return errors.new("not_found", "the NATS server %s has no consumer %s of a stream %s", self.connection.servers,
    self.consumer, self.stream)
end

-- What the server says instead of a message: "over" (it has none, ask again), "wait" (a heartbeat), or the error.
local function status(self, message)
  local code, words = message.headers.Status, message.headers.Description or ""
  if code == "100" then return "wait" end
  if code == "404" or code == "408" then return "over" end
  local gone = words:lower():find("consumer deleted", 1, true)
  if code == "503" or gone then
    return no_consumer(self), gone
  end
  return errors.new("unavailable", "the NATS server %s gives no messages of the stream %s: %s", self.connection.servers,
    self.stream, text.cut(text.one_line(words), 200))
end

-- To a request of a consumer that is not there the server says nothing.
local function missing(self, why)
  if why.code ~= "timed_out" or not self.connection.connected then return nil end
  local _, err = self.jetstream:consumer(self.stream, self.consumer)
  if err and err.code == "not_found" then return nil, no_consumer(self), true end
end

-- Waits for the next word of the server's. Returns the message, or nothing where it is to be asked again; and the error
-- that the fetch has if nothing better comes, or has at once (final).
local function hear(self, seconds)
  local raw, why = self.subscription:next(seconds)
  if self.connection.closed then return nil, self.connection.closed, true end
  if not raw then
    if why.code == "unavailable" and not self.connection.connected then return nil end
    self:close() -- silence, or the connection is back: the request is no more, or is to be none
    return missing(self, why)
  end
  local facts = pull.facts(raw.reply)
  if facts then return made(self, raw, facts) end
  local word, final = status(self, raw)
  if errors.is(word) then return nil, word, final end
  return nil, word == "over" and word or nil
end

--- Takes up to `count` messages and waits until they are there, for that many seconds at most. It goes on while the
--- server is away.
---@param count integer
---@param seconds number 0: it takes what is there, and waits for the server's answer only
---@return deskpilot.jetstream.message[]? messages as many as came in time, which may be none
---@return deskpilot.error? err not_found: there is no such consumer, which is known when the time is over;
---  unavailable: the server is away; or why the connection has ended
function Puller:fetch(count, seconds)
  local at_once = seconds == 0
  local got, trouble, silence, handed_over, answered = {}, nil, nil, false, false
  if at_once then seconds = self.jetstream.timeout end
  local deadline = task.now() + seconds
  local leave <close> = setmetatable({}, { __close = function()
    if #got < count and not answered then self:close() end -- so that the server sends nothing that nobody waits for
    if handed_over then return end
    for _, message in ipairs(got) do message:nak() end -- behind that, or it could come by this request once more
  end })
  assert(leave)
  while #got < count do
    local left = deadline - task.now()
    if left <= (silence and -GRACE or 0) then break end
    local ok, err = subscribe(self)
    if ok and not silence then
      silence, err = ask(self, count - #got, math.min(left, LONGEST_PULL), at_once)
      ok = silence ~= nil
    end
    if not ok then return nil, err end
    local message, word, final = hear(self, math.max(0.001, math.min(silence, left + GRACE)))
    if final then return nil, word end
    got[#got + 1] = message
    answered = at_once and word == "over"
    if answered then break end
    if word then
      trouble, silence = errors.is(word) and word or nil, nil
      if trouble then task.sleep(math.max(0, math.min(PAUSE, deadline - task.now()))) end
    elseif not self.subscription then
      silence = nil
    end
  end
  if #got == 0 and not self.connection.connected then
    return errors.fail("unavailable", "no messages of the stream %s within %g s%s", self.stream, seconds,
      self.connection:state())
  end
  if #got == 0 and trouble then return nil, trouble end
  handed_over = true
  return got
end

return pull
