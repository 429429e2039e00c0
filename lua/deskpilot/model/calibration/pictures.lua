--- The pictures on which a model is asked to point: shapes, letters, buttons and something small, drawn in memory, each
--- of which can be named in a few words and is in one place only.
local native = require "native.image"

local pictures = {}

---@class deskpilot.calibration.target
---@field name string "the red square"
---@field x number its middle, in pixels
---@field y number
---@field size integer its shorter side

---@class deskpilot.calibration.picture
---@field image native.Image
---@field width integer
---@field height integer
---@field targets deskpilot.calibration.target[]

local background, ink, face = 0xf2f2f2ff, 0x202020ff, 0xd8d8d8ff
local colours = { { "red", 0xd32f2fff }, { "blue", 0x1565c0ff }, { "green", 0x2e7d32ff }, { "purple", 0x7b1fa2ff },
  { "orange", 0xe07000ff } }
local letters, labels = { "K", "R", "W", "H" }, { "Save", "Open", "Apply", "Next" }

-- A picture is parted into cells, and each target is somewhere in one of its own; the first ones are those at the
-- edges, where spaces differ most.
local cells = { { 0, 0 }, { 3, 2 }, { 3, 0 }, { 0, 2 }, { 1, 1 }, { 2, 1 }, { 1, 2 }, { 2, 0 } }

-- Numbers from 0 to 1 that are the same for the same seed: a calibration can be repeated.
local function numbers(seed)
  local state = seed * 2654435761 % 4294967296
  return function()
    state = (state * 1664525 + 1013904223) % 4294967296
    return state / 4294967296
  end
end

local function place(random, cell, width, height, w, h)
  local across, down = width / 4, height / 3
  local x = cell[1] * across + 3 + random() * math.max(0, across - w - 6)
  local y = cell[2] * down + 3 + random() * math.max(0, down - h - 6)
  return x // 1 | 0, y // 1 | 0
end

local function square(image, x, y, side, colour)
  image:rectangle(x, y, side, side, 0, colour)
end

local kinds = {}

function kinds.square(image, at, index, unit)
  local side, colour = 2 * unit, colours[(index - 1) % #colours + 1]
  local x, y = at(side, side)
  square(image, x, y, side, colour[2])
  return { name = ("the %s square"):format(colour[1]), x = x + side / 2, y = y + side / 2, size = side }
end

function kinds.letter(image, at, index, unit)
  local letter = letters[(index - 1) % #letters + 1]
  local scale = math.max(2, unit // 6)
  local w, h = image:text_size(letter, scale)
  local x, y = at(w, h)
  image:text(x, y, letter, scale, ink)
  return { name = ("the letter %s"):format(letter), x = x + w / 2, y = y + h / 2, size = math.min(w, h) }
end

function kinds.button(image, at, index, unit)
  local label, scale = labels[(index - 1) % #labels + 1], math.max(1, unit // 12)
  local w, h = image:text_size(label, scale)
  local wide, high = w + unit, h + unit // 2
  local x, y = at(wide, high)
  image:rectangle(x, y, wide, high, 0, face)
  image:rectangle(x, y, wide, high, 1, ink)
  image:text(x + (wide - w) // 2, y + (high - h) // 2, label, scale, ink)
  return { name = ('the button "%s"'):format(label), x = x + wide / 2, y = y + high / 2, size = high }
end

function kinds.dot(image, at, _, unit)
  local side = math.max(6, unit // 3)
  local x, y = at(side, side)
  square(image, x, y, side, 0x000000ff)
  return { name = "the small black square", x = x + side / 2, y = y + side / 2, size = side }
end

local order = { "square", "button", "letter", "dot", "square", "button", "letter", "square" }

--- A picture with targets.
---@param width integer
---@param height integer
---@param count integer of targets, at most 8
---@param seed integer
---@return deskpilot.calibration.picture
function pictures.draw(width, height, count, seed)
  local image, random = assert(native.new(width, height)), numbers(seed)
  image:rectangle(0, 0, width, height, 0, background)
  local unit, targets, used = math.max(10, math.min(width, height) // 24), {}, {}
  for i = 1, math.min(count, #cells) do
    local kind = order[i]
    used[kind] = (used[kind] or seed % 3) + 1
    local function at(w, h) return place(random, cells[i], width, height, w, h) end
    targets[i] = kinds[kind](image, at, used[kind], unit)
  end
  return { image = image, width = width, height = height, targets = targets }
end

--- A picture of one colour.
---@param red integer 0..255
---@param green integer
---@param blue integer
---@return native.Image
function pictures.plain(red, green, blue)
  local image = assert(native.new(336, 224))
  image:fill(0, 0, 336, 224, red, green, blue)
  return image
end

return pictures
