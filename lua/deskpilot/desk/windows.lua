--- desk.windows: the windows of applications.
local errors = require "deskpilot.base.errors"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local windows = {}

---@class deskpilot.window
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

-- A part of the title, class or executable, whatever the case.
local function has(value, part)
  return part == nil or value:lower():find(tostring(part):lower(), 1, true) ~= nil
end

local function matches(window, criteria)
  return has(window.title, criteria.title) and has(window.class, criteria.class)
    and has(window.executable, criteria.executable)
    and (criteria.pid == nil or window.pid == criteria.pid) and (criteria.id == nil or window.id == criteria.id)
    and (criteria.active == nil or window.active == criteria.active)
    and (criteria.visible == nil or window.visible == criteria.visible)
end

local function not_found(criteria, list)
  local titles = {}
  for _, window in ipairs(list) do titles[#titles + 1] = text.cut(text.one_line(window.title), 80) end
  local parts = {}
  for _, key in ipairs(text.keys(criteria)) do
    parts[#parts + 1] = ("%s %s"):format(key, tostring(criteria[key]))
  end
  local there = #titles == 0 and "there are no windows"
    or "there are: " .. text.cut(table.concat(titles, "; "), 400)
  return errors.fail("not_found", "%s", ("no window with %s; %s"):format(text.join(parts), there))
end

local known = { title = true, class = true, executable = true, pid = true, id = true, active = true,
  visible = true }

local function check_criteria(criteria)
  for key in pairs(criteria) do
    if not known[key] then error("windows are found by title, class, executable, pid, id, active or visible, not "
      .. tostring(key), 3) end
  end
end

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
function windows.new(desk)
  local api = {}

  --- All windows, bottom to top.
  ---@return deskpilot.window[]? windows, deskpilot.error? err
  function api.list()
    return desk.native:windows()
  end

  --- The topmost window whose title, class and executable contain the given parts (whatever the case).
  ---@param criteria { title: string?, class: string?, executable: string?, pid: integer?, id: integer?,
  ---  active: boolean?, visible: boolean? }
  ---@return deskpilot.window? window, deskpilot.error? err
  function api.find(criteria)
    check_criteria(criteria)
    local list, err = api.list()
    if not list then return nil, err end
    for i = #list, 1, -1 do
      if matches(list[i], criteria) then return list[i] end
    end
    return not_found(criteria, list)
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
  ---@param window deskpilot.window|integer|table
  ---@return boolean? ok, deskpilot.error? err
  function api.focus(window)
    local free, busy = desk.human.give_way()
    if not free then return nil, busy end
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

  --- Asks a window to close, as its close button does. The application may ask back.
  ---@param window deskpilot.window|integer|table
  ---@return boolean? ok, deskpilot.error? err
  function api.close(window)
    local free, busy = desk.human.give_way()
    if not free then return nil, busy end
    local id, err = id_of(window)
    if not id then return nil, err end
    return desk.native:close_window(id)
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
  ---@param window deskpilot.window|integer|table
  ---@param place { x: integer?, y: integer?, width: integer?, height: integer? } as the window's own fields
  ---@return deskpilot.window? window, deskpilot.error? err
  function api.place(window, place)
    local free, busy = desk.human.give_way()
    if not free then return nil, busy end
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
    local free, busy = desk.human.give_way()
    if not free then return nil, busy end
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
  ---@param window deskpilot.window|integer|table
  ---@return boolean? ok, deskpilot.error? err
  function api.minimize(window)
    return become(window, "minimized", function(now) return now.minimized end)
  end

  --- Makes a window as large as the screen allows, and waits until it is.
  ---@param window deskpilot.window|integer|table
  ---@return boolean? ok, deskpilot.error? err
  function api.maximize(window)
    return become(window, "maximized", function(now) return now.maximized and not now.minimized end)
  end

  --- Gives a minimized or maximized window its normal place back, and waits until it has it.
  ---@param window deskpilot.window|integer|table
  ---@return boolean? ok, deskpilot.error? err
  function api.restore(window)
    return become(window, "normal", function(now) return not (now.minimized or now.maximized) end)
  end

  return api
end

return windows
