--- desk.windows: the windows of applications.
local errors = require "deskpilot.base.errors"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local windows = {}

---@class deskpilot.window
---@field id integer
---@field title string
---@field class string
---@field pid integer 0 if unknown
---@field x integer
---@field y integer
---@field width integer
---@field height integer
---@field active boolean
---@field visible boolean

-- A part of the title or class, whatever the case.
local function has(value, part)
  return part == nil or value:lower():find(tostring(part):lower(), 1, true) ~= nil
end

local function matches(window, criteria)
  return has(window.title, criteria.title) and has(window.class, criteria.class)
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

local known = { title = true, class = true, pid = true, id = true, active = true, visible = true }

local function check_criteria(criteria)
  for key in pairs(criteria) do
    if not known[key] then error("windows are found by title, class, pid, id, active or visible, not "
      .. tostring(key), 3) end
  end
end

---@param desk deskpilot.desk
function windows.new(desk)
  local api = {}

  --- All windows, bottom to top.
  ---@return deskpilot.window[]? windows, deskpilot.error? err
  function api.list()
    return desk.native:windows()
  end

  --- The topmost window whose title and class contain the given parts (whatever the case).
  ---@param criteria { title: string?, class: string?, pid: integer?, id: integer?, active: boolean? }
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

  --- Raises a window and waits until it is the active one.
  ---@param window deskpilot.window|integer|table
  ---@return boolean? ok, deskpilot.error? err
  function api.focus(window)
    local id, err = id_of(window)
    if not id then return nil, err end
    local ok, failure = desk.native:focus(id)
    if not ok then return nil, failure end
    local limit = task.now() + desk.timing.focus
    while true do
      local active = api.active()
      if active and active.id == id then return true end
      if task.now() > limit then return errors.fail("refused", "the window did not become the active one") end
      task.sleep(0.005)
    end
  end

  --- Asks a window to close, as its close button does. The application may ask back.
  ---@param window deskpilot.window|integer|table
  ---@return boolean? ok, deskpilot.error? err
  function api.close(window)
    local id, err = id_of(window)
    if not id then return nil, err end
    return desk.native:close_window(id)
  end

  return api
end

return windows
