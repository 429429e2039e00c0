--- Finds the windows that a program shows after its start: its own, those of its child processes, and those of a
--- running process that it hands its work to.
local errors = require "deskpilot.base.errors"
local process_tree = require "deskpilot.desk.platform.process_tree"
local task = require "deskpilot.base.task"
local waits = require "deskpilot.desk.wait.waits"

local app_windows = {}

--- The exit status of a program; 128 plus the signal's number if a signal ended it.
---@param app deskpilot.app that has ended
---@return integer
function app_windows.exit_status(app)
  return app.ended.signal ~= 0 and 128 + app.ended.signal or app.ended.status
end

--- The error for a program that has ended before it showed a window.
---@param app deskpilot.app
---@return nil, deskpilot.error
function app_windows.ended_early(app)
  return errors.fail("io", "%s", ("%s ended (%s) before it showed a window%s"):format(app.name,
    app.ended.signal ~= 0 and "signal " .. app.ended.signal or "status " .. app.ended.status,
    app.ended.words and ": " .. app.ended.words or ""))
end

--- The ids of all windows.
---@param desk deskpilot.desk
---@return table<integer, boolean> ids
function app_windows.ids(desk)
  local ids = {}
  for _, window in ipairs(desk.windows.list() or {}) do ids[window.id] = true end
  return ids
end

--- The topmost new window of the program or its child processes, and the topmost new window of other programs.
---@param list deskpilot.window[]
---@param before table<integer, boolean> ids of windows that are not new
---@param pid integer
---@return deskpilot.window? own, deskpilot.window? other
function app_windows.new(list, before, pid)
  local own, other
  for i = #list, 1, -1 do
    local window = list[i]
    if window.visible and not before[window.id] then
      if window.pid ~= 0 and process_tree.descends(window.pid, pid) then own = own or window
      else other = other or window end
    end
  end
  return own, other
end

--- Calls look(list) whenever the windows have changed, until it returns something.
---@generic T
---@param desk deskpilot.desk
---@param seconds number
---@param look fun(list: deskpilot.window[]): T?, deskpilot.error? an error ends the wait
---@return T? found nil without an error after the timeout
---@return deskpilot.error? err
function app_windows.wait(desk, seconds, look)
  local limit = task.now() + seconds
  while true do
    local changes = desk.native:window_changes()
    local list, err = desk.windows.list()
    if not list then return nil, err end
    local found, failure = look(list)
    if found or failure then return found, failure end
    local left = limit - task.now()
    if left <= 0 then return nil end
    local ok, why = waits.windows_changed(desk, changes, math.min(left, desk.timing.wait_every))
    if not ok then return nil, why end
  end
end

-- Whether a new window of another process counts as the program's: if the window names no process; if the program has
-- ended, because many hand their work to a process that runs already; or if it has shown no window of its own for
-- timing.app_handover.
local function is_taken_over(desk, app, other, since)
  return other and (other.pid == 0 or app.ended or task.now() - since > desk.timing.app_handover)
end

--- Waits for a program's first window.
---@param desk deskpilot.desk
---@param app deskpilot.app
---@param before table<integer, boolean> ids of the windows before its start
---@param seconds number
---@return deskpilot.window? window nil without an error after the timeout
---@return deskpilot.error? err
function app_windows.wait_for_first(desk, app, before, seconds)
  local since
  return app_windows.wait(desk, seconds, function(list)
    local own, other = app_windows.new(list, before, app.pid)
    since = other and (since or task.now())
    if own then return own end
    if is_taken_over(desk, app, other, since) then return other end
    if app.ended and app_windows.exit_status(app) ~= 0 then return app_windows.ended_early(app) end
  end)
end

return app_windows
