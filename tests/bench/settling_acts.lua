--- Acts whose settling is measured, and how: the fixed quiet time and settling by cause take turns, act by act, so that
--- the load of the machine is the same for both.
local harness = require "harness"
local late_changes = require "deskpilot.desk.late_changes"
local task = require "deskpilot.base.task"
local timing = require "deskpilot.desk.wait.timing"

local settling_acts = {}

local ROUNDS = tonumber(os.getenv "ROUNDS") or 10
local AFTER = tonumber(os.getenv "AFTER") or 1.0 -- seconds that are watched after an act has settled

function settling_acts.press(keys) return function(desk) assert(desk.keyboard.press(keys)) end end

function settling_acts.write(words) return function(desk) assert(desk.keyboard.type(words)) end end

function settling_acts.scroll(notches) return function(desk) assert(desk.mouse.scroll { dy = notches }) end end

--- A click into the active window, at shares of its size.
function settling_acts.click(x, y)
  return function(desk)
    local window = assert(desk.windows.active())
    assert(desk.mouse.click { x = window.x + math.floor(x * window.width),
      y = window.y + math.floor(y * window.height) })
  end
end

--- Whether an application is among those that are wanted (APPS=xterm,mousepad).
function settling_acts.wanted(name)
  local list = os.getenv "APPS"
  return not list or ("," .. list .. ","):find("," .. name .. ",", 1, true) ~= nil
end

local function median(list, share)
  table.sort(list)
  return #list > 0 and list[math.max(1, math.ceil(#list * (share or 0.5)))] or 0 / 0
end

local function load_average()
  local file <close> = io.open "/proc/loadavg"
  return file and file:read "a":match "^%S+" or "?"
end

local function keep(settled, before, after)
  local folder = os.getenv "PICTURES"
  if not folder then return end
  local name = ("%s/%.3f"):format(folder, settled)
  assert(before:save(name .. "_before.png"))
  assert(after:save(name .. "_after.png"))
end

-- Whether the screen changes after the act has settled: seconds after the settle, where the pictures differ, and
-- whether that is only a scroll bar. What draws the same pixels again is told apart: then there is no difference. A
-- picture is taken whenever something has been drawn, so that what appears and goes again is seen too. Two that differ
-- are kept in the folder PICTURES, where it is given.
local function late_change(desk)
  local settled, picture = task.now(), desk.screen.shot()
  local first, seen, place, bar
  local function compare()
    local now = desk.screen.shot()
    local where, is_bar = late_changes.difference(picture, now)
    if where and (not place or bar) then
      place, bar = where, is_bar
      if not bar then keep(settled, picture, now) end
    end
  end
  desk.wait_until(function()
    assert(desk.native:pump())
    local changed = desk.native:last_change() / 1e9
    if changed > (seen or settled) then
      first, seen = first or changed - settled, changed
      compare()
    end
    return false
  end, { timeout = AFTER, every = 0.02 })
  if first then compare() end
  return first, place, bar
end

local function note_late_change(desk, way)
  local late, place, bar = late_change(desk)
  if not late then return end
  if not place then way.redrawn = way.redrawn + 1
  elseif bar then way.bars = way.bars + 1
  else table.insert(way.late, ("%.0f: %dx%d at %d,%d"):format(late * 1000, place.width, place.height, place.x, place.y))
  end
end

local function new_way()
  return { times = {}, late = {}, redrawn = 0, bars = 0, reasons = {}, least = math.huge, known = {} }
end

local function measure(desk, act)
  desk.timing.settle_by_cause = true
  local ways = { new = new_way(), old = new_way() }
  for round = 1, 2 * ROUNDS do
    local by_cause = round // 2 % 2 == 1 -- of an act that goes to and fro, each way gets both directions
    local way = ways[by_cause and "new" or "old"]
    local quiet = not by_cause and timing.of(desk, "settle_quiet") or nil
    act(desk)
    desk.pending_work.late.known = way.known -- what comes late after the other way's acts is none of this one's
    local settled = assert(desk.settle { quiet = quiet })
    table.insert(way.times, settled.seconds * 1000)
    way.reasons[settled.reason] = (way.reasons[settled.reason] or 0) + 1
    local why = settled.reason ~= "idle" and desk.pending_work.unknown
    if why then way.reasons[why] = (way.reasons[why] or 0) + 1 end
    local late = #way.late
    note_late_change(desk, way)
    if #way.late == late then way.least = math.min(way.least, settled.seconds * 1000) end -- else it was too early
  end
  local function words(way)
    local reasons = {}
    for reason, count in pairs(way.reasons) do reasons[#reasons + 1] = reason .. " " .. count end
    table.sort(reasons)
    local late = ("late %d/%d (%s), drawn again %d, scroll bar %d"):format(#way.late, ROUNDS,
      table.concat(way.late, "; "), way.redrawn, way.bars)
    return ("%6.0f %6.0f  %s  %s"):format(median(way.times), median(way.times, 0.9), late, table.concat(reasons, ", "))
  end
  print("  fixed " .. words(ways.old))
  print("  cause " .. words(ways.new))
  harness.eq(#ways.new.times, ROUNDS)
  if (ways.new.reasons.idle or 0) > 0 then
    harness.ok(#ways.new.late <= #ways.old.late, "not more often too early than after the quiet time")
    local sooner = math.min(table.unpack(ways.new.times)) < ways.old.least
    local too_early = #ways.old.late > ROUNDS / 2 -- the quiet time is over before the act is
    harness.ok(sooner or too_early, "what settles by its cause does so before the quiet time is over")
  end
end

--- Measures each of an application's acts and prints what it has found.
---@param desk deskpilot.desk on which the application is in front
---@param name string of the application
---@param acts table[] { name, function(desk) }
function settling_acts.measure(desk, name, acts)
  assert(desk:watch())
  desk.settle { quiet = 1.5, cap = 8 }
  for _, act in ipairs(acts) do
    print(("%s: %s (load %s)"):format(name, act[1], load_average()))
    measure(desk, act[2])
  end
end

return settling_acts
