--- desk.screen: pictures of the screen.
local native = require "native.image"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"

local screen = {}

---@class deskpilot.shot
---@field width integer pixels
---@field height integer
---@field frame { x: integer, y: integer, width: integer, height: integer } the part of the screen it shows
---@field native userdata native.image
local Shot = {}
Shot.__index = Shot

local function wrap(image, frame)
  local width, height = image:size()
  return setmetatable({ native = image, width = width, height = height, frame = frame }, Shot)
end

--- A copy of another size, showing the same part of the screen.
---@param width integer
---@param height integer
---@return deskpilot.shot? shot, deskpilot.error? err
function Shot:scale(width, height)
  local image, err = self.native:scale(width, height)
  if not image then return nil, err end
  return wrap(image, self.frame)
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

--- A part of it, in its own pixels.
---@param area { x: integer, y: integer, width: integer, height: integer }
---@return deskpilot.shot? shot, deskpilot.error? err
function Shot:crop(area)
  local image, err = self.native:crop(area.x, area.y, area.width, area.height)
  if not image then return nil, err end
  local frame, sx, sy = self.frame, self.frame.width / self.width, self.frame.height / self.height
  return wrap(image, { x = frame.x + math.tointeger(area.x * sx // 1), y = frame.y + math.tointeger(area.y * sy // 1),
    width = math.max(1, math.tointeger(area.width * sx // 1)),
    height = math.max(1, math.tointeger(area.height * sy // 1)) })
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

--- The bytes of a PNG file.
---@param options { compressor: string?, level: integer? }?
---@return string? png, deskpilot.error? err
function Shot:png(options)
  return self.native:png(options)
end

--- Writes a PNG file.
---@param path string
---@param options { compressor: string?, level: integer? }?
---@return boolean? ok, deskpilot.error? err
function Shot:save(path, options)
  local png, err = self:png(options)
  if not png then return nil, err end
  return files.write(path, png)
end

local function intersection(a, b)
  local x, y = math.max(a.x, b.x), math.max(a.y, b.y)
  local right, bottom = math.min(a.x + a.width, b.x + b.width), math.min(a.y + a.height, b.y + b.height)
  if right <= x or bottom <= y then return nil end
  return { x = x, y = y, width = right - x, height = bottom - y }
end

-- The part of the screen that is asked for; a window may hang over its edge.
local function area_of(desk, options)
  local whole, err = desk.native:screen()
  if not whole then return nil, err end
  local area = whole
  if options.window then
    local window = options.window
    if type(window) ~= "table" or not window.id then
      window, err = desk.windows.find(type(window) == "table" and window or { title = window })
      if not window then return nil, err end
    end
    area = window
  end
  if options.region then
    local region = options.region
    local origin = options.window and area or { x = 0, y = 0 }
    area = { x = origin.x + (region.x or region[1]), y = origin.y + (region.y or region[2]),
      width = region.width or region[3], height = region.height or region[4] }
  end
  local part = intersection(area, whole)
  if not part then return errors.fail("invalid", "that part lies outside the screen") end
  return part
end

---@param desk deskpilot.desk
function screen.new(desk)
  local api = {}

  --- A picture of the screen, of a window (pixels as they are on screen, what covers it included), or
  --- of a region (of the window where both are given).
  ---@param options { region: table?, window: table|string?, cursor: boolean?, path: string? }?
  ---@return deskpilot.shot? shot, deskpilot.error? err
  function api.shot(options)
    options = options or {}
    local area, err = area_of(desk, options)
    if not area then return nil, err end
    local frame = { x = area.x, y = area.y, width = area.width, height = area.height }
    local image, failure = desk.native:capture { x = frame.x, y = frame.y, width = frame.width,
      height = frame.height, cursor = options.cursor ~= false }
    if not image then return nil, failure end
    local shot = wrap(image, frame)
    if options.path then
      local ok, why = shot:save(options.path)
      if not ok then return nil, why end
    end
    return shot
  end

  --- The whole desktop in pixels.
  ---@return { x: integer, y: integer, width: integer, height: integer }? size, deskpilot.error? err
  function api.size()
    return desk.native:screen()
  end

  return api
end

return screen
