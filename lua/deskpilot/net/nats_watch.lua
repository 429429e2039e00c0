--- Watching a bucket of keys and values. The server's consumer for it is short-lived and acknowledges nothing, so the
--- watch counts: where a message is missing, or the server has been silent or away, it begins a new consumer behind the
--- last revision that it has told.
local errors = require "deskpilot.base.errors"
local jetstream = require "deskpilot.net.jetstream"
local pull = require "deskpilot.net.jetstream_pull"
local task = require "deskpilot.base.task"

local nats_watch = {}

local HEARTBEAT, LASTS = 5, 60 -- seconds: between signs of life; that a consumer lives without its watch
local PAUSE = 0.25             -- before another attempt at a consumer

---@class deskpilot.nats_kv.watch
---@field current boolean all values that there were in the beginning have been told
local Watch = {}
Watch.__index = Watch

--- Whether a message says that its key has been deleted.
---@param headers table<string, string>
---@return boolean
function nats_watch.is_deletion(headers)
  local operation = headers["KV-Operation"]
  return operation == "DEL" or operation == "PURGE"
end

local function stop(self)
  if self.subscription then self.subscription:close() end
  self.subscription = nil
end

local function begin(self)
  stop(self)
  local of = self.bucket.jetstream
  local inbox, stream = of.connection:inbox(), "KV_" .. self.bucket.bucket
  local subscription, err = of.connection:subscribe(inbox)
  if not subscription then return nil, err end
  subscription.tells_changes = true
  self.subscription, self.expected, self.heard = subscription, 1, task.now()
  local config = { deliver_subject = inbox, deliver_policy = "last_per_subject", ack_policy = "none", max_deliver = 1,
    filter_subject = self.filter, headers_only = self.headers_only or nil, flow_control = true,
    idle_heartbeat = jetstream.nanoseconds(HEARTBEAT), inactive_threshold = jetstream.nanoseconds(LASTS),
    mem_storage = true, num_replicas = 1 }
  if self.told > 0 then config.deliver_policy, config.opt_start_seq = "by_start_sequence", self.told + 1 end
  local info, why = of:ask("CONSUMER.CREATE." .. stream, { stream_name = stream, config = config })
  if not info then
    stop(self)
    return nil, why
  end
  if info.num_pending == 0 then self.current = true end
  return true
end

--- Begins one; nats_kv's own.
---@param bucket deskpilot.nats_kv
---@param filter string the subjects
---@param headers_only boolean
---@return deskpilot.nats_kv.watch? watch, deskpilot.error? err
function nats_watch.open(bucket, filter, headers_only)
  local self = setmetatable({ bucket = bucket, filter = filter, headers_only = headers_only, told = 0,
    current = false }, Watch)
  local ok, err = begin(self)
  if not ok then return nil, err end
  return self
end

-- The entry of a message; nil for a sign of life; false where something is missing.
local function entry_of(self, message)
  local facts, connection = pull.facts(message.reply), self.bucket.jetstream.connection
  if not facts then
    local flow = message.reply or message.headers["Nats-Consumer-Stalled"]
    if flow then connection:publish(flow, "") end
    local last = math.tointeger(message.headers["Nats-Last-Consumer"])
    if last and last >= self.expected then return false end
    return nil
  end
  if facts.consumer_seq ~= self.expected then return false end
  self.expected, self.told = self.expected + 1, facts.seq
  if facts.pending == 0 then self.current = true end
  return { key = message.subject:sub(#self.bucket.prefix + 1), value = message.data, revision = facts.seq,
    deleted = nats_watch.is_deletion(message.headers) or nil }
end

--- The next value or change, in the order of their revisions.
---@param seconds number
---@return deskpilot.nats_kv.entry? entry, deskpilot.error? err timed_out, or why the connection has ended
function Watch:next(seconds)
  local connection, deadline, trouble = self.bucket.jetstream.connection, task.now() + seconds, nil
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
      local entry = message and entry_of(self, message)
      if entry then return entry end
      if connection.closed then return nil, connection.closed end
      local silent = connection.connected and task.now() - self.heard > 2 * HEARTBEAT
      local back = why and why.code == "unavailable" and connection.connected
      if entry == false or silent or back then stop(self) end
    end
  end
  return nil, trouble or errors.new("timed_out", "no change of the bucket %s within %g s%s", self.bucket.bucket,
    seconds, connection:state())
end

--- Ends it.
function Watch:close()
  stop(self)
end

Watch.__close = Watch.close

return nats_watch
