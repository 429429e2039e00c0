--- desk.screen: pictures of the screen.
local native = require "native.image"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local monitors = require "deskpilot.desk.monitors"
local window_picture = require "deskpilot.desk.window_picture"

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

local function intersection(a, b)
  local x, y = math.max(a.x, b.x), math.max(a.y, b.y)
  local right, bottom = math.min(a.x + a.width, b.x + b.width), math.min(a.y + a.height, b.y + b.height)
  if right <= x or bottom <= y then return nil end
  return { x = x, y = y, width = right - x, height = bottom - y }
end

local function find_window(desk, window)
  if type(window) == "string" then window = { title = window } end
  if math.type(window) == "integer" then window = { id = window } end
  if window.width then return window end
  return desk.windows.find(window)
end

local function rectangle(region, origin)
  return { x = origin.x + (region.x or region[1]), y = origin.y + (region.y or region[2]),
    width = region.width or region[3], height = region.height or region[4] }
end

-- The part of the screen that is asked for; a window may hang over its edge.
local function area_of(desk, options)
  local whole, err = desk.native:screen()
  if not whole then return nil, err end
  local area = whole
  if options.window then
    area, err = find_window(desk, options.window)
  elseif options.monitor then
    area, err = monitors.find(desk.native, options.monitor)
  end
  if not area then return nil, err end
  if options.region then
    area = rectangle(options.region, (options.window or options.monitor) and area or { x = 0, y = 0 })
  end
  local part = intersection(area, whole)
  if not part then return errors.fail("invalid", "that part lies outside the screen") end
  return part
end

local function of_screen(desk, options)
  local area, err = area_of(desk, options)
  if not area then return nil, err end
  local frame = { x = area.x, y = area.y, width = area.width, height = area.height }
  local image, failure = desk.native:capture { x = frame.x, y = frame.y, width = frame.width,
    height = frame.height, cursor = options.cursor ~= false }
  if not image then return nil, failure end
  return wrap(image, frame)
end

local function of_window(desk, options)
  local window, err = find_window(desk, options.window)
  if not window then return nil, err end
  local image, rect, incomplete = window_picture.take(desk, window.id, options.cursor == true)
  if not image then return nil, rect end
  local shot = wrap(image, rect)
  if options.region then
    local part = intersection(rectangle(options.region, { x = 0, y = 0 }),
      { x = 0, y = 0, width = shot.width, height = shot.height })
    if not part then return errors.fail("invalid", "that region lies outside the window") end
    shot, err = shot:crop(part)
    if not shot then return nil, err end
  end
  shot.incomplete = incomplete or nil
  return shot
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
    if options.window and options.monitor then error("a picture is of a window or of a monitor, not of both", 2) end
    local take = options.window and not options.on_screen and of_window or of_screen
    local shot, err = take(desk, options)
    if not shot then return nil, err end
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
