--- Rectangles: anything with x, y, width and height, of whole pixels or of fractions of them.
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

--- Whether a pixel lies in it.
---@param r deskpilot.rect
---@param x number
---@param y number
---@return boolean
function rect.contains(r, x, y)
  return x >= r.x and y >= r.y and x < r.x + r.width and y < r.y + r.height
end

return rect
