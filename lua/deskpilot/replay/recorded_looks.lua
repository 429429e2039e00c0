--- The looks at the screen of a recording: what an act has hit is told by the latest one that was over before it.
local errors = require "deskpilot.base.errors"
local looking = require "deskpilot.agent.looking"
local task = require "deskpilot.base.task"

local recorded_looks = {}

local kept = 4
local idle = 2 -- seconds after which a screen that has not changed is looked at all the same: focus may have moved

---@class deskpilot.recorded_look
---@field seen deskpilot.observation
---@field began number task.now
---@field ended number?

---@class deskpilot.recorded_looks
---@field run deskpilot.run
---@field list deskpilot.recorded_look[] the latest, the oldest first
---@field first table<string, number> when each element that is there was seen first, by its handle
local Looks = {}
Looks.__index = Looks

local function as_it_is(width, height) return width, height end

local function note_new(self, seen, began)
  local first = {}
  for _, element in ipairs(seen.tree or {}) do
    if element.handle then first[element.handle] = self.first[element.handle] or began end
  end
  self.first = first
end

--- Looks; nothing of it is written down yet.
---@return deskpilot.recorded_look? look nil where the screen cannot be seen
function Looks:take()
  local began, last = task.now(), self:latest()
  local seen, err = looking.take(self.run, { size = as_it_is, format = "png" }, last and last.seen)
  if not seen then
    if not errors.is(err, "unavailable") then self.run:note("the screen could not be looked at: " .. tostring(err)) end
    return nil
  end
  local look = { seen = seen, began = began, ended = task.now() }
  note_new(self, seen, began)
  self.list[#self.list + 1] = look
  if #self.list > kept then table.remove(self.list, 1) end
  return look
end

---@return deskpilot.recorded_look?
function Looks:latest()
  return self.list[#self.list]
end

--- The latest look that was over at that time; the oldest where none was.
---@param at number task.now
---@return deskpilot.recorded_look?
function Looks:before(at)
  for i = #self.list, 1, -1 do
    if self.list[i].ended <= at then return self.list[i] end
  end
  return self.list[1]
end

--- An element as the look before that time had it.
---@param element deskpilot.element
---@param at number task.now
---@return deskpilot.element?
function Looks:element_before(element, at)
  local before = self:before(at)
  for _, other in ipairs(before and before.seen.tree or {}) do
    if other.handle == element.handle then return other end
  end
end

--- Whether it is time to look again: something has changed since the latest, which is at least `pause` seconds ago.
---@param pause number
---@return boolean
function Looks:is_due(pause)
  local last, now, native = self:latest(), task.now(), self.run.desk.native
  if not last then return true end
  if now - last.ended < pause then return false end
  native:pump()
  return native:last_change() / 1e9 > last.began or now - last.ended > idle
end

--- Makes a look the run's latest, written down once. Raises what goes wrong: nothing can be recorded then.
---@param look deskpilot.recorded_look
function Looks:use(look)
  if look.seen.path then
    self.run.observation = look.seen
    return
  end
  local ok, err = looking.keep(self.run, look.seen, look.began)
  if not ok then error(err, 0) end
end

--- The looks of a run.
---@param run deskpilot.run
---@return deskpilot.recorded_looks
function recorded_looks.new(run)
  return setmetatable({ run = run, list = {}, first = {} }, Looks)
end

return recorded_looks
