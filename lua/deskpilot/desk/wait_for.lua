--- desk.wait_for_window, desk.wait_for_element, desk.wait_for_text and desk.wait_for_image: until something is
--- there, or with `gone` until it is not. A time-out says what was there instead.
local criteria_module = require "deskpilot.desk.window.criteria"
local errors = require "deskpilot.base.errors"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"
local waits = require "deskpilot.desk.wait.waits"

local wait_for = {}

-- A copy of the options without those of waiting, and these.
local function split(desk, options)
  local rest, timeout, gone = {}, nil, nil
  for key, value in pairs(options or {}) do
    if key == "timeout" then timeout = value elseif key == "gone" then gone = value else rest[key] = value end
  end
  return rest, timeout or desk.timing.wait, gone
end

local function late(seconds, why)
  return errors.fail("timed_out", "%s", ("%s (after %g s)"):format(tostring(why), seconds))
end

-- For what is looked at on the screen: find() gives a thing, or nil and an error of code "not_found".
local function until_found(desk, options, seconds, gone, what, find)
  local place = { timeout = seconds, region = options.region, window = options.window,
    monitor = options.monitor }
  if not gone then
    local found, err = waits.look_until(desk, place, find)
    if errors.is(err, "not_found") then return late(seconds, err) end
    return found, err
  end
  local ok, err = waits.look_until(desk, place, function()
    local there, why = find()
    if there then return nil, errors.new("not_found", "%s", what .. " is still there") end
    if errors.is(why, "not_found") then return true end
    return nil, why
  end)
  if errors.is(err, "not_found") then return late(seconds, err) end
  return ok, err
end

---@class deskpilot.window_wait: deskpilot.window_criteria
---@field gone boolean? until there is none
---@field timeout number? seconds; timing.wait

---@class deskpilot.element_wait: deskpilot.element_criteria
---@field gone boolean? until there is none

---@class deskpilot.text_wait: deskpilot.reading_options
---@field gone boolean? until it cannot be read any more

---@class deskpilot.image_wait: deskpilot.find_options
---@field gone boolean? until it cannot be seen any more
---@field timeout number? seconds; timing.wait

--- desk.wait_for_window.
---@param desk deskpilot.desk
---@param options deskpilot.window_wait
---@return deskpilot.window? window true where it is to be gone
---@return deskpilot.error? err code "timed_out": which windows there are
function wait_for.window(desk, options)
  local criteria, seconds, gone = split(desk, options)
  criteria_module.check(criteria)
  local limit = task.now() + seconds
  while true do
    local changes = desk.native:window_changes()
    local list, err = desk.windows.list()
    if not list then return nil, err end
    local found = criteria_module.topmost(list, criteria)
    if gone and not found then return true end
    if found and not gone then return found end
    local left = limit - task.now()
    if left <= 0 then
      if gone then
        return late(seconds, ("the window %s is still there"):format(criteria_module.describe_title(found)))
      end
      local _, why = criteria_module.not_found(criteria, list)
      return late(seconds, why)
    end
    local ok, failure = waits.windows_changed(desk, changes, left)
    if not ok then return nil, failure end
  end
end

--- desk.wait_for_element.
---@param desk deskpilot.desk
---@param options deskpilot.element_wait
---@return deskpilot.element? element true where it is to be gone
---@return deskpilot.error? err code "timed_out": the nearest names
function wait_for.element(desk, options)
  local criteria, seconds, gone = split(desk, options)
  return until_found(desk, {}, seconds, gone, "the element", function() return desk.elements.find(criteria) end)
end

--- desk.wait_for_text.
---@param desk deskpilot.desk
---@param wanted string
---@param options deskpilot.text_wait?
---@return deskpilot.text_hit? hit true where it is to be gone
---@return deskpilot.error? err code "timed_out": what was read instead
function wait_for.text(desk, wanted, options)
  local how, seconds, gone = split(desk, options)
  return until_found(desk, how, seconds, gone, ("the text '%s'"):format(text.cut(wanted, 80)),
    function() return desk.screen.find_text(wanted, how) end)
end

--- desk.wait_for_image.
---@param desk deskpilot.desk
---@param picture deskpilot.shot|string a shot, or the path of a PNG or JPEG file, which is read once
---@param options deskpilot.image_wait?
---@return deskpilot.hit? hit true where it is to be gone
---@return deskpilot.error? err code "timed_out": the best score there was
function wait_for.image(desk, picture, options)
  local how, seconds, gone = split(desk, options)
  if type(picture) == "string" then
    local err
    picture, err = desk.screen.load(picture)
    if not picture then return nil, err end
  end
  return until_found(desk, how, seconds, gone, "the picture",
    function() return desk.screen.find_image(picture, how) end)
end

return wait_for
