-- Ctrl+C, Ctrl+Break and closing the console end `deskpilot run` as a run that was interrupted, whatever it does at
-- the time.
-- The events are sent by ctrlc.c, which runs the program in a console of its own.
local testapp = dofile "tests/windows/testapp.lua"
local uv = require "luv"
local files = require "deskpilot.base.files"
local hang = require "hang"
local harness = require "harness"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local model_server = require "model_server"
local spawn = require "spawn"
local task = require "deskpilot.base.task"

local tests = {}

local function collect(pipe, child, field)
  pipe:read_start(function(_, data)
    if data then child[field] = child[field] .. data else pipe:close() end
  end)
end

-- Starts the program by ctrlc; child.send("c") or ("b") sends an event, child.stop ends it in any case.
local function start(words)
  local input, output, errors = uv.new_pipe(), uv.new_pipe(), uv.new_pipe()
  local child = { stdout = "", stderr = "" }
  child.handle, child.pid = uv.spawn(testapp.ctrlc, { args = words, stdio = { input, output, errors } },
    function(status)
      child.status = status
      child.handle:close()
    end)
  assert(child.handle, child.pid)
  collect(output, child, "stdout")
  collect(errors, child, "stderr")
  function child.send(event) input:write(event) end
  function child.stop()
    if not input:is_closing() then input:close() end
  end
  function child.wait()
    harness.wait_until("the end of the program", function()
      return child.status and output:is_closing() and errors:is_closing()
    end, 30)
  end
  return child
end

-- Gives the seconds that it took.
local function check(child, began, what)
  child.wait()
  local seconds = task.now() - began
  harness.eq(child.status, 130, what .. ": " .. child.stderr)
  local result = json.decode(child.stdout) or {}
  harness.eq(result.status, "interrupted", what)
  local events = journal.read(result.run_dir or "") or {}
  harness.eq((events[#events] or {}).event, "run_end", what)
  local written = json.decode(files.read(files.join(result.run_dir or "", "result.json")) or "") or {}
  harness.eq(written, result, what)
  return seconds
end

-- The best of several: the machine may be busy.
local function check_quickest(seconds)
  table.sort(seconds)
  harness.ok(seconds[1] < 5, ("at best it took %.2f s"):format(seconds[1]))
end

local with_folder = testapp.with_folder

local function script_mission(folder, script)
  local path = files.join(folder, "m.lua")
  assert(files.write(path, ("return { desktop = { kind = 'current' }, run = function(m) %s end }"):format(script)))
  return path
end

-- Runs a script mission until it has begun, sends the event, and looks at what is left.
local names = { c = "Ctrl+C", b = "Ctrl+Break", x = "closing" }

local function interrupt(script)
  local seconds = {}
  for _, event in ipairs { "c", "b", "x" } do
    with_folder(function(folder)
      local begun = files.join(folder, "begun")
      local mission = script_mission(folder, ("io.open(%q, 'w'):close() %s"):format(begun, script))
      local child = start { spawn.program, "run", mission, "--json", "--runs", files.join(folder, "runs") }
      local _ <close> = testapp.finally(child.stop)
      harness.wait_until("the script", function() return files.exists(begun) or child.status end, 30)
      local began = task.now()
      child.send(event)
      seconds[#seconds + 1] = check(child, began, names[event])
    end)
  end
  check_quickest(seconds)
end

function tests.a_busy_script()
  interrupt "while true do pcall(function() while true do end end) end"
end

function tests.a_waiting_script()
  interrupt "m.desk.wait_until(function() return false end, { timeout = 600 })"
end

function tests.a_piece_of_lua()
  for _, script in ipairs { "while true do pcall(function() while true do end end) end",
    "require('deskpilot.base.task').sleep(600)" } do
    local child = start { spawn.program, "eval", "print('begun') io.stdout:flush() " .. script }
    local _ <close> = testapp.finally(child.stop)
    harness.wait_until("the script", function() return child.stdout:find("begun") or child.status end, 30)
    child.send("c")
    child.wait()
    harness.eq(child.status, 130, script .. ": " .. child.stderr)
    harness.has(child.stderr, "interrupted")
  end
end

function tests.a_model_that_is_waited_for()
  local seconds = {}
  for _, event in ipairs { "c", "b" } do
    with_folder(function(folder)
      local server = model_server.start(function() return { delay = 60 } end)
      local _ <close> = testapp.finally(function() server:stop() end)
      local mission = files.join(folder, "m.lua")
      assert(files.write(mission, "return { task = 'anything', desktop = { kind = 'current' } }"))
      local child = start { spawn.program, "run", mission, "--json", "--runs", files.join(folder, "runs"),
        "--endpoint", server.endpoint }
      local stopping <close> = testapp.finally(child.stop)
      assert(stopping)
      harness.wait_until("the request", function() return #server.requests > 0 or child.status end, 30)
      local began = task.now()
      child.send(event)
      seconds[#seconds + 1] = check(child, began, names[event])
    end)
  end
  check_quickest(seconds)
end

function tests.what_is_held_is_let_go()
  testapp.with(nil, function(desk, app)
    app:focus(desk, "canvas")
    with_folder(function(folder)
      local mission = script_mission(folder, 'assert(m.desk.keyboard.hold "shift") while true do end')
      local child = start { spawn.program, "run", mission, "--json", "--runs", files.join(folder, "runs") }
      local _ <close> = testapp.finally(child.stop)
      app:wait_for { event = "key", what = "down", vk = 16 }
      local began = task.now()
      child.send "c"
      check(child, began, "Ctrl+C")
      app:wait_for { event = "key", what = "up", vk = 16 }
    end)
  end)
end

-- Neither the limit nor the first Ctrl+C reaches Lua in such a call. The watchdog ends the run.
local function held_up(limit, fn)
  testapp.with(nil, function(desk, app)
    app:focus(desk, "canvas") -- the pointer is on it
    with_folder(function(folder)
      local begun = files.join(folder, "begun")
      local mission = script_mission(folder, [[assert(m.desk.keyboard.hold "shift") assert(m.desk.mouse.press "right")
        ]] .. hang.source(begun))
      local child = start { spawn.program, "run", mission, "--json", "--runs", files.join(folder, "runs"), "--set",
        "limits.seconds=" .. limit }
      local _ <close> = testapp.finally(child.stop)
      app:wait_for { event = "key", what = "down", vk = 16 }
      app:wait_for { event = "mouse", what = "down", button = "right" }
      harness.wait_until("the call", function() return files.exists(begun) or child.status end, 30)
      local result = fn(child)
      app:wait_for { event = "key", what = "up", vk = 16 }
      app:wait_for { event = "mouse", what = "up", button = "right" }
      local name = files.list(files.join(folder, "runs"))[1]
      local run = files.join(folder, "runs", name)
      local events, how = journal.read(run)
      harness.eq(journal.lost(how), nil)
      local last = events[#events]
      harness.eq({ last.event, last.status, last.number }, { "run_end", result.status, #events })
      harness.eq(json.decode(files.read(files.join(run, "result.json"))), result)
      for _, file in ipairs(files.list(run)) do harness.ok(not file:find "%.part$", file .. " is left over") end
    end)
  end)
end

function tests.a_call_that_does_not_return_and_a_limit()
  held_up(3, function(child)
    child.wait()
    harness.eq(child.status, 1, child.stderr)
    local result = json.decode(child.stdout) or {}
    harness.eq({ result.status, result.reason }, { "incomplete",
      "out of time: the limit is 3 s (limits.seconds); a call that does not return held the program up" })
    harness.ok(result.seconds < 5, ("after %.2f s"):format(result.seconds or 0))
    return result
  end)
end

function tests.a_call_that_does_not_return_and_two_signals()
  held_up(600, function(child)
    child.send "c"
    task.sleep(0.5) -- nothing can be waited for: the first one has no effect that could be seen
    harness.eq(child.status, nil, "the first one cannot end it")
    child.send "c"
    check(child, task.now(), "the second Ctrl+C")
    local result = json.decode(child.stdout)
    harness.has(result.reason, "told a second time to stop")
    return result
  end)
end

-- What is typed at the console answers a question; there what the program says cannot be read, so the journal tells.
function tests.a_person_answers_at_the_console()
  with_folder(function(folder)
    local mission = script_mission(folder, [[
      local one = m:question { text = "Which?", options = { "Pictures", "Music" } }
      local two = m:question { text = "And its name?" }
      m:note(("got %s and %s"):format(one, two))
      m:question { text = "Anybody?", seconds = 1 }
      m:question { text = "Who is there?" } ]])
    uv.os_setenv("CTRLC_TYPES", "1")
    local child = start { spawn.program, "run", mission, "--json", "--runs", files.join(folder, "runs") }
    uv.os_unsetenv "CTRLC_TYPES"
    local _ <close> = testapp.finally(child.stop)
    local runs = files.join(folder, "runs")
    local function has(name, text)
      local run = files.list(runs)[1]
      for _, event in ipairs(run and journal.read(files.join(runs, run)) or {}) do
        if event.event == name and event.text == text then return true end
      end
      return child.status
    end
    -- A question is in the journal before what was typed until then is forgotten: only its prompt says that a line
    -- will be read.
    local function answer(text, prompt, ...)
      child.send("w" .. prompt .. "\n")
      for _, line in ipairs { ... } do child.send("t" .. line .. "\n") end
      harness.wait_until("an answer to " .. text, function() return has("answer", text) end, 60)
    end
    answer("Which?", "answer (number or text;", "3", "mus")
    answer("And its name?", "answer (Enter:", "the name")
    harness.wait_until("the last question", function() return has("question", "Who is there?") end)
    local began = task.now()
    child.send "c"
    check(child, began, "Ctrl+C while a question is asked")
    local run = files.join(runs, files.list(runs)[1])
    local answers = {}
    for _, event in ipairs(journal.read(run)) do
      if event.event == "answer" then answers[#answers + 1] = event.answer or event.code end
    end
    harness.eq(answers, { "Music", "the name", "timed_out" })
  end)
end

return tests
