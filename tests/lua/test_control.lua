--- A person's control of a run: when it is held, what is done by a step, what becomes of what was chosen before a
--- person has worked, whose time it is, and who answers first.
local t = require "harness"
local control_module = require "deskpilot.agent.control"
local errors = require "deskpilot.base.errors"
local null_run = require "null_run"
local task = require "deskpilot.base.task"

local tests = {}

local function whats(events)
  local list = {}
  for i, event in ipairs(null_run.only(events, "control")) do list[i] = event.what end
  return list
end

local function act(run)
  return run:act { tool = "wait", why = "w", args = { seconds = 0.1 } }
end

-- Calls fn(number) each time that the run waits for the person.
local function each_wait(control, fn)
  return task.start(function()
    local number = 0
    while not (control.run and control.run.outcome) do
      if control.waiting then
        number = number + 1
        fn(number)
        task.sleep(0.1) -- until it waits again, or goes on
      end
      control.changed:wait(0.1)
    end
  end)
end

local nobody = { name = "a person", ask = function() return nil, errors.new("unavailable", "nobody is there") end }

function tests.it_is_held_between_acts_and_a_step_is_one_act()
  local control, done, at = control_module.new(), 0, {}
  local person = each_wait(control, function(number)
    at[number] = done
    control:order(number <= 2 and "step" or "go", "the terminal")
  end)
  local run, events = null_run.play({ task = "x" }, { control = control, turn = function(run)
    for _ = 1, 3 do -- several acts of one turn
      act(run)
      done = done + 1
      if done == 2 then control:order("pause", "the live page") end
    end
    if done >= 9 then run:stop("succeeded", "done") end
  end })
  person:wait()
  t.eq(run.outcome.status, "succeeded")
  t.eq(at, { 2, 3, 4 }, "acts that were done at each wait")
  t.eq(whats(events), { "paused", "one step", "paused", "one step", "paused", "goes on" })
  t.eq(null_run.only(events, "control")[1].by, "the live page")
end

-- A turn in which nothing is done is a step too.
function tests.a_step_ends_with_its_turn()
  local control, turns, at = control_module.new(), 0, {}
  control:order("pause", "the terminal")
  local person = each_wait(control, function(number)
    at[number] = turns
    control:order(number < 3 and "step" or "go", "the terminal")
  end)
  null_run.play({ task = "x" }, { control = control, turn = function(run)
    turns = turns + 1
    if turns == 6 then run:stop("succeeded", "done") end
  end })
  person:wait()
  t.eq(at, { 0, 1, 2 })
end

function tests.what_was_chosen_before_a_person_worked_is_not_done()
  local control, results, told = control_module.new(), {}, nil
  local person = each_wait(control, function(number)
    if number > 1 then return end
    control.inputs = 3
    control:order("go", "the terminal")
  end)
  local run, events = null_run.play({ task = "x" }, { control = control, turn = function(run)
    if #results == 1 then told = run.observation.notices end
    if #results == 0 then control:order("take", "the terminal") end
    results[#results + 1] = act(run)
    if #results == 3 then run:stop("succeeded", "done") end
  end })
  person:wait()
  t.eq({ results[1].ok, results[1].vetoed, results[2].ok }, { false, true, true })
  t.has(results[1].text, "a person has worked on the desktop meanwhile")
  t.has(table.concat(told or {}), "a person took over the desktop for 0 s and did 3 things there")
  t.eq(whats(events), { "taken over", "given back" })
  t.ok(run.goal.guards.failures == nil or run.goal.guards.failures == 0, "it is no failure of the agent's")
end

-- The run has less time than it is held, and does all its work within its own.
function tests.a_persons_time_is_not_the_runs()
  local control, done = control_module.new(), 0
  control:order("pause", "the terminal")
  local person = task.start(function()
    while not control.waiting do control.changed:wait(1) end
    task.sleep(2.5)
    control:order("go", "the terminal")
  end)
  local run, events = null_run.play({ task = "x" }, { control = control, flags = { ["limits.seconds"] = 2 },
    turn = function(run)
      act(run)
      done = done + 1
      if done == 3 then run:stop("succeeded", "done") end
    end })
  person:wait()
  t.eq({ run.outcome.status, done }, { "succeeded", 3 }, run.outcome.reason)
  t.ok(null_run.only(events, "control")[2].seconds >= 2.4)
  -- And its own limit holds all the same.
  local began = task.now()
  run = null_run.play({ task = "x" }, { control = control_module.new(), flags = { ["limits.seconds"] = 1,
    ["loop.threshold"] = 1000000 }, turn = function(going) act(going) end })
  t.eq(run.outcome.status, "incomplete")
  t.ok(task.now() - began < 10)
end

function tests.it_is_stopped_while_it_is_held()
  local control = control_module.new()
  control:order("pause", "the terminal")
  local person = each_wait(control, function() control:order("stop", "the terminal") end)
  local run = null_run.play({ task = "x" }, { control = control, turn = function() error "not a turn" end })
  person:wait()
  t.eq({ run.outcome.status, run.outcome.reason }, { "interrupted", "stopped by the terminal" })
  local ok, err = control:order("go", "the terminal")
  t.eq({ ok, errors.is(err) and err.code }, { nil, "unavailable" })
  ok, err = control_module.new():order("dance", "the terminal")
  t.eq({ ok, err.code }, { nil, "invalid" })
end

-- A script is held after a call.
function tests.a_script_is_held()
  local control, calls = control_module.new(), 0
  local person = each_wait(control, function() control:order("go", "the terminal") end)
  local _, events = null_run.play({ run = function(m)
    for i = 1, 4 do
      if i == 2 then control:order("pause", "the terminal") end
      m.desk.mouse.move(i, i)
      calls = calls + 1
    end
  end }, { control = control })
  person:wait()
  t.eq(calls, 4)
  t.eq(whats(events), { "paused", "goes on" })
end

function tests.whoever_answers_first_has_answered()
  local control, answers = control_module.new(), {}
  local person = task.start(function()
    for id, said in ipairs { "music", "maybe", "yes" } do
      while not (control.asked and control.asked.id == id) do control.changed:wait(1) end
      if id == 2 then
        local ok, err = control:answer(1, "yes", "the live page")
        t.eq({ ok, err.code }, { nil, "stale" }, "an answer to another question")
        ok, err = control:answer(2, said, "the live page")
        t.eq({ ok, err.code }, { nil, "invalid" })
        t.ok(control:answer(2, "no", "the live page"))
      else
        t.ok(control:answer(id, said, "the live page"))
      end
      control.changed:wait(1)
    end
  end)
  local run = null_run.play({ task = "x" }, { control = control, answerers = { control:answerer(nobody) },
    turn = function(run)
    answers[1] = run:question { text = "Which folder?", options = { "Pictures", "Music" }, seconds = 20 }
    answers[2] = tostring(run:consent { what = "delete it", seconds = 20 })
    answers[3] = run:consent { what = "delete it", seconds = 20 }
    local _, err = run:question { text = "Anybody?", seconds = 0.2 }
    answers[4] = err.code
    run:stop("succeeded", "done")
  end })
  person:wait()
  t.eq(run.outcome.status, "succeeded", run.outcome.reason)
  t.eq(answers, { "Music", "nil", true, "timed_out" })
  t.eq(control.asked, nil)
end

return tests
