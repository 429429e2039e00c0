--- What a fleet keeps on its NATS server: the queue of missions, a record of each, their bundles, the events of their
--- runs, and which workers are there. All of it is in JetStream; deskpilot adds no server of its own.
local errors = require "deskpilot.base.errors"
local bundle = require "deskpilot.fleet.bundle"
local jetstream = require "deskpilot.net.jetstream"
local json = require "deskpilot.base.json"
local nats = require "deskpilot.net.nats"
local nats_kv = require "deskpilot.net.nats_kv"
local pull = require "deskpilot.net.jetstream_pull"
local reader = require "deskpilot.net.jetstream_reader"
local text = require "deskpilot.base.text"

local store = {}

local STREAM, EVENTS = "DESKPILOT_MISSIONS", "DESKPILOT_EVENTS"
local AGE = { "max_age", "duplicate_window" } -- what an administrator may have changed
local RECORD = { bytes = 1 << 20, values = 20000, depth = 20 }

--- Seconds. A lease is how long a mission is a worker's without a sign of life; `worker` how long a worker counts as
--- there without one. `records` is how long records, bundles and events are kept, until Store:keep says otherwise.
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
local function queue_subject(set)
  return set == "" and "deskpilot.missions.any" or ("deskpilot.missions.tags.%s"):format(set)
end

local function consumer_of(set) return set == "" and "workers" or "tags_" .. set end

local function ensure_queue(js, set)
  return js:ensure_consumer(STREAM, { durable_name = consumer_of(set), ack_wait = store.timing.lease,
    max_ack_pending = 100000, filter_subject = queue_subject(set) })
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
  local lasting = { max_age = store.timing.records, leave = AGE }
  if ok then
    ok, err = js:ensure_stream({ name = EVENTS, subjects = { "deskpilot.events.>" }, max_age = store.timing.records,
      allow_direct = true }, { leave = AGE })
  end
  if ok then self.runs, err = nats_kv.open(js, "deskpilot_runs", lasting) end
  if self.runs then self.workers, err = nats_kv.open(js, "deskpilot_workers", { max_age = store.timing.worker }) end
  if self.workers then self.bundles, err = nats_kv.open(js, "deskpilot_bundles", lasting) end
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
  local stored, err = self.jetstream:publish(queue_subject(set), json.encode { version = 1, id = id },
    { id = not anew and id or nil })
  return stored and true, err
end

--- The record in an entry of the bucket `runs`.
---@param entry deskpilot.nats_kv.entry
---@return table? record, integer|deskpilot.error revision
function Store:record_in(entry)
  local record, why = json.decode(entry.value, RECORD)
  if type(record) ~= "table" or type(record.status) ~= "string" then
    return errors.fail("protocol", "the record of %s cannot be read: %s", entry.key, tostring(why))
  end
  if type(record.args) == "table" then json.list(record.args) end
  return record, entry.revision
end

--- The record of a mission, and the revision by which it can be changed.
---@param id string
---@return table? record, integer|deskpilot.error revision
function Store:record(id)
  local entry, err = self.runs:get(id)
  if not entry then return nil, err end
  return self:record_in(entry)
end

-- Calls fn(entry) for each value that a bucket has.
local function each(bucket, fn)
  local watch <close>, err = bucket:watch()
  if not watch then return nil, err end
  while not watch.current do
    local entry, why = watch:next(bucket.jetstream.timeout)
    if not entry then return nil, why end
    if not entry.deleted then fn(entry) end
  end
  return true
end

--- All records that can be read, those that were submitted first come first.
---@return { id: string, record: table }[]? list, deskpilot.error? err
function Store:records()
  local list = {}
  local ok, err = each(self.runs, function(entry)
    local record = self:record_in(entry)
    if record then list[#list + 1] = { id = entry.key, record = record } end
  end)
  if not ok then return nil, err end
  local function field(one, name) return math.tointeger(one.record[name]) or 0 end
  table.sort(list, function(a, b)
    for _, name in ipairs { "submitted", "number" } do
      if field(a, name) ~= field(b, name) then return field(a, name) < field(b, name) end
    end
    return a.id < b.id
  end)
  return list
end

--- The workers that are there, by name.
---@return { name: string, slots: integer, running: string[], draining: boolean? }[]? list, deskpilot.error? err
function Store:workers_there()
  local by_name = {}
  local ok, err = each(self.workers, function(entry)
    local said = json.decode(entry.value, RECORD)
    if type(said) ~= "table" then return end
    local running = {}
    for i, id in ipairs(type(said.running) == "table" and said.running or {}) do running[i] = tostring(id) end
    by_name[entry.key] = { name = entry.key, slots = math.tointeger(said.slots) or 0, running = json.list(running),
      draining = said.draining == true or nil }
  end)
  if not ok then return nil, err end
  local list = {}
  for _, name in ipairs(text.keys(by_name)) do list[#list + 1] = by_name[name] end
  return list
end

--- Changes a record, of which nobody else has changed the revision meanwhile.
---@param id string
---@param record table
---@param revision integer 0: it is new
---@return integer? revision, deskpilot.error? err stale
function Store:change(id, record, revision)
  local packed = json.encode(record)
  if revision == 0 then return self.runs:create(id, packed) end
  return self.runs:update(id, packed, revision)
end

--- How much of a bundle or of a journal goes into one message, whatever the server takes (1 MB unless it is told).
---@return integer bytes
function Store:piece_size() return math.min(self.connection.max_payload - 4096, 512 << 10) end

--- Keeps a bundle, unless it is there.
---@param packed string
---@param hash string
---@return true? ok, deskpilot.error? err
function Store:keep_bundle(packed, hash)
  if self.bundles:get(hash) then return true end
  local size, count = self:piece_size(), 0
  for at = 1, #packed, size do
    count = count + 1
    local ok, err = self.bundles:put(("%s.%d"):format(hash, count), packed:sub(at, at + size - 1))
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

-- The subject of an attempt's events, or of those of all of a mission's attempts.
local function subject_of(id, attempt) return ("deskpilot.events.%s.%s"):format(id, attempt or "*") end

--- Keeps a piece of an attempt's journal; once, whoever sends it again within two minutes.
---@param id string of the mission
---@param attempt integer
---@param piece string
---@param offset integer where it stands in the journal
---@param headers table<string, string>
---@return deskpilot.jetstream.stored? stored, deskpilot.error? err
function Store:keep_events(id, attempt, piece, offset, headers)
  return self.jetstream:publish(subject_of(id, attempt), piece,
    { id = ("%s.%d.%d"):format(id, attempt, offset), headers = headers })
end

--- The last piece of an attempt's journal.
---@param id string
---@param attempt integer
---@return deskpilot.nats.message? message, deskpilot.error? err not_found: there is none
function Store:last_events(id, attempt) return self.jetstream:latest(EVENTS, subject_of(id, attempt)) end

--- Reads pieces of journals in the order in which they came.
---@param id string
---@param attempt integer? default: of all attempts
---@return deskpilot.jetstream.reader? reader, deskpilot.error? err
function Store:events(id, attempt)
  return reader.open(self.jetstream, { stream = EVENTS, filter = subject_of(id, attempt), what = "event of " .. id })
end

--- How long records, bundles and events are kept.
---@return number? seconds, deskpilot.error? err
function Store:kept()
  local info, err = self.jetstream:stream(EVENTS)
  return info and info.config.max_age / 1e9, err
end

--- Has records, bundles and events kept for that long; older ones go at once.
---@param seconds number at least a day
---@return true? ok, deskpilot.error? err
function Store:keep(seconds)
  for _, name in ipairs { EVENTS, "KV_deskpilot_runs", "KV_deskpilot_bundles" } do
    local info, err = self.jetstream:change_stream(name, { max_age = seconds })
    if not info then return nil, err end
  end
  return true
end

--- How many missions are in the queue, those that run among them.
---@return integer? count, deskpilot.error? err
function Store:queued()
  local info, err = self.jetstream:stream(STREAM)
  return info and info.state.messages, err
end

return store
