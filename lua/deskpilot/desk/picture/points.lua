--- Where things are: the one place where what a script or a model points at becomes a pixel of the
--- screen.
---
--- A point is { x = , y = } (or { 10, 20 }) with a `frame`: "screen" (pixels; the default), "norm"
--- (0..1000 of the screen, or of `monitor`, `window` or `image` where given), "window" (pixels of `window`, or
--- of the active one) or "image" (pixels of `image`, a screenshot of ours, scaled or not). Anything
--- else with a place and a size (an element, a window, a rectangle) means its middle.
---
--- A point of a picture (`image`) means the pixel of the screen that the picture shows there, whatever has become of
--- the screen since: a screen that was resized still has it, at the same place. Where it has not, or where a monitor
--- has come, gone or moved so that the same numbers may mean another place, the point is `stale`: look again. That
--- windows have moved, on a screen that has not changed or because it has, is not noticed.
local image = require "native.image"
local errors = require "deskpilot.base.errors"
local text = require "deskpilot.base.text"
local monitors = require "deskpilot.desk.picture.monitors"
local rects = require "deskpilot.desk.picture.rect"
local signature = require "deskpilot.base.signature"

local points = {}

---@class deskpilot.point
---@field x number
---@field y number
---@field frame "screen"|"norm"|"window"|"image"|nil
---@field window deskpilot.window? that a point of the frame "window" or "norm" is counted in
---@field monitor integer|string|deskpilot.monitor|nil of desk.screen.monitors(), its index or name
---@field image deskpilot.shot? that a point of the frame "image" or "norm" is counted in

--- What can be pointed at: a point, { x, y }, or anything with a place and a size (an element, a window, a hit), whose
--- middle is meant.
---@alias deskpilot.target deskpilot.point|deskpilot.rect|number[]

local frames = {}

local function whole(value)
  return math.tointeger(value // 1)
end

function frames.screen(_, point)
  return whole(point.x), whole(point.y)
end

function frames.norm(desk, point)
  if point.image then return point.image:locate_norm(point.x, point.y) end
  local rect, err = point.window, nil
  if point.monitor then
    rect, err = monitors.find(desk.native, point.monitor)
  elseif not rect then
    rect, err = desk.native:screen()
  end
  if not rect then return nil, err end
  return image.norm_to_pixel(point.x, point.y, rect)
end

function frames.window(desk, point)
  local window, err = point.window, nil
  if not window then window, err = desk.windows.active() end
  if not window then return nil, err end
  return window.x + whole(point.x), window.y + whole(point.y)
end

function frames.image(_, point)
  if not point.image then errors.mistake "a point in the frame 'image' needs its image" end
  return point.image:locate(point.x, point.y)
end

local function middle(thing)
  if thing.width <= 0 or thing.height <= 0 then
    return errors.fail("invalid", "%s has no place on the screen", thing.name and thing.name ~= ""
      and ("%s '%s'"):format(thing.role or "the element", thing.name) or "that element")
  end
  return thing.x + thing.width // 2, thing.y + thing.height // 2
end

local function coordinates(target)
  local x, y = target.x, target.y
  if x == nil then x = target[1] end
  if y == nil then y = target[2] end
  return x, y
end

-- What is wrong with a target by itself; nothing where it can be looked for.
local function problem(target)
  if type(target) == "string" then
    return ('desk.elements.find { name = "%s" } finds an element'):format(text.cut(text.one_line(target), 40))
  end
  if type(target) ~= "table" then return "a point or an element is wanted, not a " .. type(target) end
  local x, y = coordinates(target)
  if type(x) ~= "number" or type(y) ~= "number" or x ~= x or y ~= y or math.abs(x) > 1e6 or math.abs(y) > 1e6 then
    return "a point needs the numbers x and y"
  end
  if target.frame ~= nil and not frames[target.frame] then
    return "a frame is screen, norm, window or image, not " .. tostring(target.frame)
  end
end

signature.kind("target", {
  what = "a point or an element",
  fits = function(value) return not problem(value) end,
  take = signature.numbers_as_point,
  hint = problem,
})

-- A caller's mistake raises; it is found before anything is touched.
local function check(target)
  local wrong = problem(target)
  if wrong then errors.mistake("%s", wrong) end
  return coordinates(target)
end

-- Whether the pixel that a picture has shown is still there.
local function check_fresh(desk, screen, picture, x, y)
  if not picture.monitors then return true end
  local now, err = monitors.look(desk, screen)
  if not now then return nil, err end
  if monitors.still_there(picture.monitors, now, x, y) then return true end
  return errors.fail("stale", "the screen has been resized or rearranged since that picture of it was taken, and what "
    .. "was at %d, %d may be gone or elsewhere; nothing was done: look at a new screenshot and point again", x, y)
end

--- The pixel of the screen that is meant.
---@param desk deskpilot.desk
---@param target deskpilot.target
---@return integer? x, integer|deskpilot.error y code "stale" for a point of a picture whose place is gone
function points.resolve(desk, target)
  local x, y = check(target)
  local px, py
  if target.frame == nil and target.width and target.height then
    px, py = middle(target)
  else
    px, py = frames[target.frame or "screen"](desk, { x = x, y = y, monitor = target.monitor,
      window = target.window, image = target.image })
  end
  if not px then return nil, py end
  local screen, err = desk.native:screen()
  if not screen then return nil, err end
  if target.image and (target.frame == "norm" or target.frame == "image") then
    local fresh, why = check_fresh(desk, screen, target.image, px, py)
    if not fresh then return nil, why end
  end
  if not rects.contains(screen, px, py) then
    return errors.fail("invalid", "%d, %d lies outside the screen (%d, %d to %d, %d)", px, py, screen.x, screen.y,
      screen.x + screen.width - 1, screen.y + screen.height - 1)
  end
  return math.tointeger(px), math.tointeger(py)
end

return points
