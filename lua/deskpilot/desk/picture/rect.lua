--- Rectangles: anything with x, y, width and height, of whole pixels or of fractions of them.
local errors = require "deskpilot.base.errors"

local rect = {}

---@class deskpilot.rect
---@field x number
---@field y number
---@field width number
---@field height number

--- A part of something: a rectangle, or { x, y, width, height }.
---@alias deskpilot.region deskpilot.rect|number[]

--- What two have in common, or nil where that is nothing.
---@param a deskpilot.rect
---@param b deskpilot.rect
---@return deskpilot.rect?
function rect.intersection(a, b)
  local x, y = math.max(a.x, b.x), math.max(a.y, b.y)
  local right, bottom = math.min(a.x + a.width, b.x + b.width), math.min(a.y + a.height, b.y + b.height)
  if right <= x or bottom <= y then return nil end
  return { x = x, y = y, width = right - x, height = bottom - y }
end

--- The area that two have in common; 0 where that is nothing.
---@param a deskpilot.rect
---@param b deskpilot.rect
---@return number
function rect.overlap(a, b)
  local width = math.min(a.x + a.width, b.x + b.width) - math.max(a.x, b.x)
  local height = math.min(a.y + a.height, b.y + b.height) - math.max(a.y, b.y)
  return width > 0 and height > 0 and width * height or 0
end

--- The smallest one that holds two.
---@param a deskpilot.rect
---@param b deskpilot.rect
---@return deskpilot.rect
function rect.union(a, b)
  local x, y = math.min(a.x, b.x), math.min(a.y, b.y)
  return { x = x, y = y, width = math.max(a.x + a.width, b.x + b.width) - x,
    height = math.max(a.y + a.height, b.y + b.height) - y }
end

--- Adds what is left of `whole` without `hole` to a list, as up to four rectangles that do not overlap.
---@param whole deskpilot.rect
---@param hole deskpilot.rect
---@param left deskpilot.rect[] changed
function rect.subtract(whole, hole, left)
  local inside = rect.intersection(whole, hole)
  local function add(x, y, right, bottom)
    if right > x and bottom > y then left[#left + 1] = { x = x, y = y, width = right - x, height = bottom - y } end
  end
  if not inside then
    left[#left + 1] = whole
    return
  end
  local right, bottom = inside.x + inside.width, inside.y + inside.height
  add(whole.x, whole.y, whole.x + whole.width, inside.y)
  add(whole.x, inside.y, inside.x, bottom)
  add(right, inside.y, whole.x + whole.width, bottom)
  add(whole.x, bottom, whole.x + whole.width, whole.y + whole.height)
end

local sides = { "x", "y", "width", "height" }

--- Reads a rectangle as scripts write it: { x =, y =, width =, height = } or { x, y, width, height }. Raises where
--- something else than numbers stands there.
---@param given table
---@return deskpilot.rect rect without the sides that are not given
function rect.read(given)
  if type(given) ~= "table" then errors.mistake("a region is { x, y, width, height }, not a %s", type(given)) end
  local read = {}
  for i, side in ipairs(sides) do
    local value = given[side]
    if value == nil then value = given[i] end
    if value ~= nil and (type(value) ~= "number" or value ~= value) then
      errors.mistake("a region's %s must be a number, not %s", side, tostring(value))
    end
    read[side] = value
  end
  return read
end

--- The rectangle that a region names, in the space in which `whole` lies: whole pixels, counted from `origin`. A
--- width or a height that is not given reaches to the edge of `whole`. Raises for what is no region.
---@param region table as for rect.read
---@param whole deskpilot.rect what it is a part of; it may hang over the edge
---@param origin { x: integer, y: integer }? the corner of `whole` if not given
---@return deskpilot.rect
function rect.region(region, whole, origin)
  local read = rect.read(region)
  for side, value in pairs(read) do
    read[side] = math.tointeger(value) or errors.mistake("a region's %s must be a whole number of pixels, not %s", side,
      tostring(value))
  end
  origin = origin or whole
  local x, y = origin.x + (read.x or 0), origin.y + (read.y or 0)
  local width, height = read.width or whole.x + whole.width - x, read.height or whole.y + whole.height - y
  if read.width and width < 1 or read.height and height < 1 then
    errors.mistake "a region's width and height must be at least 1 pixel"
  end
  return { x = x, y = y, width = width, height = height }
end

--- Whether two are the same.
---@param a deskpilot.rect
---@param b deskpilot.rect
---@return boolean
function rect.equal(a, b)
  return a.x == b.x and a.y == b.y and a.width == b.width and a.height == b.height
end

--- Whether a pixel lies in it.
---@param r deskpilot.rect
---@param x number
---@param y number
---@return boolean
function rect.contains(r, x, y)
  return x >= r.x and y >= r.y and x < r.x + r.width and y < r.y + r.height
end

return rect
