--- What of a screenshot is worth sending: all of it but bare edges. A desktop with one window on a plain background is
--- mostly that background, which costs tokens and tells nothing; without it, what is there is also shown larger where
--- the picture has to be made smaller. Nothing is lost: only rows and columns of one colour are left out.
local trim = {}

local margin = 8    -- pixels of the background that stay around what is there: it can still be pointed at
local step = 8      -- the edges are multiples of it, so that what moves a little does not move them
local smallest = 256 -- a side is at least that long: of tiny pictures models see less
local worthwhile = 0.8 -- share of the picture: where more than that is left, it is sent as it is

-- One side with its margin, at least as long as the smallest, within the screen's.
local function side(first, length, from, whole)
  local least = math.min(smallest, whole)
  local short = math.max(0, least - length - 2 * margin)
  local start = (first - margin - short // 2 - from) // step * step
  local stop = -((from - first - length - margin - (short + 1) // 2) // step) * step
  start, stop = math.max(0, start), math.min(whole, stop)
  if stop - start < least then start = math.max(0, stop - least) end
  return from + start, math.max(stop - start, least)
end

local function holds(outer, inner)
  return inner.x >= outer.x and inner.y >= outer.y and inner.x + inner.width <= outer.x + outer.width
    and inner.y + inner.height <= outer.y + outer.height
end

--- The part of the screen that a picture of it should show; nil where that is all.
---@param image native.Image of the screen, as large as it
---@param whole deskpilot.rect where it is on the screen
---@param before deskpilot.rect? what the picture before has shown: it is kept while all that is there lies in it and it
---  is not much too large, since then positions in both pictures mean the same
---@return deskpilot.rect? part in pixels of the screen
function trim.part(image, whole, before)
  local first_x, first_y, content_width, content_height = image:content()
  if not first_x then return nil end
  local content = { x = whole.x + first_x, y = whole.y + first_y, width = content_width, height = content_height }
  local x, width = side(content.x, content.width, whole.x, whole.width)
  local y, height = side(content.y, content.height, whole.y, whole.height)
  if width * height > worthwhile * whole.width * whole.height then return nil end
  local part = { x = x, y = y, width = width, height = height }
  local kept = before and holds(whole, before) and holds(before, content)
    and before.width * before.height <= 2 * width * height
  return kept and { x = before.x, y = before.y, width = before.width, height = before.height } or part
end

return trim
