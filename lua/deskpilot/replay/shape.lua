--- What a recorded picture shows, where it looks otherwise now: in other colours, larger or smaller, in a window of
--- another size. Looked for is not the whole picture, which has what lies around it as well, but the mark in its
--- middle (a word, a digit, an icon), as it is and inverted, in several sizes, near the place where it was.
local native = require "native.image"
local errors = require "deskpilot.base.errors"
local rects = require "deskpilot.desk.picture.rect"
local shots = require "deskpilot.desk.picture.shot"

local replay_shape = {}

local ink = 48 -- of 255: how much a mark differs from what is behind it
local beside, above = 6, 4 -- pixels between the parts of one mark
local farthest = 16 -- pixels from the spot to its mark
local margin = { 6, 4 } -- pixels around the mark that belong to its picture: a part of a longer word is not that word
local sizes = { 1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.8, 2, 0.9, 0.8, 0.7 }
local near = { share = 4, least = 64 } -- looked for within a quarter of the window on each side, at least 64 pixels
local least_score = 0.7 -- of what is looked at
local farther = 0.2 -- what the score loses from the place where it was to the end of there
-- Of what is taken. Measured with a calculator's keys: in larger letters the key that is meant comes to 0.76 and more,
-- in other colours and windows of another size to 0.88 and more, and any other key to 0.68 at most.
local least_rank = 0.74
local clear = 0.05 -- how much better it must be than the next place

-- --- the mark in a picture ------------------------------------------------------------------------------------------

local function key(red, green, blue)
  return red // 16 << 8 | green // 16 << 4 | blue // 16
end

-- The colour that most of the pixels near the spot have.
local function background(image, spot, width, height)
  local counts, colours, best = {}, {}, nil
  for y = math.max(0, spot[2] - 24), math.min(height - 1, spot[2] + 24) do
    for x = math.max(0, spot[1] - 24), math.min(width - 1, spot[1] + 24) do
      local red, green, blue = image:pixel(x, y)
      local at = key(red, green, blue)
      counts[at], colours[at] = (counts[at] or 0) + 1, { red, green, blue }
      if not best or counts[at] > counts[best] then best = at end
    end
  end
  return colours[best]
end

-- Which pixels differ from it, row by row: y * width + x.
local function inked(image, width, height, behind)
  local found = {}
  for y = 0, height - 1 do
    for x = 0, width - 1 do
      local red, green, blue = image:pixel(x, y)
      local most = math.max(math.abs(red - behind[1]), math.abs(green - behind[2]), math.abs(blue - behind[3]))
      if most > ink then found[y * width + x] = true end
    end
  end
  return found
end

local function part_from(found, start, width, height, spot)
  local part = { left = width, right = -1, top = height, bottom = -1, pixels = 0, distance = math.huge }
  local open = { start }
  found[start] = nil
  while #open > 0 do
    local at = table.remove(open)
    local x, y = at % width, at // width
    part.left, part.right = math.min(part.left, x), math.max(part.right, x)
    part.top, part.bottom = math.min(part.top, y), math.max(part.bottom, y)
    part.pixels = part.pixels + 1
    part.distance = math.min(part.distance, math.max(math.abs(x - spot[1]), math.abs(y - spot[2])))
    for ny = math.max(0, y - 1), math.min(height - 1, y + 1) do
      for nx = math.max(0, x - 1), math.min(width - 1, x + 1) do
        local next_ = ny * width + nx
        if found[next_] then
          found[next_] = nil
          open[#open + 1] = next_
        end
      end
    end
  end
  return part
end

-- Lines and frames belong to what is around a mark, as does what goes on outside of the picture.
local function is_mark(part, width, height)
  local w, h = part.right - part.left + 1, part.bottom - part.top + 1
  if part.left == 0 or part.top == 0 or part.right == width - 1 or part.bottom == height - 1 then return false end
  if math.min(w, h) <= 2 and math.max(w, h) >= 24 then return false end
  return not (w >= 24 and h >= 16 and part.pixels * 6 < w * h)
end

local function gap(a, b)
  return math.max(a.left - b.right, b.left - a.right, 0), math.max(a.top - b.bottom, b.top - a.bottom, 0)
end

local function parts_of(image, width, height, spot)
  local found, parts = inked(image, width, height, background(image, spot, width, height)), {}
  for at = 0, width * height - 1 do
    local part = found[at] and part_from(found, at, width, height, spot)
    if part and is_mark(part, width, height) then parts[#parts + 1] = part end
  end
  table.sort(parts, function(a, b) return a.distance < b.distance end)
  return parts
end

--- The mark that a spot of a picture is on, or next to.
---@param image native.Image
---@param spot integer[] pixel of it
---@return deskpilot.rect? place in pixels of the picture, with a margin; nil where there is none
function replay_shape.mark(image, spot)
  local width, height = image:size()
  local parts = parts_of(image, width, height, spot)
  local whole = table.remove(parts, 1)
  if not whole or whole.distance > farthest then return nil end
  local grown = true
  while grown do
    grown = false
    for i = #parts, 1, -1 do
      local dx, dy = gap(whole, parts[i])
      if dx <= beside and dy <= above then
        local part = table.remove(parts, i)
        whole.left, whole.right = math.min(whole.left, part.left), math.max(whole.right, part.right)
        whole.top, whole.bottom = math.min(whole.top, part.top), math.max(whole.bottom, part.bottom)
        grown = true
      end
    end
  end
  return rects.intersection({ x = whole.left - margin[1], y = whole.top - margin[2],
    width = whole.right - whole.left + 1 + 2 * margin[1], height = whole.bottom - whole.top + 1 + 2 * margin[2] },
    { x = 0, y = 0, width = width, height = height })
end

-- --- on the screen now ----------------------------------------------------------------------------------------------

local function inverted(image)
  local width, height = image:size()
  local other = native.new(width, height)
  for y = 0, height - 1 do
    for x = 0, width - 1 do
      local red, green, blue = image:pixel(x, y)
      other:fill(x, y, 1, 1, 255 - red, 255 - green, 255 - blue)
    end
  end
  return other
end

-- The part of a shot in which its middle may lie around the pixel where it would be, and how far that is.
local function region_of(shot, was, width, height)
  local across, down = math.max(shot.width // near.share, near.least), math.max(shot.height // near.share, near.least)
  local region = rects.intersection({ x = was.x - across - width, y = was.y - down - height,
    width = 2 * (across + width), height = 2 * (down + height) },
    { x = 0, y = 0, width = shot.width, height = shot.height })
  return region, { across = across, down = down }
end

-- What a place counts: its likeness, less the farther it is from where it was.
local function ranked(shot, hit, was, reach)
  local place = assert(shot:from_screen(hit))
  local x, y = place.x + place.width / 2, place.y + place.height / 2
  local far = math.max(math.abs(x - was.x) / reach.across, math.abs(y - was.y) / reach.down)
  return { x = x, y = y, width = place.width, height = place.height, rank = hit.score - farther * far }
end

-- All places that look like the mark.
local function alike(shot, mark, was)
  local found, width, height = {}, mark:size()
  local region, reach = region_of(shot, was, width, height)
  for _, image in ipairs { mark, inverted(mark) } do
    for _, size in ipairs(sizes) do
      local scaled = image:scale(math.max(4, math.floor(width * size)), math.max(4, math.floor(height * size)))
      local hits = scaled and shot:find_all(scaled, { min_score = least_score, max = 8, region = region }) or {}
      for _, hit in ipairs(hits) do found[#found + 1] = ranked(shot, hit, was, reach) end
    end
  end
  return found
end

local function same_place(a, b)
  return math.abs(a.x - b.x) < math.max(a.width, b.width) / 2
    and math.abs(a.y - b.y) < math.max(a.height, b.height) / 2
end

-- The best of them, and the best one that lies elsewhere.
local function best_two(found)
  table.sort(found, function(a, b) return a.rank > b.rank end)
  for i = 2, #found do
    if not same_place(found[1], found[i]) then return found[1], found[i] end
  end
  return found[1]
end

local function middle(place)
  return ("%d, %d"):format(place.x // 1, place.y // 1)
end

--- Where the mark of a picture is in a shot that has other colours or another size.
---@param shot deskpilot.shot of the window
---@param image native.Image the recorded picture
---@param spot integer[] pixel of it that is meant
---@param was { x: integer, y: integer } pixel of the shot where it would be if only the window's size were another
---@return { x: integer, y: integer }? place pixel of the shot
---@return deskpilot.error? err code "not_found": nothing is enough like it, or several places are
function replay_shape.find(shot, image, spot, was)
  local part = replay_shape.mark(image, spot)
  if not part then return errors.fail("not_found", "nothing in its picture could be looked for in other colours") end
  local best, other = best_two(alike(shot, assert(image:crop(part.x, part.y, part.width, part.height)), was))
  if not best or best.rank < least_rank then
    return errors.fail("not_found", "nothing near its place looks like it in other colours or another size")
  end
  if other and best.rank - other.rank < clear then
    return errors.fail("not_found", "in other colours or another size two places look like it: %s and %s",
      middle(best), middle(other))
  end
  -- How far the spot is from its mark does not grow with the letters: what is around them does not either.
  return { x = math.floor(best.x + spot[1] - part.x - part.width / 2),
    y = math.floor(best.y + spot[2] - part.y - part.height / 2) }
end

--- Where the mark of a recorded picture is in a window, as far as that is in view.
---@param desk deskpilot.desk
---@param window deskpilot.window
---@param file string the picture
---@param spot integer[]? pixel of it that is meant, its middle if not given
---@param x integer pixel of the screen where that would be if only the window's size were another
---@param y integer
---@return { x: integer, y: integer }? place pixel of the screen
---@return deskpilot.error? err
function replay_shape.in_window(desk, window, file, spot, x, y)
  local recorded, err = shots.load(file)
  if not recorded then return nil, err end
  local shot, why = desk.screen.shot { window = window, on_screen = true, cursor = false }
  if not shot then return nil, why end
  local place, problem
  local was = shot:from_screen { x = x, y = y, width = 1, height = 1 }
  if was then
    spot = spot or { recorded.width // 2, recorded.height // 2 }
    place, problem = replay_shape.find(shot, recorded.native, spot, was)
  end
  if place then place.x, place.y = shot:locate(place.x, place.y) end
  shot.native:close()
  if place then return place end
  return nil, problem or errors.new("not_found", "where it was, at %d, %d, is not on the screen", x, y)
end

return replay_shape
