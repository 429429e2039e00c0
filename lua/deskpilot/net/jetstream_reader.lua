--- Reading a stream in its order: what there is, then what comes, each message once. The server's consumer for it is
--- short-lived and acknowledges nothing, so the reader counts: where a message is missing, or the server has been
--- silent or away, it begins a new consumer behind the last message that it has given.
local errors = require "deskpilot.base.errors"
local jetstream = require "deskpilot.net.jetstream"
local pull = require "deskpilot.net.jetstream_pull"
local task = require "deskpilot.base.task"

local jetstream_reader = {}

local HEARTBEAT, LASTS = 5, 60 -- seconds: between signs of life; that a consumer lives without its reader
local PAUSE = 0.25             -- before another attempt at a consumer

---@class deskpilot.jetstream.reader
---@field current boolean all messages that there were in the beginning have been given
local Reader = {}
Reader.__index = Reader

local function stop(self)
  if self.subscription then self.subscription:close() end
  self.subscription = nil
end

local function begin(self)
  stop(self)
  local of = self.jetstream
  local inbox = of.connection:inbox()
  local subscription, err = of.connection:subscribe(inbox)
  if not subscription then return nil, err end
  subscription.tells_changes = true
  self.subscription, self.expected, self.heard = subscription, 1, task.now()
  local config = { deliver_subject = inbox, deliver_policy = self.latest and "last_per_subject" or "all",
    ack_policy = "none", max_deliver = 1, filter_subject = self.filter, headers_only = self.headers_only or nil,
    flow_control = true, idle_heartbeat = jetstream.nanoseconds(HEARTBEAT),
    inactive_threshold = jetstream.nanoseconds(LASTS), mem_storage = true, num_replicas = 1 }
  if self.given > 0 then config.deliver_policy, config.opt_start_seq = "by_start_sequence", self.given + 1 end
  local info, why = of:ask("CONSUMER.CREATE." .. self.stream, { stream_name = self.stream, config = config })
  if not info then
    stop(self)
    return nil, why
  end
  if info.num_pending == 0 then self.current = true end
  return true
end

--- Begins to read.
---@param of deskpilot.jetstream
---@param options { stream: string, filter: string, latest: boolean?, headers_only: boolean?, what: string } filter: the
---  subjects; latest: of what there is, only the last message of each subject; what: "change of the bucket runs", for
---  sentences
---@return deskpilot.jetstream.reader? reader, deskpilot.error? err
function jetstream_reader.open(of, options)
  local self = setmetatable({ jetstream = of, stream = options.stream, filter = options.filter,
    latest = options.latest, headers_only = options.headers_only, what = options.what, given = 0, current = false },
    Reader)
  local ok, err = begin(self)
  if not ok then return nil, err end
  return self
end

-- Whether it is to be given; nil for a sign of life; false where something is missing.
local function is_next(self, message)
  local facts, connection = pull.facts(message.reply), self.jetstream.connection
  if not facts then
    local flow = message.reply or message.headers["Nats-Consumer-Stalled"]
    if flow then connection:publish(flow, "") end
    local last = math.tointeger(message.headers["Nats-Last-Consumer"])
    if last and last >= self.expected then return false end
    return nil
  end
  if facts.consumer_seq ~= self.expected then return false end
  self.expected, self.given = self.expected + 1, facts.seq
  if facts.pending == 0 then self.current = true end
  return true
end

--- The next message.
---@param seconds number
---@return deskpilot.nats.message? message, integer|deskpilot.error seq its number in the stream; or timed_out, or why
---  the connection has ended
function Reader:next(seconds)
  local connection, deadline, trouble = self.jetstream.connection, task.now() + seconds, nil
  while true do
    local left = deadline - task.now()
    if not self.subscription and left > 0 then
      local ok, err = begin(self)
      if not ok then
        if connection.closed then return nil, connection.closed end
        trouble = err
        task.sleep(math.max(0, math.min(PAUSE, left)))
      end
    end
    if left <= 0 then break end
    if self.subscription then
      local message, why = self.subscription:next(math.min(left, 2 * HEARTBEAT))
      if message then self.heard = task.now() end
      local next_one = message and is_next(self, message)
      if next_one then return message, self.given end
      if connection.closed then return nil, connection.closed end
      local silent = connection.connected and task.now() - self.heard > 2 * HEARTBEAT
      local back = why and why.code == "unavailable" and connection.connected
      if next_one == false or silent or back then stop(self) end
    end
  end
  return nil, trouble or errors.new("timed_out", "no %s within %g s%s", self.what, seconds, connection:state())
end

--- Ends it.
function Reader:close()
  stop(self)
end

Reader.__close = Reader.close

return jetstream_reader
