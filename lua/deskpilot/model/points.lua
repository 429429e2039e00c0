--- Positions as models write them: [1, 2], (1,2), {"x": 1, "y": 2}, "<point>1 2</point>", boxes, corners, lists in
--- lists, in texts or not. They are left in the model's space and as many numbers as there are; what they mean is
--- decided where the space is known (space.lua).
local points = {}

local most = 8 -- numbers: four corners

-- The keys of objects that are positions, in the order of their numbers.
local shapes = {
  { "x1", "y1", "x2", "y2" }, { "x_min", "y_min", "x_max", "y_max" }, { "xmin", "ymin", "xmax", "ymax" },
  { "left", "top", "right", "bottom" }, { "x", "y" }, { "X", "Y" },
}

-- The keys that hold one.
local holders = { "coordinate", "coordinates", "position", "point", "point_2d", "bbox_2d", "box_2d", "bbox", "box",
  "center", "start_box" }

local function add_text(words, numbers)
  if #words > 400 then return nil end
  for digits in words:gmatch("[+-]?[%d.]+") do
    if #numbers == most then return nil end
    numbers[#numbers + 1] = tonumber(digits)
    if not tonumber(digits) then return nil end
  end
  return numbers
end

local function add(value, numbers, depth)
  if type(value) == "number" then
    if #numbers == most then return nil end
    numbers[#numbers + 1] = value
    return numbers
  end
  -- the digit in the name of a tag is none of a position
  if type(value) == "string" then return add_text(value:gsub("bbox_2d", ""):gsub("point_2d", ""), numbers) end
  if type(value) ~= "table" or depth > 4 then return nil end
  for _, shape in ipairs(shapes) do
    if value[shape[1]] ~= nil then
      for _, key in ipairs(shape) do
        if not add(value[key], numbers, depth + 1) then return nil end
      end
      return numbers
    end
  end
  for _, key in ipairs(holders) do
    if value[key] ~= nil then return add(value[key], numbers, depth + 1) end
  end
  if #value == 0 then return nil end
  for _, item in ipairs(value) do
    if not add(item, numbers, depth + 1) then return nil end
  end
  return numbers
end

--- The numbers of a position; nil where it is none.
---@param value any
---@return number[]?
function points.read(value)
  local numbers = add(value, {}, 0)
  if not numbers or #numbers < 2 then return nil end
  for i, number in ipairs(numbers) do numbers[i] = math.tointeger(number) or number end
  return numbers
end

--- The position in an object that holds one beside other things, such as {"bbox_2d": [...], "label": "Save"}.
---@param value table
---@return any position, string? label
function points.held(value)
  for _, key in ipairs(holders) do
    if value[key] ~= nil then return value[key], type(value.label) == "string" and value.label or nil end
  end
  if value.x ~= nil or value.x1 ~= nil or value.x_min ~= nil then
    return value, type(value.label) == "string" and value.label or nil
  end
end

return points
