--- Watching a bucket of keys and values: its stream is read (jetstream_reader.lua), whose messages are changes of keys.
local reader = require "deskpilot.net.jetstream_reader"

local nats_watch = {}

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

--- Begins one; nats_kv's own.
---@param bucket deskpilot.nats_kv
---@param filter string the subjects
---@param headers_only boolean
---@return deskpilot.nats_kv.watch? watch, deskpilot.error? err
function nats_watch.open(bucket, filter, headers_only)
  local read, err = reader.open(bucket.jetstream, { stream = "KV_" .. bucket.bucket, filter = filter, latest = true,
    headers_only = headers_only, what = "change of the bucket " .. bucket.bucket })
  if not read then return nil, err end
  return setmetatable({ bucket = bucket, reader = read, current = read.current }, Watch)
end

--- The next value or change, in the order of their revisions.
---@param seconds number
---@return deskpilot.nats_kv.entry? entry, deskpilot.error? err timed_out, or why the connection has ended
function Watch:next(seconds)
  local message, seq = self.reader:next(seconds)
  self.current = self.reader.current
  if not message then return nil, seq --[[@as deskpilot.error]] end
  return { key = message.subject:sub(#self.bucket.prefix + 1), value = message.data, revision = seq,
    deleted = nats_watch.is_deletion(message.headers) or nil }
end

--- Ends it.
function Watch:close()
  self.reader:close()
end

Watch.__close = Watch.close

return nats_watch
