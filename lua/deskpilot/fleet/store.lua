--- What a fleet keeps on its NATS server: the queue of missions, a record of each, their bundles, and which workers are
--- there. All of it is in JetStream; deskpilot adds no server of its own.
local errors = require "deskpilot.base.errors"
local bundle = require "deskpilot.fleet.bundle"
local jetstream = require "deskpilot.net.jetstream"
local json = require "deskpilot.base.json"
local nats = require "deskpilot.net.nats"
local nats_kv = require "deskpilot.net.nats_kv"
local pull = require "deskpilot.net.jetstream_pull"

local store = {}

local STREAM = "DESKPILOT_MISSIONS"
local RECORD = { bytes = 1 << 20, values = 20000, depth = 20 }

--- Seconds. A lease is how long a mission is a worker's without a sign of life; `worker` how long a worker counts as
--- there without one.
store.timing = { lease = 30, worker = 30, sign_of_life = 8, records = 30 * 24 * 3600 }

---@class deskpilot.fleet.store
---@field connection deskpilot.nats
---@field runs deskpilot.nats_kv
---@field workers deskpilot.nats_kv
---@field bundles deskpilot.nats_kv
---@field tag_sets deskpilot.nats_kv those that missions have asked for
local Store = {}
Store.__index = Store

-- The subject and the consumer of the missions that ask for a set of tags.
local function subject_of(set)
  return set == "" and "deskpilot.missions.any" or ("deskpilot.missions.tags.%s"):format(set)
end

local function consumer_of(set) return set == "" and "workers" or "tags_" .. set end

local function ensure_queue(js, set)
  return js:ensure_consumer(STREAM, { durable_name = consumer_of(set), ack_wait = store.timing.lease,
    max_ack_pending = 100000, filter_subject = subject_of(set) })
end

--- Connects, and makes what is missing.
---@param options deskpilot.nats.options
---@return deskpilot.fleet.store? store, deskpilot.error? err
function store.open(options)
  local connection, err = nats.connect(options)
  if not connection then return nil, err end
  local js = jetstream.of(connection, { timeout = 10 })
  local self = setmetatable({ connection = connection, jetstream = js }, Store)
  local ok
  ok, err = js:ensure_stream { name = STREAM, subjects = { "deskpilot.missions.>" }, retention = "workqueue" }
  if ok then ok, err = ensure_queue(js, "") end
  if ok then self.runs, err = nats_kv.open(js, "deskpilot_runs", { max_age = store.timing.records }) end
  if self.runs then self.workers, err = nats_kv.open(js, "deskpilot_workers", { max_age = store.timing.worker }) end
  if self.workers then
    self.bundles, err = nats_kv.open(js, "deskpilot_bundles", { max_age = store.timing.records })
  end
  if self.bundles then self.tag_sets, err = nats_kv.open(js, "deskpilot_tags") end
  if self.tag_sets then return self end
  connection:close()
  return nil, err
end

--- Ends the connection.
function Store:close() self.connection:close() end

Store.__close = Store.close

--- What takes missions from a queue.
---@param set string of tags, by its name (tags.name)
---@return deskpilot.jetstream.puller
function Store:queue(set) return pull.from(self.jetstream, STREAM, consumer_of(set)) end

--- Makes the queue of a set of tags, and tells the workers of it.
---@param set string
---@return true? ok, deskpilot.error? err
function Store:keep_queue(set)
  if set == "" then return true end
  local ok, err = ensure_queue(self.jetstream, set)
  if ok then ok, err = self.tag_sets:create(set, "") end
  if not ok and err.code ~= "stale" then return nil, err end
  return true
end

--- Puts a mission into the queue of a set of tags; once, whoever sends it again.
---@param id string
---@param set string
---@param anew boolean? it has been in the queue before, and is again
---@return true? ok, deskpilot.error? err
function Store:enqueue(id, set, anew)
  local stored, err = self.jetstream:publish(subject_of(set), json.encode { version = 1, id = id },
    { id = not anew and id or nil })
  return stored and true, err
end

--- The record of a mission, and the revision by which it can be changed.
---@param id string
---@return table? record, integer|deskpilot.error revision
function Store:record(id)
  local entry, err = self.runs:get(id)
  if not entry then return nil, err end
  local record, why = json.decode(entry.value, RECORD)
  if type(record) ~= "table" or type(record.status) ~= "string" then
    return errors.fail("protocol", "the record of %s cannot be read: %s", id, tostring(why))
  end
  return record, entry.revision
end

--- Changes a record, of which nobody else has changed the revision meanwhile.
---@param id string
---@param record table
---@param revision integer 0: it is new
---@return integer? revision, deskpilot.error? err stale
function Store:change(id, record, revision)
  local text = json.encode(record)
  if revision == 0 then return self.runs:create(id, text) end
  return self.runs:update(id, text, revision)
end

-- A message has room for this much of a bundle, whatever the server takes (1 MB unless it is told).
local function piece_size(self) return math.min(self.connection.max_payload - 4096, 512 << 10) end

--- Keeps a bundle, unless it is there.
---@param text string
---@param hash string
---@return true? ok, deskpilot.error? err
function Store:keep_bundle(text, hash)
  if self.bundles:get(hash) then return true end
  local size, count = piece_size(self), 0
  for at = 1, #text, size do
    count = count + 1
    local ok, err = self.bundles:put(("%s.%d"):format(hash, count), text:sub(at, at + size - 1))
    if not ok then return nil, err end
  end
  local ok, err = self.bundles:put(hash, tostring(count)) -- last: what has this is whole
  return ok and true, err
end

--- Reads a bundle.
---@param hash string
---@return string? text, deskpilot.error? err
function Store:bundle(hash)
  local head, err = self.bundles:get(hash)
  if not head then return nil, err end
  local count = math.tointeger(tonumber(head.value))
  if not count or count < 1 or count > bundle.limits.files then
    return errors.fail("protocol", "the bundle %s has %q pieces", hash, head.value:sub(1, 20))
  end
  local pieces, bytes = {}, 0
  for i = 1, count do
    local piece, why = self.bundles:get(("%s.%d"):format(hash, i))
    if not piece then return nil, why end
    pieces[i], bytes = piece.value, bytes + #piece.value
    if bytes > 2 * bundle.limits.bytes then return errors.fail("protocol", "the bundle %s is too large", hash) end
  end
  return table.concat(pieces)
end

return store
