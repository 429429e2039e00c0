--- A picture: of the screen, of a part of it, or from a file. What is made of it (scaled, cropped, copied)
--- knows exactly which part of the screen it shows, so that a point found in it can be clicked.
local native = require "native.image"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local find = require "deskpilot.desk.picture.find"

local shot = {}

---@class deskpilot.shot
---@field width integer pixels
---@field height integer
---@field frame deskpilot.rect? the pixels of the screen that it shows a part of; nil for a picture from a file;
---  of a window's own picture it may lie outside the screen
---@field incomplete boolean? of a window's own picture: its application did not draw all that was covered in time
---@field area deskpilot.rect? the same to the fraction of a pixel: what scaled pictures' crops show
---@field native native.Image
local Shot = {}
Shot.__index = Shot

local function whole(value)
  return math.tointeger(value // 1)
end

-- Fractions are quotients of integers that were rounded: what lies that near to a whole number is one.
local nearly = 1e-6

-- The whole pixels that an area touches.
local function pixels_of(area)
  local x, y = whole(area.x + nearly), whole(area.y + nearly)
  return { x = x, y = y, width = -whole(nearly - area.x - area.width) - x,
    height = -whole(nearly - area.y - area.height) - y }
end

--- A picture of a native image, which it keeps.
---@param image native.Image
---@param area deskpilot.rect? of the screen, fractions allowed; nil if it shows none
---@return deskpilot.shot
function shot.new(image, area)
  local width, height = image:size()
  return setmetatable({ native = image, width = width, height = height, area = area,
    frame = area and pixels_of(area) }, Shot)
end

--- A picture from a PNG file. It has no place on the screen. What is transparent in it is not looked for by
--- find_image; a copy of another size, and a file that is written of it, have nothing transparent.
---@param path string
---@return deskpilot.shot? shot, deskpilot.error? err
function shot.load(path)
  local png, err = files.read(path)
  if not png then return nil, err end
  local image, why = native.load_png(png)
  if not image then return nil, errors.new(why.code, "%s: %s", path, why.message) end
  return shot.new(image)
end

--- A copy, to be painted on.
---@return deskpilot.shot? shot, deskpilot.error? err
function Shot:copy()
  local image, err = self.native:crop(0, 0, self.width, self.height)
  if not image then return nil, err end
  return shot.new(image, self.area)
end

--- A copy of another size, showing the same part of the screen.
---@param width integer
---@param height integer
---@return deskpilot.shot? shot, deskpilot.error? err
function Shot:scale(width, height)
  local image, err = self.native:scale(width, height)
  if not image then return nil, err end
  return shot.new(image, self.area)
end

--- A copy that fits into a size, itself if it does already.
---@param max_width integer
---@param max_height integer
---@return deskpilot.shot? shot, deskpilot.error? err
function Shot:fit(max_width, max_height)
  local width, height = native.fit(self.width, self.height, max_width, max_height)
  if width == self.width and height == self.height then return self end
  return self:scale(width, height)
end

-- The part of the screen under a part of the picture. Multiplied first: what divides evenly is exact.
local function part_of(self, x, y, width, height)
  local area = self.area
  return area and { x = area.x + x * area.width / self.width, y = area.y + y * area.height / self.height,
    width = width * area.width / self.width, height = height * area.height / self.height }
end

--- A part of it, in its own pixels.
---@param area deskpilot.rect
---@return deskpilot.shot? shot, deskpilot.error? err
function Shot:crop(area)
  local image, err = self.native:crop(area.x, area.y, area.width, area.height)
  if not image then return nil, err end
  return shot.new(image, part_of(self, area.x, area.y, area.width, area.height))
end

--- A pixel of the picture as a point for mouse.click and the like, with fractions where between pixels is
--- meant.
---@param x number
---@param y number
---@return deskpilot.point
function Shot:point(x, y)
  return { x = x, y = y, frame = "image", image = self }
end

-- The middle of a pixel stands for it: of the screen's pixels under it the one that it is most of.
local function middle(value)
  return value == value // 1 and value + 0.5 or value
end

--- The pixel of the screen that a pixel of the picture shows, the middle one where it shows several.
---@param x number
---@param y number
---@return integer? x, integer|deskpilot.error y
function Shot:locate(x, y)
  if not self.area then
    return errors.fail("invalid", "that picture is from a file and shows no part of the screen")
  end
  local place = part_of(self, middle(x), middle(y), 0, 0)
  return whole(place.x), whole(place.y)
end

--- Where the rectangle of a hit lies on the screen. Both corners are moved, so that the middle of what is
--- left of a small one in a scaled picture stays within it.
---@param hit deskpilot.rect in pixels of the picture
---@return deskpilot.rect in pixels of the screen, or as it was where the picture shows none
function Shot:on_screen(hit)
  if not self.area then return { x = hit.x, y = hit.y, width = hit.width, height = hit.height } end
  local place = part_of(self, hit.x, hit.y, hit.width, hit.height)
  local x, y = whole(place.x + nearly), whole(place.y + nearly)
  return { x = x, y = y, width = math.max(1, whole(place.x + place.width + nearly) - x),
    height = math.max(1, whole(place.y + place.height + nearly) - y) }
end

--- The colour of a pixel, counted from 0: red, green, blue, each 0..255.
---@param x integer
---@param y integer
---@return integer red, integer green, integer blue
function Shot:pixel(x, y)
  return self.native:pixel(x, y)
end

--- Whether two pictures are the same, pixel for pixel.
---@param other deskpilot.shot
---@return boolean
function Shot:equal(other)
  return self.native:equal(other.native)
end

--- Where two pictures differ: the smallest rectangle around all of it, how many pixels differ, and what share
--- of those that were compared. nil where they do not. Pictures of two sizes differ everywhere.
---@param other deskpilot.shot
---@param options { tolerance: integer?, area: deskpilot.rect? }? tolerance: the largest difference of a channel
---  (0..255) that counts as none, 0 if not given; area: the part to be compared
---@return { x: integer, y: integer, width: integer, height: integer, pixels: integer, share: number }?
function Shot:difference(other, options)
  options = options or {}
  local area = options.area or { x = 0, y = 0, width = self.width, height = self.height }
  local size = area.width * area.height
  if self.width ~= other.width or self.height ~= other.height then
    return { x = area.x, y = area.y, width = area.width, height = area.height, pixels = size, share = 1.0 }
  end
  local x, y, width, height, pixels = self.native:difference(other.native, options.tolerance or 0, area.x, area.y,
    area.width, area.height)
  if not x then return nil end
  return { x = x, y = y, width = width, height = height, pixels = pixels, share = pixels / size }
end

--- Where another picture is in this one: the best place, in pixels of the screen, which a click hits in the
--- middle, whether this picture is scaled, a crop, or both.
---@param picture deskpilot.shot|native.Image|string a shot, an image or the path of a PNG file
---@param options deskpilot.find_options? region in pixels of this picture
---@return deskpilot.hit? hit, deskpilot.error? err code "not_found": the best score seen and where
function Shot:find(picture, options)
  return find.one(self, picture, options)
end

--- All places where another picture is in this one, the best first, none overlapping another.
---@param picture deskpilot.shot|native.Image|string a shot, an image or the path of a PNG file
---@param options deskpilot.find_options? region in pixels of this picture
---@return deskpilot.hit[]? hits, deskpilot.error? err an empty list where there is none
function Shot:find_all(picture, options)
  return find.all(self, picture, options)
end

--- The bytes of a PNG file.
---@param options { compressor: "screen"|"zlib"|nil, level: integer? }?
---@return string? png, deskpilot.error? err
function Shot:png(options)
  return self.native:png(options)
end

--- Writes a PNG file.
---@param path string
---@param options { compressor: "screen"|"zlib"|nil, level: integer? }?
---@return boolean? ok, deskpilot.error? err
function Shot:save(path, options)
  local png, err = self:png(options)
  if not png then return nil, err end
  return files.write(path, png)
end

for name, method in pairs(require "deskpilot.desk.picture.draw") do Shot[name] = method end

return shot
