--- The options of the policy task_executor, each by the name of the specification, and what they are names for.
local t = require "harness"
local play = require "executor_play"

local tests = {}

local seventy_seven = play.seventy_seven

local function fails(n) return n > 1 and { status = 500, body = "the model has crashed" } or nil end

-- Scenario: Execution Configuration and Tuning / Configure step delay
function tests.the_step_delay_is_waited_after_each_action()
  local played = play.play { mission = play.calculator, agent = seventy_seven,
    flags = { "--set", "task_executor.step_delay=1.0" } }
  t.eq(played.result.status, "succeeded", played.result.reason)
  local ends, starts = played:only "turn_end", played:only "turn_start"
  for turn = 1, 2 do
    local pause = starts[turn + 1].at - ends[turn].at
    -- The event loop's timers count whole milliseconds; a busy machine takes longer.
    t.ok(pause >= 0.99 and pause < 10, ("%g s after step %d"):format(pause, turn))
  end
  t.eq(played:only "run_start"[1].config["timing.turn_delay"], 1)
  played:close()
end

-- Scenario: Execution Configuration and Tuning / Configure max steps limit
function tests.the_limit_of_steps_can_be_said_in_either_way()
  local function steps(mission, ...)
    local played = play.play { mission = play.calculator .. mission, flags = { ... },
      agent = function(request)
        return play.action("tap", { element = play.number(request, "toggle button", "1") })
      end }
    local turns = { played.result.turns, played:only "run_start"[1].config["limits.turns"] }
    t.eq(played.result.status, "incomplete", played.result.reason)
    played:close()
    return turns
  end
  t.eq(steps("", "--set", "task_executor.max_steps=2"), { 2, 2 })
  t.eq(steps("task_executor = { max_steps = 3 },"), { 3, 3 })
  t.eq(steps("task_executor = { max_steps = 3 },", "--set", "limits.turns=2"), { 2, 2 }, "a flag is stronger")
end

-- Scenario: Execution Configuration and Tuning / Enable/disable accessibility tree
function tests.the_tree_can_be_left_out()
  local played = play.play { mission = play.calculator, agent = seventy_seven,
    flags = { "--set", "task_executor.use_accessibility_tree=true" } }
  t.has(play.words(played.requests[1]), "ELEMENTS (number, role, name, centre in 0..1000, states, value)")
  t.eq(played.result.status, "succeeded", played.result.reason)
  local place = play.place(played.requests[1], "toggle button", "7")
  played:close()
  played = play.play { mission = play.calculator, agent = function(request, n)
    t.ok(not play.words(request):find("ELEMENTS", 1, true), play.words(request))
    if n > 2 then return play.action("finish", { reason = "The display shows 77." }) end
    return play.action("tap", { position = place })
  end, flags = { "--set", "task_executor.use_accessibility_tree=false" } }
  t.eq(played.result.status, "succeeded", played.result.reason)
  t.eq(played:only "observed"[1].elements, 0)
  local config = played:only "run_start"[1].config
  t.eq({ config["observe.elements"], config["observe.page"] }, { false, false })
  played:close()
end

-- Scenario: Execution Configuration and Tuning / Configure retry behavior
function tests.tries_and_the_pause_between_them_are_options()
  local played = play.play { mission = play.calculator, agent = function(request, n)
    return fails(n) or seventy_seven(request, n)
  end, flags = { "--set", "task_executor.max_retries=3", "--set", "task_executor.retry_delay=1.0" } }
  t.eq({ played.result.status, #played.requests }, { "error", 5 }, played.result.reason)
  for try = 3, 5 do
    local pause = played.stamps[try] - played.stamps[try - 1]
    t.ok(pause >= 0.99 and pause < 2, ("%g s before try %d"):format(pause, try - 1))
  end
  local config = played:only "run_start"[1].config
  t.eq({ config["retry.actions"], config["retry.delay"], config["retry.factor"] }, { 3, 1, 1 },
    "failed actions are tried as often")
  played:close()
end

return tests
