--- A window's own pixels, for desk.screen.shot: what is covered its application may have to draw first.
local errors = require "deskpilot.base.errors"
local rects = require "deskpilot.desk.picture.rect"
local task = require "deskpilot.base.task"

local window_picture = {}

local LIMIT = 5 -- seconds; the backend itself waits for an application for one

-- One at a time on a desk, each for as long as it takes.
local function take_turn(desk)
  local limit = task.now() + LIMIT
  while desk.picturing do
    if task.now() > limit then return nil end
    task.sleep(0.01)
  end
  desk.picturing = true
  return setmetatable({}, { __close = function()
    desk.picturing = false
    if not desk.closed then desk.native:capture_window_end() end
  end })
end

--- The pixels that a window draws, whatever covers it, and where it is.
---@param desk deskpilot.desk
---@param id integer
---@param cursor boolean whether to draw the pointer
---@return userdata? image native.image
---@return { x: integer, y: integer, width: integer, height: integer }|deskpilot.error rect
---@return boolean? incomplete its application did not draw all that was covered within a second
function window_picture.take(desk, id, cursor)
  local turn <close> = take_turn(desk)
  local limit = task.now() + LIMIT
  while turn and task.now() < limit do
    local ok, err = desk.native:pump()
    if not ok then return nil, err end
    local image, rect, incomplete = desk.native:capture_window(id, cursor)
    if image == nil then return nil, rect end
    if image then return image, rect, incomplete end
    desk.event_pump:wait(0.01)
  end
  return errors.fail("timed_out", "the window's picture could not be taken within %g s: it changes its size all "
    .. "the time, or others were taken before it", LIMIT)
end

--- The window that a picture is asked for of.
---@param desk deskpilot.desk
---@param window deskpilot.window|deskpilot.window_criteria|string|integer a window, its id, or what to find it by
---@return deskpilot.window? window, deskpilot.error? err
function window_picture.find(desk, window)
  if type(window) == "string" then window = { title = window } end
  if math.type(window) == "integer" then window = { id = window } end
  if window.id and window.width then return window end
  return desk.windows.find(window)
end

--- Takes a window's own picture, or a region of it; see picture.capture.
---@param desk deskpilot.desk
---@param options deskpilot.shot_options
---@return native.Image? image
---@return deskpilot.rect|deskpilot.error area what it shows, in pixels of the screen
---@return true? incomplete
function window_picture.of_window(desk, options)
  local window, err = window_picture.find(desk, options.window)
  if not window then return nil, err end
  local image, rect, incomplete = window_picture.take(desk, window.id, options.cursor == true)
  if not image then return nil, rect end
  if options.region then
    local part = rects.intersection(rects.region(options.region, rect), rect)
    if not part then return errors.fail("invalid", "that region lies outside the window") end
    image, err = image:crop(part.x - rect.x, part.y - rect.y, part.width, part.height)
    if not image then return nil, err end
    rect = part
  end
  return image, rect, incomplete or nil
end

return window_picture
