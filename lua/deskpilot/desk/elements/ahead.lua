--- A reading of all elements that is begun before somebody asks for it: while a settle waits for the last frames, in
--- which nothing is expected to change any more. It holds for who asks next, where nothing was drawn, no window has
--- changed and no act has begun since it began.
local task = require "deskpilot.base.task"

local ahead = {}

local LONGEST = 0.2 -- seconds for which a reading holds; what is not drawn may change unnoticed

---@class deskpilot.elements_ahead
---@field desk deskpilot.desk
---@field read fun(criteria: table): deskpilot.element[]?, deskpilot.error?
---@field reading { task: deskpilot.task, began: number, windows: integer }?
local Ahead = {}
Ahead.__index = Ahead

---@param desk deskpilot.desk
---@param read fun(criteria: table): deskpilot.element[]?, deskpilot.error?
---@return deskpilot.elements_ahead
function ahead.new(desk, read)
  return setmetatable({ desk = desk, read = read }, Ahead)
end

local function holds(self, reading)
  local desk = self.desk
  return desk.watching and desk.native:pump() ~= nil and desk.native:last_change() / 1e9 < reading.began
    and desk.native:window_changes() == reading.windows and task.now() < reading.began + LONGEST
end

--- Begins to read. Where a reading goes on already, or one holds, it is that one.
function Ahead:begin()
  local reading = self.reading
  if reading and (not reading.task:ended() or holds(self, reading)) then return end
  local began, windows = task.now(), self.desk.native:window_changes()
  self.reading = { began = began, windows = windows, task = task.start(self.read, {}) }
end

--- An act begins: what was read is over.
function Ahead:forget()
  self.reading = nil
end

--- What was read, for one who asks; nil where it does not hold, or nothing was begun.
---@return deskpilot.element[]?
function Ahead:take()
  local reading = self.reading
  self.reading = nil
  if not reading or not holds(self, reading) then return nil end
  local ok, list = reading.task:wait()
  return ok and list and holds(self, reading) and list or nil
end

return ahead
