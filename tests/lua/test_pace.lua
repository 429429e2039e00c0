--- The times of a run, by its configuration and the policy's phase; and those of pointer, keys and typing that the
--- profile of the active application has. On a desktop that is only imagined; e2e/test_pace.lua has real ones.
local t = require "harness"
local configured = require "configured"
local desk_module = require "deskpilot.desk"
local pace = require "deskpilot.agent.pace"
local task = require "deskpilot.base.task"

local tests = {}

local function resolve(mission_timing)
  local config, err = configured.resolve { mission = { task = "x", timing = mission_timing } }
  return t.ok(config, tostring(err))
end

function tests.the_phase_with_the_most_words()
  local config = resolve { phases = { EXECUTION = { turn_delay = 1 }, execution_save = { turn_delay = 2 },
    VERIFICATION = { turn_delay = 3 } } }
  local function of(phase) return pace.of_phase(config, phase).turn_delay end
  t.eq({ of "EXECUTION", of "Execution", of "EXECUTION_DRAW", of "execution: draw the star" }, { 1, 1, 1, 1 })
  t.eq({ of "EXECUTION_SAVE", of "Execution: save", of "ExecutionSave", of "EXECUTION SAVE AS" }, { 2, 2, 2, 2 })
  t.eq(of "VERIFICATION", 3)
  for _, phase in ipairs { "EXECUTIONER", "VERIFY", "RECONNAISSANCE", "SAVE_EXECUTION", "", "_" } do
    t.eq(of(phase), nil, phase)
  end
  t.eq(pace.of_phase(config, nil), {})
end

function tests.what_can_be_set()
  local config = resolve { click_pause = 0.5, phases = { EXECUTE = { settle_cap = 1, type_interval = 0.01 } } }
  t.eq(config:get "timing.click_pause", 0.5)
  t.eq(config:get "timing.phases.EXECUTE.settle_cap", 1)
  t.eq(config:get "timing.key_hold", nil, "left to the application")
  local _, err = configured.resolve { mission = { task = "x", timing = { phases = { EXECUTE = { settle_cup = 1 } } } } }
  t.has(tostring(err), "settle_cap")
  _, err = configured.resolve { mission = { task = "x", timing = { phases = { EXECUTE = { turn_delay = -1 } } } } }
  t.has(tostring(err), "timing.phases.EXECUTE.turn_delay is -1")
  config = t.ok(configured.resolve { flags = { ["timing.phases.EXECUTE.turn_delay"] = "0.5" } })
  t.eq(pace.of_phase(config, "EXECUTE").turn_delay, 0.5)
end

function tests.the_phase_before_the_run_before_the_default()
  local run = { desk = assert(desk_module.open { backend = "null" }), config = resolve { turn_delay = 1,
    click_pause = 0.3, phases = { FAST = { turn_delay = 0, click_pause = 0, key_hold = 0.2 } } } }
  local timing = run.desk.timing
  timing.double_click = 0.4
  pace.apply(run)
  t.eq({ pace.get(run, "turn_delay"), timing.click_pause, timing.key_hold, timing.double_click }, { 1, 0.3, 0, 0.4 })
  t.eq({ pace.set(run, "settle_quiet"), pace.get(run, "settle_floor") }, { nil, 0 })
  run.phase = "FAST"
  pace.apply(run)
  t.eq({ pace.get(run, "turn_delay"), timing.click_pause, timing.key_hold, timing.double_click }, { 0, 0, 0.2, 0.4 })
  run.phase = "ANOTHER"
  pace.apply(run)
  t.eq({ pace.get(run, "turn_delay"), timing.click_pause, rawget(timing, "key_hold") }, { 1, 0.3, nil })
  run.desk:close()
end

-- The seconds that fn() takes, and those of them that it asks to sleep: only these are the same on a busy machine.
local function seconds(fn, ...)
  local sleep, slept = task.sleep, 0
  task.sleep = function(duration)
    slept = slept + duration
    return sleep(duration)
  end
  local guard <close> = setmetatable({}, { __close = function() task.sleep = sleep end })
  t.ok(guard)
  local began = task.now()
  t.ok(fn(...))
  return task.now() - began, slept
end

local function slept(...) return (select(2, seconds(...))) end

function tests.what_the_active_application_needs_unless_somebody_has_said_otherwise()
  local desk = assert(desk_module.open { backend = "null" })
  local asked = 0
  desk.windows.active = function()
    asked = asked + 1
    return { id = desk.native:active(), title = "Slow", pid = 0, class = "" }
  end
  t.ok(slept(desk.mouse.click, { 1, 1 }) < 0.2)
  t.eq(asked, 0, "no profile that ships has such times, so that no window is looked at for each click")
  local own = { pointer_rest = 0.1, click_hold = 0.1, click_pause = 0.1, double_click = 0.3, key_hold = 0.1,
    key_pause = 0.1, type_interval = 0.1, drag_step = 0.02 }
  desk.apps.own_timing = function() return own end
  t.ok(seconds(desk.mouse.click, { 1, 1 }) >= 0.29)
  t.ok(seconds(desk.mouse.double_click, { 1, 1 }) >= 0.69)
  t.ok(seconds(desk.mouse.drag, { 1, 1 }, { 50, 1 }) >= 0.59)
  t.ok(seconds(desk.keyboard.press, "a") >= 0.19)
  t.ok(seconds(desk.keyboard.type, "äbc€") >= 0.29)
  t.ok(slept(desk.mouse.click, { 1, 1 }, { count = 2, interval = 0 }) < 0.55, "what the caller says goes before")
  desk.timing.click_hold, desk.timing.pointer_rest, desk.timing.click_pause = 0, 0, 0
  t.ok(slept(desk.mouse.click, { 1, 1 }) < 0.1, "a desk's own goes before a profile's, 0 as well")
  desk.timing.click_hold = nil
  t.ok(seconds(desk.mouse.click, { 1, 1 }) >= 0.09, "taken back")
  desk:close()
end

function tests.all_times_of_a_desk_can_be_walked_over()
  local desk = assert(desk_module.open { backend = "null", timing = { focus = 7 } })
  local all = {}
  for name, value in pairs(desk.timing) do all[name] = value end
  t.eq({ all.focus, all.click_hold, all.settle_cap }, { 7, 0, 2.5 })
  desk:close()
end

return tests
