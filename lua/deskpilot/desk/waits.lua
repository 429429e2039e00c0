--- desk.settle, desk.wait_for_change and desk.wait_until: waiting for the screen to be quiet, to change,
--- and for anything else.
local errors = require "deskpilot.base.errors"
local task = require "deskpilot.base.task"

local waits = {}

--- Waits until the screen has not changed for `quiet` seconds (blinking carets do not count), at
--- least `floor` and at most `cap` seconds.
---@param desk deskpilot.desk
---@param options { quiet: number?, floor: number?, cap: number? }?
---@return { seconds: number, reason: "quiet"|"cap" }? settled, deskpilot.error? err
function waits.settle(desk, options)
  options = options or {}
  local quiet = options.quiet or desk.timing.settle_quiet
  local floor = options.floor or desk.timing.settle_floor
  local cap = options.cap or desk.timing.settle_cap
  local began = task.now()
  local ok, err = desk:watch()
  if not ok then return nil, err end
  while true do
    ok, err = desk.native:pump()
    if not ok then return nil, err end
    local now = task.now()
    local calm_at = math.max(math.max(began, desk.native:last_change() / 1e9) + quiet, began + floor)
    if now >= calm_at then return { seconds = now - began, reason = "quiet" } end
    if now >= began + cap then return { seconds = now - began, reason = "cap" } end
    desk.inbox:wait(math.min(calm_at, began + cap) - now)
  end
end

--- Waits until the screen changes (a blinking caret does not count).
---@param desk deskpilot.desk
---@param options { timeout: number? }?
---@return boolean? changed, deskpilot.error? err code "timed_out" if nothing changed
function waits.wait_for_change(desk, options)
  local seconds = options and options.timeout or desk.timing.wait
  local began = task.now()
  local ok, err = desk:watch()
  if not ok then return nil, err end
  while true do
    ok, err = desk.native:pump()
    if not ok then return nil, err end
    if desk.native:last_change() / 1e9 > began then return true end
    local left = began + seconds - task.now()
    if left <= 0 then return errors.fail("timed_out", "nothing on the screen changed within %g s", seconds) end
    desk.inbox:wait(left)
  end
end

--- Asks fn() again and again until it gives something that is not nil or false.
---@generic T
---@param desk deskpilot.desk
---@param fn fun(): T?, any
---@param options { timeout: number?, every: number? }?
---@return T? value, deskpilot.error? err
function waits.wait_until(desk, fn, options)
  options = options or {}
  local seconds = options.timeout or desk.timing.wait
  local limit = task.now() + seconds
  while true do
    local value, why = fn()
    if value then return value end
    if task.now() >= limit then
      return errors.fail("timed_out", "%s", ("what was waited for did not come within %g s%s"):format(seconds,
        why and ": " .. tostring(why) or ""))
    end
    task.sleep(options.every or desk.timing.wait_every)
  end
end

return waits
