--- A worker of a fleet: takes missions from the queue, runs each in a process of its own, and writes down what became
--- of it. A mission is a worker's from the moment at which its record says so (compare and set), so that one which the
--- queue delivers twice is run once; the queue's lease and the worker's signs of life tell when a worker is gone.
local uv = require "luv"
local attempt = require "deskpilot.fleet.attempt"
local capacity = require "deskpilot.fleet.capacity"
local deliveries = require "deskpilot.fleet.deliveries"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local kept_runs = require "deskpilot.fleet.kept_runs"
local limit_service = require "deskpilot.fleet.limit_service"
local presence = require "deskpilot.fleet.presence"
local queues = require "deskpilot.fleet.queues"
local signal = require "deskpilot.base.signal"
local tags = require "deskpilot.fleet.tags"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"
local trust = require "deskpilot.fleet.trust"

local worker = {}

local MOST_ATTEMPTS = 5
local TAKE, PAUSE = 20, 1 -- seconds: of one fetch; after one that failed
local DELAY = 10          -- seconds until what may be tried again is delivered again
local MESSAGE = { bytes = 10000, values = 100, depth = 4 }

---@class deskpilot.fleet.worker
---@field name string
local Worker = {}
Worker.__index = Worker

--- A worker, which does nothing yet.
---@param store deskpilot.fleet.store
---@param options { slots: integer, folder: string, runs: string, desktop: string, say: fun(line: string),
---  folders: string[], tags: string[], keys: deskpilot.minisign.public[]?, trusts_journals: boolean,
---  journal_key: string?, artifacts: deskpilot.fleet.artifact_plan?, keep: deskpilot.fleet.kept[] } folder: in which
---  missions are unpacked; folders: those on whose disks there has to be room; keys: whose missions are run, without
---  them all that the server hands out; trusts_journals and journal_key as for an attempt (attempt.lua); artifacts:
---  where they are brought to; keep: what is cleared (kept_runs.lua)
---@return deskpilot.fleet.worker
function worker.new(store, options)
  local host = uv.os_gethostname():gsub("[^%w_-]", "-"):sub(1, 60)
  return setmetatable({ store = store, options = options, say = options.say, running = {}, count = 0, full = false,
    changed = signal.new(), name = ("w-%s-%d-%s"):format(host, uv.os_getpid(), text.hex(uv.random(4))) }, Worker)
end

local function tell_others(self)
  if self.presence then self.presence:changed() end
end

--- Takes no more missions; run() returns when those that run have ended.
function Worker:drain()
  self.draining = true
  if self.taking then self.taking:cancel "the worker is to end" end
  self.changed:notify()
  tell_others(self)
end

-- --- one mission -------------------------------------------------------------------------------------------------

local function cancelled(record)
  record.status, record.ended = "cancelled", os.time()
  record.outcome = { status = 130, result = { status = "cancelled" }, words = "cancelled" }
end

-- Whether it may be run now. Otherwise the message has been dealt with.
local function claim(self, message, id)
  local record, revision = self.store:record(id)
  if not record then
    if revision.code == "not_found" or revision.code == "protocol" then message:term() else message:nak(DELAY) end
    return nil, tostring(revision)
  end
  if record.status == "done" or record.status == "cancelled" then
    message:ack()
    return nil
  end
  if record.status == "running" and (self.running[id] or (record.worker ~= self.name
    and self.store.workers:get(record.worker))) then
    message:nak(DELAY)
    return nil
  end
  local cut_off = record.status == "running"
  record.attempts = (math.tointeger(record.attempts) or 0) + 1
  if record.cancel then
    cancelled(record)
  elseif record.attempts > MOST_ATTEMPTS then
    record.status, record.outcome = "done", { status = 3,
      words = ("given up after %d attempts: %s"):format(MOST_ATTEMPTS, record.words or "the workers were gone") }
  else
    record.status, record.worker, record.began = "running", self.name, os.time()
  end
  local changed, err = self.store:change(id, record, revision)
  if not changed then
    message:nak(1)
    return nil, err.code ~= "stale" and tostring(err) or nil
  end
  if record.status ~= "running" then
    message:ack()
    return nil, ("%s: %s"):format(id, record.outcome.words)
  end
  return record, changed, cut_off
end

-- Writes the record of a mission that is this worker's. Meanwhile somebody may have asked for its end.
local function write(self, id, record, revision, settle)
  while true do
    settle(record)
    local changed, err = self.store:change(id, record, revision)
    if changed or err.code ~= "stale" then return changed, err end
    local now, at = self.store:record(id)
    if not now then return nil, at end
    if now.status ~= "running" or now.worker ~= self.name then return nil, err end
    record.cancel, record.artifacts, revision = now.cancel, now.artifacts, at
  end
end

local function finish(self, message, id, record, revision, outcome)
  local status = outcome.status
  local again = status == 3 or status >= 128 -- the machine lacks something, a signal ended it
    or capacity.was_full(outcome, self.options.folders)
  record.words = outcome.result and outcome.result.reason or outcome.words
  local changed, err = write(self, id, record, revision, function()
    if record.cancel and status ~= 0 then
      cancelled(record)
    elseif again then
      record.status, record.worker = "queued", nil
    else
      record.status, record.outcome, record.ended = "done", outcome, os.time()
    end
  end)
  if not changed then
    message:nak(DELAY) -- whoever gets it reads the record
    return ("%s: what became of it could not be written: %s"):format(id, tostring(err))
  end
  if record.status == "queued" then
    message:nak(status == 130 and 0 or DELAY)
    return ("%s: is tried again (exit status %d): %s"):format(id, status, tostring(record.words))
  end
  message:ack()
  local result = record.outcome.result
  return ("%s: %s"):format(id, result and result.status or record.outcome.words)
end

-- Whether the mission may run here. What is refused is done.
local function allowed(self, id, record)
  local ok, err = true, nil
  if self.options.keys then ok, err = trust.check(self.options.keys, id, record) end
  if ok and not tags.include(self.options.tags, type(record.tags) == "table" and record.tags or {}) then
    ok, err = errors.fail("refused", "the mission asks for tags that are not those of its queue: submit it again")
  end
  return ok, err
end

local function perform(self, message, id)
  local room, missing = capacity.has_room(self.options.folders)
  if not room then
    message:nak(DELAY)
    return ("%s: is left to others: %s"):format(id, missing)
  end
  local record, revision, cut_off = claim(self, message, id)
  if not record then return revision end
  local entry = { message = message }
  self.running[id] = entry
  tell_others(self)
  local leave <close> = setmetatable({}, { __close = function()
    self.running[id] = nil
    tell_others(self)
  end })
  assert(leave)
  local ok, refusal = allowed(self, id, record)
  if not ok then
    return finish(self, message, id, record, revision, { status = 2, refused = true, words = tostring(refusal) })
  end
  self.say(("%s: %s begins"):format(id, record.mission))
  local function on_start(child)
    entry.child = child
    if entry.lost or entry.cancelled then task.start(presence.stop, entry) end
  end
  local runs = files.join(self.options.runs, id)
  kept_runs.mark(runs)
  local function on_choice()
    local changed = write(self, id, record, revision, function() end)
    revision = changed or revision
    return changed ~= nil
  end
  local outcome, err = attempt.perform(self.store, id, record, { folder = self.options.folder,
    runs = runs, desktop = self.options.desktop, cut_off = cut_off,
    environment = self.limits.environment,
    trusts_journals = self.options.trusts_journals, journal_key = self.options.journal_key,
    on_start = on_start, on_choice = on_choice, on_run = function(folder) entry.folder = folder end,
    say = function(words) self.say(("%s: %s"):format(id, words)) end })
  if entry.lost then outcome = { status = 130, words = "the server was away for too long" } end
  if not outcome and not err then -- the record could not be written: whoever gets it next reads it
    message:nak(DELAY)
    return nil
  end
  -- What submit did not send is not tried again.
  if not outcome then outcome = { status = err.code == "protocol" and 2 or 3, words = tostring(err) } end
  if entry.folder then self.deliveries:add(id, record.attempts, entry.folder) end
  return finish(self, message, id, record, revision, outcome)
end

local function work_on(self, message)
  local job, why = json.decode(message.data, MESSAGE)
  if type(job) ~= "table" or type(job.id) ~= "string" or not job.id:find("^%x+$") or #job.id > 64 then
    self.say("a message that no submit has sent is thrown away: " .. tostring(why or "it has no id"))
    message:term()
    return
  end
  self.count = self.count + 1
  task.start(function()
    local ok, line = xpcall(perform, errors.traceback, self, message, job.id)
    self.count = self.count - 1
    if line and not (not ok and errors.interrupts(line)) then self.say(tostring(line)) end
    self.changed:notify()
  end)
end

-- --- the loop ----------------------------------------------------------------------------------------------------

-- Waits a little where the disks have no room for one more mission.
local function wait_for_room(self)
  local room, missing = capacity.has_room(self.options.folders)
  if self.full ~= not room then
    self.full = not room
    self.say(room and "there is room again: missions are taken"
      or "no missions are taken until there is room: " .. missing)
  end
  if not room then task.sleep(PAUSE) end
  return room
end

-- Takes one message; nothing where there is none, or the worker is to end.
local function take(self, queue)
  self.taking = task.start(function()
    if wait_for_room(self) then return queue:take(TAKE) end
  end)
  local ok, message, err = self.taking:wait()
  self.taking = nil
  if ok and (message or not err) then return message end
  if self.draining then return nil end
  if not ok then error(message, 0) end
  if self.store.connection.closed then return nil end
  self.say(tostring(err))
  task.sleep(PAUSE)
end

--- Works until it is told to drain, and what runs has ended.
---@return true? drained, deskpilot.error? err why the connection has ended
function Worker:run()
  local err
  self.presence, err = presence.begin(self)
  if not self.presence then return nil, err end
  local limits <close>, why = limit_service.begin(self)
  if not limits then
    self.presence:close()
    return nil, why
  end
  self.limits = limits
  self.deliveries = deliveries.new(self.store, self.options.artifacts, self.say)
  local late = self.deliveries:recover(self.options.runs)
  if late > 0 then self.say(("artifacts of %d runs had been left behind, and are delivered"):format(late)) end
  task.start(kept_runs.clear_each_hour, self.options.keep, self.say)
  local queue <close> = queues.open(self.store, self.options.tags)
  while not self.draining and not self.store.connection.closed do
    self.changed:wait_until(math.huge, function() return self.count < self.options.slots or self.draining end)
    if not self.draining then
      local message = take(self, queue)
      if message then work_on(self, message) end
    end
  end
  queue:close()
  if self.draining and self.count > 0 then self.say(("ends when %d running missions have ended"):format(self.count)) end
  self.changed:wait_until(math.huge, function() return self.count == 0 end)
  local left = self.deliveries:left()
  if left > 0 then self.say(("ends when the artifacts of %d runs have been delivered"):format(left)) end
  self.deliveries:finish()
  self.presence:close()
  if self.store.connection.closed then return nil, self.store.connection.closed end
  return true
end

return worker
