--- desk.windows: the windows of applications. order.lua has what is about their order and their
--- workspaces.
local criteria_module = require "deskpilot.desk.window.criteria"
local errors = require "deskpilot.base.errors"
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
---@field layer integer 1 is kept above the others (panels), -1 below them (the desktop), 0 neither
---@field workspace integer? from 1; nil for all of them, or where there are none

local sides = { "x", "y", "width", "height" }

-- The whole rectangle: what is asked for, the rest as the window has it.
local function complete(place, window)
  assert(type(place) == "table", "a place is a table of x, y, width and height")
  local whole = { x = window.x, y = window.y, width = window.width, height = window.height }
  for key, value in pairs(place) do
    if not whole[key] then error("a place has x, y, width and height, not " .. tostring(key), 3) end
    whole[key] = math.tointeger(value) or error("a place's " .. key .. " must be a whole number of pixels", 3)
  end
  return whole
end

local function same_place(a, b)
  for _, side in ipairs(sides) do
    if a[side] ~= b[side] then return false end
  end
  return true
end

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

  --- The topmost window whose title, class and executable contain the given parts (whatever the case), and
  --- whose title matches `matching`, a Lua pattern. Does not wait: desk.wait_for_window does.
  ---@param criteria deskpilot.window_criteria
  ---@return deskpilot.window? window, deskpilot.error? err code "not_found": which windows there are
  function api.find(criteria)
    criteria_module.check(criteria)
    local list, err = api.list()
    if not list then return nil, err end
    local found = criteria_module.topmost(list, criteria)
    if found then return found end
    return criteria_module.not_found(criteria, list)
  end

  --- The window that gets what is typed.
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
    assert(math.type(id) == "integer", "a window, its id, or what to find it by is wanted")
    return id
  end

  --- Raises a window, out of its icon too, and waits until it is the active one.
  ---@param window deskpilot.window|integer|deskpilot.window_criteria
  ---@return boolean? ok, deskpilot.error? err
  function api.focus(window)
    desk.human.give_way()
    local id, err = id_of(window)
    if not id then return nil, err end
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

  -- A window that came up since `before`, of that program or with the keyboard: it asks something.
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
          .. criteria_module.name(asks) .. "; answer it")
      end
      local left = limit - task.now()
      if left <= 0 then return errors.fail("timed_out", "the window is still there after %g s", seconds) end
      local ok, failure = waits.windows_changed(desk, changes, left)
      if not ok then return nil, failure end
    end
  end

  --- Asks a window to close, as its close button does. The application may ask back. With `wait` (seconds, or
  --- true for timing.window_close) it waits until the window has gone.
  ---@param window deskpilot.window|integer|deskpilot.window_criteria
  ---@param options { wait: boolean|number|nil }?
  ---@return boolean? ok, deskpilot.error? err code "refused": which window came up instead
  function api.close(window, options)
    local wait = options and options.wait
    desk.human.give_way()
    local id, err = id_of(window)
    if not id then return nil, err end
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

  -- Looks at a window until done(window) gives something, or for timing.window: then it is "late".
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

  --- Moves and resizes a window, which also ends its being minimized or maximized. What `place` does not
  --- say stays. Its window manager or application may want it otherwise (terminals grow by whole
  --- characters): the window is given as it is when it stands still.
  ---@param window deskpilot.window|integer|deskpilot.window_criteria
  ---@param place { x: integer?, y: integer?, width: integer?, height: integer? } as the window's own fields
  ---@return deskpilot.window? window, deskpilot.error? err
  function api.place(window, place)
    desk.human.give_way()
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

  -- Waits for the state and until the window stands still: window managers tell of the state first,
  -- move the window then, and some let it fly there.
  local function become(window, state, reached)
    desk.human.give_way()
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

  --- Takes a window off the screen, and waits until it is.
  ---@param window deskpilot.window|integer|deskpilot.window_criteria
  ---@return boolean? ok, deskpilot.error? err
  function api.minimize(window)
    return become(window, "minimized", function(now) return now.minimized and not now.visible end)
  end

  --- Makes a window as large as the screen allows, and waits until it is.
  ---@param window deskpilot.window|integer|deskpilot.window_criteria
  ---@return boolean? ok, deskpilot.error? err
  function api.maximize(window)
    return become(window, "maximized", function(now) return now.maximized and not now.minimized end)
  end

  --- Gives a minimized or maximized window its normal place back, and waits until it has it.
  ---@param window deskpilot.window|integer|deskpilot.window_criteria
  ---@return boolean? ok, deskpilot.error? err
  function api.restore(window)
    return become(window, "normal", function(now) return not (now.minimized or now.maximized) end)
  end

  windows_order.add(desk, api, id_of)
  return api
end

return windows
