-- People at the desktop, as another program that sends input (press.c) stands for them: noticed, given way to,
-- and able to stop a run by the emergency-stop hotkey.
local testapp = dofile "tests/windows/testapp.lua"
local desk_module = require "deskpilot.desk"
local files = require "deskpilot.base.files"
local harness = require "harness"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local model_server = require "model_server"
local spawn = require "spawn"
local task = require "deskpilot.base.task"
local uv = require "luv"

local tests = {}

local press_program = os.getenv "DESKPILOT_PRESS" or "build/windows/tests/press.exe"
local CTRL, ALT, SHIFT, ESCAPE, F8, F9 = "a2", "a4", "a0", "1b", "77", "78"

-- Another program's input.
local function press(...)
  local child = spawn.run { press_program, ... }
  harness.eq(child.status, 0, "press: " .. child.stderr)
end

local function with_desk(fn)
  local desk = assert(desk_module.open())
  local closing <close> = testapp.finally(function() desk:close() end)
  fn(desk)
  return closing
end

local with_folder = testapp.with_folder

function tests.people_are_told_apart_from_ourselves()
  with_desk(function(desk)
    local input = 0
    local handle = harness.ok(desk.activity.on_input(function() input = input + 1 end))
    for i = 1, 20 do assert(desk.mouse.move { 10 * i, 5 * i }) end
    assert(desk.mouse.click { 100, 100 })
    assert(desk.mouse.drag({ 10, 10 }, { 200, 200 }))
    assert(desk.mouse.scroll { dy = 3 })
    assert(desk.keyboard.press "F5")
    task.sleep(0.3)
    harness.eq(input, 0, "input by ourselves")
    -- Since then: the program that pressed may have taken a while to end.
    local function active_since(began) return desk.activity.idle() < task.now() - began end
    for _, words in ipairs { { "move", "5", "6" }, { "key", "70" } } do
      local had = input
      task.sleep(0.15)
      local began = task.now()
      press(table.unpack(words))
      harness.wait_until(words[1] .. " to be noticed", function() return input > had end)
      harness.ok(active_since(began), words[1])
    end
    task.sleep(0.15)
    handle:remove()
    local had, began = input, task.now()
    press("key", "70")
    harness.wait_until("the key", function() return active_since(began) end)
    task.sleep(0.1)
    harness.eq(input, had, "after remove")
  end)
end

function tests.hotkeys()
  with_desk(function(desk)
    local pressed = { a = 0, b = 0 }
    local handle = harness.ok(desk.hotkeys.on("ctrl+alt+f9", function() pressed.a = pressed.a + 1 end))
    harness.ok(desk.hotkeys.on("shift+f8", function() pressed.b = pressed.b + 1 end))
    press("key", CTRL, ALT, F9)
    harness.wait_until("ctrl+alt+f9", function() return pressed.a == 1 end)
    press("key", SHIFT, F8)
    harness.wait_until("shift+f8", function() return pressed.b == 1 end)
    press("key", CTRL, F9)
    handle:remove()
    press("key", CTRL, ALT, F9)
    press("key", SHIFT, F8)
    harness.wait_until("shift+f8 again", function() return pressed.b == 2 end)
    harness.eq(pressed, { a = 1, b = 2 })
    local none, err = desk.hotkeys.on("ctrl+alt", print)
    harness.eq({ none, err and err.code }, { nil, "invalid" })
  end)
end

function tests.a_hotkey_that_another_program_has_is_refused()
  with_desk(function(desk)
    local input, output, said = uv.new_pipe(), uv.new_pipe(), ""
    local handle
    handle = assert(uv.spawn(press_program, { args = { "take", "3", F9 }, stdio = { input, output, nil } },
      function() handle:close() end))
    output:read_start(function(_, data) said = said .. (data or "") end)
    local ending <close> = testapp.finally(function()
      input:close()
      output:close()
    end)
    assert(ending)
    harness.wait_until("the other program's hotkey", function() return said:find "taken" end, 30)
    local none, err = desk.hotkeys.on("ctrl+alt+f9", print)
    harness.eq({ none, err and err.code }, { nil, "refused" }, tostring(err))
  end)
end

-- --- the emergency-stop hotkey -----------------------------------------------------------------------------------

local function start_run(folder, mission, ...)
  local path = files.join(folder, "m.lua")
  assert(files.write(path, "return {" .. mission .. "}"))
  return spawn.start { spawn.program, "run", path, "--json", "--runs", files.join(folder, "runs"), ... }
end

-- By this process, which is another than the run's: to time it without the start of a program.
local function kill(desk, child)
  local began = task.now()
  assert(desk.keyboard.press "ctrl+alt+escape")
  child:wait_for_word("interrupted: ")
  local seconds = task.now() - began
  child:wait()
  harness.eq(child.status, 130, child.stderr)
  local result = json.decode(child.stdout) or {}
  harness.eq(result.status, "interrupted")
  harness.has(result.reason, "the emergency-stop hotkey ctrl+alt+escape")
  local events = journal.read(result.run_dir or "") or {}
  harness.eq((events[#events] or {}).event, "run_end")
  return seconds
end

function tests.the_stop_hotkey_stops_whatever_runs()
  local server = model_server.start(function() return { delay = 60 } end)
  local stopping <close> = testapp.finally(function() server:stop() end)
  assert(stopping)
  with_desk(function(desk)
    local quickest, busy = 60, "while true do end"
    local function run(name, script)
      with_folder(function(folder)
        local child = start_run(folder, ([[run = function(m) m:note("begun") %s end]]):format(script))
        child:wait_for_word("begun")
        if name == "request" then harness.wait_until("the request", function() return #server.requests > 0 end, 30) end
        local seconds = kill(desk, child)
        harness.ok(seconds < 20, ("%s was stopped after %.3f s"):format(name, seconds))
        quickest = math.min(quickest, seconds)
      end)
    end
    for name, script in pairs {
      busy = busy,
      caught = "while true do pcall(function() while true do end end) end",
      waiting = "m.desk.wait_until(function() return false end, { timeout = 600 })",
      request = ("require('deskpilot.net.http').request { url = %q }"):format(server.endpoint .. "/slow"),
    } do
      run(name, script)
    end
    -- The best of several: on a busy machine each of the programs waits for its turn.
    local limit = task.now() + 40
    while quickest >= 0.1 and task.now() < limit do run("busy again", busy) end
    io.stdout:write(("      from the keys to run_end: %.1f ms at best\n"):format(quickest * 1000))
    harness.ok(quickest < 0.1, ("at best %.3f s from the keys to run_end"):format(quickest))
  end)
end

-- The private desktop has no keyboard; the person sits at the user's.
function tests.a_run_on_a_private_desktop_is_stopped_from_the_users()
  with_desk(function(desk)
    with_folder(function(folder)
      local child = start_run(folder, [[desktop = { kind = "private" }, safety = { pause_on_activity = true },
        run = function(m) m:note("begun") while true do end end]])
      child:wait_for_word("begun")
      kill(desk, child)
    end)
  end)
end

function tests.a_second_press_ends_the_process()
  with_folder(function(folder)
    local child = start_run(folder, [[run = function(m) m:note("begun") while true do end end,
      after_run = function() io.stderr:write("afterwards\n") io.stderr:flush() while true do end end]])
    child:wait_for_word("begun")
    press("key", CTRL, ALT, ESCAPE)
    child:wait_for_word("afterwards")
    task.sleep(0.2)
    harness.eq(child.status, nil, child.stderr)
    press("key", CTRL, ALT, ESCAPE)
    child:wait()
    harness.eq(child.status, 130, child.stderr)
  end)
end

function tests.its_own_keys_do_not_stop_a_run()
  with_folder(function(folder)
    local child = start_run(folder, [[run = function(m)
      assert(m.desk.keyboard.press "ctrl+alt+escape")
      assert(m.desk.keyboard.press "ctrl+alt+escape")
      require("deskpilot.base.task").sleep(0.3)
    end]])
    child:wait()
    harness.eq(child.status, 0, child.stderr)
  end)
end

function tests.the_time_limit_holds_for_a_busy_script()
  with_folder(function(folder)
    local child = start_run(folder, "run = function() while true do pcall(function() while true do end end) end end",
      "--set", "limits.seconds=0.5"):wait()
    local result = json.decode(child.stdout) or {}
    harness.eq({ child.status, result.status }, { 1, "incomplete" }, child.stderr)
    harness.has(result.reason, "out of time: the limit is 0.5 s (limits.seconds)")
  end)
end

function tests.a_run_pauses_while_a_person_is_there()
  with_desk(function(desk)
    with_folder(function(folder)
      local stop = files.join(folder, "stop")
      local child = start_run(folder, ([[run = function(m)
        m:note("begun")
        local task = require "deskpilot.base.task"
        local longest, last = 0, task.now()
        for i = 1, 10000 do
          assert(m.desk.mouse.move { 100 + i %% 100, 100 })
          longest, last = math.max(longest, task.now() - last), task.now()
          task.sleep(0.02)
          if io.open(%q) then break end
        end
        m:note(("rested for %%d ms"):format(longest * 1000 // 1))
      end]]):format(stop), "--set", "safety.pause_on_activity=true", "--set", "safety.activity_quiet=2")
      child:wait_for_word("begun")
      local function moves()
        local x, y = desk.mouse.position()
        task.sleep(0.1)
        local x2, y2 = desk.mouse.position()
        return x ~= x2 or y ~= y2
      end
      harness.wait_until("the run to move the mouse", moves)
      local began = task.now()
      press("key", "70")
      child:wait_for_word("a person is at the desktop: paused")
      -- Unless the pause was over before this looked.
      harness.ok(not moves() or task.now() - began > 1.9, "the mouse rests during the pause")
      child:wait_for_word("going on after")
      harness.ok(task.now() - began > 1.9, ("it went on after %.2f s"):format(task.now() - began))
      harness.wait_until("the run to go on", moves)
      assert(files.write(stop, ""))
      child:wait()
      harness.eq(child.status, 0, child.stderr)
      local rested = tonumber(child.stderr:match "rested for (%d+) ms") or 0
      harness.ok(rested > 1900, ("by its own clock it moved nothing for %d ms"):format(rested))
    end)
  end)
end

return tests
