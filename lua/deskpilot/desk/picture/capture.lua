--- The one way from the screen to pixels: what desk.screen.shot, an agent's look and `deskpilot shot` take their
--- pictures by; and the one place where a window, a monitor and a region become a rectangle of the screen.
local errors = require "deskpilot.base.errors"
local rects = require "deskpilot.desk.picture.rect"

local capture = {}

-- Times that a picture is tried again because the screen was resized while it was taken.
local TRIES = 3

-- The state of a desk's screen that its latest picture shows: its number and an object that stands for it.
local drawn = setmetatable({}, { __mode = "k" })

-- The scaled picture that a desk has lent, which the next one is made in: one piece of memory for all looks of a run.
local lent = setmetatable({}, { __mode = "k" })

local desktop = { x = 0, y = 0 } -- regions of the screen are in pixels of the whole desktop

-- What only some pictures need is loaded for them alone: `deskpilot shot` has to start fast.
local function windows() return require "deskpilot.desk.picture.window_picture" end
local function monitors() return require "deskpilot.desk.picture.monitors" end

-- The window's or the monitor's place; nothing where it is the screen that is meant.
local function place_of(desk, options)
  if options.window then return windows().find(desk, options.window) end
  if options.monitor then return monitors().find(desk.native, options.monitor) end
end

--- The part of the screen that is meant: all of it, a monitor, where a window is, or a region of one of them. What
--- hangs over the screen's edge is left out.
---@param desk deskpilot.desk
---@param options { region: table?, window: table|string|integer|nil, monitor: integer|string|deskpilot.monitor|nil }
---@param screen deskpilot.rect? all of it, where that is known
---@return deskpilot.rect? area, deskpilot.rect|deskpilot.error screen all of it
function capture.area(desk, options, screen)
  local err
  if not screen then screen, err = desk.native:screen() end
  if not screen then return nil, err end
  local place, failure = place_of(desk, options)
  if failure then return nil, failure end
  local area = place or screen
  if options.region then area = rects.region(options.region, area, not place and desktop or nil) end
  local part = rects.intersection(area, screen)
  if part then return part, screen end
  return errors.fail("invalid", "%dx%d at %d,%d lies outside the screen, which is %dx%d at %d,%d", area.width,
    area.height, area.x, area.y, screen.width, screen.height, screen.x, screen.y)
end

-- The object that stands for a frame of the desk: the same as long as the picture is, and the monitors that it keeps.
local function state_of(desk, frame)
  local last, monitors_now = drawn[desk.native], desk.known_monitors
  if not last or last.frame ~= frame or last.monitors ~= monitors_now then
    last = { frame = frame, monitors = monitors_now, state = {} }
    drawn[desk.native] = last
  end
  return last.state
end

--- The size that a picture of so many pixels of the screen is to have.
---@param width integer
---@param height integer
---@param size integer[]|(fun(width: integer, height: integer): integer, integer)|nil as in deskpilot.shot_options
---@return integer width, integer height
function capture.size(width, height, size)
  if not size then return width, height end
  if type(size) == "function" then return size(width, height) end
  if type(size) ~= "table" then
    errors.mistake("a picture's size is { width, height } or a function that gives both, not %s", tostring(size))
  end
  return require("native.image").fit(width, height, size[1], size[2])
end

-- What is to be scaled is not copied first.
local function of_screen(desk, options, known)
  for try = 1, TRIES do
    local area, screen = capture.area(desk, options, try == 1 and known or nil)
    if not area then return nil, screen end
    local width, height = capture.size(area.width, area.height, options.size)
    local scaled = options.part or width ~= area.width or height ~= area.height
    local image, frame = desk.native:capture { x = area.x, y = area.y, width = area.width, height = area.height,
      cursor = options.cursor ~= false, lend = options.lend or scaled }
    if image then return image, area, nil, state_of(desk, frame) end
    local now = desk.native:screen()
    if try == TRIES or not now or rects.equal(now, screen) then return nil, frame end
  end
end

--- Takes the picture; see desk.screen.shot for the options. What is lent looks into the desk's own memory.
---@param desk deskpilot.desk of which only `native` is needed where it is of no window
---@param options deskpilot.shot_options
---@param screen deskpilot.rect? the whole desktop, where that is known
---@return native.Image|false|nil image false where it would be that of options.since
---@return deskpilot.rect|deskpilot.error area what it shows, in pixels of the screen
---@return true? incomplete of a window: its application did not draw all that was covered in time
---@return table? drawn stands for what is on the screen, where that is what it shows
function capture.take(desk, options, screen)
  if options.window and options.monitor then errors.mistake "a picture is of a window or of a monitor, not of both" end
  local take = options.window and not options.on_screen and windows().of_window or of_screen
  local image, area, incomplete, state = take(desk, options, screen)
  if not image then return nil, area end
  if state and state == options.since then return false, area, nil, state end
  local part = options.part and options.part(image, area) or area
  local width, height = capture.size(part.width, part.height, options.size)
  local whole = width == area.width and height == area.height and rects.equal(part, area)
  if whole and (options.lend or not options.part) then return image, area, incomplete, state end
  local scaled, err = image:scale(width, height, options.lend and lent[desk.native] or nil, part.x - area.x,
    part.y - area.y, part.width, part.height)
  image:close() -- megabytes: not left to the collector
  if options.lend then lent[desk.native] = scaled end
  if not scaled then return nil, err end
  return scaled, part, incomplete, state
end

return capture
