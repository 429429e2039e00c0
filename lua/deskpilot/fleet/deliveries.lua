--- The artifacts of a worker's runs, brought to where they are kept (`deskpilot upload`). A mission's end is written
--- down meanwhile and waits for nothing, so that whatever goes wrong here makes no mission fail or run twice. Each is a
--- process of its own: a disk of the network that hangs, or large files, are none of the worker's business. A locked
--- file beside the run says that its artifacts are on their way; what a killed worker has left so, the next one brings
--- there.
local uv = require "luv"
local environment = require "deskpilot.desk.platform.environment"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local process = require "deskpilot.desk.app.process"
local signal = require "deskpilot.base.signal"
local system = require "native.system"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local deliveries = {}

--- Seconds: for all of a delivery, beyond the place's patience; for the record, when the server is away.
deliveries.timing = { longest = 3600, record = 600 }

local AT_ONCE = 2
local ACCOUNT = { bytes = 100000, values = 100, depth = 3 }

---@class deskpilot.fleet.artifact_plan
---@field place string
---@field folder boolean whether it is one
---@field token string? the file
---@field ca string? the file
---@field megabytes integer
---@field patience number seconds

---@class deskpilot.fleet.deliveries
---@field plan deskpilot.fleet.artifact_plan?
---@field waiting table[]
---@field count integer that are on their way
---@field changed deskpilot.signal one has been brought there, or given up
local Deliveries = {}
Deliveries.__index = Deliveries

--- Those of a worker; without a plan nothing is brought anywhere. They belong to the task that calls this.
---@param store deskpilot.fleet.store
---@param plan deskpilot.fleet.artifact_plan?
---@param say fun(line: string)
---@return deskpilot.fleet.deliveries
function deliveries.new(store, plan, say)
  return setmetatable({ store = store, plan = plan, say = say, waiting = {}, count = 0, arrived = task.now(),
    changed = signal.new(), owner = task.current() }, Deliveries)
end

-- How long the place may be tried again for one that has waited so long: what is over is over for all of them at once,
-- so that many runs do not wait for a place that is gone one after the other.
local function patience_left(self, one)
  return math.max(0, self.plan.patience - (task.now() - math.max(one.since, self.arrived)))
end

local function command_line(self, one)
  local plan = self.plan
  local argv = { os.getenv("DESKPILOT_BIN") or uv.exepath(), "upload", one.folder, "--to", plan.place, "--as",
    ("%s/%d"):format(one.id, one.attempt), "--max-mb", tostring(plan.megabytes), "--patience",
    ("%.0f"):format(patience_left(self, one)), "--json" }
  if plan.token then table.move({ "--token", plan.token }, 1, 2, #argv + 1, argv) end
  if plan.ca then table.move({ "--ca", plan.ca }, 1, 2, #argv + 1, argv) end
  return argv
end

local function whole(value) return math.tointeger(value) or 0 end

-- Brings one there; what the record is to say of it.
local function bring(self, one)
  local account = { attempt = one.attempt, files = 0,
    place = ("%s/%s/%d"):format(self.plan.place, one.id, one.attempt) }
  local child <close>, err = process.start { argv = command_line(self, one), input = false, output = "head",
    env = environment.lines(uv.os_environ()) } -- proxies of the worker's, too
  if not child then
    account.why = tostring(err)
    return account
  end
  local status, late = child:wait(self.plan.patience + deliveries.timing.longest)
  local said = json.decode(text.trim(child.stdout:contents()), ACCOUNT)
  if type(said) ~= "table" then
    account.why = late and tostring(late) or child:last_words()
    if account.why == "" then account.why = ("deskpilot upload ended with %s"):format(tostring(status)) end
    return account
  end
  account.place, account.files, account.bytes = tostring(said.place), whole(said.files), whole(said.bytes)
  account.missing = whole(said.missing) > 0 and whole(said.missing) or nil
  account.why = account.missing and tostring(said.why) or nil
  if account.files > 0 then self.arrived = task.now() end
  return account
end

-- Writes it into the record, unless a later attempt has done that.
local function write(self, id, account)
  local deadline = task.now() + deliveries.timing.record
  while true do
    local record, revision = self.store:record(id)
    local err
    if record then
      local there = type(record.artifacts) == "table" and record.artifacts or {}
      if whole(there.attempt) > account.attempt then return true end
      record.artifacts = account
      local changed
      changed, err = self.store:change(id, record, revision)
      if changed then return true end
    else
      err = revision
    end
    if err.code == "not_found" or err.code == "protocol" then return true end -- it is older than what is kept
    if self.store.connection.closed or task.now() > deadline then return nil, err end
    if err.code ~= "stale" then task.sleep(1) end
  end
end

local function deliver(self, one)
  local account = bring(self, one)
  local ok, err = write(self, one.id, account)
  if account.why then
    self.say(("%s: its artifacts are not all there: %s"):format(one.id, account.why))
  end
  if not ok then self.say(("%s: where its artifacts are could not be written: %s"):format(one.id, tostring(err))) end
end

local function close(one)
  files.remove(one.mark)
  uv.fs_close(one.fd)
end

local function pump(self)
  while self.count < AT_ONCE and #self.waiting > 0 do
    local one = table.remove(self.waiting, 1)
    self.count = self.count + 1
    task.start_for(self.owner, function()
      local done, why = xpcall(deliver, errors.traceback, self, one)
      self.count = self.count - 1
      if not done and errors.interrupts(why) then error(why, 0) end -- the mark stays for the next worker
      close(one)
      if not done then self.say(("%s: its artifacts: %s"):format(one.id, tostring(why))) end
      pump(self)
      self.changed:notify()
    end)
  end
end

local function queue(self, one)
  one.since = task.now()
  self.waiting[#self.waiting + 1] = one
  pump(self)
end

--- Has a run's artifacts brought there, soon.
---@param id string of the mission
---@param attempt integer
---@param folder string of the run
function Deliveries:add(id, attempt, folder)
  if not self.plan then return end
  local base, run = files.split(folder)
  local mark = files.join(base, ("%s.%d.delivery"):format(run, attempt))
  local fd, err = files.create(mark, { private = true })
  if not fd then
    self.say(("%s: its artifacts stay in %s: %s"):format(id, folder, tostring(err)))
    return
  end
  system.lock_file(fd)
  queue(self, { id = id, attempt = attempt, folder = folder, mark = mark, fd = fd })
end

--- Takes over what workers that were killed have left in a folder of runs.
---@param runs string
---@return integer count
function Deliveries:recover(runs)
  local count = 0
  if not self.plan then return count end
  for _, id in ipairs(files.list(runs)) do
    for _, name in ipairs(id:find "^%x+$" and #id == 32 and files.list(files.join(runs, id)) or {}) do
      local run, attempt = name:match "^([%w_-]+)%.(%d+)%.delivery$"
      local mark = files.join(runs, id, name)
      local fd = run and uv.fs_open(mark, "r", 0)
      if fd and system.lock_file(fd) and files.exists(mark) then
        queue(self, { id = id, attempt = math.tointeger(tonumber(attempt)), folder = files.join(runs, id, run),
          mark = mark, fd = fd })
        count = count + 1
      elseif fd then
        uv.fs_close(fd)
      end
    end
  end
  return count
end

--- How many have not been brought there yet.
---@return integer
function Deliveries:left() return self.count + #self.waiting end

--- Waits until all have been brought there, or given up.
function Deliveries:finish()
  self.changed:wait_until(math.huge, function() return self:left() == 0 end)
end

return deliveries
