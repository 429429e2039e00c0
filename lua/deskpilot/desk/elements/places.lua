--- The visible part of elements: a scrolled area cuts off its content at its edges.
local rectangle = require "deskpilot.desk.picture.rect"

local places = {}

-- Roles that cut off their content at their edges.
local clips = { ["scroll pane"] = true, viewport = true, table = true, tree = true, ["tree table"] = true,
  list = true, ["list box"] = true, ["document web"] = true, ["document frame"] = true, ["layered pane"] = true }
-- Roles that are shown above everything, so that their ancestors do not cut them off.
local floats = { menu = true, ["popup menu"] = true, ["tool tip"] = true, dialog = true, alert = true,
  window = true, frame = true }

-- Roles whose children are shown above everything.
local opened = { menu = true, ["popup menu"] = true }

--- For each element of a complete list the part of its rectangle that is not scrolled out of view; false where nothing
--- is left, or where it has no place.
---@param list deskpilot.element[]
---@return table[] rects { x, y, width, height } or false
function places.visible(list)
  local rects, limits = {}, {}
  for i, element in ipairs(list) do
    local limit = element.parent and not floats[element.role] and limits[element.parent] or nil
    local rect = element.width > 0 and element.height > 0 and element or nil
    if rect and limit then rect = rectangle.intersection(rect, limit) end
    rects[i] = rect and { x = rect.x, y = rect.y, width = rect.width, height = rect.height } or false
    limits[i] = clips[element.role] and rects[i] or limit
  end
  return rects
end

--- Whether enough of an element is visible: half of its height and width, or of those of the area that it is in.
---@param list deskpilot.element[]
---@param element deskpilot.element of that list
---@return boolean
function places.in_view(list, element)
  local rect = places.visible(list)[element.index]
  if not rect or not element.states.showing then return false end
  local above = element.parent and list[element.parent]
  local width, height = element.width, element.height
  while above do
    if clips[above.role] and above.width > 0 and above.height > 0 then
      width, height = math.min(width, above.width), math.min(height, above.height)
    end
    above = above.parent and list[above.parent]
  end
  return rect.width * 2 >= width and rect.height * 2 >= height
end

local function holds(rect, x, y)
  return rect and rectangle.contains(rect, x, y)
end

-- The stacking place of each top-level element: that of its window.
local function levels(list, windows, frame_of)
  local level = {}
  for height, window in ipairs(windows) do
    local frame = window.visible ~= false and frame_of(list, window)
    if frame then level[frame.index] = height end
  end
  return level
end

--- The deepest element at a pixel, in the topmost window there.
---@param list deskpilot.element[]
---@param windows deskpilot.window[] bottom to top
---@param x integer
---@param y integer
---@param frame_of fun(list, window): deskpilot.element? the element of a window
---@return deskpilot.element?
function places.at(list, windows, x, y, frame_of)
  local rects, level = places.visible(list), levels(list, windows, frame_of)
  local best, best_height, heights = nil, nil, {}
  for i, element in ipairs(list) do
    local above = list[element.parent or 0]
    -- Top-level elements that the window manager does not list (tooltips, open menus) are above all windows.
    local floating = element.depth == 1 and not level[i] or above and opened[above.role]
    heights[i] = floating and math.huge or level[i] or heights[element.parent or 0]
    if element.depth > 0 and element.states.showing and holds(rects[i], x, y) then
      local height = heights[i]
      if not best or height > best_height or (height == best_height and element.depth >= best.depth) then
        best, best_height = element, height
      end
    end
  end
  return best
end

return places
