-- People at the desktop: noticed, given way to, and able to stop a run by the kill chord. The "person" is
-- another program that sends input to an X server of its own: xdotool, or this test to a child.
local t = require "harness"
local desk_module = require "deskpilot.desk"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local model_server = require "model_server"
local spawn = require "spawn"
local task = require "deskpilot.base.task"
local uv = require "luv"

local tests = {}

-- An X server; its display's name and what ends it.
local function start_display()
  local output, name = uv.new_pipe(), ""
  local handle
  handle = assert(uv.spawn("Xvfb", { args = { "-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp",
    "-noreset" }, stdio = { nil, output, nil } }, function() handle:close() end))
  output:read_start(function(_, data) name = name .. (data or "") end)
  t.wait_until("the X server", function() return name:find("\n") end, 30)
  return ":" .. name:match("%d+"), function()
    handle:kill "sigterm"
    output:close()
  end
end

-- fn(desk, display, folder) on such a display.
local function with_display(fn)
  return function()
    local display, stop = start_display()
    local folder = spawn.folder()
    local desk = assert(desk_module.open { display = display })
    local ok, why = xpcall(fn, debug.traceback, desk, display, folder)
    desk:close()
    stop()
    files.remove(folder)
    if not ok then error(why, 0) end
  end
end

local function xdotool(display, ...)
  local child = spawn.run({ "xdotool", ... }, { env = { DISPLAY = display } })
  t.eq(child.status, 0, "xdotool: " .. child.stderr)
end

-- --- the kill chord -----------------------------------------------------------------------------------

local function start_run(display, folder, mission, ...)
  local path = files.join(folder, "m.lua")
  assert(files.write(path, "return { " .. mission .. "}"))
  return spawn.start({ spawn.program, "run", path, "--json", "--runs", folder .. "/runs", ... },
    { cwd = folder, env = { DISPLAY = display, XDG_CONFIG_HOME = folder } })
end

local function wait_for_word(child, word, seconds)
  local limit = task.now() + (seconds or 30)
  while not child.stderr:find(word, 1, true) do
    if task.now() > limit or child.status then
      error(("waited for %q; the program said (status %s):\n%s"):format(word, child.status, child.stderr), 2)
    end
    task.sleep(0.001)
  end
end

-- Presses the chord and returns the seconds until the run says that it is over; checks how it ended.
local function kill(desk, child, combo)
  local began = task.now()
  assert(desk.keyboard.press(combo or "ctrl+alt+escape"))
  wait_for_word(child, "interrupted: ")
  local seconds = task.now() - began
  child:wait()
  t.eq(child.status, 130, child.stderr)
  local result = json.decode(child.stdout) or {}
  t.eq(result.status, "interrupted")
  t.has(result.reason, "the kill chord " .. (combo or "ctrl+alt+escape"))
  local events = journal.read(result.run_dir or "") or {}
  t.eq((events[#events] or {}).event, "run_end")
  return seconds
end

local current = "desktop = { kind = 'current' }, "

tests.the_kill_chord_stops_whatever_runs = with_display(function(desk, display, folder)
  local server = model_server.start(function() return { delay = 60 } end)
  local quickest = 60
  for name, script in pairs {
    busy = "while true do end",
    caught = "while true do pcall(function() while true do end end) end",
    nested = "coroutine.wrap(function() while true do end end)()",
    waiting = "m.desk.wait_until(function() return false end, { timeout = 600 })",
    request = ("require('deskpilot.base.http').request { url = %q, timeout = { total = 600 } }"):format(server.endpoint
      .. "/models"),
  } do
    local child = start_run(display, folder, current .. ([[run = function(m) m:note("begun") %s end]]):format(script))
    wait_for_word(child, "begun")
    if name == "request" then t.wait_until("the request", function() return #server.requests > 0 end) end
    local seconds = kill(desk, child)
    t.ok(seconds < 2, ("%s was stopped after %.3f s"):format(name, seconds))
    quickest = math.min(quickest, seconds)
  end
  server:stop()
  io.stdout:write(("      from the keys to run_end: %.1f ms at best\n"):format(quickest * 1000))
  t.ok(quickest < 0.1, ("at best %.3f s from the keys to run_end"):format(quickest))
end)

tests.the_kill_chord_stops_an_agent_that_thinks = with_display(function(desk, display, folder)
  local server = model_server.start(function() return { delay = 60 } end)
  local child = start_run(display, folder, current .. "task = 'anything'", "--endpoint", server.endpoint)
  t.wait_until("the first request", function() return #server.requests > 0 or child.status end, 30)
  kill(desk, child)
  server:stop()
end)

-- The person sits at the user's display, the run works on one of its own; and any chord will do.
tests.a_run_on_a_private_desktop_is_stopped_from_the_users = with_display(function(desk, display, folder)
  local child = start_run(display, folder, [[desktop = { kind = "private" },
    run = function(m) m:note("begun") while true do end end]], "--set", "safety.kill_chord=ctrl+shift+pause")
  wait_for_word(child, "begun")
  kill(desk, child, "ctrl+shift+pause")
  t.eq(child:left(), {}, "processes left behind")
end)

-- Whoever looks on there (by a viewer) can stop it too.
tests.a_run_on_a_private_desktop_is_stopped_from_its_own = with_display(function(_, display, folder)
  local child = start_run(display, folder, [[desktop = { kind = "private" }, run = function(m)
    local file = io.open("where", "w")
    file:write(m.desk.display, " ", m.desk.session.cookie)
    file:close()
    m:note("begun") while true do end
  end]])
  wait_for_word(child, "begun")
  local there, cookie = files.read(folder .. "/where"):match("(%S+) (%S+)")
  local desk = assert(desk_module.open { display = there, session = { cookie = cookie } })
  local ok, why = xpcall(kill, debug.traceback, desk, child)
  desk:close()
  if not ok then error(why, 0) end
  t.eq(child:left(), {}, "processes left behind")
end)

tests.a_second_press_ends_the_process = with_display(function(desk, display, folder)
  local child = start_run(display, folder, current .. [[run = function(m) m:note("begun") while true do end end,
    after_run = function() io.stderr:write("afterwards\n") while true do end end]])
  wait_for_word(child, "begun")
  assert(desk.keyboard.hold "ctrl+alt+escape")
  wait_for_word(child, "afterwards")
  task.sleep(1) -- held, it does not repeat
  t.eq(child.status, nil, "one press, however long, is one: " .. child.stderr)
  assert(desk.keyboard.release "ctrl+alt+escape")
  assert(desk.keyboard.press "ctrl+alt+escape")
  child:wait()
  t.eq(child.status, 130, child.stderr)
end)

tests.what_does_not_stop_a_run = with_display(function(desk, display, folder)
  -- Keys that it presses itself, another chord of ours, and the chord where it is turned off.
  local script = [[run = function(m)
    m:note("begun")
    assert(m.desk.keyboard.press "ctrl+alt+escape")
    assert(m.desk.keyboard.press "ctrl+alt+escape")
    m.desk.wait_until(function() return io.open(%q) end, { timeout = 30 })
    m.desk.wait_until(function() return false end, { timeout = 0.3 })
  end]]
  for i, case in ipairs { { "ctrl+alt+escape", "ctrl+escape" }, { "false", "ctrl+alt+escape" } } do
    local go = folder .. "/go" .. i
    local child = start_run(display, folder, current .. script:format(go), "--set", "safety.kill_chord=" .. case[1])
    wait_for_word(child, "begun")
    assert(desk.keyboard.press(case[2]))
    assert(files.write(go, ""))
    child:wait()
    t.eq(child.status, 0, child.stderr)
  end
end)

tests.a_chord_that_is_none_is_refused_before_anything_happens = with_display(function(_, display, folder)
  for combo, part in pairs { ["ctrl+alt+escapade"] = "escape", escape = "two keys" } do
    local child = start_run(display, folder, current .. "run = function() end", "--set",
      "safety.kill_chord=" .. combo):wait()
    t.eq(child.status, 2, child.stderr)
    t.has(child.stderr, "safety.kill_chord")
    t.has(child.stderr, part)
  end
end)

tests.the_kill_chord_ends_an_entry_of_the_prompt = with_display(function(desk, display, folder)
  local child = spawn.start({ spawn.program, "repl" }, { cwd = folder, input = table.concat({
    "io.stderr:write('begun 1\\n')  while true do end",
    "io.stderr:write('begun 2\\n')  while true do pcall(function() while true do end end) end",
    "io.stderr:write('begun 3\\n')  require('deskpilot.base.task').sleep(600)",
    "print('still here')", "" }, "\n"), env = { DISPLAY = display, HOME = folder, XDG_CONFIG_HOME = folder } })
  for i = 1, 3 do
    wait_for_word(child, "begun " .. i)
    assert(desk.keyboard.press "ctrl+alt+escape")
  end
  child:wait()
  t.eq(child.status, 0, child.stderr)
  t.has(child.stdout, "still here")
  t.eq(select(2, child.stderr:gsub("interrupted", "")), 3, child.stderr)
end)

-- --- limits of busy scripts ---------------------------------------------------------------------------

tests.the_time_limit_holds_for_a_busy_script = with_display(function(_, display, folder)
  for _, mission in ipairs {
    "run = function() while true do pcall(function() while true do end end) end end",
    "run = function() end, verify = function() while true do end end",
    "run = function(m) require('deskpilot.base.task').start(function() while true do end end):wait() end",
    "run = function(m) m.desk.hotkeys.on('f7', function() while true do end end) m.desk.keyboard.press 'f7' "
      .. "m.desk.wait_until(function() end, { timeout = 600 }) end",
  } do
    local child = start_run(display, folder, current .. mission, "--set", "limits.seconds=0.5"):wait()
    local result = json.decode(child.stdout) or {}
    t.eq({ child.status, result.status }, { 1, "incomplete" }, mission .. ": " .. child.stderr)
    t.has(result.reason, "out of time: the limit is 0.5 s (limits.seconds)")
    t.ok(child.seconds < 10, ("%s took %.1f s"):format(mission, child.seconds))
  end
end)

-- --- noticing people ----------------------------------------------------------------------------------

local function threads()
  local count = 0
  local scan = uv.fs_scandir("/proc/self/task")
  while uv.fs_scandir_next(scan) do count = count + 1 end
  return count
end

tests.people_are_told_apart_from_ourselves = with_display(function(desk, display)
  local before = threads()
  t.ok(desk.human.idle())
  t.ok(threads() > before, "the watch has a thread")
  local touches = 0
  local handle = t.ok(desk.human.on_touch(function() touches = touches + 1 end))
  -- Everything that we do ourselves, by another desk too.
  local other = assert(desk_module.open { display = display })
  for i = 1, 20 do assert(desk.mouse.move { 10 * i, 5 * i }) end
  assert(desk.mouse.click { 100, 100 })
  assert(desk.mouse.drag({ 10, 10 }, { 200, 200 }))
  assert(desk.mouse.scroll { dy = 3 })
  assert(desk.keyboard.press "ctrl+shift+a")
  assert(other.keyboard.press "F5")
  assert(other.mouse.move { 300, 300 })
  other:close()
  task.sleep(0.3)
  t.eq(touches, 0, "touches by ourselves")
  local idle = desk.human.idle()
  t.ok(idle > 0.3, "idle " .. tostring(idle))
  for _, words in ipairs { { "mousemove_relative", "5", "6" }, { "click", "1" }, { "key", "a" } } do
    local had = touches
    task.sleep(0.15)
    xdotool(display, table.unpack(words))
    t.wait_until(words[1] .. " to be noticed", function() return touches > had end)
    t.ok(desk.human.idle() < 5)
  end
  task.sleep(0.15)
  handle:remove()
  handle:remove()
  local had = touches
  xdotool(display, "key", "b")
  t.wait_until("the key", function() return desk.human.idle() < 0.1 end)
  task.sleep(0.1)
  t.eq(touches, had, "after remove")
  desk:close()
  t.eq(threads(), before, "threads")
end)

tests.hotkeys = with_display(function(desk, display)
  local pressed = { a = 0, b = 0 }
  local handle = t.ok(desk.hotkeys.on("ctrl+shift+f9", function()
    task.sleep(0.01) -- it may wait
    pressed.a = pressed.a + 1
  end))
  t.ok(desk.hotkeys.on("shift+f8", function() pressed.b = pressed.b + 1 end))
  local function press(combo, field, count)
    xdotool(display, "key", combo)
    t.wait_until(("%s to be heard (%s %d)"):format(combo, field, pressed[field]),
      function() return pressed[field] == count end)
  end
  press("ctrl+shift+F9", "a", 1)
  press("shift+F8", "b", 1)
  for _, lock in ipairs { "Num_Lock", "Caps_Lock" } do
    xdotool(display, "key", lock)
    press("ctrl+shift+F9", "a", pressed.a + 1)
  end
  xdotool(display, "key", "ctrl+F9", "key", "F8", "key", "ctrl+F9")
  -- Held, it is one press.
  xdotool(display, "keydown", "shift", "keydown", "F8", "sleep", "1", "keyup", "F8", "keyup", "shift")
  t.wait_until("the one that is held", function() return pressed.b == 2 end)
  t.eq(pressed, { a = 3, b = 2 })

  local other = assert(desk_module.open { display = display })
  local none, err = other.hotkeys.on("ctrl+shift+f9", print)
  t.eq({ none, err and err.code }, { nil, "refused" }, tostring(err))
  t.has(tostring(err), "has taken this hotkey")
  handle:remove()
  t.ok(other.hotkeys.on("ctrl+shift+f9", function() pressed.c = true end))
  xdotool(display, "key", "ctrl+shift+F9")
  t.wait_until("the other's", function() return pressed.c end)
  t.eq(pressed.a, 3)
  other:close()

  for combo, code in pairs { ["ctrl+alt+f9"] = "refused", ["ctrl+alt"] = "invalid", ["a+b"] = "invalid",
    ["ctrl+nosuchkey"] = "invalid" } do
    none, err = desk.hotkeys.on(combo, print)
    t.eq({ none, err and err.code }, { nil, code }, combo)
  end
end)

-- The letter is on another key then.
tests.hotkeys_follow_the_layout = with_display(function(desk, display)
  local pressed = 0
  t.ok(desk.hotkeys.on("ctrl+alt+y", function() pressed = pressed + 1 end))
  xdotool(display, "key", "ctrl+alt+y")
  t.wait_until("the first", function() return pressed == 1 end)
  t.eq(spawn.run({ "setxkbmap", "de" }, { env = { DISPLAY = display } }).status, 0)
  t.wait_until("the key in its new place", function()
    xdotool(display, "key", "ctrl+alt+y")
    return pressed >= 2
  end)
  local had = pressed
  xdotool(display, "key", "ctrl+alt+z")
  task.sleep(0.2)
  t.eq(pressed, had, "where it was before")
end)

-- --- giving way ---------------------------------------------------------------------------------------

tests.a_run_pauses_while_a_person_is_there = with_display(function(desk, display, folder)
  local child = start_run(display, folder, current .. [[run = function(m)
    m:note("begun")
    for i = 1, 1000 do
      assert(m.desk.mouse.move { 100 + i % 100, 100 })
      m.desk.wait_until(function() return true end)
      require("deskpilot.base.task").sleep(0.02)
      if io.open("stop") then return end
    end
  end]], "--set", "safety.pause_on_human=true", "--set", "safety.human_quiet=0.6")
  wait_for_word(child, "begun")
  local function moves()
    local x, y = desk.mouse.position()
    task.sleep(0.1)
    local x2, y2 = desk.mouse.position()
    return x ~= x2 or y ~= y2
  end
  t.wait_until("the run to move the mouse", moves)
  local began = task.now()
  xdotool(display, "key", "a")
  wait_for_word(child, "a person is at the desktop: paused")
  t.ok(not moves(), "the mouse rests during the pause")
  wait_for_word(child, "going on after")
  t.ok(task.now() - began > 0.55, ("it went on after %.2f s"):format(task.now() - began))
  t.wait_until("the run to go on", moves)
  assert(files.write(folder .. "/stop", ""))
  child:wait()
  t.eq(child.status, 0, child.stderr)
  local paused = 0
  for _, event in ipairs(journal.read((json.decode(child.stdout) or {}).run_dir)) do
    if event.event == "guard" and event.name == "pause_on_human" then paused = paused + 1 end
  end
  t.eq(paused, 2, "pause and resume are in the journal")
end)

-- What the agent thought of before the person came is not done after.
tests.an_agent_looks_again_after_a_pause = with_display(function(_, display, folder)
  local asked = 0
  local child = start_run(display, folder, current .. ([[task = 'press f5; press f6', limits = { turns = 3 },
    model_reply = function(m)
      if not done then
        done = true
        os.execute("DISPLAY=%s xdotool key a")
      end
    end]]):format(display), "--model", "literal", "--set", "safety.pause_on_human=true", "--set",
    "safety.human_quiet=0.3"):wait()
  local result = json.decode(child.stdout) or {}
  local first
  for _, event in ipairs(journal.read(result.run_dir or "") or {}) do
    if event.event == "model_request" then asked = asked + 1 end
    if event.event == "action_result" then first = first or event end
  end
  t.ok(first, "an action: " .. child.stderr)
  t.has(first and first.text, "a person has used the desktop")
  t.ok(asked > 1, "asked again")
end)

return tests
