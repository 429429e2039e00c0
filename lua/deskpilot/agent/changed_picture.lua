--- The picture of a look for who has seen the one before: the part that has changed, or all of it where that is most.
local observation = require "deskpilot.agent.observation"
local pictures = require "deskpilot.agent.pictures"
local rects = require "deskpilot.desk.picture.rect"
local spaces = require "deskpilot.model.space"
local viewpoint = require "deskpilot.agent.viewpoint"

local changed_picture = {}

local margin = 24       -- pixels of what has not changed around it
local smallest = 256    -- of tiny pictures models see little, and some make them larger before they count them
local worthwhile = 0.6  -- of the whole picture: a part that is more is not worth its caption
-- A smaller difference of a channel is none: what JPEG files make of equal pixels, and the shades of buttons that the
-- pointer has passed and that fade out.
local tolerance = 32
local pointer_width, pointer_height = 32, 40
local title_height = 24 -- pixels, about
local around = 6        -- pixels around an element on which its frame and shadow are drawn
local most_of_screen = 0.2 -- of the picture: what is drawn in an element that is larger is not told by its words

-- Where the pointer was: what is drawn there is no change that tells anything, it has moved on.
local function left_by_pointer(before, now)
  local a, b = before.pointer, now.pointer
  if not a or b and math.abs(a.x - b.x) <= pointer_width and math.abs(a.y - b.y) <= pointer_height then return {} end
  return { { x = a.x - 4, y = a.y - 4, width = pointer_width, height = pointer_height } }
end

local function holds(element, point)
  return point ~= nil and rects.contains(element, point.x, point.y)
end

-- The title bar of the active window, whether the window's place is with it or without: the title and which window is
-- active are told, and a window manager may draw them late.
local function title_bar(window)
  return { x = window.x - around, y = window.y - title_height, width = window.width + 2 * around,
    height = 2 * title_height }
end

-- The places of the elements whose change is told in words, before and now, and of the one that the pointer was over:
-- it no longer looks pointed at.
local function told_in_words(before, now)
  local had, places = {}, {}
  for _, seen in ipairs { before, now } do
    local window = seen.window
    if window and window.x and window.width then places[#places + 1] = title_bar(window) end
  end
  local most = most_of_screen * now.shot.frame.width * now.shot.frame.height
  for _, element in ipairs(before.elements) do had[element.number] = element end
  for _, element in ipairs(now.elements) do
    local known = had[element.number]
    if known and (observation.element(before, known, spaces.canonical)
      ~= observation.element(now, element, spaces.canonical) or holds(known, before.pointer))
      and math.max(known.width * known.height, element.width * element.height) <= most then
      for _, one in ipairs { known, element } do
        places[#places + 1] = { x = one.x - around, y = one.y - around, width = one.width + 2 * around,
          height = one.height + 2 * around }
      end
    end
  end
  return places
end

-- A part of the picture without these places of the screen, as rectangles that do not overlap.
local function without(shot, part_of_it, places)
  local rest = { part_of_it }
  for _, place in ipairs(places) do
    local hole, left = shot:from_screen(place), {}
    if hole then
      for _, part in ipairs(rest) do rects.subtract(part, hole, left) end
      rest = left
    end
  end
  return rest
end

--- The part that differs, in pixels of the pictures; nil where nothing does.
---@param before { shot: deskpilot.shot }
---@param now { shot: deskpilot.shot } of the same part of the screen
---@param places deskpilot.rect[] of the screen, which are left out
---@param within deskpilot.rect? a part of the pictures, outside of which nothing differs
---@return deskpilot.rect?
function changed_picture.difference(before, now, places, within)
  local found
  within = within or { x = 0, y = 0, width = now.shot.width, height = now.shot.height }
  for _, part in ipairs(without(now.shot, within, places)) do
    local differs = now.shot:difference(before.shot, { tolerance = tolerance, area = part })
    if differs then found = found and rects.union(found, differs) or differs end
  end
  return found
end

local function side(first, length, whole)
  local wanted = math.min(whole, math.max(length + 2 * margin, smallest))
  local start = math.max(0, math.min(first - (wanted - length) // 2, whole - wanted))
  return start, wanted
end

--- The part of the later picture that shows what has changed; nil where nothing has.
---@param before deskpilot.observation
---@param now deskpilot.observation of the same part of the screen
---@param beyond_words boolean? only what the words about the elements do not tell
---@return deskpilot.rect? part in pixels of the picture; all of it where that is not much more
function changed_picture.part(before, now, beyond_words)
  if before == now or before.bytes and before.bytes == now.bytes then return nil end
  local left = left_by_pointer(before, now)
  local found = changed_picture.difference(before, now, left)
  if found and beyond_words then
    local places = told_in_words(before, now)
    table.move(left, 1, #left, #places + 1, places)
    if not changed_picture.difference(before, now, places, found) then return nil end
  end
  if not found then return nil end
  local shot = now.shot
  local x, width = side(found.x, found.width, shot.width)
  local y, height = side(found.y, found.height, shot.height)
  if width * height > worthwhile * shot.width * shot.height then
    return { x = 0, y = 0, width = shot.width, height = shot.height }
  end
  return { x = x, y = y, width = width, height = height }
end

--- A picture for a request of what has changed from one look to the next.
---@param run deskpilot.run
---@param persona string who is shown it
---@param before deskpilot.observation?
---@param now deskpilot.observation?
---@param beyond_words boolean? only where something has that the words about the elements do not tell
---@return deskpilot.picture|deskpilot.observation|nil picture the whole look where most has, nil where nothing has
function changed_picture.of(run, persona, before, now, beyond_words)
  if not before or not now then return now end
  local part, shot = changed_picture.part(before, now, beyond_words), now.shot
  local crop = part and (part.width < shot.width or part.height < shot.height) and shot:crop(part)
  if not part then return nil end
  if not crop then return now end
  run.pictured = (run.pictured or 0) + 1
  local picture = pictures.keep(run, crop, ("screenshots/picture_%04d"):format(run.pictured))
  crop.native:close()
  if not picture then return now end
  local function norm(value, size) return value * 1000 / size end
  picture.caption = ("What has changed, the part %s of the screenshot as it is now:"):format(
    viewpoint.space(run, persona):show { norm(part.x, shot.width), norm(part.y, shot.height),
      norm(part.x + part.width, shot.width), norm(part.y + part.height, shot.height) })
  return picture
end

return changed_picture
