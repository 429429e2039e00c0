--- desk.screen: pictures of the screen.
local errors = require "deskpilot.base.errors"
local find = require "deskpilot.desk.find"
local monitors = require "deskpilot.desk.monitors"
local shots = require "deskpilot.desk.shot"
local window_picture = require "deskpilot.desk.window_picture"

local screen = {}

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
  return shots.new(image, frame)
end

local function of_window(desk, options)
  local window, err = find_window(desk, options.window)
  if not window then return nil, err end
  local image, rect, incomplete = window_picture.take(desk, window.id, options.cursor == true)
  if not image then return nil, rect end
  local shot = shots.new(image, rect)
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

  --- A picture from a PNG file: to be looked for by find_image (what is transparent in it does not count), or to
  --- be compared or painted on. It has no frame.
  ---@param path string
  ---@return deskpilot.shot? shot, deskpilot.error? err
  function api.load(path)
    return shots.load(path)
  end

  --- Where a picture shows on the screen, now: the best place on all monitors, or in a window or region. To wait
  --- for one, see desk.wait_for_image.
  ---@param picture deskpilot.shot|userdata|string a shot, an image or the path of a PNG file
  ---@param options deskpilot.find_options? region and window as for screen.shot
  ---@return deskpilot.hit? hit, deskpilot.error? err code "not_found": the best score seen and where
  function api.find_image(picture, options)
    return find.on_screen(desk, picture, options)
  end

  --- All places where a picture shows on the screen, the best first, none overlapping another.
  ---@param picture deskpilot.shot|userdata|string a shot, an image or the path of a PNG file
  ---@param options deskpilot.find_options? region and window as for screen.shot
  ---@return deskpilot.hit[]? hits, deskpilot.error? err an empty list where there is none
  function api.find_images(picture, options)
    return find.all_on_screen(desk, picture, options)
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
