--- The queues that a worker takes missions from: one of those without tags, and one for each set of tags that missions
--- have asked for and the worker offers. A mission is only ever given to somebody who may run it, so that none is
--- handed to and fro, and none that nobody can run is in the way of others.
local errors = require "deskpilot.base.errors"
local signal = require "deskpilot.base.signal"
local tags = require "deskpilot.fleet.tags"
local task = require "deskpilot.base.task"

local queues = {}

local PAUSE = 1 -- seconds, before sets of tags are asked for again

---@class deskpilot.fleet.queues
local Queues = {}
Queues.__index = Queues

local function add(self, name)
  if self.named[name] then return end
  local one = { puller = self.store:queue(name) }
  self.named[name] = one
  self.list[#self.list + 1] = one
  self.changed:notify()
end

-- Learns of sets of tags, those that are there and new ones.
local function listen(self)
  while true do
    local watch <close> = self.store.tag_sets:watch()
    while watch do
      local entry = watch:next(3600)
      local list = entry and not entry.deleted and tags.of_name(entry.key)
      if list and tags.include(self.offered, list) then add(self, tags.name(list)) end
      if not entry and self.store.connection.closed then return end
    end
    task.sleep(PAUSE)
  end
end

--- What a worker takes missions from; it belongs to the task that opens it.
---@param store deskpilot.fleet.store
---@param offered string[] the worker's tags
---@return deskpilot.fleet.queues
function queues.open(store, offered)
  local self = setmetatable({ store = store, offered = offered, list = {}, named = {}, last = 0,
    changed = signal.new(), owner = task.current() }, Queues)
  add(self, "")
  if #offered > 0 then self.listening = task.start(listen, self) end
  return self
end

-- What is there already, of the queue whose turn it is. If all were asked at once, one that answers quickly would
-- starve the others.
local function poll(self)
  for i = 1, #self.list do
    local at = (self.last + i - 1) % #self.list + 1
    local one = self.list[at]
    if not one.busy and self.wanted then
      one.busy = true
      local free <close> = setmetatable({}, { __close = function() one.busy = false end })
      assert(free)
      local messages, err = one.puller:fetch(1, 0)
      if not messages then return nil, err end
      if messages[1] then
        self.last = at
        return messages[1]
      end
    end
  end
end

-- Waits for a message of one queue. What comes when none is wanted any more goes back at once.
local function fetch(self, at, seconds)
  local one = self.list[at]
  one.busy = true
  one.task = task.start_for(self.owner, function()
    local ok, messages, err = xpcall(one.puller.fetch, errors.traceback, one.puller, 1, seconds)
    local message = ok and messages and messages[1]
    if message and not self.wanted then
      message:nak()
    elseif self.wanted then
      self.wanted, self.last = false, at
      self.got = { message = message or nil, error = not ok and messages or err }
    end
    one.busy = false
    self.changed:notify()
  end)
end

--- Takes one message. The queues have their turns, so that none of them starves.
---@param seconds number
---@return deskpilot.jetstream.message? message nil where none came in time
---@return deskpilot.error? err as of a fetch
function Queues:take(seconds)
  self.wanted, self.got = true, nil
  local leave <close> = setmetatable({}, { __close = function() self.wanted = false end })
  assert(leave)
  local message, err = poll(self)
  if err then return nil, err end
  if message then
    if self.got and self.got.message then self.got.message:nak() end
    return message
  end
  while not self.got do
    for at, one in ipairs(self.list) do
      if self.wanted and not one.busy then fetch(self, at, seconds) end
    end
    if not self.got then self.changed:wait(math.huge) end
  end
  return self.got.message, self.got.error
end

--- Takes no more; what comes yet goes back.
function Queues:close()
  if self.listening then self.listening:cancel "no more missions are taken" end
  for _, one in ipairs(self.list) do
    if one.task then one.task:cancel "no more missions are taken" end
    one.puller:close()
  end
end

Queues.__close = Queues.close

return queues
