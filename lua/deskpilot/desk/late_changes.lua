--- Changes of the screen that come after an act has settled. They are learned for each kind of act, and waited for the
--- next time. What draws the same pixels again is not worth that, nor is a scroll bar that fades out: where a change is
--- waited for, pictures before and after it tell.
local task = require "deskpilot.base.task"

local late_changes = {}

-- The latest, in seconds after the act, that a change is taken for its doing; and between which shares of its time it
-- is expected the next time.
local LATEST, EARLY, LONGER = 1, 0.75, 1.25
local APART = 0.08 -- seconds between two changes that are not one
local MOST_KINDS = 500 -- of acts, that are kept in mind
local CARET_WIDTH, CARET_HEIGHT = 4, 40 -- pixels at most: what is no larger is no change (x11_damage.c)
local BAR, SOLID = 8, 0.8 -- pixels, the greatest width of a scroll bar; the share of its place that it fills at least

---@class deskpilot.late_changes
---@field desk deskpilot.desk
---@field known table<string, { late: number?, misses: integer, redraws: boolean? }> by kind of act. late: seconds from
---  the act's end to a change that came after it had settled; misses: how often it was expected in vain since; redraws:
---  whether one that was waited for was not worth it, so that pictures have to tell
---@field kinds integer how many are known
---@field settle_began number?
---@field picture deskpilot.shot? the screen when nothing but the expected change was waited for, or when an act had
---  settled of which pictures have to tell
---@field kind string? of the act that has settled
---@field settled number? when it had
---@field first number? when the screen has first changed after that
---@field latest number? when it has done so last
---@field count integer how often it has, apart
local LateChanges = {}
LateChanges.__index = LateChanges

---@param desk deskpilot.desk
---@return deskpilot.late_changes
function late_changes.new(desk)
  return setmetatable({ desk = desk, known = {}, kinds = 0, count = 0 }, LateChanges)
end

--- Where two pictures of the screen differ by more than a caret.
---@param before deskpilot.shot
---@param now deskpilot.shot
---@return { x: integer, y: integer, width: integer, height: integer, pixels: integer }? place nil where they do not
---@return boolean? bar whether it is no more than a scroll bar that comes or goes
function late_changes.difference(before, now)
  local place = before:difference(now)
  if not place or place.width <= CARET_WIDTH and place.height <= CARET_HEIGHT then return nil end
  local solid = place.pixels >= SOLID * place.width * place.height -- what a column of letters is not
  return place, solid and place.width <= BAR and place.height > CARET_HEIGHT
end

-- Whether the screen looks otherwise than in the picture, in a way that is worth waiting for.
local function looks_otherwise(self)
  local now = self.picture and self.desk.screen.shot()
  if not now then return true end
  local place, bar = late_changes.difference(self.picture, now)
  return place ~= nil and not bar
end

local function learned(self, kind)
  local of_kind = self.known[kind]
  if of_kind then return of_kind end
  if self.kinds >= MOST_KINDS then self.known, self.kinds = {}, 0 end
  of_kind, self.kinds = { misses = 0 }, self.kinds + 1
  self.known[kind] = of_kind
  return of_kind
end

local function note_change(self)
  local changed = self.desk.native:last_change() / 1e9
  if changed <= self.settled then return end
  if not self.first or changed > self.latest + APART then self.count = self.count + 1 end
  self.first, self.latest = self.first or changed, changed
end

-- A change that came after the latest settle, and soon enough to be the act's doing, is waited for the next time. Where
-- the screen has changed again some time later, it has a rhythm of its own.
local function learn(self)
  local late = self.first and self.first - self.settle_began
  if not late or late > LATEST or self.count ~= 1 then return end
  local of_kind = learned(self, self.kind)
  if of_kind.redraws and not looks_otherwise(self) then return end
  of_kind.late, of_kind.misses = late, 0
end

--- An act begins: what changes from now on is its doing.
function LateChanges:begin()
  if self.settled then learn(self) end
  self.desk.event_pump:listen(nil)
  self.settled, self.first, self.picture = nil, nil, nil
end

--- Settling begins.
function LateChanges:settling()
  self.settle_began, self.picture = task.now(), nil
end

-- Whether a change has come at the time at which it is expected.
local function has_come(self, late)
  return self.desk.native:last_change() / 1e9 >= self.settle_began + late * EARLY
end

--- Until when a change is waited for that such acts have made late before; nil where there is none, or it has come.
---@param kind string
---@return number? limit task.now
function LateChanges:expected(kind)
  local late = learned(self, kind).late
  if not late or has_come(self, late) then return nil end
  local limit = self.settle_began + late * LONGER
  return task.now() < limit and limit or nil
end

--- Nothing but the expected change is waited for any more: this is the screen before it.
function LateChanges:take_picture()
  self.picture = self.desk.screen.shot()
end

-- An expectation that was in vain twice is given up; at once where what came was no change. What came while the act was
-- going on anyway tells nothing.
local function judge_expectation(self, of_kind)
  if not has_come(self, of_kind.late) then
    of_kind.misses = of_kind.misses + 1
    if of_kind.misses >= 2 then of_kind.late = nil end
  elseif self.picture then
    of_kind.misses = 0
    if not looks_otherwise(self) then of_kind.late, of_kind.redraws = nil, true end
  end
end

--- An act has settled. What changes from now on comes late.
---@param kind string
function LateChanges:over(kind)
  local of_kind = learned(self, kind)
  if of_kind.late then judge_expectation(self, of_kind) end
  self.picture = of_kind.redraws and self.desk.screen.shot() or nil
  self.kind, self.settled, self.first, self.count = kind, task.now(), nil, 0
  if self.desk.watching then self.desk.event_pump:listen(function() note_change(self) end) end
end

--- Nothing is noted any more.
function LateChanges:close()
  self.desk.event_pump:listen(nil)
end

return late_changes
