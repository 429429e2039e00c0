--- A desktop that is lost while it is worked on: its display has gone, or the window that the work is done in
--- (`desktop.window`). It is waited for as long as `desktop.reconnect` says. The turns that are over still count, and
--- the next look begins where the last one ended.
local errors = require "deskpilot.base.errors"
local looking = require "deskpilot.agent.looking"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"
local window_criteria = require "deskpilot.desk.window.criteria"

local lost = {}

local first_pause, longest_pause = 0.1, 1 -- seconds between two attempts, which double

-- Asks again and again until it is there, for at most that many seconds.
local function wait(run, seconds, there)
  local began, pause = task.now(), first_pause
  while not run.outcome do
    local left = began + seconds - task.now()
    if left <= 0 then return nil end
    task.sleep(math.min(pause, left))
    pause = math.min(pause * 2, longest_pause)
    if there() then return task.now() - began end
  end
end

-- Waits, and tells of it. How long it took; nil where it is not back. `help` is called once, if there is time to wait.
local function come_back(run, kind, why, seconds, there, help)
  run:emit("desktop_lost", { what = kind, text = why, seconds = seconds })
  if help and seconds > 0 and not run.outcome then help() end
  local took = wait(run, seconds, there)
  if not took then return nil end
  run:emit("desktop_back", { what = kind, seconds = took })
  local words = ("%s was lost and is back after %.1f s; what was not saved may be gone, so look at what is there")
    :format(kind == "display" and "the desktop" or "the window of the application", took)
  run.history:add(run.turn, "note", words)
  run:inform(words)
  return took
end

-- How the program of a private desktop has ended, where one has.
local function ended_apps(run)
  local list = {}
  for _, app in ipairs(run.desk.session and run.desk.session.apps or {}) do
    if app.ended then
      list[#list + 1] = ("%s has ended (%s)"):format(app.argv[1], app.ended.signal ~= 0
        and "signal " .. app.ended.signal or "status " .. app.ended.status)
    end
  end
  return #list > 0 and "; " .. table.concat(list, ", ") or ""
end

-- Starts again what has ended of the mission's own programs on a private desktop, where nobody else could. They are the
-- first of its session.
local function restart_apps(run)
  local session, own = run.desk.session, run.mission.desktop and run.mission.desktop.apps or {}
  for i = 1, session and #own or 0 do
    local app = session.apps[i]
    if app and app.ended and session:start_app(app.argv) then
      run:note(("%s has ended and was started again"):format(app.argv[1]))
      session.apps[i] = table.remove(session.apps)
    end
  end
end

local function has_window(run, wanted)
  local list = run.desk.windows.list() or {}
  for _, criterion in ipairs { "title", "class", "executable" } do
    if window_criteria.topmost(list, { [criterion] = wanted }) then return true end
  end
  return false
end

-- Waits for the window that the work is done in. False where the run ends without it.
local function await_window(run)
  local wanted = run.config:get "desktop.window"
  if wanted == "" or run.recording or has_window(run, wanted) or run.desk:lost() then return true end
  local why = ("there is no window %q (desktop.window)%s"):format(wanted, ended_apps(run))
  local seconds = run.config:get "desktop.reconnect"
  if come_back(run, "window", why, seconds, function() return has_window(run, wanted) end,
    function() restart_apps(run) end) then
    run:settle()
    return true
  end
  run:stop("error", ("%s; it was waited for %g s (desktop.reconnect)"):format(why, seconds))
  return false
end

-- Connects to the display again. False where that cannot be done.
local function await_display(run, err)
  local why, seconds = text.one_line(tostring(err)), run.config:get "desktop.reconnect"
  if run.desk.session then -- everything that was on it has ended with it
    run:emit("desktop_lost", { what = "display", text = why, seconds = 0 })
    return nil, errors.new(err.code, "%s It was a private desktop, which has ended with all that was on it: deskpilot "
      .. "resume %s begins a new one and goes on", why, run.dir.path)
  end
  if come_back(run, "display", why, seconds, function() return run.desk:reconnect() end) then
    run:settle()
    return true
  end
  return nil, errors.new(err.code, "%s It was waited for %g s (desktop.reconnect); deskpilot resume %s goes on once it "
    .. "is there", why, seconds, run.dir.path)
end

--- Looks at the desktop (run:observe), and where it is lost waits for it first.
---@param run deskpilot.run
---@param options deskpilot.look_options
---@return boolean? ok, deskpilot.error? err
function lost.look(run, options)
  if options.reuse and run.observation then return true end
  if not await_window(run) then return nil, errors.new("unavailable", run.outcome.reason) end
  local ok, err = looking.observe(run, options)
  while not ok and not run.outcome do
    local gone = not run.recording and run.desk:lost()
    if not gone then return nil, err end
    local back, why = await_display(run, gone)
    if not back then return nil, why end
    if not await_window(run) then return nil, errors.new("unavailable", run.outcome.reason) end
    ok, err = looking.observe(run, options)
  end
  return ok, err
end

return lost
