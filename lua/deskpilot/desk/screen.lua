--- desk.screen: pictures of the screen.
local native = require "native.image"
local capture = require "deskpilot.desk.capture"
local files = require "deskpilot.base.files"
local monitors = require "deskpilot.desk.monitors"

local screen = {}

---@class deskpilot.shot
---@field width integer pixels
---@field height integer
---@field frame { x: integer, y: integer, width: integer, height: integer } the part of the screen it shows;
---  of a window's own picture it may lie outside the screen
---@field incomplete boolean? of a window's own picture: its application did not draw all that was covered in time
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
---@return integer red, integer green, integer blue
function Shot:pixel(x, y)
  return self.native:pixel(x, y)
end

--- Whether two pictures are the same, pixel for pixel.
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
---@return boolean? ok, deskpilot.error? err
function Shot:save(path, options)
  local png, err = self:png(options)
  if not png then return nil, err end
  return files.write(path, png)
end

---@param desk deskpilot.desk
function screen.new(desk)
  local api = {}

  --- A picture of the screen, of one monitor, of a window, or of a region: of the screen, or of the
  --- monitor or window that is given with it.
  --- A window's picture is what the window itself draws, also where others cover it or where it hangs
  --- over the edge of the screen, without the pointer unless `cursor` is true; it waits, a second at
  --- most, for the application to draw what was covered (`incomplete` is set where that was too short).
  --- A point of it is a place on the screen as ever: a click there goes to what lies on top.
  --- A minimized window has no pixels: code "unavailable". With `on_screen` it is the part of the screen
  --- where the window is, what covers it included.
  ---@param options { region: table?, monitor: integer|string|deskpilot.monitor|nil, window: table|string|integer|nil,
  ---  on_screen: boolean?, cursor: boolean?, path: string? }?
  ---@return deskpilot.shot? shot, deskpilot.error? err
  function api.shot(options)
    options = options or {}
    local image, frame, incomplete = capture.take(desk, options)
    if not image then return nil, frame end
    local shot = wrap(image, frame)
    shot.incomplete = incomplete
    if options.path then
      local ok, why = shot:save(options.path)
      if not ok then return nil, why end
    end
    return shot
  end

  --- The whole desktop in pixels: the smallest rectangle that holds all monitors.
  ---@return { x: integer, y: integer, width: integer, height: integer }? size, deskpilot.error? err
  function api.size()
    return desk.native:screen()
  end

  --- The monitors as they are now: from left to right, those with the same left edge from top to bottom.
  ---@return deskpilot.monitor[]? monitors, deskpilot.error? err
  function api.monitors()
    return monitors.list(desk.native)
  end

  --- One monitor, as it is now: by its index in `monitors()`, its name (whatever the case) or "primary".
  ---@param which integer|string|deskpilot.monitor
  ---@return deskpilot.monitor? monitor, deskpilot.error? err code "not_found", with those that are there
  function api.monitor(which)
    return monitors.find(desk.native, which)
  end

  return api
end

return screen
