--- desk.screen.monitors and desk.screen.monitor: the parts that the desktop's one space is made of.
local errors = require "deskpilot.base.errors"
local rects = require "deskpilot.desk.picture.rect"
local text = require "deskpilot.base.text"

local monitors = {}

---@class deskpilot.monitor: deskpilot.rect
---@field index integer its place in the list, from 1
---@field name string as the system calls it: "HDMI-1", "DISPLAY1"
---@field x integer pixels of the whole desktop, as everywhere; may be negative on Windows
---@field y integer
---@field width integer
---@field height integer
---@field work deskpilot.rect without task bars and docks
---@field scale number 1 for 96 dots an inch, 1.5, 2: how large things are drawn on it
---@field primary boolean exactly one is

--- The monitors as they are now: from left to right, those with the same left edge from top to bottom.
---@param native native.Desk
---@return deskpilot.monitor[]? monitors, deskpilot.error? err
function monitors.list(native)
  return native:monitors()
end

local function not_found(which, list)
  local there = {}
  for i, monitor in ipairs(list) do
    there[i] = ("%d: %s, %dx%d at %d,%d"):format(i, text.one_line(monitor.name), monitor.width, monitor.height,
      monitor.x, monitor.y)
  end
  return errors.fail("not_found", "%s", ("there is no monitor %s; there are %s"):format(tostring(which),
    table.concat(there, "; ")))
end

--- One monitor, as it is now: by its index, its name (whatever the case) or "primary". A monitor that
--- is given as a table is that one.
---@param native native.Desk
---@param which integer|string|deskpilot.monitor
---@return deskpilot.monitor? monitor, deskpilot.error? err
function monitors.find(native, which)
  if type(which) == "table" then
    if not (which.x and which.y and which.width and which.height) then
      errors.mistake "a monitor is one of desk.screen.monitors(), its index or its name"
    end
    return which
  end
  if math.type(which) ~= "integer" and type(which) ~= "string" then
    errors.mistake("a monitor is one of desk.screen.monitors(), its index or its name, not a %s", type(which))
  end
  local list, err = monitors.list(native)
  if not list then return nil, err end
  for i, monitor in ipairs(list) do
    if i == which or type(which) == "string" and monitor.name:lower() == which:lower()
      or which == "primary" and monitor.primary then
      return monitor
    end
  end
  return not_found(which, list)
end

--- The monitors as they are now, remembered for monitors.known.
---@param desk deskpilot.desk
---@param screen deskpilot.rect the whole desktop, as it is now
---@return deskpilot.monitor[]? monitors, deskpilot.error? err
function monitors.look(desk, screen)
  local list, err = monitors.list(desk.native)
  if not list then return nil, err end
  desk.known_monitors = { screen = screen, list = list }
  return list
end

--- The monitors as they were when they were last looked at, unless the desktop is another size: every picture keeps
--- them, and asking for them takes a tenth of the time of a whole look. Where they have changed places on a desktop of
--- the same size, a point of that picture is refused once, and the next picture has them as they are.
---@param desk deskpilot.desk
---@param screen deskpilot.rect the whole desktop, as it is now
---@return deskpilot.monitor[]? monitors, deskpilot.error? err
function monitors.known(desk, screen)
  local known = desk.known_monitors
  if known and rects.equal(known.screen, screen) then return known.list end
  return monitors.look(desk, screen)
end

--- Whether a pixel of the desktop is still what it was when the monitors were those: on a monitor of the same name
--- that begins where it did and still reaches that far. Where a monitor has moved, has gone, or another one has taken
--- its place, the windows may have moved with it, so the same numbers may mean another place. A pixel that no monitor
--- showed counts as still there.
---@param before deskpilot.monitor[]
---@param now deskpilot.monitor[]
---@param x integer
---@param y integer
---@return boolean
function monitors.still_there(before, now, x, y)
  local shown = false
  for _, was in ipairs(before) do
    if rects.contains(was, x, y) then
      shown = true
      for _, is in ipairs(now) do
        if is.name == was.name and is.x == was.x and is.y == was.y and rects.contains(is, x, y) then return true end
      end
    end
  end
  return not shown
end

return monitors
