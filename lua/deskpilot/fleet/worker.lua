--- A worker of a fleet: takes missions from the queue, runs each in a process of its own, and writes down what became
--- of it. A mission is a worker's from the moment at which its record says so (compare and set), so that one which the
--- queue delivers twice is run once; the queue's lease and the worker's signs of life tell when a worker is gone.
local uv = require "luv"
local capacity = require "deskpilot.fleet.capacity"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local mission_run = require "deskpilot.fleet.mission_run"
local queues = require "deskpilot.fleet.queues"
local store_module = require "deskpilot.fleet.store"
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
---  folders: string[], tags: string[], keys: deskpilot.minisign.public[]? } folder: in which missions are unpacked;
---  folders: those on whose disks there has to be room; keys: whose missions are run, without them all that the server
---  hands out
---@return deskpilot.fleet.worker
function worker.new(store, options)
  local host = uv.os_gethostname():gsub("[^%w_-]", "-"):sub(1, 60)
  return setmetatable({ store = store, options = options, say = options.say, running = {}, count = 0, full = false,
    name = ("w-%s-%d-%s"):format(host, uv.os_getpid(), text.hex(uv.random(4))) }, Worker)
end

--- Takes no more missions; run() returns when those that run have ended.
function Worker:drain()
  self.draining = true
  if self.taking then self.taking:cancel "the worker is to end" end
  if self.wake then self.wake() end
end

local function status_line(self)
  return json.encode { version = 1, slots = self.options.slots, running = json.list(text.keys(self.running)),
    tags = json.list(self.options.tags), draining = self.draining or nil }
end

-- Tells that the worker is there, and that its missions are worked on. One that could not for longer than others wait
-- for it has lost them: they are stopped.
local function sign_of_life(self)
  local written = self.store.workers:put(self.name, status_line(self))
  for _, entry in pairs(self.running) do entry.message:in_progress() end
  if written then
    self.seen = task.now()
  elseif task.now() - self.seen > store_module.timing.worker then
    for id, entry in pairs(self.running) do
      if not entry.lost then self.say(("%s: the server is away, so it is no longer this worker's"):format(id)) end
      entry.lost = true
      if entry.child then entry.child:stop() end
    end
  end
end

-- --- one mission -------------------------------------------------------------------------------------------------

-- Whether it may be run now. Otherwise the message has been dealt with.
local function claim(self, message, id)
  local record, revision = self.store:record(id)
  if not record then
    if revision.code == "not_found" or revision.code == "protocol" then message:term() else message:nak(DELAY) end
    return nil, tostring(revision)
  end
  if record.status == "done" then
    message:ack()
    return nil
  end
  if record.status == "running" and (self.running[id] or (record.worker ~= self.name
    and self.store.workers:get(record.worker))) then
    message:nak(DELAY)
    return nil
  end
  record.attempts = (math.tointeger(record.attempts) or 0) + 1
  if record.attempts > MOST_ATTEMPTS then
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
  if record.status == "done" then
    message:ack()
    return nil, record.outcome.words
  end
  return record, changed
end

local function finish(self, message, id, record, revision, outcome)
  local status = outcome.status
  local again = status == 3 or status >= 128 -- the machine lacks something, a signal ended it
    or capacity.was_full(outcome, self.options.folders)
  record.words = outcome.result and outcome.result.reason or outcome.words
  if again then
    record.status, record.worker = "queued", nil
  else
    record.status, record.outcome, record.ended = "done", outcome, os.time()
  end
  local changed, err = self.store:change(id, record, revision)
  if not changed then
    message:nak(DELAY) -- whoever gets it reads the record
    return ("%s: what became of it could not be written: %s"):format(id, tostring(err))
  end
  if again then
    message:nak(status == 130 and 0 or DELAY)
    return ("%s: is tried again (exit status %d): %s"):format(id, status, tostring(record.words))
  end
  message:ack()
  return ("%s: %s"):format(id, outcome.result and outcome.result.status or outcome.words)
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
  local record, revision = claim(self, message, id)
  if not record then return revision end
  local entry = { message = message }
  self.running[id] = entry
  local leave <close> = setmetatable({}, { __close = function() self.running[id] = nil end })
  assert(leave)
  local ok, refusal = allowed(self, id, record)
  if not ok then
    return finish(self, message, id, record, revision, { status = 2, refused = true, words = tostring(refusal) })
  end
  self.say(("%s: %s begins"):format(id, record.mission))
  local outcome, err = mission_run.perform(self.store, record, { folder = self.options.folder,
    runs = files.join(self.options.runs, id), desktop = self.options.desktop,
    on_start = function(child) entry.child = child end })
  if entry.lost then return nil end
  -- What submit did not send is not tried again.
  if not outcome then outcome = { status = err.code == "protocol" and 2 or 3, words = tostring(err) } end
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
    if self.wake then self.wake() end
  end)
end

-- --- the loop ----------------------------------------------------------------------------------------------------

local function wait_until(self, ready)
  while not ready() do
    task.await(function(done)
      self.wake = done
      return function() self.wake = nil end
    end)
    self.wake = nil
  end
end

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
  self.seen = task.now()
  sign_of_life(self)
  local living = task.start(function()
    while true do
      task.sleep(store_module.timing.sign_of_life)
      sign_of_life(self)
    end
  end)
  local queue <close> = queues.open(self.store, self.options.tags)
  while not self.draining and not self.store.connection.closed do
    wait_until(self, function() return self.count < self.options.slots or self.draining end)
    if not self.draining then
      local message = take(self, queue)
      if message then work_on(self, message) end
    end
  end
  queue:close()
  if self.draining and self.count > 0 then self.say(("ends when %d running missions have ended"):format(self.count)) end
  wait_until(self, function() return self.count == 0 end)
  living:cancel "the worker has ended"
  if self.store.connection.closed then return nil, self.store.connection.closed end
  self.store.workers:delete(self.name)
  return true
end

return worker
