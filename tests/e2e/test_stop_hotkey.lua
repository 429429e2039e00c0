-- A run is stopped from outside Lua, whatever it is at: by a person's emergency-stop hotkey, and by its limit of time.
local t = require "harness"
local desk_module = require "deskpilot.desk"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local model_server = require "model_server"
local people = require "people"
local spawn = require "spawn"
local task = require "deskpilot.base.task"

local start_run, with_display = people.start_run, people.with_display
local current = people.current

local tests = {}

-- Presses the hotkey and returns the seconds until the run says that it is over; checks how it ended.
local function kill(desk, child, combo)
  local began = task.now()
  assert(desk.keyboard.press(combo or "ctrl+alt+escape"))
  child:wait_for_word("interrupted: ")
  local seconds = task.now() - began
  child:wait()
  t.eq(child.status, 130, child.stderr)
  local result = json.decode(child.stdout) or {}
  t.eq(result.status, "interrupted")
  t.has(result.reason, "the emergency-stop hotkey " .. (combo or "ctrl+alt+escape"))
  local events = journal.read(result.run_dir or "") or {}
  t.eq((events[#events] or {}).event, "run_end")
  return seconds
end

tests.the_stop_hotkey_stops_whatever_runs = with_display(function(desk, display, folder)
  local server = model_server.start(function() return { delay = 60 } end)
  local quickest, words = 60, {}
  for name, script in pairs {
    busy = "while true do end",
    caught = "while true do pcall(function() while true do end end) end",
    comparing = "while true do pcall(table.sort, { 3, 2, 1 }, function() while true do end end) end",
    compared = "table.sort({ 3, 2, 1 }, function() while true do end end)",
    nested = "coroutine.wrap(function() while true do end end)()",
    waiting = "m.desk.wait_until(function() return false end, { timeout = 600 })",
    request = ("require('deskpilot.net.http').request { url = %q, timeout = { total = 600 } }"):format(server.endpoint
      .. "/slow"),
  } do
    local child = start_run(display, folder, current .. ([[run = function(m) m:note("begun") %s end]]):format(script))
    child:wait_for_word("begun")
    if name == "request" then t.wait_until("the request", function() return #server.requests > 0 end) end
    local seconds = kill(desk, child)
    t.ok(seconds < 10, ("%s was stopped after %.3f s"):format(name, seconds))
    quickest = math.min(quickest, seconds)
    words[#words + 1] = ("%s %.1f ms"):format(name, seconds * 1000)
  end
  server:stop()
  io.stdout:write("      from the keys to run_end: ", table.concat(words, ", "), "\n")
  t.ok(quickest < 0.1, ("at best %.3f s from the keys to run_end"):format(quickest))
end)

tests.the_stop_hotkey_stops_an_agent_that_thinks = with_display(function(desk, display, folder)
  local server = model_server.start(function() return { delay = 60 } end)
  local child = start_run(display, folder, current .. "task = 'anything'", "--endpoint", server.endpoint)
  t.wait_until("the first request", function() return #server.requests > 0 or child.status end, 30)
  kill(desk, child)
  server:stop()
end)

-- A mission's file is a program too: it is stopped while it is read.
tests.a_mission_that_is_never_read_to_its_end = with_display(function(desk, display, folder)
  local child = start_run(display, folder, "run = (function() io.stderr:write('begun\\n') while true do end end)()")
  child:wait_for_word("begun")
  assert(desk.keyboard.press "ctrl+alt+escape")
  child:wait()
  t.eq(child.status, 130, child.stderr)
  t.has(child.stderr, "the emergency-stop hotkey ctrl+alt+escape")
  local result = json.decode(child.stdout) or {}
  t.eq({ result.status, result.run_dir }, { "interrupted" })
end)

-- So are the project's own policies, guards and tools.
tests.a_tool_that_is_never_read_to_its_end = with_display(function(desk, display, folder)
  assert(files.make_folder(folder .. "/deskpilot/tools"))
  assert(files.write(folder .. "/deskpilot/tools/endless.lua", "io.stderr:write('begun\\n') while true do end"))
  local child = start_run(display, folder, "run = print")
  child:wait_for_word("begun")
  assert(desk.keyboard.press "ctrl+alt+escape")
  child:wait()
  t.eq(child.status, 130, child.stderr)
  t.has(child.stderr, "the emergency-stop hotkey ctrl+alt+escape")
end)

-- The person sits at the user's display, the run works on one of its own; and any hotkey will do.
tests.a_run_on_a_private_desktop_is_stopped_from_the_users = with_display(function(desk, display, folder)
  local child = start_run(display, folder, [[desktop = { kind = "private" },
    run = function(m) m:note("begun") while true do end end]], "--set", "safety.stop_hotkey=ctrl+shift+pause")
  child:wait_for_word("begun")
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
  child:wait_for_word("begun")
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
  child:wait_for_word("begun")
  assert(desk.keyboard.hold "ctrl+alt+escape")
  child:wait_for_word("afterwards")
  task.sleep(1) -- held, it does not repeat
  t.eq(child.status, nil, "one press, however long, is one: " .. child.stderr)
  assert(desk.keyboard.release "ctrl+alt+escape")
  assert(desk.keyboard.press "ctrl+alt+escape")
  child:wait()
  t.eq(child.status, 130, child.stderr)
end)

tests.what_does_not_stop_a_run = with_display(function(desk, display, folder)
  -- Keys that it presses itself, another hotkey of ours, and the hotkey where it is turned off.
  local script = [[run = function(m)
    assert(m.desk.keyboard.press "ctrl+alt+escape")
    assert(m.desk.keyboard.press "ctrl+alt+escape")
    m:note("pressed")
    m.desk.wait_until(function() return io.open(%q) end, { timeout = 60 })
    m.desk.try.wait_until(function() return false end, { timeout = 0.3 })
  end]]
  for i, case in ipairs { { "ctrl+alt+escape", "ctrl+escape" }, { "false", "ctrl+alt+escape" } } do
    local go = folder .. "/go" .. i
    local child = start_run(display, folder, current .. script:format(go), "--set", "safety.stop_hotkey=" .. case[1])
    child:wait_for_word("pressed") -- its own keys are up again
    assert(desk.keyboard.press(case[2]))
    assert(files.write(go, ""))
    child:wait()
    t.eq(child.status, 0, child.stderr)
  end
end)

tests.a_hotkey_that_is_none_is_refused_before_anything_happens = with_display(function(_, display, folder)
  for combo, part in pairs { ["ctrl+alt+escapade"] = "escape", escape = "two keys" } do
    local child = start_run(display, folder, current .. "run = function() end", "--set",
      "safety.stop_hotkey=" .. combo):wait()
    t.eq(child.status, 2, child.stderr)
    t.has(child.stderr, "safety.stop_hotkey")
    t.has(child.stderr, part)
  end
end)

tests.the_stop_hotkey_ends_an_entry_of_the_prompt = with_display(function(desk, display, folder)
  local child = spawn.start({ spawn.program, "repl" }, { cwd = folder, input = table.concat({
    "io.stderr:write('begun 1\\n')  while true do end",
    "io.stderr:write('begun 2\\n')  while true do pcall(function() while true do end end) end",
    "io.stderr:write('begun 3\\n')  require('deskpilot.base.task').sleep(600)",
    "print('still here')", "" }, "\n"), env = { DISPLAY = display, HOME = folder, XDG_CONFIG_HOME = folder } })
  for i = 1, 3 do
    child:wait_for_word("begun " .. i)
    assert(desk.keyboard.press "ctrl+alt+escape")
  end
  child:wait()
  t.eq(child.status, 0, child.stderr)
  t.has(child.stdout, "still here")
  t.eq(select(2, child.stderr:gsub("interrupted", "")), 3, child.stderr)
end)

tests.the_stop_hotkey_ends_a_piece_of_lua = with_display(function(desk, display, folder)
  for name, script in pairs {
    busy = "while true do pcall(function() while true do end end) end",
    waiting = "desk.wait_until(function() return false end, { timeout = 600 })",
  } do
    local child = spawn.start({ spawn.program, "eval", "io.stderr:write('begun\\n') " .. script },
      { cwd = folder, env = { DISPLAY = display, HOME = folder, XDG_CONFIG_HOME = folder } })
    child:wait_for_word("begun")
    assert(desk.keyboard.press "ctrl+alt+escape")
    child:wait()
    t.eq(child.status, 130, name .. ": " .. child.stderr)
    t.has(child.stderr, "deskpilot: interrupted", name)
  end
  -- As the project has it.
  assert(files.write(folder .. "/deskpilot.lua", "{ safety = { stop_hotkey = 'escape' } }"))
  local child = spawn.run({ spawn.program, "eval", "1" }, { cwd = folder, env = { DISPLAY = display, HOME = folder } })
  t.eq({ child.status, child.stdout }, { 2, "" })
  t.has(child.stderr, "safety.stop_hotkey")
end)

-- --- limits of busy scripts ---------------------------------------------------------------------------

tests.the_time_limit_holds_for_a_busy_script = with_display(function(_, display, folder)
  for _, mission in ipairs {
    "run = function() while true do pcall(function() while true do end end) end end",
    "run = function() while true do pcall(table.sort, { 3, 2, 1 }, function() while true do end end) end end",
    "run = function() table.sort({ 3, 2, 1 }, function() while true do end end) end",
    "run = function() end, verify = function() while true do end end",
    "run = function(m) require('deskpilot.base.task').start(function() while true do end end):wait() end",
    "run = function(m) m.desk.hotkeys.on('f7', function() while true do end end) m.desk.keyboard.press 'f7' "
      .. "m.desk.wait_until(function() end, { timeout = 600 }) end",
  } do
    local child = start_run(display, folder, current .. mission, "--set", "limits.seconds=0.5"):wait()
    local result = json.decode(child.stdout) or {}
    t.eq({ child.status, result.status }, { 1, "incomplete" }, mission .. ": " .. child.stderr)
    t.has(result.reason, "out of time: the limit is 0.5 s (limits.seconds)")
    t.ok(child.seconds < 60, ("%s took %.1f s"):format(mission, child.seconds))
  end
end)

return tests
