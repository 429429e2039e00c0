--- Marks on a screenshot: a box around each element and a tag with its number, by which a person or a model
--- can name it ("set of marks"). A tag is put where it hides the least: of what is drawn there, of small
--- neighbours, of other tags.
local rects = require "deskpilot.desk.picture.rect"

local marks = {}

---@class deskpilot.marks_style
---@field color string? of all boxes, "#rrggbb"; if not given each has one that differs from its neighbours' in the list
---@field scale integer? size of the tags; by the picture's size if not given
---@field width integer? of the boxes' edges in pixels; as scale if not given

-- Dark enough for white figures, and easy to tell from each other.
local colours = { "#d32f2f", "#1565c0", "#2e7d32", "#7b1fa2", "#c75000", "#00796b", "#c2185b", "#5d4037" }

local cell = 64          -- side of a cell of the grid in which neighbours are looked up, pixels
local large = 40         -- a box of so many tags' area has room: a tag may lie anywhere on it
local penalty = { tag = 20, neighbour = 4, ink = 2, own = 1, order = 0.02 }

-- What lies where: rects by the cells that they touch.
local function new_grid()
  return setmetatable({}, { __index = function(grid, key)
    local list = {}
    rawset(grid, key, list)
    return list
  end })
end

local function each_cell(rect, visit)
  for row = rect.y // cell, (rect.y + rect.height - 1) // cell do
    for column = rect.x // cell, (rect.x + rect.width - 1) // cell do visit(row << 16 | column) end
  end
end

local function boxes_of(shot, list)
  local boxes = {}
  for i, thing in ipairs(list) do
    local box = shot:from_screen(thing)
    if box then
      box.text = tostring(thing.index or i)
      box.colour = colours[(thing.index or i) % #colours + 1]
      boxes[#boxes + 1] = box
    end
  end
  return boxes
end

-- Top left corners of a tag at a box, the best first: where the box has room in its corners within, else
-- outside, where it is less plain whose tag it is.
local function corners(box, width, height)
  local right, bottom = box.x + box.width, box.y + box.height
  local inside = { { box.x, box.y }, { right - width, box.y }, { box.x, bottom - height },
    { right - width, bottom - height } }
  local outside = { { box.x, box.y - height }, { box.x, bottom }, { box.x - width, box.y }, { right, box.y },
    { right - width, box.y - height }, { right - width, bottom }, { box.x - width, bottom - height },
    { right, bottom - height } }
  local first, second = outside, inside
  if box.width >= 2 * width and box.height >= 2 * height then first, second = inside, outside end
  return table.move(second, 1, #second, #first + 1, first)
end

-- How much is drawn under a tag: the share of pixels, every third or so, that differ from the one before.
local function ink(shot, tag)
  local count, changes, step = 0, 0, tag.height // 4
  for y = tag.y, math.min(tag.y + tag.height, shot.height) - 1, step do
    local red, green, blue = shot:pixel(tag.x, y)
    for x = tag.x + step, math.min(tag.x + tag.width, shot.width) - 1, step do
      local r, g, b = shot:pixel(x, y)
      count = count + 1
      if math.abs(r - red) + math.abs(g - green) + math.abs(b - blue) > 48 then changes = changes + 1 end
      red, green, blue = r, g, b
    end
  end
  return count > 0 and changes / count or 0
end

-- How much a tag at that place would hide.
local function cost(shot, grid, box, tag)
  local sum, seen = rects.overlap(tag, box) / (box.width * box.height) * penalty.own, { [box] = true }
  each_cell(tag, function(key)
    for _, other in ipairs(grid[key]) do
      if not seen[other] then
        seen[other] = true
        local share = rects.overlap(tag, other) / (other.width * other.height)
        sum = sum + share * (other.is_tag and penalty.tag or penalty.neighbour)
      end
    end
  end)
  return sum + ink(shot, tag) * penalty.ink
end

local function best_tag(shot, grid, box, width, height)
  local best, least
  for i, corner in ipairs(corners(box, width, height)) do
    local tag = { x = math.max(0, math.min(corner[1], shot.width - width)),
      y = math.max(0, math.min(corner[2], shot.height - height)), width = width, height = height, is_tag = true }
    local sum = cost(shot, grid, box, tag) + penalty.order * i
    if not least or sum < least then best, least = tag, sum end
  end
  return best
end

-- Small boxes choose first: the large ones have more places to go to.
local function by_size(boxes)
  local order = table.move(boxes, 1, #boxes, 1, {})
  table.sort(order, function(a, b)
    local first, second = a.width * a.height, b.width * b.height
    if first ~= second then return first < second end
    return a.number < b.number
  end)
  return order
end

--- Where the marks of a list lie in a shot: for each thing that shows in it the box in pixels of the picture,
--- and its tag with its place and size.
---@param shot deskpilot.shot
---@param list deskpilot.rect[]
---@param scale integer size of the tags
---@return table[] boxes each { x, y, width, height, text, colour, tag = { x, y, width, height } }
function marks.layout(shot, list, scale)
  local boxes, grid = boxes_of(shot, list), new_grid()
  local _, line = shot:label_size("0", scale)
  for i, box in ipairs(boxes) do
    box.number = i
    if box.width * box.height < large * line * line then
      each_cell(box, function(key) table.insert(grid[key], box) end)
    end
  end
  for _, box in ipairs(by_size(boxes)) do
    local tag = best_tag(shot, grid, box, shot:label_size(box.text, scale))
    box.tag = tag
    each_cell(tag, function(key) table.insert(grid[key], tag) end)
  end
  return boxes
end

--- A copy of a shot with a box and a tag for each thing of the list that lies in it: elements, windows, hits or
--- whatever has x, y, width and height in pixels of the screen (of the picture, where it is from a file). The
--- tag's number is the thing's index, or its place in the list if it has none.
---@param shot deskpilot.shot scaled or not
---@param list deskpilot.rect[]
---@param style deskpilot.marks_style?
---@return deskpilot.shot? marked, deskpilot.error? err
function marks.draw(shot, list, style)
  style = style or {}
  local marked, err = shot:copy()
  if not marked then return nil, err end
  local scale = style.scale or math.max(1, (math.max(shot.width, shot.height) + 960) // 1920)
  local boxes = marks.layout(shot, list, scale)
  for _, box in ipairs(boxes) do
    marked:rectangle(box, { color = style.color or box.colour, width = style.width or scale })
  end
  for _, box in ipairs(boxes) do -- above all edges
    marked:label(box.text, { x = box.tag.x, y = box.tag.y, scale = scale, background = style.color or box.colour })
  end
  return marked
end

-- Another program's window lies over the middle of an element, above the element's own. What lies outside
-- its program's windows is a menu or the like, and above all.
local function covered(element, windows)
  local x, y, above = element.x + element.width // 2, element.y + element.height // 2, nil
  for _, window in ipairs(windows) do -- bottom to top
    if window.visible and not window.minimized and rects.contains(window, x, y) then
      if window.pid == element.pid then above = false elseif above == false then above = true end
    end
  end
  return above
end

--- The elements of a list that are worth a mark: what one can act on, and what shows something (has nothing
--- within it); not the panels around them, nor what another program's window covers.
---@param list deskpilot.element[]
---@param windows deskpilot.window[]? as desk.windows.list gives them; without, all count as not covered
---@return deskpilot.element[]
function marks.choose(list, windows)
  local has_parts, chosen = {}, {}
  for _, element in ipairs(list) do
    if element.parent and element.width > 0 and element.height > 0 then has_parts[element.parent] = true end
  end
  for _, element in ipairs(list) do
    if element.width > 0 and element.height > 0 and (element.actions > 0 or not has_parts[element.index])
      and not covered(element, windows or {}) then
      chosen[#chosen + 1] = element
    end
  end
  return chosen
end

return marks
