--- The pointer's way: the points that a movement passes, and moving along them in a given time.
local errors = require "deskpilot.base.errors"
local task = require "deskpilot.base.task"

local mouse_path = {}

local function distance(a, b)
  return math.sqrt((b.x - a.x) ^ 2 + (b.y - a.y) ^ 2)
end

local function length_of(corners)
  local sum = 0
  for i = 2, #corners do sum = sum + distance(corners[i - 1], corners[i]) end
  return sum
end

--- Slow at first and at the end, as a hand is: 0..1 to 0..1.
---@param t number
---@return number
function mouse_path.smooth(t)
  return t * t * (3 - 2 * t)
end

local function steady(t)
  return t
end

-- `steps` points from a to b, without a itself.
local function add_leg(points, a, b, steps, ease)
  for i = 1, steps do
    local t = ease(i / steps)
    points[#points + 1] = { x = math.tointeger((a.x + (b.x - a.x) * t) // 1),
      y = math.tointeger((a.y + (b.y - a.y) * t) // 1), corner = i == steps }
  end
end

--- Points along straight lines from corner to corner, evenly far from each other or as `ease` has it for the
--- whole of a single line. Every corner but the first is one of them; there are about `steps`, and one for
--- each line at least.
---@param corners { x: integer, y: integer }[] two or more
---@param steps integer
---@param ease (fun(t: number): number)?
---@return { x: integer, y: integer, corner: boolean }[]
function mouse_path.along(corners, steps, ease)
  local points, whole = {}, length_of(corners)
  for i = 2, #corners do
    local share = whole > 0 and distance(corners[i - 1], corners[i]) / whole or 0
    add_leg(points, corners[i - 1], corners[i], math.max(1, math.tointeger((steps * share + 0.5) // 1)), ease or steady)
  end
  return points
end

--- Moves the pointer to a pixel. Who decides which window a click is for may hold the pointer for a moment
--- (window managers do, at the press that makes a window the active one), so it is tried again.
---@param desk deskpilot.desk
---@param x integer
---@param y integer
---@return boolean? ok, deskpilot.error? err
function mouse_path.go(desk, x, y)
  local limit = task.now() + desk.timing.pointer
  while true do
    local ok, err = desk.native:move(x, y)
    if ok then return true end
    if not errors.is(err, "refused") or task.now() >= limit then return nil, err end
    task.sleep(0.005)
  end
end

--- Moves the pointer a pixel aside and back, for those who notice only a pointer that moves.
---@param desk deskpilot.desk
---@param x integer where it is
---@param y integer
---@return boolean? ok, deskpilot.error? err
function mouse_path.stir(desk, x, y)
  local screen, failure = desk.native:screen()
  if not screen then return nil, failure end
  local ok, err = mouse_path.go(desk, x > screen.x and x - 1 or x + 1, y)
  if not ok then return nil, err end
  return mouse_path.go(desk, x, y)
end

--- Moves the pointer to one point after the other, the last one `seconds` from now (later where the desktop
--- is slower than that: none is left out).
---@param desk deskpilot.desk
---@param points { x: integer, y: integer, corner: boolean }[]
---@param seconds number
---@param at_corner (fun(before: table?, corner: table): boolean?, deskpilot.error?)? called at each corner and
---  at the end, with the point before it
---@return boolean? ok, deskpilot.error? err
function mouse_path.follow(desk, points, seconds, at_corner)
  local began = task.now()
  for i, point in ipairs(points) do
    task.sleep(began + seconds * i / #points - task.now())
    local ok, err = mouse_path.go(desk, point.x, point.y)
    if ok and at_corner and point.corner then ok, err = at_corner(points[i - 1], point) end
    if not ok then return nil, err end
  end
  return true
end

return mouse_path
