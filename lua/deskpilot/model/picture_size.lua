--- The size of the picture that a model is sent, and the sizes that models themselves give to pictures.
local image = require "native.image"

local picture_size = {}

-- To the nearest whole number, halves to the even one, as the published rules round.
local function nearest(value)
  local low = math.floor(value)
  local rest = value - low
  if rest > 0.5 or rest == 0.5 and low % 2 == 1 then low = low + 1 end
  return math.tointeger(low)
end

local function to_multiple(value, factor)
  return math.max(factor, nearest(value / factor) * factor)
end

--- The size that a model of Qwen's kind gives to a picture before it looks: both sides become multiples of `factor`,
--- each rounded to the nearest; where the area is then outside of the bounds, both sides are scaled alike by the square
--- root of what is too much (and rounded down) or missing (and rounded up).
---@param width integer
---@param height integer
---@param rule { factor: integer, min_pixels: integer, max_pixels: integer }
---@return integer width, integer height
function picture_size.resized(width, height, rule)
  local factor = rule.factor
  local w, h = to_multiple(width, factor), to_multiple(height, factor)
  if w * h > rule.max_pixels then
    local by = math.sqrt(width * height / rule.max_pixels)
    w = math.max(factor, math.floor(width / by / factor) * factor)
    h = math.max(factor, math.floor(height / by / factor) * factor)
  elseif w * h < rule.min_pixels then
    local by = math.sqrt(rule.min_pixels / (width * height))
    w, h = math.ceil(width * by / factor) * factor, math.ceil(height * by / factor) * factor
  end
  return math.tointeger(w), math.tointeger(h)
end

-- Whether a picture has at most so many patches, of which those at the edges count whole, within the longest sides.
local function in_patches(width, height, wanted)
  local patch, across, down = wanted.patch, -(-width // wanted.patch), -(-height // wanted.patch)
  return across * down <= wanted.patches and across * patch <= (wanted.width or math.huge)
    and down * patch <= (wanted.height or math.huge)
end

-- The largest size of the same shape that has no more patches than wanted. The longer side is the one that is tried.
local of_patches

function of_patches(width, height, wanted)
  if in_patches(width, height, wanted) then return width, height end
  if height > width then
    local h, w = of_patches(height, width, { patch = wanted.patch, patches = wanted.patches, width = wanted.height,
      height = wanted.width })
    return w, h
  end
  local low, high = 1, width -- the first fits, the other does not
  while low + 1 < high do
    local middle = (low + high) // 2
    if in_patches(middle, math.max(1, nearest(middle * height / width)), wanted) then low = middle
    else high = middle end
  end
  return low, math.max(1, nearest(low * height / width))
end

-- A side as a multiple, not beyond what somebody has said to be the most.
local function side(value, factor, most, is_hard)
  local multiple = to_multiple(value, factor)
  if is_hard and multiple > most then return math.max(factor, most // factor * factor) end
  return multiple
end

---@class deskpilot.model.picture_bounds
---@field width integer the widest
---@field height integer the highest
---@field is_hard boolean? they are not to be exceeded by the rounding to multiples either

--- How large a picture of something on the screen is sent: its shape kept, never enlarged but to the next multiple of
--- what the model's pictures are made of.
---@param wanted deskpilot.model.profile_picture
---@param most deskpilot.model.picture_bounds
---@param width integer of what the picture shows, in pixels of the screen
---@param height integer
---@return integer width, integer height
function picture_size.of(wanted, most, width, height)
  local w, h = image.fit(width, height, most.width, most.height)
  if wanted.patches then w, h = of_patches(w, h, wanted) end
  if wanted.factor then
    w, h = side(w, wanted.factor, most.width, most.is_hard), side(h, wanted.factor, most.height, most.is_hard)
  end
  return w, h
end

return picture_size
