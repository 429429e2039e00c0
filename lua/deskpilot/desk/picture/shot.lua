--- A picture: of the screen, of a part of it, or from a file. What is made of it (scaled, cropped, copied)
--- knows exactly which part of the screen it shows, so that a point found in it can be clicked.
local native = require "native.image"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local find = require "deskpilot.desk.picture.find"
local rects = require "deskpilot.desk.picture.rect"
local signature = require "deskpilot.base.signature"

local shot = {}

---@class deskpilot.shot
---@field width integer pixels
---@field height integer
---@field frame deskpilot.rect? the pixels of the screen that it shows a part of; nil for a picture from a file;
---  of a window's own picture it may lie outside the screen
---@field incomplete boolean? of a window's own picture: its application did not draw all that was covered in time
---@field area deskpilot.rect? the same to the fraction of a pixel: what scaled pictures' crops show
---@field monitors deskpilot.monitor[]? the screen's when it was taken: a point of it is refused as stale where they
---  have moved since
---@field drawn table? stands for what was on the screen when it was taken: that of a later picture is the same as long
---  as nothing has been drawn, where the desktop tells of that
---@field native native.Image
local Shot = {}
Shot.__index = Shot

-- Of a picture of which only the file is kept: its pixels are read from it when they are asked for. Those of the
-- latest two stay, since a look is compared with the one before; of the others they would be megabytes. The memory of
-- those before is what the next picture's are copied into.
local encoded = {}
local WITH_PIXELS = 2
local latest = {}
local unused ---@type native.Image?

local function keep_pixels(self, image)
  rawset(self, "native", image)
  table.insert(latest, self)
  if #latest <= WITH_PIXELS then return end
  local oldest = table.remove(latest, 1)
  unused = rawget(oldest, "native")
  rawset(oldest, "native", nil)
end

function encoded.__index(self, key)
  if key ~= "native" then return Shot[key] end
  local image, err = native.load(rawget(self, "file"))
  if not image then error(err, 0) end
  keep_pixels(self, image)
  return image
end

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
---@param monitors deskpilot.monitor[]? the screen's when it was taken
---@return deskpilot.shot
function shot.new(image, area, monitors)
  local width, height = image:size()
  return setmetatable({ native = image, width = width, height = height, area = area, monitors = monitors,
    frame = area and pixels_of(area) }, Shot)
end

--- A picture as it is in the file that Shot:encode has made of it: it keeps the file's bytes, and pixels only while it
--- is one of the latest, so that what is looked at by others (a model) costs little memory here, but can be worked with
--- like any other.
---@param bytes string
---@param how deskpilot.encoded
---@param of deskpilot.shot what it was made of
---@param compared boolean? whether it will be compared with the next one: where the file has the same pixels they are
---  copied, so that they need not be read from it
---@return deskpilot.shot
function shot.encoded(bytes, how, of, compared)
  local self = setmetatable({ file = bytes, width = how.width, height = how.height, area = of.area, frame = of.frame,
    monitors = of.monitors, incomplete = of.incomplete }, encoded)
  if compared and how.format == "png" and of.native and how.width == of.width and how.height == of.height then
    local copy = of.native:crop(0, 0, of.width, of.height, unused)
    unused = nil
    if copy then keep_pixels(self, copy) end
  end
  return self
end

--- A picture from a PNG or JPEG file. It has no place on the screen. What is transparent in it is not looked for by
--- find_image; a copy of another size, and a file that is written of it, have nothing transparent.
---@param path string
---@return deskpilot.shot? shot, deskpilot.error? err
function shot.load(path)
  local bytes, err = files.read(path)
  if not bytes then return nil, err end
  local image, why = native.load(bytes)
  if not image then return nil, errors.new(why.code, "%s: %s", path, why.message) end
  return shot.new(image)
end

--- A copy, to be painted on.
---@return deskpilot.shot? shot, deskpilot.error? err
function Shot:copy()
  local image, err = self.native:crop(0, 0, self.width, self.height)
  if not image then return nil, err end
  return shot.new(image, self.area, self.monitors)
end

--- A copy of another size, showing the same part of the screen.
---@param width integer
---@param height integer
---@return deskpilot.shot? shot, deskpilot.error? err
function Shot:scale(width, height)
  local image, err = self.native:scale(width, height)
  if not image then return nil, err end
  return shot.new(image, self.area, self.monitors)
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

-- A region of the picture, in its own pixels; all of it where none is given.
local function region_of(self, region)
  local all = { x = 0, y = 0, width = self.width, height = self.height }
  return region and rects.region(region, all) or all
end

--- A part of it, in its own pixels.
---@param area table { x, y, width, height }
---@return deskpilot.shot? shot, deskpilot.error? err
function Shot:crop(area)
  local part = region_of(self, area)
  local image, err = self.native:crop(part.x, part.y, part.width, part.height)
  if not image then return nil, err end
  return shot.new(image, part_of(self, part.x, part.y, part.width, part.height), self.monitors)
end

--- A pixel of the picture as a point for mouse.click and the like, with fractions where between pixels is
--- meant.
---@param x number
---@param y number
---@return deskpilot.point
function Shot:point(x, y)
  return { x = x, y = y, frame = "image", image = self }
end

--- A position of 0..1000 of the picture, as models give them, as a point for mouse.click and the like: 0 is the first
--- pixel that it shows, 1000 the last.
---@param x number
---@param y number
---@return deskpilot.point
function Shot:norm_point(x, y)
  return { x = x, y = y, frame = "norm", image = self }
end

local function nowhere()
  return errors.fail("invalid", "that picture is from a file and shows no part of the screen")
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
  if not self.area then return nowhere() end
  local place = part_of(self, middle(x), middle(y), 0, 0)
  return whole(place.x), whole(place.y)
end

--- The pixel of the screen that a position of 0..1000 of the picture names. What lies outside that range is an error
--- that says so.
---@param x number
---@param y number
---@return integer? x, integer|deskpilot.error y
function Shot:locate_norm(x, y)
  if not self.frame then return nowhere() end
  return native.norm_to_pixel(x, y, self.frame)
end

--- The position of 0..1000 of the picture that names this pixel of the screen, which it shows.
---@param x integer
---@param y integer
---@return number? x, number|deskpilot.error y
function Shot:to_norm(x, y)
  if not self.frame then return nowhere() end
  return native.pixel_to_norm(x, y, self.frame)
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

--- The pixels of the picture in which a thing of the screen lies, as far as the picture shows it. A picture that shows
--- no part of the screen is taken as one of all of it.
---@param thing deskpilot.rect in pixels of the screen
---@return deskpilot.rect? place in pixels of the picture; nil where the thing does not show in it
function Shot:from_screen(thing)
  local area = self.area or { x = 0, y = 0, width = self.width, height = self.height }
  local sx, sy = self.width / area.width, self.height / area.height
  local x, y = math.max((thing.x - area.x) * sx // 1, 0), math.max((thing.y - area.y) * sy // 1, 0)
  local right = math.min(-((area.x - thing.x - thing.width) * sx // 1), self.width)
  local bottom = math.min(-((area.y - thing.y - thing.height) * sy // 1), self.height)
  if thing.width < 1 or thing.height < 1 or right <= x or bottom <= y then return nil end
  return { x = math.tointeger(x), y = math.tointeger(y), width = math.tointeger(right - x),
    height = math.tointeger(bottom - y) }
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
---@param options { tolerance: integer?, area: table? }? tolerance: the largest difference of a channel
---  (0..255) that counts as none, 0 if not given; area: the part to be compared
---@return { x: integer, y: integer, width: integer, height: integer, pixels: integer, share: number }?
function Shot:difference(other, options)
  options = options or {}
  local area = region_of(self, options.area)
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
---@param picture deskpilot.shot|native.Image|string a shot, an image or the path of a PNG or JPEG file
---@param options deskpilot.find_options? region in pixels of this picture
---@return deskpilot.hit? hit, deskpilot.error? err code "not_found": the best score seen and where
function Shot:find(picture, options)
  return find.one(self, picture, options)
end

--- All places where another picture is in this one, the best first, none overlapping another.
---@param picture deskpilot.shot|native.Image|string a shot, an image or the path of a PNG or JPEG file
---@param options deskpilot.find_options? region in pixels of this picture
---@return deskpilot.hit[]? hits, deskpilot.error? err an empty list where there is none
function Shot:find_all(picture, options)
  return find.all(self, picture, options)
end

for name, method in pairs(require "deskpilot.desk.picture.shot_file") do Shot[name] = method end
for name, method in pairs(require "deskpilot.desk.picture.draw") do Shot[name] = method end

signature.kind("shot", { what = "a screenshot", fits = function(value)
  return type(value) == "table" and value.encode ~= nil
end })

signature.methods("shot", Shot, {
  copy = {}, scale = { "whole", "whole" }, fit = { "whole", "whole" }, crop = { "table?" },
  point = { "number", "number" }, norm_point = { "number", "number" }, locate = { "number", "number" },
  locate_norm = { "number", "number" }, to_norm = { "number", "number" }, on_screen = { "table" },
  from_screen = { "table" }, pixel = { "whole", "whole" }, equal = { "shot" },
  difference = { "shot", { tolerance = "number", area = "table" } }, find = { "picture", "options?" },
  find_all = { "picture", "options?" }, encode = { "options?" }, save = { "text", "options?" },
  rectangle = { "table", "options?" }, line = { "table", "table", "options?" }, label = { "text", "options" },
  label_size = { "text", "whole?" }, marks = { "table", "options?" },
})

return shot
