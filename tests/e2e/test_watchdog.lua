--- A C call that does not return holds the Lua state, and no limit and no Ctrl+C reaches it. The watchdog ends the run:
--- with its last event, its result and its exit status, and with nothing left behind.
local t = require "harness"
local desk_module = require "deskpilot.desk"
local desktop = require "desktop"
local files = require "deskpilot.base.files"
local hang = require "hang"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local spawn = require "spawn"
local task = require "deskpilot.base.task"
local terminal = require "terminal"

local tests = {}
t.side_by_side(3)

-- In one C call: minutes of a pattern's backtracking, and minutes of sleep, which leave the processor to others.
local BUSY = [[io.stderr:write("hanging\n") local _ = ("a" .. (" "):rep(3e5) .. "b"):match "^%s*(.-)%s*$" ]]
local HANG = [[io.stderr:write("hanging\n") require "luv".sleep(200000) ]]
local HELD_UP = "held the program up"

local function write(folder, name, source)
  local path = files.join(folder, name)
  assert(files.make_folder((files.split(path))))
  assert(files.write(path, source))
  return path
end

local function argv(folder, mission, ...)
  return { files.absolute(spawn.program), "run", mission, "--runs", folder .. "/runs", ... }
end

local function new_run(folder)
  local name = t.ok(files.list(folder .. "/runs")[1], "a run's folder")
  return files.join(folder, "runs", name)
end

-- The last event and the result, which say the same.
local function ending(run)
  local events, how = journal.read(run)
  t.eq(journal.lost(how), nil)
  local last = events[#events]
  t.eq(last.event, "run_end")
  t.eq(last.number, #events)
  local result = t.ok(json.decode(files.read(run .. "/result.json") or ""), "result.json")
  t.eq({ result.status, result.reason, result.turns, result.actions, result.run_dir },
    { last.status, last.reason, last.turns, last.actions, run })
  t.eq(result.archive.events, #events)
  for _, name in ipairs(files.list(run)) do t.ok(not name:find "%.part$", name .. " is left over") end
  return last, result, events
end

local function mission(fields)
  return 'return { desktop = { kind = "private" }, limits = { seconds = 2 }, ' .. fields .. " }"
end

-- By how much such a run outlasts its limit where it can be interrupted: a busy machine needs time for that too.
local function usual_delay()
  local folder <close> = setmetatable({ path = spawn.folder() }, { __close = function(f) files.remove(f.path) end })
  spawn.run(argv(folder.path, write(folder.path, "m.lua", mission "run = function() while true do end end")),
    { cwd = folder.path })
  return select(2, ending(new_run(folder.path))).seconds - 2
end

-- Runs a mission until it hangs: on a busy machine its limit may have been reached before that.
local function run_until_it_hangs(path, ...)
  local child
  for _ = 1, 4 do
    files.remove(path .. "/runs")
    child = spawn.run(argv(path, path .. "/m.lua", "--json", ...), { cwd = path })
    if child.stderr:find("hanging\n", 1, true) then break end
  end
  return child
end

-- Runs a mission that hangs: its limit of 2 s is outlasted by less than one.
local function held_up(source, status, ...)
  local last, result, events
  local most = 3
  for _ = 1, 4 do
    local folder <close> = setmetatable({ path = spawn.folder() }, { __close = function(f) files.remove(f.path) end })
    write(folder.path, "m.lua", source)
    local child = run_until_it_hangs(folder.path, ...)
    t.eq(child.status, status, child.stderr)
    t.has(child.stderr, "hanging\n")
    last, result, events = ending(new_run(folder.path))
    t.eq(json.decode(child.stdout), result, "--json prints the same")
    t.has(child.stderr, ("%s: %s\n"):format(result.status, result.reason))
    t.wait_until("the private desktop to be gone", function() return #child:left() == 0 end, 20)
    if result.seconds < most then break end
    most = 3 + 2 * usual_delay()
  end
  t.ok(result.seconds < most, ("it ended after %.2f s, and not within %.2f"):format(result.seconds, most))
  return last, result, events
end

local function out_of_time(fields, ...)
  local last, result, events = held_up(mission(fields), 1, ...)
  t.eq(result.status, "incomplete")
  t.has(result.reason, "out of time: the limit is 2 s (limits.seconds)")
  t.has(result.reason, HELD_UP)
  return last, result, events
end

function tests.a_script() out_of_time("run = function() " .. BUSY .. " end") end

function tests.a_hook_before_the_run() out_of_time("task = 'click \"7\"', before_run = function() " .. HANG .. " end",
  "--model", "literal") end

function tests.a_hook_in_a_turn()
  local last, result = out_of_time("task = 'click \"7\"', action_result = function() " .. HANG .. " end", "--model",
    "literal")
  t.eq({ last.turn, last.turns, last.actions }, { 1, 1, 1 })
  t.ok(result.model.calls > 0)
end

function tests.a_check_that_is_asked_before_the_limit()
  out_of_time("run = function() end, verify = function() " .. HANG .. " end")
end

-- After the limit its end is settled, or at least it is over soon.
function tests.a_hook_after_the_run()
  local last = held_up(mission("run = function() end, after_run = function() " .. HANG .. " end"), 0)
  t.eq({ last.status, last.reason }, { "succeeded", "the script ran to its end" })
end

function tests.a_limit_of_a_goal_within_the_run()
  local folder <close> = setmetatable({ path = spawn.folder() }, { __close = function(f) files.remove(f.path) end })
  write(folder.path, "deskpilot/policies/hangs.lua", "return { turn = function() " .. HANG .. " end }")
  local source = [[return { desktop = { kind = "private" }, run = function(m)
    m:achieve("anything", { policy = "hangs", limits = { seconds = 1.5 } })
  end }]]
  local child = spawn.run(argv(folder.path, write(folder.path, "m.lua", source), "--json", "--model", "literal"),
    { cwd = folder.path })
  t.eq(child.status, 1, child.stderr)
  local last = ending(new_run(folder.path))
  t.eq(last.status, "incomplete")
  t.has(last.reason, "the limit is 1.5 s (the goal's own); a call that does not return")
end

-- The limit of a goal that has ended holds nobody up any more.
function tests.a_long_call_after_a_goal_that_was_out_of_time()
  local folder <close> = setmetatable({ path = spawn.folder() }, { __close = function(f) files.remove(f.path) end })
  write(folder.path, "deskpilot/policies/busy.lua", "return { turn = function() while true do end end }")
  local source = [[return { desktop = { kind = "private" }, timing = { verify = 0 }, run = function(m)
    local ok, why = m:achieve("anything", { policy = "busy", limits = { seconds = 1 } })
    os.execute "sleep 7"
    return not ok and why:find("the goal's own", 1, true) ~= nil, why
  end }]]
  local child = spawn.run(argv(folder.path, write(folder.path, "m.lua", source), "--json", "--model", "literal"),
    { cwd = folder.path })
  t.eq(child.status, 0, child.stderr)
end

-- When all is written, whatever still computes in the program's own loop must not hold up its end.
function tests.a_callback_that_is_left_over_after_the_end()
  local folder <close> = setmetatable({ path = spawn.folder() }, { __close = function(f) files.remove(f.path) end })
  local source = mission [[run = function(m)
    local result = m.dir.path .. "/result.json"
    require "luv".new_prepare():start(function()
      local file = io.open(result)
      if file then while true do end end
    end)
  end]]
  local child = spawn.run(argv(folder.path, write(folder.path, "m.lua", source), "--json"), { cwd = folder.path })
  t.eq(child.status, 0, child.stderr)
  t.eq((json.decode(child.stdout) or {}).status, "succeeded")
  t.eq(ending(new_run(folder.path)).status, "succeeded")
  t.wait_until("the private desktop to be gone", function() return #child:left() == 0 end, 20)
end

-- What computes in Lua is stopped where it is, and the run ends by itself: the watchdog has nothing to do.
function tests.what_can_be_interrupted_ends_as_before()
  local folder <close> = setmetatable({ path = spawn.folder() }, { __close = function(f) files.remove(f.path) end })
  local source = mission "run = function() while true do pcall(function() while true do end end) end end"
  local child = spawn.run(argv(folder.path, write(folder.path, "m.lua", source), "--json"), { cwd = folder.path })
  t.eq(child.status, 1, child.stderr)
  local _, result = ending(new_run(folder.path))
  t.eq({ result.status, result.reason }, { "incomplete", "out of time: the limit is 2 s (limits.seconds)" })
end

-- On a display that goes on: what the run held down is released, by the word of the display.
function tests.nothing_stays_down()
  desktop.with({ size = { 800, 600 }, apps = { { "xterm", "-e", "cat" } } }, function(_, session, folder)
    local source = [[return { desktop = { kind = "current" }, limits = { seconds = 2 }, run = function(m)
      assert(m.desk.keyboard.hold "shift") assert(m.desk.mouse.press "left") ]] .. HANG .. "end }"
    local child = spawn.start(argv(folder, write(folder, "m.lua", source), "-q"), { cwd = folder,
      env = desktop.env(session) })
    local desk = assert(desk_module.open { display = session.display, session = session })
    t.wait_until("shift", function()
      local ok, err = desk.native:text_step("x")
      return not ok and tostring(err):find "shift key is held"
    end, 30)
    child:wait()
    t.eq(child.status, 1, child.stderr)
    t.wait_until("shift to come up", function() return desk.native:text_step("x") end, 20)
    t.ok(desk.native:text_end())
    t.wait_until("all processes to be gone", function() return #child:left() == 0 end, 20)
    ending(new_run(folder))
    desk:close()
  end)
end

function tests.ctrl_c_twice_in_a_terminal()
  local folder = spawn.folder()
  local begun = folder .. "/begun"
  local source = 'return { desktop = { kind = "private" }, run = function() ' .. hang.source(begun) .. " end }"
  local term = terminal.start(argv(folder, write(folder, "m.lua", source)), { cwd = folder, columns = 120 })
  local _ <close> = setmetatable({}, { __close = function() term:stop() end })
  t.wait_until("the call", function() return files.exists(begun) end, 30)
  term:press("C-c")
  term:wait_for("^C")
  -- All that can be seen of the first one is that it does not wait to be taken any more; two that wait are one.
  t.wait_until("the first to be taken", function()
    local status = files.read(("/proc/%d/status"):format(term:pid()))
    return tonumber(status:match "ShdPnd:%s*(%x+)", 16) & 1 << 2 - 1 == 0
  end, 30)
  task.sleep(0.3) -- that the program has counted it cannot be seen
  term:press("C-c")
  local began = task.now()
  local screen = term:wait_for("terminal sane")
  t.has(screen, "interrupted: told a second time to stop")
  t.has(screen, "status 130")
  t.ok(task.now() - began < 30, "the call takes minutes")
  local last = ending(new_run(folder))
  t.eq(last.status, "interrupted")
  files.remove(folder)
end

-- The run goes on from the turn before the one that hung.
function tests.such_a_run_can_be_resumed()
  local folder = spawn.folder()
  local hanging = write(folder, "hang", "")
  local source = ([[return { task = 'click "7", click "8"', limits = { seconds = 6 },
    desktop = { kind = "private", size = { 1280, 800 }, apps = { { "galculator" } } },
    turn_start = function(m)
      local file = m.turn >= 2 and io.open(%q)
      if file then file:close() %s end
    end,
    verify = function(m) return m.desk.elements.find { app = "galculator", text = "8" } ~= nil, "no 8" end }]])
    :format(hanging, HANG)
  local child = spawn.run(argv(folder, write(folder, "m.lua", source), "--json", "--model", "literal"),
    { cwd = folder })
  t.eq(child.status, 1, child.stderr)
  local run = new_run(folder)
  local last = ending(run)
  t.eq({ last.status, last.turns }, { "incomplete", 2 })
  files.remove(hanging)
  local resumed = spawn.run({ spawn.program, "resume", run, "--json", "--set", "limits.seconds=60" },
    { cwd = folder })
  local result = json.decode(resumed.stdout) or {}
  t.eq({ resumed.status, result.status }, { 0, "succeeded" }, resumed.stderr)
  t.has(resumed.stderr, "after turn 1")
  files.remove(folder)
end

return tests
