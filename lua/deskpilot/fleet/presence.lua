--- That a worker is there: its signs of life, by which others know it and what it runs, and the orders that it obeys.
local uv = require "luv"
local control = require "deskpilot.fleet.control"
local json = require "deskpilot.base.json"
local platform = require "deskpilot.desk.platform"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"
local timing = require("deskpilot.fleet.store").timing

local presence = {}

local SOON = 0.5   -- seconds: signs of life are at least so far from each other
local GOODBYE = 10 -- seconds for a run that is told to end

---@class deskpilot.fleet.presence
---@field worker deskpilot.fleet.worker
---@field seen number when the latest sign of life was kept by the server
local Presence = {}
Presence.__index = Presence

--- Ends what is run, if it runs yet: a run that is told to end writes down that it did. It is told once, since the
--- second signal would end it on the spot. Windows has no such signal: the run ends there and then.
---@param entry table of worker.running
function presence.stop(entry)
  local child = entry.child
  if not child or child == entry.told then return end
  entry.told = child
  if not platform.polite then child:kill() return end
  local deadline = task.now() + GOODBYE
  if not child.status then uv.kill(child.pid, "sigterm") end
  while not child.status and task.now() < deadline do task.sleep(0.05) end
  if not child.status then child:stop() end
end

local function status_line(worker)
  return json.encode { version = 1, slots = worker.options.slots, running = json.list(text.keys(worker.running)),
    tags = json.list(worker.options.tags),
    draining = worker.draining or nil }
end

-- Tells that the worker is there, and that its missions are worked on. One that could not for longer than others wait
-- for it has lost them: they are stopped.
local function sign_of_life(self)
  local worker = self.worker
  local written = worker.store.workers:put(worker.name, status_line(worker))
  for _, entry in pairs(worker.running) do
    if not entry.lost then entry.message:in_progress() end
  end
  if written then
    self.seen = task.now()
  elseif task.now() - self.seen > timing.worker then
    for id, entry in pairs(worker.running) do
      if not entry.lost then
        worker.say(("%s: the server is away, so it is no longer this worker's"):format(id))
        entry.lost = true
        task.start(presence.stop, entry)
      end
    end
  end
end

local function live(self)
  while true do
    task.sleep(SOON)
    if not self.news then
      task.limit(timing.sign_of_life - SOON, task.await, function(done)
        self.tell = done
        return function() self.tell = nil end
      end)
      self.tell = nil
    end
    self.news = nil
    sign_of_life(self)
  end
end

local function orders(worker)
  return {
    cancel = function(order)
      local entry = worker.running[order.id]
      if not entry then return { error = "it does not run that mission" } end
      entry.cancelled = true
      task.start(presence.stop, entry)
    end,
    drain = function()
      worker:drain()
      return { running = worker.count }
    end,
  }
end

--- Begins; the worker is known when this returns.
---@param worker deskpilot.fleet.worker
---@return deskpilot.fleet.presence? presence, deskpilot.error? err
function presence.begin(worker)
  local self = setmetatable({ worker = worker, seen = task.now() }, Presence)
  sign_of_life(self)
  local err
  self.ignore, err = control.obey(worker.store.connection, worker.name, orders(worker))
  if not self.ignore then return nil, err end
  self.living = task.start(live, self)
  return self
end

--- Has the next sign of life come soon, since it tells something else than the one before.
function Presence:changed()
  self.news = true
  if self.tell then self.tell() end
end

--- Ends it: nobody waits for the worker any more.
function Presence:close()
  self.living:cancel "the worker has ended"
  self.ignore()
  if not self.worker.store.connection.closed then self.worker.store.workers:delete(self.worker.name) end
end

return presence
