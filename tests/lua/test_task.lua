--- Tasks: waiting, cancelling past pcall, limits, errors, and the interruptor.
local t = require "harness"
local uv = require "luv"
local task = require "deskpilot.base.task"
local errors = require "deskpilot.base.errors"

local tests = {}

function tests.results_and_errors_reach_the_one_who_waits()
  t.eq({ task.start(function(a, b) task.sleep(0.01) return a + b, nil, "x" end, 1, 2):wait() }, { true, 3, nil, "x" })
  local ok, err = task.start(function() error("broken") end):wait()
  t.eq(ok, false)
  t.has(err, "broken")
  t.has(err, "stack traceback")
  t.eq({ task.start(function() error("not enough memory", 0) end):wait() }, { false, "not enough memory" })
  ok, err = task.start(function() task.sleep(0) error(errors.new("io", "disk")) end):wait()
  t.eq(ok, false)
  t.eq(err.code, "io")
end

function tests.sleeps_overlap()
  local began, jobs = task.now(), {}
  for i = 1, 50 do jobs[i] = task.start(task.sleep, 0.2) end
  for _, job in ipairs(jobs) do job:wait() end
  t.ok(task.now() - began < 5, task.now() - began) -- one after the other they take 10 s
end

function tests.cancel_passes_pcall_and_closes_variables()
  local closed, went_on = false, false
  local job = task.start(function()
    local guard <close> = setmetatable({}, { __close = function() closed = true end })
    pcall(function() task.sleep(60) end)
    went_on = guard ~= nil
  end)
  job:cancel("enough")
  t.eq(closed, true)
  t.eq(went_on, false)
  local ok, err = job:wait()
  t.eq({ ok, err.code, tostring(err) }, { false, "cancelled", "enough" })
end

function tests.cancel_reaches_the_tasks_that_were_started_inside()
  local inner
  local job = task.start(function()
    inner = task.start(task.sleep, 60)
    inner:wait()
  end)
  job:cancel("enough")
  t.eq(inner:ended(), true)
end

-- A task that never waits is held to its limit too, and nothing else is.
function tests.limits_of_busy_tasks()
  local function spin() while true do end end
  local began = task.now()
  local ok, err = task.limit(0.1, spin)
  t.eq({ ok, err.code }, { false, "timed_out" })
  ok, err = task.limit(0.1, function() while true do pcall(spin) end end)
  t.eq({ ok, err.code }, { false, "timed_out" })
  ok, err = task.limit(0.1, function() task.sleep(0.01) coroutine.wrap(spin)() end)
  t.eq({ ok, err.code }, { false, "timed_out" })
  ok, err = task.limit(0.1, function() task.start(spin):wait() end)
  t.eq({ ok, err.code }, { false, "timed_out" })
  ok, err = task.limit(0.1, function() return task.limit(60, spin) end)
  t.eq({ ok, err.code }, { false, "timed_out" })
  ok, err = select(2, task.limit(60, function() return task.limit(0.1, spin) end))
  t.eq({ ok, err.code }, { false, "timed_out" })
  t.ok(task.now() - began < 10, task.now() - began)
  -- The one that is past its limit waits; the one that runs has none, or time enough.
  local late = task.start(function() return task.limit(0.05, task.sleep, 60) end)
  local limit = task.now() + 0.5
  local count = select(2, task.limit(60, function()
    local n = 0
    while task.now() < limit do n = n + 1 end
    return n
  end))
  t.ok(count > 0)
  ok, err = select(2, late:wait())
  t.eq({ ok, err.code }, { false, "timed_out" })
end

function tests.limit()
  local ok, err = task.limit(0.02, task.sleep, 60)
  t.eq({ ok, err.code }, { false, "timed_out" })
  t.eq({ task.limit(5, function() return 7 end) }, { true, 7 })
  t.eq({ task.limit(5, function() task.sleep(0.01) return 8 end) }, { true, 8 })
end

function tests.waiting_in_a_coroutine_of_ones_own_is_an_error()
  local _, err = coroutine.resume(coroutine.create(function() task.sleep(1) end))
  t.has(err, "inside a coroutine of your own")
end

function tests.replaced_coroutine_functions_behave_as_lua_does()
  local co = coroutine.create(function(a) local b = coroutine.yield(a + 1) error("x" .. b, 0) end)
  t.eq({ coroutine.resume(co, 1) }, { true, 2 })
  t.eq({ coroutine.resume(co, "y") }, { false, "xy" })
  t.eq({ coroutine.resume(co) }, { false, "cannot resume dead coroutine" })
  local gen = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end)
  t.eq({ gen(), gen(), gen() }, { 1, 2, 3 })
  t.raises("cannot resume non-suspended", function()
    local f
    f = coroutine.wrap(function() f() end)
    f()
  end)
  t.eq(debug.sethook, nil, "scripts cannot take the hook")
end

if t.platform == "linux" then -- console events: tests/windows/test_win_console.lua
-- A function that has another process interrupt this one, for nothing of ours runs while a task loops. It is called by
-- that task, so that the signal cannot come before it; and the child's handle.
local function interrupter()
  local input = uv.new_pipe()
  local child = uv.spawn("sh", { args = { "-c", ("read go; sleep 0.1; kill -INT %d"):format(uv.os_getpid()) },
    stdio = { input } }, function() input:close() end)
  return function() assert(input:try_write "go\n" == 3) end, child
end

function tests.a_signal_stops_an_endless_loop_inside_pcall()
  local job
  local timer = uv.new_timer()
  local system = require "native.system"
  system.on_interrupt(function() job:cancel("signal") end)
  local interrupt, handle = interrupter()
  timer:start(0, 0, function()
    job = task.start(function()
      interrupt()
      while true do pcall(function() while true do end end) end
    end)
  end)
  t.wait_until("the loop to be stopped", function() return job and job:ended() end, 10)
  system.clear_interrupt()
  t.eq((job:wait()), false)
  timer:close()
  t.wait_until("the child", function() return not handle:is_active() end)
  handle:close()
end

function tests.a_nested_coroutine_is_stopped_too()
  local job
  local system = require "native.system"
  system.on_interrupt(function() end) -- the yield of the hook alone must end the task
  local interrupt, handle = interrupter()
  local timer = uv.new_timer()
  timer:start(0, 0, function()
    job = task.start(function()
      interrupt()
      while true do coroutine.wrap(function() while true do end end)() end
    end)
  end)
  t.wait_until("the loop to be stopped", function() return job and job:ended() end, 10)
  system.clear_interrupt()
  timer:close()
  t.wait_until("the child", function() return not handle:is_active() end)
  handle:close()
end

function tests.the_caller_of_what_a_signal_ends_can_finish()
  local heard, finished, ok, err
  local system = require "native.system"
  system.on_interrupt(function(signal) heard = signal end)
  local interrupt, handle = interrupter()
  local timer = uv.new_timer()
  timer:start(0, 0, function()
    task.start(function()
      ok, err = task.interruptible(function()
        interrupt()
        while true do end
      end)
      for _ = 1, 100 do task.sleep(0) end -- nothing ends it as well
      finished = heard
    end)
  end)
  t.wait_until("the caller to finish", function() return finished end, 10)
  system.clear_interrupt()
  t.eq({ finished, ok, err.code }, { "SIGINT", false, "cancelled" })
  timer:close()
  t.wait_until("the child", function() return not handle:is_active() end)
  handle:close()
end

function tests.what_no_signal_ends_gives_its_results()
  t.eq({ task.interruptible(function() return 1, nil, 3 end) }, { true, 1, nil, 3 })
  local ok, err = task.interruptible(function() error "wrong" end)
  t.eq(ok, false)
  t.has(tostring(err), "wrong")
end
end

return tests
