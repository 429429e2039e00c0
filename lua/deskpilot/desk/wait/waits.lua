--- desk.settle, desk.wait_for_change and desk.wait_until: wait until the screen is quiet, until it changes, and until a
--- function of the caller's says so. The waits for windows, elements, text and pictures (wait_for.lua) are built on
--- look_until and windows_changed.
local errors = require "deskpilot.base.errors"
local task = require "deskpilot.base.task"
local timing = require "deskpilot.desk.wait.timing"
local capture = require "deskpilot.desk.picture.capture"

local waits = {}

-- Least seconds between two checks, however fast the screen changes.
local MIN_INTERVAL = 0.01

-- The quiet time and the cap: the call's options, or what holds now.
local function settle_times(desk, options)
  local quiet, cap = options.quiet, options.cap
  if quiet and cap then return quiet, cap end
  local now_quiet, now_cap = timing.of(desk, "settle_quiet", "settle_cap")
  return quiet or now_quiet, cap or now_cap
end

---@class deskpilot.settle_options times in seconds
---@field quiet number? a screen without a change for so long is settled
---@field floor number? least time to wait for a first change
---@field cap number? timeout, after which a screen that still changes is taken as it is
---@field elements boolean? whether the elements are asked for next: they may be read beside the last frames
---@field past boolean? whether the time before the call counts too, as far as the desk was watching (desk:watch)

---@class deskpilot.settled
---@field seconds number
---@field reason "idle"|"animation"|"quiet"|"cap" idle: nothing of the act is on its way any more; animation: nothing
---  but an animation of the page that has no end, or what moved by itself before the act; quiet: there was no change
---  for the quiet time; cap: it still changes
---@field unknown deskpilot.settle_unknown? of an act: why only the quiet time could tell

-- When the screen has been quiet for long enough, if nothing changes any more.
local function calm_at(desk, from, quiet)
  return math.max(from, desk.pending_work:last_change()) + quiet
end

-- Whether something still does that has moved by itself before the act.
local function moves_by_itself(desk, quiet)
  local latest = desk.native:last_change() / 1e9
  return latest > desk.pending_work:last_change() and task.now() < latest + quiet
end

-- Why the screen has settled, but for a change that is expected; nil where it has not. Where something is known to be
-- on its way, quiet is not enough. A wait that ends after the quiet time is over is not waited for.
local function reason_now(desk, from, times, calm, now)
  local work = desk.pending_work
  if times.by_cause and work:may_be_known() then
    local none, moving = work:is_none(calm)
    if none and moving then return "animation" end
    if none and calm_at(desk, from, times.quiet) == calm then
      return moves_by_itself(desk, times.quiet) and "animation" or "idle"
    end
  end
  if now < calm or times.by_cause and work:under_way() then return nil end
  return moves_by_itself(desk, times.quiet) and "animation" or "quiet"
end

-- Until the screen has settled: nothing is on its way any more, or it was quiet for long enough, or the timeout.
local function reason_to_go_on(desk, began, from, times)
  local work, earliest, latest = desk.pending_work, began + times.floor, began + times.cap
  while true do
    local ok, err = desk.native:pump()
    if not ok then return nil, err end
    local now, calm = task.now(), calm_at(desk, from, times.quiet)
    local expected = times.by_cause and work:expected()
    if now >= earliest and not (expected and work:only_expects()) then
      local reason = reason_now(desk, from, times, calm, now)
      expected = times.by_cause and work:expected() -- by what has come of the act, as is known now
      if reason and not expected then return reason end
      if reason then work:expects_only() end
    end
    if now >= latest then return "cap" end
    local known = times.by_cause and work:may_be_known()
    local limit = math.max(calm, earliest, expected or 0)
    if now >= limit then limit = latest end -- something is under way
    local left = math.min(limit, latest) - now
    desk.event_pump:wait(known and math.min(left, work.every) or left)
  end
end

--- Waits like desk.settle in the middle of an act, which goes on.
---@param desk deskpilot.desk
---@param options deskpilot.settle_options?
---@return deskpilot.settled? settled, deskpilot.error? err
function waits.wait_until_settled(desk, options)
  options = options or {}
  local quiet, cap = settle_times(desk, options)
  local times = { quiet = quiet, cap = cap, floor = options.floor or desk.timing.settle_floor,
    by_cause = options.quiet == nil }
  local began = task.now()
  local ok, err = desk:watch()
  if not ok then return nil, err end
  desk.pending_work:settling(options.elements)
  local reason, why = reason_to_go_on(desk, began, options.past and desk.watching or began, times)
  if not reason then return nil, why end
  local unknown = times.by_cause and reason ~= "idle" and desk.pending_work.begun and desk.pending_work.unknown or nil
  return { seconds = task.now() - began, reason = reason, unknown = unknown }
end

--- desk.settle: the act is over.
---@param desk deskpilot.desk
---@param options deskpilot.settle_options?
---@return deskpilot.settled? settled, deskpilot.error? err
function waits.settle(desk, options)
  local settled, err = waits.wait_until_settled(desk, options)
  if not settled then return nil, err end
  desk.pending_work:over()
  desk.settled = task.now()
  return settled
end

-- The part of the screen that the options select; nil for all of it.
local function area_of(desk, options)
  if not (options.region or options.window or options.monitor) then return nil end
  local area, err = capture.area(desk, options)
  if not area then return nil, err end
  return area
end

-- Watches a part of the screen (nil: all of it) for changes, until the end of the caller's block.
local function watch_area(desk, area)
  local ok, err = desk:watch()
  if not ok then return nil, err end
  local place
  if area then
    place, err = desk.native:watch_region(area.x, area.y, area.width, area.height)
    if not place then return nil, err end
  end
  return setmetatable({ place = place }, { __close = function()
    if place and not desk.closed then desk.native:unwatch_region(place) end
  end })
end

-- Waits until the watched part has changed after the time `since`, or until the time `limit`. Whether it has changed.
local function changed_since(desk, watched, since, limit)
  while true do
    local ok, err = desk.native:pump()
    if not ok then return nil, err end
    if desk.native:last_change(watched.place) / 1e9 > since then return true end
    local left = limit - task.now()
    if left <= 0 then return false end
    desk.event_pump:wait(left)
  end
end

---@class deskpilot.change_options
---@field region deskpilot.region? of the screen, or of the window or monitor that is given with it
---@field window deskpilot.window|deskpilot.window_criteria|string|integer|nil a window, or what to find it by
---@field monitor integer|string|deskpilot.monitor|nil its index, its name or "primary"
---@field action fun()? called first; it is to cause the change
---@field timeout number? seconds; default timing.wait

--- desk.wait_for_change.
---@param desk deskpilot.desk
---@param options deskpilot.change_options?
---@return boolean? changed, deskpilot.error? err code "timed_out" if nothing changed
function waits.wait_for_change(desk, options)
  options = options or {}
  local seconds = options.timeout or desk.timing.wait
  local area, err = area_of(desk, options)
  if err then return nil, err end
  local began = task.now()
  local watched <close>, failure = watch_area(desk, area)
  if not watched then return nil, failure end
  if options.action then
    local ok, why = desk.native:pump()
    if not ok then return nil, why end
    began = task.now()
    options.action()
  end
  local changed, why = changed_since(desk, watched, began, task.now() + seconds)
  if changed then return true end
  if why then return nil, why end
  return errors.fail("timed_out", "nothing %s changed within %g s", area and "in that part of the screen"
    or "on the screen", seconds)
end

---@class deskpilot.until_options both in seconds
---@field timeout number? default timing.wait
---@field every number? between two calls; default timing.wait_every

--- desk.wait_until.
---@generic T
---@param desk deskpilot.desk
---@param fn fun(): T?, any
---@param options deskpilot.until_options?
---@return T? value, deskpilot.error? err
function waits.wait_until(desk, fn, options)
  options = options or {}
  local seconds = options.timeout or desk.timing.wait
  local limit = task.now() + seconds
  while true do
    local value, why = fn()
    if value then return value end
    if task.now() >= limit then
      return errors.fail("timed_out", "%s", ("the condition was not met within %g s%s"):format(seconds,
        why and ": " .. tostring(why) or ""))
    end
    task.sleep(options.every or desk.timing.wait_every)
  end
end

--- Calls look() until it returns a value or an error other than "not_found", or until the timeout. It is called again
--- when the selected part of the screen has changed, and at least every timing.wait_look seconds. Between two calls it
--- sleeps as long as the call before took, so that looking takes at most half of the time.
---@generic T
---@param desk deskpilot.desk
---@param options { timeout: number, region: deskpilot.region?, window: deskpilot.window|string|integer|nil,
---  monitor: integer|string|deskpilot.monitor|nil }
---@param look fun(): T?, deskpilot.error?
---@return T? value, deskpilot.error? err of the last look
function waits.look_until(desk, options, look)
  local limit = task.now() + options.timeout
  local area = area_of(desk, options) -- nil for a window that does not exist yet: look() reports that
  -- Where changes cannot be watched, look() is called every timing.wait_look seconds.
  local watched <close> = watch_area(desk, area)
  while true do
    local began = task.now()
    local value, why = look()
    if value or not errors.is(why, "not_found") then return value, why end
    local now = task.now()
    if now >= limit then return nil, why end
    task.sleep(math.min(math.max(now - began, MIN_INTERVAL), limit - now))
    local again = math.min(limit, began + desk.timing.wait_look)
    if watched then
      local changed, failure = changed_since(desk, watched, began, again)
      if changed == nil then return nil, failure end
    else
      task.sleep(math.max(0, again - task.now()))
    end
  end
end

--- Waits until windows have appeared, closed or changed since native:window_changes() returned `number`. May return
--- before that, at the latest after timing.wait_look seconds: the caller checks the windows again.
---@param desk deskpilot.desk
---@param number integer 0 where the system does not report changes
---@param seconds number the longest wait
---@return boolean? ok, deskpilot.error? err
function waits.windows_changed(desk, number, seconds)
  local every = number > 0 and desk.timing.wait_look or desk.timing.wait_every
  local limit = task.now() + math.min(seconds, every)
  while true do
    local ok, err = desk.native:pump()
    if not ok then return nil, err end
    local left = limit - task.now()
    if left <= 0 then return true end
    if desk.native:window_changes() ~= number then
      task.sleep(math.min(MIN_INTERVAL, left))
      return true
    end
    desk.event_pump:wait(left)
  end
end

return waits
