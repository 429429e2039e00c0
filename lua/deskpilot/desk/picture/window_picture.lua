--- A window's own pixels, for desk.screen.shot: what is covered its application may have to draw first.
local errors = require "deskpilot.base.errors"
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

return window_picture
