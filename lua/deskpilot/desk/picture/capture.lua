--- What desk.screen.shot takes a picture of: the screen, a monitor, a window's own pixels, or a region of them.
local errors = require "deskpilot.base.errors"
local monitors = require "deskpilot.desk.picture.monitors"
local rects = require "deskpilot.desk.picture.rect"
local window_picture = require "deskpilot.desk.picture.window_picture"

local capture = {}

local function find_window(desk, window)
  if type(window) == "string" then window = { title = window } end
  if math.type(window) == "integer" then window = { id = window } end
  if window.id and window.width then return window end
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
  local part = rects.intersection(area, whole)
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
  return image, frame
end

local function of_window(desk, options)
  local window, err = find_window(desk, options.window)
  if not window then return nil, err end
  local image, rect, incomplete = window_picture.take(desk, window.id, options.cursor == true)
  if not image then return nil, rect end
  if options.region then
    local part = rects.intersection(rectangle(options.region, rect), rect)
    if not part then return errors.fail("invalid", "that region lies outside the window") end
    image, err = image:crop(part.x - rect.x, part.y - rect.y, part.width, part.height)
    if not image then return nil, err end
    rect = part
  end
  return image, rect, incomplete or nil
end

--- Takes the picture; see desk.screen.shot for the options.
---@param desk deskpilot.desk
---@param options deskpilot.shot_options
---@return native.Image? image
---@return deskpilot.rect|deskpilot.error frame what it shows
---@return true? incomplete of a window: its application did not draw all that was covered in time
function capture.take(desk, options)
  if options.window and options.monitor then error("a picture is of a window or of a monitor, not of both", 3) end
  if options.window and not options.on_screen then return of_window(desk, options) end
  return of_screen(desk, options)
end

return capture
