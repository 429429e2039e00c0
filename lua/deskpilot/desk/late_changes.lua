--- Changes of the screen that come after an act has settled. They are learned for each kind of act, and waited for the
--- next time. What draws the same pixels again is not worth that, nor is a scroll bar that fades out: pictures before
--- and after a change tell.
local pointer = require "deskpilot.desk.picture.pointer"
local shots = require "deskpilot.desk.picture.shot"
local task = require "deskpilot.base.task"

local late_changes = {}

-- The latest, in seconds after the act, that a change is taken for its doing; and between which shares of its time it
-- is expected the next time.
local LATEST, EARLY, LONGER = 1, 0.75, 1.25
local APART = 0.08 -- seconds between two changes that are not one
local LEAST_PATIENCE, MOST_PATIENCE = 2, 4 -- how often a change may be expected in vain, at first and at most
local MOST_KINDS = 500 -- of acts, that are kept in mind
local CARET_WIDTH, CARET_HEIGHT = 4, 40 -- pixels at most: what is no larger is no change (x11_damage.c)
local BAR, SOLID = 8, 0.8 -- pixels, the greatest width of a scroll bar; the share that it fills between its ends
local APART_BY = 16 -- pixels between two places each of which differs for itself

---@class deskpilot.late_changes
---@field desk deskpilot.desk
---@field known table<string, { late: number?, misses: integer, patience: integer }> by kind of act. late: seconds from
---  the act's end to a change that came after it had settled; misses: how often it was expected in vain since;
---  patience: how often that may be
---@field kinds integer how many are known
---@field settle_began number?
---@field picture deskpilot.shot? the screen when nothing but the expected change was waited for, or when the act had
---  settled
---@field memory { before: deskpilot.shot?, now: deskpilot.shot? } pictures of earlier acts, in whose memory the next
---  are taken: they are megabytes, and there is one for each act
---@field kind string? of the act that has settled
---@field settled number? when it had
---@field moving boolean? whether an animation of its page has gone on
---@field first number? when the screen has first changed after that
---@field latest number? when it has done so last
---@field count integer how often it has, apart
local LateChanges = {}
LateChanges.__index = LateChanges

---@param desk deskpilot.desk
---@return deskpilot.late_changes
function late_changes.new(desk)
  return setmetatable({ desk = desk, known = {}, kinds = 0, count = 0, memory = {} }, LateChanges)
end

local function is_caret(place) return place.width <= CARET_WIDTH and place.height <= CARET_HEIGHT end

-- Whether a place where pictures differ is a scroll bar: narrow, higher than a letter, and without a gap, which a
-- column of letters has. Its ends may be wider than the rest.
local function is_bar(before, now, place)
  if place.width > BAR or place.height <= CARET_HEIGHT then return false end
  local middle = before:difference(now, { area = { x = place.x, y = place.y + place.height // 4, width = place.width,
    height = place.height // 2 } })
  return middle ~= nil and middle.pixels >= SOLID * middle.width * (place.height // 2)
end

-- The places in `place` that differ, from left to right: between two of them nothing does for APART_BY pixels.
local function beside_one_another(before, now, place)
  local places = {}
  for x = place.x, place.x + place.width - 1, APART_BY do
    local strip = { x = x, y = place.y, width = math.min(APART_BY, place.x + place.width - x), height = place.height }
    local found, latest = before:difference(now, { area = strip }), places[#places]
    if found and latest and found.x < latest.x + latest.width + APART_BY then
      latest.width = found.x + found.width - latest.x
    elseif found then
      places[#places + 1] = { x = found.x, y = place.y, width = found.width, height = place.height }
    end
  end
  return places
end

-- Whether in `place` a scroll bar comes or goes, and at most a caret with it.
local function only_a_bar(before, now, place)
  if is_bar(before, now, place) then return true end
  if place.pixels > BAR * place.height + CARET_WIDTH * CARET_HEIGHT then return false end
  local bars, carets, places = 0, 0, beside_one_another(before, now, place)
  for _, each in ipairs(places) do
    local exact = before:difference(now, { area = each })
    if is_caret(exact) then carets = carets + 1 elseif is_bar(before, now, exact) then bars = bars + 1 end
  end
  return #places == 2 and bars == 1 and carets == 1
end

--- Where two pictures of the screen differ by more than a caret.
---@param before deskpilot.shot
---@param now deskpilot.shot
---@return { x: integer, y: integer, width: integer, height: integer, pixels: integer }? place nil where they do not
---@return boolean? bar whether it is no more than a scroll bar that comes or goes, and a caret
function late_changes.difference(before, now)
  local place = before:difference(now)
  if not place or is_caret(place) then return nil end
  return place, only_a_bar(before, now, place)
end

-- The screen as it is, and as an agent's look shows it, in the memory of the picture that was taken under that name
-- before.
local function picture_of(self, name)
  local last = self.memory[name]
  local image = self.desk.native:capture { cursor = pointer.shown(self.desk) ~= nil, into = last and last.native }
  self.memory[name] = image and shots.new(image)
  return self.memory[name]
end

-- Whether the screen looks otherwise than in the picture, in a way that is worth waiting for.
local function looks_otherwise(self)
  local now = self.picture and picture_of(self, "now")
  if not now then return true end
  local place, bar = late_changes.difference(self.picture, now)
  return place ~= nil and not bar
end

local function learned(self, kind)
  local of_kind = self.known[kind]
  if of_kind then return of_kind end
  if self.kinds >= MOST_KINDS then self.known, self.kinds = {}, 0 end
  of_kind, self.kinds = { misses = 0, patience = LEAST_PATIENCE }, self.kinds + 1
  self.known[kind] = of_kind
  return of_kind
end

local function note_change(self)
  local changed = self.desk.native:last_act_change() / 1e9
  if changed <= self.settled then return end
  if not self.first or changed > self.latest + APART then self.count = self.count + 1 end
  self.first, self.latest = self.first or changed, changed
end

-- A change that came after the latest settle, and soon enough to be the act's doing, is waited for the next time. Where
-- the screen has changed again some time later, it has a rhythm of its own. Beside an animation that goes on nothing is
-- learned: its next frame comes late too, and not each of them changes all places on its way.
local function learn(self)
  local late = self.first and self.first - self.settle_began
  if not late or late > LATEST or self.count ~= 1 or self.moving then return end
  if not looks_otherwise(self) then return end
  local of_kind = learned(self, self.kind)
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
  return self.desk.native:last_act_change() / 1e9 >= self.settle_began + late * EARLY
end

local function latest_time(self, late) return self.settle_began + late * LONGER end

--- Until when a change is waited for that such acts have made late before; nil where there is none, or it has come.
---@param kind string
---@return number? limit task.now
function LateChanges:expected(kind)
  local late = learned(self, kind).late
  if not late or has_come(self, late) then return nil end
  local limit = latest_time(self, late)
  return task.now() < limit and limit or nil
end

--- Nothing but the expected change is waited for any more: this is the screen before it.
function LateChanges:take_picture()
  self.picture = picture_of(self, "before")
end

-- An expectation that was in vain twice is given up, or a few times where it has been met before: not all that acts of
-- a kind are done on need be alike. It is given up at once where what came was no change. What came while the act was
-- going on anyway tells nothing, nor does what was not waited for.
local function judge_expectation(self, of_kind)
  if not has_come(self, of_kind.late) then
    if task.now() < latest_time(self, of_kind.late) then return end
    of_kind.misses = of_kind.misses + 1
    if of_kind.misses >= of_kind.patience then of_kind.late, of_kind.patience = nil, LEAST_PATIENCE end
  elseif self.picture then
    of_kind.misses, of_kind.patience = 0, math.min(of_kind.patience + 1, MOST_PATIENCE)
    if not looks_otherwise(self) then of_kind.late = nil end
  end
end

--- An act has settled. What changes from now on comes late.
---@param kind string
---@param moving boolean? whether an animation of its page goes on
function LateChanges:over(kind, moving)
  local of_kind = learned(self, kind)
  if of_kind.late then judge_expectation(self, of_kind) end
  self.kind, self.settled, self.moving, self.first, self.count = kind, task.now(), moving, nil, 0
  self.picture = picture_of(self, "before")
  if self.desk.watching then self.desk.event_pump:listen(function() note_change(self) end) end
end

--- Nothing is noted any more.
function LateChanges:close()
  self.desk.event_pump:listen(nil)
end

return late_changes
