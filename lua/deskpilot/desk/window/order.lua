--- The part of desk.windows that is about stacking order and workspaces.
local criteria = require "deskpilot.desk.window.criteria"
local errors = require "deskpilot.base.errors"
local signature = require "deskpilot.base.signature"
local task = require "deskpilot.base.task"

local windows_order = {}

-- Whether `other` has to be on the other side of `window` after restacking. A window in a layer of its own (a panel)
-- need not be, nor the program's own windows, such as its dialogs.
local function in_the_way(window, other, side)
  local same_program = window.pid ~= 0 and window.pid == other.pid
  return other.visible and not same_program and (other.layer - window.layer) * side <= 0
end

local function place_of(list, id)
  for i, window in ipairs(list) do
    if window.id == id then return i end
  end
end

-- The titles of windows that are still above (side 1) or below (-1) the window but should not be; nil if the window has
-- closed.
local function wrong_side(list, id, side)
  local at = place_of(list, id)
  if not at then return nil end
  local names = {}
  for i = side == 1 and at + 1 or 1, side == 1 and #list or at - 1 do
    if in_the_way(list[at], list[i], side) then names[#names + 1] = criteria.describe_title(list[i]) end
  end
  return names
end

-- Calls look() until it says that it is done, or until timing.window has passed. look() returns done, err, waits;
-- without `waits` its error is final.
local function confirm(desk, look)
  local limit = task.now() + desk.timing.window
  while true do
    local done, err, waits = look()
    if done or not waits then return done, err end
    if task.now() > limit then return nil, err end
    task.sleep(0.005)
  end
end

local signatures = signature.of("desk.windows", {
  raise = { "window" }, lower = { "window" }, workspaces = {}, go_to_workspace = { "whole" },
  move_to_workspace = { "window", "whole" },
})

--- Adds these functions to desk.windows.
---@param desk deskpilot.desk
---@param part deskpilot.desk.windows
---@param id_of fun(window: deskpilot.window|integer|deskpilot.window_criteria): integer?, deskpilot.error?
function windows_order.add(desk, part, id_of)
  ---@class deskpilot.desk.windows
  local api = part

  local function restack(window, where, side)
    desk.activity.give_way()
    local id, err = id_of(window)
    if not id then return nil, err end
    local before = api.find { id = id }
    local ok, failure = desk.native:stack_window(id, where)
    if not ok then return nil, failure end
    return confirm(desk, function()
      local list, why = api.list()
      if not list then return nil, why end
      local names = wrong_side(list, id, side)
      if not names then return errors.fail("not_found", "the window has closed") end
      -- On Windows a window that is being raised is in the topmost layer for a moment.
      local settled = not before or list[place_of(list, id)].layer == before.layer
      if #names == 0 and settled then return true end
      local others = #names > 0 and table.concat(names, ", ", 1, math.min(#names, 5)) or "the others"
      local message = ("the window manager did not put the window %s %s"):format(where, others)
      return nil, errors.new("refused", message), true
    end)
  end

  --- Puts a window in front of the others and waits until it is there. Does not give it the keyboard focus; focus()
  --- does both. Windows that the system keeps above all others, such as panels, stay above it.
  ---@param window deskpilot.window|integer|deskpilot.window_criteria|string
  ---@return boolean? ok, deskpilot.error? err code "refused" if the window manager left it where it was
  function api.raise(window)
    return restack(window, "above", 1)
  end

  --- Puts a window behind the others, and waits until it is there.
  ---@param window deskpilot.window|integer|deskpilot.window_criteria|string
  ---@return boolean? ok, deskpilot.error? err code "refused" if the window manager left it where it was
  function api.lower(window)
    return restack(window, "below", -1)
  end

  --- The workspaces (virtual desktops) of the window manager, counted from 1.
  ---@return { count: integer, current: integer?, names: string[] }? workspaces, deskpilot.error? err code
  ---  "unsupported" where there are none, or where programs cannot ask for them (Windows)
  function api.workspaces()
    return desk.native:workspaces()
  end

  --- Shows another workspace, and waits until it is the current one.
  ---@param number integer from 1
  ---@return boolean? ok, deskpilot.error? err
  function api.go_to_workspace(number)
    desk.activity.give_way()
    local ok, err = desk.native:go_to_workspace(number)
    if not ok then return nil, err end
    return confirm(desk, function()
      local all, why = api.workspaces()
      if not all then return nil, why end
      if all.current == number then return true end
      return nil, errors.new("refused", "the window manager still shows workspace %s", all.current or "unknown"), true
    end)
  end

  --- Moves a window to another workspace, and waits until it is there. The current workspace stays the same.
  ---@param window deskpilot.window|integer|deskpilot.window_criteria|string
  ---@param number integer from 1
  ---@return boolean? ok, deskpilot.error? err
  function api.move_to_workspace(window, number)
    desk.activity.give_way()
    local id, err = id_of(window)
    if not id then return nil, err end
    local ok, failure = desk.native:move_to_workspace(id, number)
    if not ok then return nil, failure end
    return confirm(desk, function()
      local found, why = api.find { id = id }
      if not found then return nil, why end
      if found.workspace == number then return true end
      return nil, errors.new("refused", "the window is still on workspace %s", found.workspace or "unknown"), true
    end)
  end

  signatures(api)
end

return windows_order
