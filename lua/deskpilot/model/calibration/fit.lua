--- In which space a model points, worked out from where it was asked to point and what it answered: the answers are
--- taken for positions in each space that is known, and the one in which they lie nearest to their targets is it.
--- Medians throughout, so that a few wild answers decide nothing; the straight line through what is left is by Theil
--- and Sen (the median of the slopes between all pairs).
local picture_size = require "deskpilot.model.picture_size"

local fit = {}

--- An answer to the question where something is.
---@class deskpilot.calibration.sample
---@field numbers number[] two of a point, four of a box, as they were written
---@field x number where the target's middle is, in pixels of the picture
---@field y number
---@field width integer the picture's
---@field height integer

---@class deskpilot.calibration.result
---@field space deskpilot.model.profile_space
---@field order "xy"|"yx"
---@field box_order "xyxy"|"yxyx"
---@field residual number median distance from the target, in thousandths of the picture's longer side
---@field wide number what nine of ten distances are below, in the same
---@field pixels number the median distance in pixels
---@field scale number[] across and down: 1 where distances between answers are those between targets
---@field offset number[] how far answers lie beside their targets in the median, in pixels: right, down
---@field same deskpilot.model.profile_space[] spaces that fit as well

local function median(list)
  if #list == 0 then return 0.0 end
  table.sort(list)
  local middle = (#list + 1) // 2
  return #list % 2 == 1 and list[middle] or (list[middle] + list[middle + 1]) / 2
end

local function quantile(list, part)
  table.sort(list)
  return list[math.max(1, math.ceil(#list * part))] or 0.0
end

-- What stands for the far edges of a picture in a space.
local function edges(space, width, height)
  if space.kind == "scaled" then return space.max, space.max end
  if space.kind == "resized" then return picture_size.resized(width, height, space) end
  return width, height
end

local function point_of(numbers, order, box_order)
  local x, y
  if #numbers >= 4 then
    x, y = (numbers[1] + numbers[3]) / 2, (numbers[2] + numbers[4]) / 2
    if box_order == "yxyx" then x, y = y, x end
  else
    x, y = numbers[1], numbers[2]
    if order == "yx" then x, y = y, x end
  end
  return x, y
end

-- Where an answer is in the picture, in pixels.
local function place_of(sample, space, orders)
  local x, y = point_of(sample.numbers, orders[1], orders[2])
  local across, down = edges(space, sample.width, sample.height)
  if space.fractions and x <= 1 and y <= 1 then across, down = 1, 1 end
  return x * sample.width / across, y * sample.height / down
end

local function distances(samples, space, orders)
  local relative, pixels = {}, {}
  for i, sample in ipairs(samples) do
    local x, y = place_of(sample, space, orders)
    pixels[i] = math.sqrt((x - sample.x) ^ 2 + (y - sample.y) ^ 2)
    relative[i] = 1000 * pixels[i] / math.max(sample.width, sample.height)
  end
  return relative, pixels
end

local function mean(list)
  local sum = 0
  for _, value in ipairs(list) do sum = sum + value end
  return #list > 0 and sum / #list or 0.0
end

-- The answers by the pictures that they were about.
local function by_picture(samples)
  local groups, order = {}, {}
  for _, sample in ipairs(samples) do
    local key = sample.width << 16 | sample.height
    if not groups[key] then
      groups[key] = {}
      order[#order + 1] = groups[key]
    end
    table.insert(groups[key], sample)
  end
  return order
end

-- How well a space fits the answers about one picture: the mean distance of the better three quarters, which is finer
-- than the median between spaces that differ by a thousandth, and as deaf to wild answers. A model that always points a
-- little beside things does so in each space, so what the answers have in common counts little.
local function misfit_of(samples, space, orders)
  local right, below, rest = {}, {}, {}
  for i, sample in ipairs(samples) do
    local x, y = place_of(sample, space, orders)
    right[i], below[i] = x - sample.x, y - sample.y
  end
  local x, y = median { table.unpack(right) }, median { table.unpack(below) }
  for i, sample in ipairs(samples) do
    rest[i] = 1000 * math.sqrt((right[i] - x) ^ 2 + (below[i] - y) ^ 2) / math.max(sample.width, sample.height)
  end
  table.sort(rest)
  return mean(table.move(rest, 1, math.max(1, #rest * 3 // 4), 1, {})) + 0.02 * math.sqrt(x * x + y * y)
end

-- Each picture counts alike: what tells two rules apart may show on one of them alone.
local function misfit(samples, space, orders)
  local sum = 0
  for _, group in ipairs(by_picture(samples)) do sum = sum + misfit_of(group, space, orders) end
  return sum
end

-- The straight line from the targets to where the answers lie, in one direction.
local function line(from, to)
  local slopes = {}
  for i = 1, #from do
    for j = i + 1, #from do
      if math.abs(from[j] - from[i]) > 20 then slopes[#slopes + 1] = (to[j] - to[i]) / (from[j] - from[i]) end
    end
  end
  local off = {}
  for i = 1, #from do off[i] = to[i] - from[i] end
  return #slopes > 0 and median(slopes) or 1.0, median(off)
end

local function lines(samples, space, orders)
  local x, y, found_x, found_y = {}, {}, {}, {}
  for i, sample in ipairs(samples) do
    x[i], y[i] = sample.x, sample.y
    found_x[i], found_y[i] = place_of(sample, space, orders)
  end
  local across, right = line(x, found_x)
  local down, below = line(y, found_y)
  return { across, down }, { right, below }
end

local function has(samples, least, most)
  for _, sample in ipairs(samples) do
    if #sample.numbers >= least and #sample.numbers <= most then return true end
  end
  return false
end

-- Orders are told apart only where there were answers of that kind.
local function orders_of(samples)
  local list = {}
  for _, order in ipairs(has(samples, 2, 3) and { "xy", "yx" } or { "xy" }) do
    for _, box_order in ipairs(has(samples, 4, math.huge) and { "xyxy", "yxyx" } or { "xyxy" }) do
      list[#list + 1] = { order, box_order }
    end
  end
  return list
end

--- The spaces that are tried where nobody names others, the usual ones first.
---@param rules { factor: integer, min_pixels: integer, max_pixels: integer }[] of resizing
---@return deskpilot.model.profile_space[]
function fit.spaces(rules)
  local list = { { kind = "scaled", max = 1000 }, { kind = "pixels" }, { kind = "scaled", max = 999 },
    { kind = "scaled", max = 1 }, { kind = "scaled", max = 100 } }
  for _, rule in ipairs(rules) do
    list[#list + 1] = { kind = "resized", factor = rule.factor, min_pixels = rule.min_pixels,
      max_pixels = rule.max_pixels }
  end
  list[#list + 1] = { kind = "pixels", fractions = true }
  return list
end

-- Whether two spaces mean the same by every answer that there was.
local function alike(samples, a, b)
  for _, sample in ipairs(samples) do
    local across, down = edges(a, sample.width, sample.height)
    local other_across, other_down = edges(b, sample.width, sample.height)
    if across ~= other_across or down ~= other_down then return false end
  end
  return true
end

--- The space that fits best. `samples` that mean the same in several of them leave these in `same`.
---@param samples deskpilot.calibration.sample[] at least one
---@param spaces deskpilot.model.profile_space[] the usual ones first
---@return deskpilot.calibration.result
function fit.best(samples, spaces)
  local best, least, chosen = nil, math.huge, nil
  for _, space in ipairs(spaces) do
    for _, orders in ipairs(orders_of(samples)) do
      local worth = misfit(samples, space, orders)
      if worth < least - 1e-9 then best, least, chosen = space, worth, orders end
    end
  end
  local relative, pixels = distances(samples, best, chosen)
  local scale, offset = lines(samples, best, chosen)
  local same = {}
  for _, space in ipairs(spaces) do
    if space ~= best and alike(samples, space, best) then same[#same + 1] = space end
  end
  return { space = best, order = chosen[1], box_order = chosen[2], residual = median(relative),
    wide = quantile(relative, 0.9), pixels = median(pixels), scale = scale, offset = offset, same = same }
end

return fit
