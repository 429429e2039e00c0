--- What models write in place of a point or a box: [1, 2], a box, four corners, lists in lists, numbers in a text. All
--- of it stays in the model's numbers (space.lua).
local json = require "deskpilot.base.json"

local space_reading = {}

local deepest, most_numbers, longest = 4, 16, 400

-- Adds the numbers of a value to a list: of a list, of lists in it, of a text. `pairs`: how many lists of two there
-- were.
local function collect(value, found, depth)
  if depth > deepest or #found > most_numbers then return end
  if type(value) == "number" and value == value and math.abs(value) < math.huge then
    found[#found + 1] = value
  elseif type(value) == "string" and #value <= longest then
    for word in value:gmatch "%-?%d+%.?%d*" do found[#found + 1] = tonumber(word) end
  elseif type(value) == "table" and value ~= json.null then
    if type(value.x) == "number" and type(value.y) == "number" then
      found.named = true
      found[#found + 1], found[#found + 2] = value.x, value.y
    end
    if depth > 1 and #value == 2 and type(value[1]) == "number" and type(value[2]) == "number" then
      found.pairs = (found.pairs or 0) + 1
    end
    for _, item in ipairs(value) do collect(item, found, depth + 1) end
  end
end

local function swapped(a, b, swap)
  if swap then return b, a end
  return a, b
end

-- Left, top, right and bottom of four numbers or of the corners of a shape; a point has all of them the same.
local function edges_of(found, order, box_order)
  local count, turned = #found, order == "yx" and not found.named
  if count == 2 or count == 3 or count == 6 or count == 7 then -- more than a point: of more points, the first
    local x, y = swapped(found[1], found[2], turned)
    return { x, y, x, y }
  end
  if (count == 4 or count == 5) and not found.pairs and not found.named then
    local left, top = swapped(found[1], found[2], box_order == "yxyx")
    local right, bottom = swapped(found[3], found[4], box_order == "yxyx")
    return { left, top, right, bottom }
  end
  if count ~= 4 and count ~= 8 then return nil end
  local edges
  for i = 1, count, 2 do
    local x, y = swapped(found[i], found[i + 1], turned)
    edges = edges or { x, y, x, y }
    edges = { math.min(edges[1], x), math.min(edges[2], y), math.max(edges[3], x), math.max(edges[4], y) }
  end
  return edges
end

--- Left, top, right and bottom of what a model has written; of a point the same twice.
---@param value any
---@param order "xy"|"yx" of points
---@param box_order "xyxy"|"yxyx"
---@return number[]? edges nil where it is no place
---@return integer? count of its numbers
function space_reading.edges(value, order, box_order)
  local found = {}
  collect(value, found, 1)
  return edges_of(found, order, box_order), #found
end

return space_reading
