--- A store of keys and values in JetStream: each value has a revision, by which a change says what it is a change of
--- (compare and set). Buckets are in the form of all NATS clients, so `nats kv` shows them.
local errors = require "deskpilot.base.errors"
local watching = require "deskpilot.net.nats_watch"

local nats_kv = {}

---@class deskpilot.nats_kv
---@field bucket string
---@field jetstream deskpilot.jetstream
local Bucket = {}
Bucket.__index = Bucket

---@class deskpilot.nats_kv.entry
---@field key string
---@field value string
---@field revision integer grows with each change of any key of the bucket
---@field deleted boolean? it was deleted at that revision
---@field stored number? when the server has stored it: seconds since 1970 by its clock; entries of a watch have none

local WRONG_REVISION = 10071 -- the server's number of the error

--- The bucket of that name, which is made where there is none.
---@param jetstream deskpilot.jetstream
---@param bucket string letters, digits, "_" and "-"
---@param options { history: integer?, max_age: number?, max_bytes: integer?, storage: "file"|"memory"|nil,
---  num_replicas: integer?, leave: string[]? }? history: values that are kept of a key (1, at most 64); max_age:
---  seconds that a value lasts; leave: as for ensure_stream
---@return deskpilot.nats_kv? store, deskpilot.error? err
function nats_kv.open(jetstream, bucket, options)
  options = options or {}
  local max_age = options.max_age or 0
  local info, err = jetstream:ensure_stream({ name = "KV_" .. bucket, subjects = { ("$KV.%s.>"):format(bucket) },
    max_msgs_per_subject = options.history or 1, max_age = max_age, max_bytes = options.max_bytes or -1,
    max_msgs = -1, max_consumers = -1, max_msg_size = -1, storage = options.storage or "file",
    num_replicas = options.num_replicas or 1, retention = "limits", discard = "new",
    duplicate_window = max_age > 0 and math.min(max_age, 120) or 120,
    allow_rollup_hdrs = true, deny_delete = true, allow_direct = true }, { leave = options.leave })
  if not info then return nil, err end
  return setmetatable({ bucket = bucket, jetstream = jetstream, prefix = ("$KV.%s."):format(bucket) }, Bucket)
end

local function subject(self, key)
  if type(key) ~= "string" or #key > 512 or not key:find("^[%w_/=%-][%w_/=.%-]*$") or key:find("..", 1, true)
    or key:sub(-1) == "." then
    errors.mistake("a key has letters, digits and any of - / _ = . (not at an end, not two of them), at most 512: %q",
      tostring(key))
  end
  return self.prefix .. key
end

-- The seconds since 1970 of "2026-01-31T12:00:00.123456789Z", as the server writes times.
local function seconds_of(stamp)
  local year, month, day, hour, minute, second = (stamp or ""):match "^(%d+)-(%d+)-(%d+)T(%d+):(%d+):([%d.]+)Z$"
  if not year or not tonumber(second) then return nil end
  year, month = math.tointeger(year), math.tointeger(month)
  if month < 3 then year, month = year - 1, month + 12 end -- years begin with March: what is leapt is at their end
  local days = 365 * year + year // 4 - year // 100 + year // 400 + (153 * (month - 3) + 2) // 5 + day - 719469
  return days * 86400 + hour * 3600 + minute * 60 + tonumber(second)
end

local function entry_of(self, message)
  local headers, revision = message.headers, math.tointeger(message.headers["Nats-Sequence"])
  if not revision then
    return errors.fail("protocol", "the NATS server %s answered without a revision", self.jetstream.connection.servers)
  end
  return { key = message.headers["Nats-Subject"]:sub(#self.prefix + 1), value = message.data, revision = revision,
    deleted = watching.is_deletion(headers) or nil, stored = seconds_of(headers["Nats-Time-Stamp"]) }
end

-- The latest entry, deleted or not.
local function latest(self, key)
  local answer, err = self.jetstream:latest("KV_" .. self.bucket, subject(self, key))
  if answer then return entry_of(self, answer) end
  if err.code ~= "not_found" then return nil, err end
  return errors.fail("not_found", "the bucket %s has no key %s", self.bucket, key)
end

--- What a key has now.
---@param key string
---@return deskpilot.nats_kv.entry? entry, deskpilot.error? err not_found
function Bucket:get(key)
  local entry, err = latest(self, key)
  if entry and entry.deleted then return errors.fail("not_found", "the bucket %s has no key %s", self.bucket, key) end
  return entry, err
end

local function store(self, key, value, headers)
  local stored, err = self.jetstream:publish(subject(self, key), value, { headers = headers })
  if stored then return stored.seq end
  if err.err_code ~= WRONG_REVISION then return nil, err end
  return errors.fail("stale", "the key %s of the bucket %s was changed by somebody else", key, self.bucket)
end

--- Gives a key a value, whatever it had.
---@param key string
---@param value string
---@return integer? revision, deskpilot.error? err timed_out: it is not known whether it has it
function Bucket:put(key, value)
  return store(self, key, value)
end

--- Gives a key a value if its latest change is that revision.
---@param key string
---@param value string
---@param revision integer 0: it never had one
---@return integer? revision, deskpilot.error? err stale: somebody else has changed it
function Bucket:update(key, value, revision)
  return store(self, key, value, { ["Nats-Expected-Last-Subject-Sequence"] = ("%d"):format(revision) })
end

--- Gives a key a value if it has none.
---@param key string
---@param value string
---@return integer? revision, deskpilot.error? err stale: it has one
function Bucket:create(key, value)
  local revision, err = self:update(key, value, 0)
  if revision or err.code ~= "stale" then return revision, err end
  local entry, why = latest(self, key)
  if not entry and why.code ~= "not_found" then return nil, why end
  if entry and not entry.deleted then return nil, err end
  return self:update(key, value, entry and entry.revision or 0)
end

--- Takes a key's value away, and what is kept of former ones.
---@param key string
---@param revision integer? only if its latest change is this
---@return integer? revision, deskpilot.error? err stale
function Bucket:delete(key, revision)
  local headers = { ["KV-Operation"] = "PURGE", ["Nats-Rollup"] = "sub" }
  if revision then headers["Nats-Expected-Last-Subject-Sequence"] = ("%d"):format(revision) end
  return store(self, key, "", headers)
end

--- Tells the values that there are and then each change, in their order and each once; also after the connection was
--- lost.
---@param options { under: string?, values: boolean? }? under: only keys that begin with these words and "."; values =
---  false: entries come without them
---@return deskpilot.nats_kv.watch? watch, deskpilot.error? err
function Bucket:watch(options)
  options = options or {}
  local filter = self.prefix .. (options.under and subject(self, options.under):sub(#self.prefix + 1) .. ".>" or ">")
  return watching.open(self, filter, options.values == false)
end

--- The keys that have a value.
---@param options { under: string? }? as for watch
---@return string[]? keys sorted
---@return deskpilot.error? err
function Bucket:keys(options)
  local watch <close>, err = self:watch { under = options and options.under, values = false }
  if not watch then return nil, err end
  local found, keys = {}, {}
  while not watch.current do
    local entry, why = watch:next(self.jetstream.timeout)
    if not entry then return nil, why end
    found[entry.key] = not entry.deleted or nil
  end
  for key in pairs(found) do keys[#keys + 1] = key end
  table.sort(keys)
  return keys
end

return nats_kv
