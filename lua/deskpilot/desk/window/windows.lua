--- desk.windows: the windows of applications. Stacking order and workspaces are in order.lua.
local criteria_module = require "deskpilot.desk.window.criteria"
local errors = require "deskpilot.base.errors"
local signature = require "deskpilot.base.signature"
local task = require "deskpilot.base.task"
local waits = require "deskpilot.desk.wait.waits"
local windows_order = require "deskpilot.desk.window.order"

local windows = {}

---@class deskpilot.window: deskpilot.rect
---@field id integer
---@field title string
---@field class string
---@field executable string path of its program; "" if unknown
---@field pid integer 0 if unknown
---@field x integer
---@field y integer
---@field width integer
---@field height integer
---@field active boolean
---@field visible boolean
---@field minimized boolean
---@field maximized boolean
---@field layer integer 1: kept above other windows (panels); -1: kept below (the desktop); 0: neither
---@field workspace integer? from 1; nil if the window is on all of them, or if there are no workspaces

local sides = { "x", "y", "width", "height" }

-- The rectangle that is asked for; sides that `place` leaves out are the window's own.
local function complete(place, window)
  local whole = { x = window.x, y = window.y, width = window.width, height = window.height }
  for key, value in pairs(place) do
    if not whole[key] then errors.mistake("a place has x, y, width and height, not %s", tostring(key)) end
    whole[key] = math.tointeger(value) or errors.mistake("a place's %s must be a whole number of pixels", key)
  end
  return whole
end

local function same_place(a, b)
  for _, side in ipairs(sides) do
    if a[side] ~= b[side] then return false end
  end
  return true
end

local signatures = signature.of("desk.windows", {
  list = {}, find = { "window_criteria" }, active = {}, focus = { "window" }, close = { "window", { wait = "any" } },
  place = { "window", "table" }, minimize = { "window" }, maximize = { "window" }, restore = { "window" },
})

---@param desk deskpilot.desk
---@return deskpilot.desk.windows
function windows.new(desk)
  ---@class deskpilot.desk.windows
  local api = {}

  --- All windows, bottom to top.
  ---@return deskpilot.window[]? windows, deskpilot.error? err
  function api.list()
    return desk.native:windows()
  end

  --- The topmost window that meets all criteria: title, class and executable are parts of the window's (whatever the
  --- case), `matching` is a Lua pattern for its title. Does not wait; desk.wait_for_window does.
  ---@param criteria deskpilot.window_criteria|string a text is a part of the title; more criteria may follow it
  ---@overload fun(title: string, more: deskpilot.window_criteria): deskpilot.window?, deskpilot.error?
  ---@return deskpilot.window? window, deskpilot.error? err code "not_found"; the message lists the windows
  function api.find(criteria)
    criteria_module.check(criteria)
    local list, err = api.list()
    if not list then return nil, err end
    local found = criteria_module.topmost(list, criteria)
    if found then return found end
    return criteria_module.not_found(criteria, list)
  end

  --- The active window: the one that gets key presses.
  ---@return deskpilot.window? window, deskpilot.error? err
  function api.active()
    local list, err = api.list()
    if not list then return nil, err end
    for _, window in ipairs(list) do
      if window.active then return window end
    end
    return errors.fail("not_found", "no window is active")
  end

  local function id_of(window)
    if type(window) == "table" and window.id == nil then
      local found, err = api.find(window)
      if not found then return nil, err end
      window = found
    end
    local id = type(window) == "table" and window.id or window
    if math.type(id) ~= "integer" then errors.mistake "expected a window, its id, or criteria to find it by" end
    return id
  end

  -- Whether something may be done with a window.
  local function may(id, what)
    return desk.input.may_act { act = what, window = api.find { id = id } }
  end

  --- Raises a window, restores it if it is minimized, gives it the keyboard focus, and waits until it is the active
  --- one.
  ---@param window deskpilot.window|integer|deskpilot.window_criteria|string
  ---@return boolean? ok, deskpilot.error? err
  function api.focus(window)
    desk.activity.give_way()
    local id, err = id_of(window)
    if not id then return nil, err end
    local permitted, forbidden = may(id, "focus")
    if not permitted then return nil, forbidden end
    local ok, failure = desk.native:focus(id)
    if not ok then return nil, failure end
    local limit = task.now() + desk.timing.focus
    while true do
      local active = api.active()
      if active and active.id == id and not active.minimized then return true end
      if task.now() > limit then return errors.fail("refused", "the window did not become the active one") end
      task.sleep(0.005)
    end
  end

  -- A window that has appeared since `before` and belongs to the program or is active: probably a question, such as
  -- whether to save.
  local function question(list, before, pid)
    for i = #list, 1, -1 do
      local window = list[i]
      local theirs = pid ~= 0 and window.pid == pid
      if not before[window.id] and window.visible and (theirs or window.active) then return window end
    end
  end

  local function wait_until_closed(id, before, pid, seconds)
    local limit = task.now() + seconds
    while true do
      local changes = desk.native:window_changes()
      local list, err = api.list()
      if not list then return nil, err end
      if not criteria_module.topmost(list, { id = id }) then return true end
      local asks = question(list, before, pid)
      if asks then
        return errors.fail("refused", "%s", "the window did not close: this window came up: "
          .. criteria_module.describe_title(asks) .. "; answer it first")
      end
      local left = limit - task.now()
      if left <= 0 then return errors.fail("timed_out", "the window is still there after %g s", seconds) end
      local ok, failure = waits.windows_changed(desk, changes, left)
      if not ok then return nil, failure end
    end
  end

  --- Asks a window to close, as its close button does. The application may show a question first. With `wait` (seconds,
  --- or true for timing.window_close) the call waits until the window has closed.
  ---@param window deskpilot.window|integer|deskpilot.window_criteria|string
  ---@param options { wait: boolean|number|nil }?
  ---@return boolean? ok, deskpilot.error? err code "refused"; the message names the window that came up instead
  function api.close(window, options)
    local wait = options and options.wait
    if wait ~= nil and type(wait) ~= "boolean" and type(wait) ~= "number" then
      errors.mistake("desk.windows.close: wait must be true or seconds, not a %s", type(wait))
    end
    desk.activity.give_way()
    local id, err = id_of(window)
    if not id then return nil, err end
    local permitted, forbidden = may(id, "close")
    if not permitted then return nil, forbidden end
    local before, pid = {}, 0
    for _, other in ipairs(wait and api.list() or {}) do
      before[other.id] = true
      if other.id == id then pid = other.pid end
    end
    local ok, failure = desk.native:close_window(id)
    if not ok or not wait then return ok, failure end
    return wait_until_closed(id, before, pid, wait == true and desk.timing.window_close or wait)
  end

  local function by_id(window)
    local id, err = id_of(window)
    if not id then return nil, err end
    return api.find { id = id }
  end

  -- Checks a window until done(window) is true. After timing.window the result is the window and "late".
  local function watch(id, done)
    local limit = task.now() + desk.timing.window
    while true do
      local window, err = api.find { id = id }
      if not window then return nil, err end
      if done(window) then return window end
      if task.now() > limit then return window, "late" end
      task.sleep(0.005)
    end
  end

  --- Moves and resizes a window; a minimized or maximized one is restored first. Sides that `place` leaves out stay as
  --- they are. The window manager or the application may choose another size (terminals grow by whole characters): the
  --- result is the window when it stands still.
  ---@param window deskpilot.window|integer|deskpilot.window_criteria|string
  ---@param place { x: integer?, y: integer?, width: integer?, height: integer? } pixels of the screen
  ---@return deskpilot.window? window, deskpilot.error? err
  function api.place(window, place)
    desk.activity.give_way()
    local found, err = by_id(window)
    if not found then return nil, err end
    local wanted = complete(place, found)
    if found.minimized or found.maximized then
      local ok, failure = api.restore(found)
      if not ok then return nil, failure end
      found, err = by_id(found)
      if not found then return nil, err end
      wanted = complete(place, found)
    end
    local ok, failure = desk.native:place_window(found.id, wanted.x, wanted.y, wanted.width, wanted.height)
    if not ok then return nil, failure end
    local last, moved = found, nil
    local placed, gone = watch(found.id, function(now)
      if not same_place(now, last) then last, moved = now, task.now() end
      return same_place(now, wanted) or moved and task.now() - moved > desk.timing.window_quiet
    end)
    if not placed then return nil, gone end
    return placed
  end

  -- Waits until the window has the state and stands still: window managers report the state before they move the
  -- window, and some animate the move.
  local function become(window, state, reached)
    desk.activity.give_way()
    local id, err = id_of(window)
    if not id then return nil, err end
    local ok, failure = desk.native:window_state(id, state)
    if not ok then return nil, failure end
    local last, since
    local found, late = watch(id, function(now)
      if not last or not same_place(now, last) then last, since = now, task.now() end
      return reached(now) and task.now() - since >= desk.timing.window_quiet
    end)
    if not found then return nil, late end
    if late and not reached(found) then
      return errors.fail("timed_out", "the window did not become %s within %g s", state, desk.timing.window)
    end
    return true
  end

  --- Minimizes a window, and waits until it is off the screen.
  ---@param window deskpilot.window|integer|deskpilot.window_criteria|string
  ---@return boolean? ok, deskpilot.error? err
  function api.minimize(window)
    return become(window, "minimized", function(now) return now.minimized and not now.visible end)
  end

  --- Maximizes a window, and waits until it is maximized.
  ---@param window deskpilot.window|integer|deskpilot.window_criteria|string
  ---@return boolean? ok, deskpilot.error? err
  function api.maximize(window)
    return become(window, "maximized", function(now) return now.maximized and not now.minimized end)
  end

  --- Restores a minimized or maximized window to its normal place, and waits until it is there.
  ---@param window deskpilot.window|integer|deskpilot.window_criteria|string
  ---@return boolean? ok, deskpilot.error? err
  function api.restore(window)
    return become(window, "normal", function(now) return not (now.minimized or now.maximized) end)
  end

  windows_order.add(desk, api, id_of)
  return signatures(api)
end

return windows
