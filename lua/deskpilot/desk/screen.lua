--- desk.screen: pictures of the screen.
local errors = require "deskpilot.base.errors"
local find = require "deskpilot.desk.find"
local shots = require "deskpilot.desk.shot"

local screen = {}

local function intersection(a, b)
  local x, y = math.max(a.x, b.x), math.max(a.y, b.y)
  local right, bottom = math.min(a.x + a.width, b.x + b.width), math.min(a.y + a.height, b.y + b.height)
  if right <= x or bottom <= y then return nil end
  return { x = x, y = y, width = right - x, height = bottom - y }
end

--- A picture that native.image has.
---@param image userdata
---@param frame table? the part of the screen that it shows; nil for one from elsewhere
---@return deskpilot.shot
screen.wrap = shots.new

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
    local shot = shots.new(image, frame)
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

  --- The whole desktop in pixels.
  ---@return { x: integer, y: integer, width: integer, height: integer }? size, deskpilot.error? err
  function api.size()
    return desk.native:screen()
  end

  return api
end

return screen
