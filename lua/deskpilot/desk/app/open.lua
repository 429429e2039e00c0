--- desk.apps.open_app: opens an application that has a profile, and waits until it can be used.
local app_profile = require "deskpilot.desk.app.profile"
local app_windows = require "deskpilot.desk.app.windows"
local errors = require "deskpilot.base.errors"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"
local waits = require "deskpilot.desk.wait.waits"

local open_app = {}

local function timing_of(desk, profile)
  local own = profile.timing or {}
  return { start = own.start or desk.timing.app_start, ready = own.ready or desk.timing.app_ready }
end

-- The topmost of the application's main windows, without those in `before`.
local function main_window(profile, list, before)
  for i = #list, 1, -1 do
    local window = list[i]
    if (window.visible or window.minimized) and not (before and before[window.id])
      and app_profile.is_main(profile, window) then return window end
  end
end

-- --- starting ---------------------------------------------------------------------------------------

local function command_of(profile, program, arguments)
  local command = { program }
  for _, list in ipairs { profile.arguments or {}, arguments or {} } do
    for _, argument in ipairs(list) do command[#command + 1] = argument end
  end
  return command
end

-- The main window that was there before, if the started program has probably handed its arguments to the process that
-- runs already: that process may show them in its existing window.
local function handed_over(desk, profile, app, began, list)
  if not profile.single or not (app.ended or task.now() - began > desk.timing.app_handover) then return nil end
  return main_window(profile, list)
end

-- A browser is started by desk.browser, so that its pages can be observed. It takes flags and one address.
local function launch_browser(desk, profile, program, arguments)
  local flags, url = {}, nil
  for _, argument in ipairs(command_of(profile, program, arguments)) do
    if text.starts(argument, "-") then flags[#flags + 1] = argument elseif argument ~= program then url = argument end
  end
  local browser, err = desk.browser.start { binary = program, args = flags, url = url,
    wait = timing_of(desk, profile).start }
  if not browser then return nil, err end
  return { name = profile.name, pid = browser.pid }
end

-- Starts the application and waits for a new main window.
local function start(desk, launch, profile, arguments)
  local program, missing = app_profile.program(profile)
  if not program then return nil, missing end
  local before = app_windows.ids(desk)
  local app, err
  if profile.browser then app, err = launch_browser(desk, profile, program, arguments)
  else app, err = launch(command_of(profile, program, arguments), profile.env) end
  if not app then return nil, err end
  local began, seconds = task.now(), timing_of(desk, profile).start
  local window, failure = app_windows.wait(desk, seconds, function(list)
    local found = main_window(profile, list, before) or handed_over(desk, profile, app, began, list)
    if found then return found end
    if app.ended and app_windows.exit_status(app) ~= 0 then return app_windows.ended_early(app) end
  end)
  if window or failure then return window, failure end
  return errors.fail("timed_out", "%s showed no window within %g s", profile.name, seconds)
end

-- --- being ready ------------------------------------------------------------------------------------

local function remaining(limit)
  return math.max(0, limit - task.now())
end

-- Waits for the conditions in profile.ready, the cheapest first.
local waits_for = {
  function(desk, ready, window, limit)
    if not ready.title then return true end
    return desk.wait_for_window { id = window.id, matching = ready.title, timeout = remaining(limit) }
  end,
  function(desk, ready, window, limit)
    if not (ready.role or ready.name) then return true end
    local found, err = desk.wait_for_element { role = ready.role, name = ready.name, window = window.id,
      timeout = remaining(limit) }
    -- Where elements cannot be read, the wait for a quiet screen below has to be enough.
    if not found and (err.code == "unavailable" or err.code == "unsupported") then return true end
    return found, err
  end,
  function(desk, ready, window, limit)
    if not ready.read then return true end
    return desk.wait_for_text(ready.read, { window = window, timeout = remaining(limit) })
  end,
}

-- Waits until the application can be used: everything in profile.ready is on the screen, and the screen is quiet.
local function wait_until_ready(desk, profile, window)
  local seconds = timing_of(desk, profile).ready
  local limit = task.now() + seconds
  for _, wait in ipairs(waits_for) do
    local ok, err = wait(desk, profile.ready or {}, window, limit)
    if not ok then
      if not errors.is(err, "timed_out") then return nil, err end
      return errors.fail("timed_out", "%s", ("%s shows its window, but is not ready: %s"):format(profile.name,
        tostring(err)))
    end
  end
  local own = profile.timing or {}
  local ok, err = waits.wait_until_settled(desk, { quiet = own.settle_quiet, cap = own.settle_cap })
  if not ok then return nil, err end
  return true
end

-- Gives the main window the keyboard focus, unless another window of the application has it and keeps it: a question at
-- the start, which is a window that the profile does not fit or that the window manager activates again.
local function bring_up(desk, profile, window)
  local active = desk.windows.active()
  local theirs = active and (app_profile.fit(profile, active) or window.pid ~= 0 and active.pid == window.pid)
  if active and (active.id == window.id or theirs and not app_profile.fit(profile, active)) then return true end
  local ok, err = desk.windows.focus(window.id)
  if not ok and not theirs then return nil, err end
  return true
end

--- Opens an application; see desk.apps.open_app.
---@param desk deskpilot.desk
---@param launch fun(command: string[], env: table?): deskpilot.app?, deskpilot.error?
---@param profile deskpilot.app_profile
---@param arguments string[]?
---@return deskpilot.window? window, "started"|"running"|deskpilot.error how
function open_app.open(desk, launch, profile, arguments)
  local how = "running"
  local window = profile.single and not arguments and main_window(profile, desk.windows.list() or {})
  if not window then
    local err
    how = "started"
    window, err = start(desk, launch, profile, arguments)
    if not window then return nil, err end
    local ready, why = wait_until_ready(desk, profile, window)
    if not ready then return nil, why end
  end
  local ok, err = bring_up(desk, profile, window)
  if not ok then return nil, err end
  local now, gone = desk.windows.find { id = window.id }
  if not now then return nil, gone end
  return now, how
end

return open_app
