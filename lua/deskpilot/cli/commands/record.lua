--- deskpilot record: a person's work on a desktop becomes a mission that does it again.
local desktop = require "deskpilot.cli.desktop"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local running = require "deskpilot.cli.running"
local stop_hotkey = require "deskpilot.cli.stop_hotkey"
local terminal = require "deskpilot.cli.terminal"

local INTERNAL = "return { run = function() end }" -- what it does is set below

local year = 365 * 24 * 3600

local command = {
  summary = "Record what a person does on a desktop as a mission that does it again.",
  order = 63,
  only_options = true,
  usage = "record [-o FILE] [--private APP...] [OPTIONS]",
  options = {
    { name = "output", short = "o", value = "FILE", help = "the mission that is written (default: recorded.lua)" },
    { name = "private", value = "APP", repeated = true,
      help = "record on a private desktop on which this command was started; may be given again" },
    { name = "size", value = "WxH", help = "of the private desktop, such as 1280x800" },
    { name = "check", value = "KEYS", help = "mark what the pointer is on as to be checked (default: ctrl+alt+m)" },
    { name = "runs", value = "DIR", help = "where run directories are kept (default: runs)" },
    { name = "set", value = "KEY=VALUE", repeated = true, help = "any configuration key" },
    { name = "quiet", short = "q", help = "show only the end" },
  },
  details = [[
  deskpilot record -o order.lua                          what is done on this desktop
  deskpilot record --private "zenity --entry" -o a.lua   on a desktop of its own
  deskpilot run order.lua                                does it again; no model is asked

Ctrl+Alt+Escape (safety.stop_hotkey) or Ctrl+C in the terminal ends it, and the file is written. Clicks, keys, drags
and turns of the wheel are steps that find their targets by role and name, else by picture, else by place; texts are
parameters. What is typed into a password field is kept nowhere, and neither is a text of which it could not be seen
where it went: then the mission asks for it. It needs an X11 desktop. docs/replay.md tells more.]],
}

local state = {}

--- Ctrl+C and the stop hotkey end the recording, and not the run.
---@param signal string
---@return boolean handled
function command.interrupted(signal)
  if not state.recorder then return running.interrupted(signal) end
  state.recorder:stop(signal)
  return true
end

-- What the options say; or what is wrong with them.
local function choose(given)
  local choice = { output = given.output or "recorded.lua", check = given.check or "ctrl+alt+m" }
  local where, apps = desktop.private(given)
  if not where then return nil, apps end
  choice.desktop, choice.apps = where, apps
  local problem = stop_hotkey.problem(choice.check, "--check")
  if problem then return nil, problem end
  local lua_export = require "deskpilot.replay.lua_export"
  for _, path in ipairs { choice.output, lua_export.pictures(choice.output) } do
    if files.exists(path) then
      return errors.fail("refused", "%s is there already, and is not overwritten: -o FILE names another", path)
    end
  end
  return choice
end

local function desktop_of(run, choice)
  if not choice.apps then return { kind = "current" } end
  return { kind = "private", apps = choice.apps,
    size = { run.config:get "desktop.width", run.config:get "desktop.height" } }
end

local function say_ready(run, choice)
  local session, stop = run.desk.session, run.config:get "safety.stop_hotkey"
  if session then
    terminal.note("deskpilot: ", desktop.where(session), "\n")
  end
  terminal.note(("deskpilot: recording; %sCtrl+C here ends it, %s marks what the pointer is on as to be checked\n")
    :format(stop ~= "" and stop .. " or " or "", choice.check))
end

-- The script that the run is: it listens.
local function listen(choice)
  return function()
    local run = state.run
    local own = { [choice.check] = "check" }
    local stop = run.config:get "safety.stop_hotkey"
    if stop ~= "" then own[stop] = "stop" end
    local taken, refused = run.desk.hotkeys.on(choice.check, function() end) -- applications do not get it
    if not taken then return run:stop("error", ("--check: %s"):format(tostring(refused))) end
    state.recorder = require "deskpilot.replay.recorder".new(run, own, function() say_ready(run, choice) end)
    local ok, err = state.recorder:work(desktop_of(run, choice))
    if not ok then return run:stop("error", tostring(err)) end
    run:stop("succeeded", ("%d acts were recorded"):format(run.actions))
  end
end

-- Makes the plan of a run the plan of a recording.
local function change(choice)
  return function(plan)
    plan.guards, plan.no_servers = {}, true -- a person decides what they do
    plan.mission.run, plan.mission.strict = listen(choice), false
    plan.mission.desktop = { apps = choice.apps, kind = choice.apps and "private" or "current" }
    for key, value in pairs { ["limits.seconds"] = year, ["screen.trim"] = false, ["screen.cursor"] = false,
      ["screen.image_max_bytes"] = 0, ["observe.page"] = false, ["observe.elements"] = true } do
      plan.config:set(key, value, "deskpilot record")
    end
    plan.listeners = { { name = "the recording", listener = { run_start = function(run) state.run = run end } } }
    return true
  end
end

local function write(choice)
  local run = state.run
  if not run or run.actions == 0 then
    terminal.complain "nothing was recorded"
    return 1
  end
  local ok, err = require "deskpilot.replay.lua_export".write({ run.dir.path }, choice.output)
  if not ok then
    terminal.complain(tostring(err))
    return 2
  end
  terminal.put(choice.output, "\n")
  return 0
end

--- Records until it is stopped, then writes the mission.
---@param given table as parsed from command.options
---@return integer status
function command.run(given)
  local choice, err = choose(given)
  if not choice then return running.refuse(given, 2, err) end
  given.desktop = choice.desktop
  local status = running.start(given, function()
    return { source = { text = INTERNAL, where = "deskpilot record", name = "recorded", inside = true },
      change = change(choice) }
  end)
  if status ~= 0 then return status end
  return write(choice)
end

return command
