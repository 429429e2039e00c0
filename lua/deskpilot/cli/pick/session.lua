--- `deskpilot pick` while it runs: looks at what the pointer is on whenever it has moved or the screen has changed,
--- shows that, and copies its line when it is told to.
local errors = require "deskpilot.base.errors"
local keys = require "deskpilot.cli.pick.keys"
local picked = require "deskpilot.replay.picked"
local rects = require "deskpilot.desk.picture.rect"
local task = require "deskpilot.base.task"
local terminal = require "deskpilot.cli.terminal"

local session = {}

-- Seconds.
local every = 0.03 -- between two looks at the pointer
local pause = 0.25 -- between two looks at a screen that keeps changing

local thick = 3 -- pixels of the frame's sides (native.desk:highlight)

---@class deskpilot.pick_session
---@field desk deskpilot.desk
---@field view deskpilot.pick_view
---@field now deskpilot.picked? what was seen last
---@field frame deskpilot.rect? that is on the screen
---@field wanted boolean? somebody wants the line
---@field copied boolean? something was
---@field stopped boolean?
local Session = {}
Session.__index = Session

local function grown(rect, by)
  return { x = rect.x - by, y = rect.y - by, width = rect.width + 2 * by, height = rect.height + 2 * by }
end

-- Whether a pixel is one that the frame covers.
local function covers(frame, x, y)
  return rects.contains(frame, x, y) and not rects.contains(grown(frame, -thick), x, y)
end

-- Puts the frame there, or takes it away. Never where the pointer is: its pixel's colour is to be told.
local function show_frame(self, frame, x, y)
  if self.no_frame then return end
  if frame and covers(frame, x, y) then frame = nil end
  if frame and self.frame and rects.equal(frame, self.frame) then return end
  local ok, err = true, nil
  if frame or self.frame then ok, err = self.desk.native:highlight(frame) end
  self.frame = frame
  if ok then return end
  self.no_frame, self.frame = true, nil
  self.view:keep("no frame is shown on the screen: " .. tostring(err))
end

-- The frame lies around what it shows, and inside of it at the edges of the screen.
local function frame_of(self, place)
  local screen = place and self.desk.native:screen()
  return screen and rects.intersection(grown(place, thick), screen)
end

local function look(self, x, y)
  if self.frame and covers(self.frame, x, y) then
    show_frame(self, nil, x, y)
    self.desk.settle { quiet = 0.05, floor = 0.02, cap = 0.5 } -- what lies below is drawn by its program
  end
  self.looked, self.x, self.y = task.now(), x, y
  local now, err = picked.at(self.desk, x, y)
  if not now then return nil, err end
  self.now = now
  show_frame(self, frame_of(self, now.place), x, y)
  self.view:show(now)
  return true
end

local function copy(self)
  self.wanted = false
  local line = self.now.line
  local ok, err = self.desk.clipboard.set(line)
  self.copied = self.copied or ok
  if not ok then
    self.view:keep("it was not copied: " .. tostring(err))
  elseif self.view.live then
    self.view:keep(line)
  else
    self.view:keep("copied: " .. line)
  end
  if self.view.live then self.view:show(self.now) end
end

-- Whether it is time to look again.
local function is_due(self, x, y)
  if not self.now or x ~= self.x or y ~= self.y or self.wanted then return true end
  return task.now() - self.looked > pause and self.desk.native:last_change() / 1e9 > self.looked
end

local function step(self)
  local ok, err = self.desk.native:pump()
  if not ok then return nil, err end
  local x, y = self.desk.mouse.position()
  if not x then return nil, y end
  if is_due(self, x, y) then
    ok, err = look(self, x, y)
    if not ok then return nil, err end
  end
  if self.wanted then copy(self) end
  task.sleep(every)
  return true
end

-- The keys that copy from any window. Both ways: the first keeps them from applications, the second works in a menu.
local function watch_keys(self, combo)
  local taken, refused = self.desk.hotkeys.on(combo, function() end)
  local watched, err = self.desk.hotkeys.on(combo, function() self.wanted = true end, { watch = true })
  if not watched then return nil, err end
  if not taken then terminal.note(("deskpilot: applications get %s too: %s\n"):format(combo, tostring(refused))) end
  return true
end

--- Ends it, from outside.
function Session:stop()
  self.stopped = true
end

--- Picks until it is stopped.
---@param combo string the keys that copy from any window
---@return boolean? ok, deskpilot.error? err
function Session:run(combo)
  local desk = self.desk
  desk:watch() -- where it cannot, only the pointer's moves are seen
  local watched, err = watch_keys(self, combo)
  local reader = keys.start(function(order)
    if order == "copy" then self.wanted = true else self:stop() end
  end)
  local _ <close> = setmetatable({}, { __close = function()
    if reader then reader.close() end
    desk.native:highlight(nil)
  end })
  terminal.note(("deskpilot: move the pointer; %s%s%s\n"):format(
    watched and combo .. (reader and " or Enter here" or "") .. " copies the line, " or reader
      and "Enter here copies the line, " or "", reader and "q or " or "",
    reader and "Ctrl+C ends" or "Ctrl+C or a signal ends it"))
  if not watched then terminal.complain(("%s does not copy: %s"):format(combo, tostring(err))) end
  local ok, done, why = task.interruptible(function()
    local going, failure = true, nil
    while going and not self.stopped do going, failure = step(self) end
    return going, failure
  end)
  if not ok and not errors.is(done, "cancelled") then error(done, 0) end
  if ok and not done then return nil, why end
  return true
end

--- A session on a desk.
---@param desk deskpilot.desk
---@param view deskpilot.pick_view
---@return deskpilot.pick_session
function session.new(desk, view)
  return setmetatable({ desk = desk, view = view }, Session)
end

return session
