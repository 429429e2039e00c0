--- A desktop that goes away in mid-run: its X server is killed and started again, or the application's window is closed
--- and comes back. Judged by the file that the run's own steps write.
local t = require "harness"
local desktop = require "desktop"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local play = require "steps_play"
local spawn = require "spawn"
local task = require "deskpilot.base.task"
local trajectories = require "trajectories"
local uv = require "luv"

local tests = {}

-- The number is one that nobody else takes while the server is away: those that choose begin at 0.
local function server(number)
  number = number or math.random(2000, 30000)
  local process = spawn.start { "Xvfb", ":" .. number, "-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten",
    "tcp", "-noreset" }
  t.wait_until("the X server", function() return process.status or process.stdout:match "%d+\n" end, 30)
  t.eq(process.status, nil, process.stderr)
  return process, number
end

local function kill(process)
  process:kill "sigkill"
  process:wait()
end

local function closing(process)
  return setmetatable({ process }, { __close = function(list) kill(list[1]) end })
end

local function wait_for_event(folder, name)
  t.wait_until(name, function()
    return (files.read(play.run_dir(folder) .. "/journal.jsonl") or ""):find('"event":"' .. name .. '"', 1, true)
  end, 60)
end

-- The run, when it stands in its third step with its X server gone.
local function broken(more)
  local folder = play.place { kind = "current", desktop = more }
  local first, number = server()
  local child = play.start(folder, { DISPLAY = ":" .. number })
  play.wait_for_pause(folder, child)
  kill(first)
  play.go_on(folder)
  return folder, child, number
end

-- Scenario: Error Recovery and Retry Logic / Device disconnection recovery
function tests.a_display_that_comes_back()
  local folder, child, number = broken ""
  wait_for_event(folder, "desktop_lost")
  t.wait_until("the trajectory", function() return files.exists(play.run_dir(folder) .. "/trajectory.json") end, 10)
  local partial = trajectories.read(play.run_dir(folder))
  t.eq({ partial.status, partial.errors[1].name }, { "running", "desktop_lost" }, "saved before it waits")
  local again <close> = closing(server(number))
  child:wait()
  local result = json.decode(child.stdout) or {}
  t.eq({ child.status, result.status }, { 0, "succeeded" }, child.stderr)
  t.eq(play.done(folder), "1 2 3 4 5 6", "each step was done once, in its order")
  local lost, back = play.events(folder, "desktop_lost"), play.events(folder, "desktop_back")
  t.eq({ #lost, lost[1] and lost[1].what, lost[1] and lost[1].seconds, #back }, { 1, "display", 30, 1 })
  t.has(lost[1] and lost[1].text or "", "was lost: the desktop has gone")
  local results = play.events(folder, "action_result")
  t.eq({ #results, results[3].ok, results[4].ok }, { 6, false, true }, "what it did on no desktop has failed")
  t.ok(again)
  files.remove(folder)
end

-- What the run has told the display of itself, it tells the new one.
function tests.a_display_that_comes_back_is_held_and_its_stop_hotkey_is_watched()
  local folder = play.place { kind = "current", more = "steady = { steps = 5000 }, ", turns = 6000 }
  local first, number = server()
  local env = { DISPLAY = ":" .. number, XDG_CONFIG_HOME = folder }
  local child = play.start(folder, env)
  play.wait_for_pause(folder, child)
  kill(first)
  play.go_on(folder)
  wait_for_event(folder, "desktop_lost")
  local again <close> = closing(server(number))
  wait_for_event(folder, "desktop_back")
  local second = play.start(folder, env):wait()
  t.eq(second.status, 3, second.stderr)
  t.has(second.stderr, "this desktop is in use by the run")
  local xdotool = spawn.run({ "xdotool", "key", "ctrl+alt+Escape" }, { env = env })
  t.eq(xdotool.status, 0, xdotool.stderr)
  child:wait()
  t.eq(child.status, 130, child.stderr)
  t.has(child.stderr, "by the emergency-stop hotkey ctrl+alt+escape")
  t.ok(again)
  files.remove(folder)
end

function tests.a_display_that_stays_away()
  local folder, child, number = broken "reconnect = 1,"
  child:wait()
  local result = json.decode(child.stdout) or {}
  t.eq({ child.status, result.status }, { 1, "error" }, child.stderr)
  t.has(result.reason, "the desktop cannot be seen")
  t.has(result.reason, "It was waited for 1 s (desktop.reconnect); deskpilot resume")
  local run_dir = play.run_dir(folder)
  local events, reading = journal.read(run_dir)
  t.eq({ reading.skipped, reading.cut, events[#events].event }, { 0, false, "run_end" })
  local value = trajectories.read(run_dir)
  t.eq({ value.status, value.total_steps, value.errors[1].name }, { "error", 4, "desktop_lost" })
  t.eq(play.done(folder), "1 2 3")
  -- What was done counts: the run that goes on begins behind it.
  local again <close> = closing(server(number))
  local resumed, second = play.resume(folder, result.run_dir, { DISPLAY = ":" .. number })
  t.eq({ resumed.status, second.status }, { 0, "succeeded" }, resumed.stderr)
  t.eq(play.done(folder), "1 2 3 4 5 6")
  t.ok(again)
  files.remove(folder)
end

function tests.a_private_desktop_ends_with_its_server()
  local folder = play.place { kind = "private", desktop = "size = { 640, 480 }," }
  local child = play.start(folder)
  play.wait_for_pause(folder, child)
  local began, pids = task.now(), play.processes(child, "Xvfb")
  t.eq(#pids, 1)
  uv.kill(pids[1], "sigkill")
  play.go_on(folder)
  child:wait()
  local result = json.decode(child.stdout) or {}
  t.eq({ child.status, result.status }, { 3, "error" }, child.stderr)
  t.has(result.reason, "It was a private desktop, which has ended with all that was on it: deskpilot resume")
  t.ok(task.now() - began < 20, "nobody could bring it back, so it is not waited for")
  t.eq(child:left(), {})
  local resumed, second = play.resume(folder, result.run_dir)
  t.eq({ resumed.status, second.status }, { 0, "succeeded" }, resumed.stderr)
  t.eq(play.done(folder), "1 2 3 4 5 6")
  files.remove(folder)
end

local function box(title)
  return { "zenity", "--info", "--title", title, "--text", "x" }
end

function tests.a_window_that_comes_back()
  desktop.with({ size = { 640, 480 } }, function(desk, session)
    local env = desktop.env(session)
    local folder = play.place { kind = "current", desktop = "window = 'The form'," }
    local app = spawn.start(box "The form", { env = env })
    assert(desk.wait_for_window { title = "The form", timeout = 30 })
    local child = play.start(folder, env)
    play.wait_for_pause(folder, child)
    kill(app)
    play.go_on(folder)
    wait_for_event(folder, "desktop_lost")
    app = spawn.start(box "The form, again", { env = env })
    child:wait()
    kill(app)
    local result = json.decode(child.stdout) or {}
    t.eq({ child.status, result.status }, { 0, "succeeded" }, child.stderr)
    local lost = play.events(folder, "desktop_lost")
    t.eq({ #lost, lost[1] and lost[1].what, #play.events(folder, "desktop_back") }, { 1, "window", 1 })
    t.eq(play.done(folder), "1 2 3 4 5 6")
    files.remove(folder)
  end)
end

function tests.a_program_of_the_mission_is_started_again()
  local folder = play.place { kind = "private", desktop = "size = { 640, 480 }, window = 'The form', "
    .. "apps = { { 'zenity', '--info', '--title', 'The form', '--text', 'x' } }," }
  local child = play.start(folder)
  play.wait_for_pause(folder, child)
  local pids = play.processes(child, "zenity")
  t.eq(#pids, 1)
  uv.kill(pids[1], "sigkill")
  t.wait_until("its end", function() return #play.processes(child, "zenity") == 0 end, 10)
  play.go_on(folder)
  child:wait()
  local result = json.decode(child.stdout) or {}
  t.eq({ child.status, result.status }, { 0, "succeeded" }, child.stderr)
  local lost = play.events(folder, "desktop_lost")
  t.eq({ #lost, #play.events(folder, "desktop_back") }, { 1, 1 })
  t.has(lost[1] and lost[1].text or "", "zenity has ended (signal 9)")
  t.has(child.stderr, "zenity has ended and was started again")
  t.eq(play.done(folder), "1 2 3 4 5 6")
  files.remove(folder)
end

function tests.a_window_that_stays_away()
  local folder = play.place { kind = "private",
    desktop = "size = { 640, 480 }, reconnect = 0.5, window = 'The form'," }
  local child = play.start(folder)
  child:wait()
  local result = json.decode(child.stdout) or {}
  t.eq({ child.status, result.status, result.turns }, { 1, "error", 1 }, child.stderr)
  t.eq(result.reason, 'there is no window "The form" (desktop.window); it was waited for 0.5 s (desktop.reconnect)')
  files.remove(folder)
end

return tests
