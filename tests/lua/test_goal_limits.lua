-- What a goal within a goal is given (run:achieve): limits within those of the one around it, tools, models, a verify;
-- and how its levels are shown.
local t = require "harness"
local trajectory = require "deskpilot.agent.trajectory"
local null_run = require "null_run"
local progress = require "deskpilot.cli.progress"
local report = require "deskpilot.cli.commands.report"
local task = require "deskpilot.base.task"

local tests = {}

local function play(mission, turn, model, open_model, profile)
  mission.timing = { verify = 0 }
  if mission.accept_claims == nil then mission.accept_claims = true end
  mission.limits = mission.limits or { turns = 40, seconds = 60 }
  return null_run.play(mission, { turn = turn, model = model, open_model = open_model,
    profile = profile })
end

local function busy() end -- a turn in which nothing is done

function tests.its_own_turns_end_it_and_not_the_goal_around_it()
  local got
  local run, events = play({
    run = function(m) got = table.pack(m:achieve { goal = "part", limits = { turns = 3 } }) end,
  }, busy)
  t.eq({ got[1], got[2] }, { false, "out of turns: the limit is 3 (the goal's own)" })
  t.eq(run.turn, 3)
  t.eq(run.outcome.status, "succeeded", "the script's own end")
  local start, ending = null_run.only(events, "goal_start")[1], null_run.only(events, "goal_end")[1]
  t.eq({ start.goal, start.task, start.policy, start.limits.turns }, { "1.1", "part", "played", 3 })
  t.eq({ ending.goal, ending.status, ending.turns }, { "1.1", "incomplete", 3 })
end

function tests.it_never_has_more_than_is_left_around_it()
  local got = {}
  local run = play({
    limits = { turns = 5, seconds = 60 },
    run = function(m)
      for i = 1, 3 do got[i] = table.pack(m:achieve { goal = tostring(i), limits = { turns = 4 } }) end
    end,
  }, busy)
  t.has(got[1][2], "the limit is 4 (the goal's own)")
  t.eq(got[2][2], "out of turns: the limit is 5 (limits.turns)", "of the run's five, one was left")
  t.eq(got[3][2], "out of turns: the limit is 5 (limits.turns)", "and then none: it is not even begun")
  t.eq({ run.turn, run.goals_begun }, { 5, 2 })
end

function tests.a_goal_within_it_uses_up_its_limit()
  local seen = {}
  play({
    run = function(m) seen.outer = table.pack(m:achieve { goal = "outer", limits = { turns = 4 } }) end,
  }, function(m)
    if m.task == "outer" then seen.inner = table.pack(m:achieve { goal = "inner", limits = { turns = 50 } }) end
  end)
  t.eq(seen.inner[2], "out of turns: the limit is 4 (the goal's own)", "that of the goal around it")
  t.eq(seen.outer[2], "out of turns: the limit is 4 (the goal's own)")
end

function tests.its_seconds_hold_while_a_model_does_not_answer()
  local got, after, began = nil, nil, nil
  local run, events = play({
    run = function(m)
      began = task.now()
      got = table.pack(m:achieve { goal = "part", limits = { seconds = 0.3 } })
      after = task.now() - began
    end,
  }, function(m) m:ask { persona = "one", system = "s", text = "t" } end, function()
    task.sleep(30)
    return null_run.calls({}, "too late")
  end)
  t.eq({ got[1], got[2] }, { false, "out of time: the limit is 0.3 s (the goal's own)" })
  t.ok(after >= 0.3 and after < 5, "it took " .. after)
  t.eq(run.outcome.status, "succeeded")
  t.eq(null_run.only(events, "goal_end")[1].status, "incomplete")
end

function tests.its_seconds_hold_against_a_policy_that_never_waits_and_end_what_is_within_it()
  local got, run, events, inside
  for _, seconds in ipairs { 0.3, 3, 15 } do -- on a busy machine the time may be over before the inner one begins
    run, events = play({
      run = function(m) got = table.pack(m:achieve { goal = "outer", limits = { seconds = seconds } }) end,
    }, function(m)
      if m.task == "outer" then m:achieve { goal = "inner", limits = { seconds = 20 } } end
      inside = true
      while true do pcall(function() while true do end end) end
    end)
    t.has(got[2], ("out of time: the limit is %g s"):format(seconds))
    if inside then break end
  end
  t.eq(run.goal.path, "1", "the run is at its own goal again")
  local ends = null_run.only(events, "goal_end")
  t.eq({ ends[1].goal, ends[2].goal, #ends }, { "1.1.1", "1.1", 2 }, "each end is told, the inner one first")
end

function tests.the_time_of_the_run_ends_its_goals()
  local run, events = play({
    limits = { turns = 40, seconds = 0.4 },
    run = function(m) m:achieve { goal = "part", limits = { seconds = 20 } } end,
  }, function() task.sleep(30) end)
  t.eq({ run.outcome.status, run.outcome.reason }, { "incomplete", "out of time: the limit is 0.4 s (limits.seconds)" })
  t.eq(null_run.only(events, "goal_end")[1].status, "incomplete")
end

function tests.tokens_are_counted()
  local got
  play({
    run = function(m)
      got = table.pack(m:achieve { goal = "part", limits = { tokens = 100 } })
      got.tokens = m.spending.tokens
    end,
  }, function(m) m:ask { persona = "one", system = "s", text = "t" } end, function()
    local body = null_run.calls({}, "hm")
    body.usage = { prompt_tokens = 40, completion_tokens = 5 }
    return body
  end)
  t.eq(got[2], "out of tokens: the limit is 100 (the goal's own)")
  t.eq(got.tokens, 135)
end

local function answers_with(usage)
  return function()
    local body = null_run.calls({}, "hm")
    body.usage = usage
    return body
  end
end

local function asks(name)
  return function(m) m:ask { persona = name or "one", system = "s", text = "t" } end
end

local usage = { prompt_tokens = 40, completion_tokens = 5, prompt_tokens_details = { cached_tokens = 30 } }

function tests.every_limit_of_what_models_cost_ends_a_goal()
  local profile = setmetatable({ prices = { input = 1000, output = 2000, cached = 100 } }, -- a call: 10 + 30 + 5 tokens
    { __index = assert(require "deskpilot.model.profile".load "literal") })
  for name, case in pairs {
    calls = { 2, 2, "out of model calls: the limit is 2" },
    input_tokens = { 90, 3, "out of tokens of requests: the limit is 90" },
    output_tokens = { 5, 1, "out of tokens of answers: the limit is 5" },
    cost = { 0.05, 3, "out of money: the limit is 0.05 US dollars" },
  } do
    local got
    play({
      run = function(m)
        got = table.pack(m:achieve { goal = "part", limits = { [name] = case[1] } })
        got.calls, got.cost = m.spending.calls, m.spending.cost
      end,
    }, asks(), answers_with(usage), nil, profile)
    t.eq({ got[2], got.calls }, { case[3] .. " (the goal's own)", case[2] }, name)
    t.ok(math.abs(got.cost - case[2] * 0.023) < 1e-9, "it cost " .. got.cost)
  end
end

function tests.a_limit_of_the_run_is_told_of_when_little_is_left()
  local run, events = play({ task = "part", limits = { calls = 5, turns = 40 } }, asks(), answers_with(usage))
  t.eq(run.outcome.reason, "out of model calls: the limit is 5 (limits.calls)")
  local told = null_run.only(events, "guard")
  t.eq({ #told, told[1].name, told[1].message },
    { 1, "budgets", "80 % of what may be spent is spent: the limit is 5 (limits.calls)" })
end

function tests.a_persona_has_limits_of_its_own()
  local run = play({ task = "part", personas = { two = { calls = 2 } } }, function(m)
    asks "one"(m)
    asks "two"(m)
  end, answers_with(usage))
  t.eq({ run.outcome.status, run.outcome.reason },
    { "incomplete", "the two is out of model calls: the limit is 2 (personas.two.calls)" })
  t.eq({ run.spending.personas.one.calls, run.spending.personas.two.calls, run.spending.calls }, { 3, 2, 5 })
end

function tests.money_cannot_be_limited_where_nobody_knows_the_prices()
  local run = play({ task = "part", limits = { cost = 1 } }, asks(), answers_with(usage))
  t.eq(run.outcome.status, "error")
  t.has(run.outcome.reason, "its prices are not known: say them, in US dollars for a million tokens, models = { [")
end

function tests.the_number_of_goals_is_limited()
  local got = {}
  play({
    limits = { turns = 40, seconds = 60, goals = 2 },
    run = function(m) for i = 1, 3 do got[i] = table.pack(m:achieve "part") end end,
  }, function(m) m:claim "done" end)
  t.eq({ got[1][1], got[2][1], got[3][1] }, { true, true, false })
  t.has(got[3][2], "limits.goals")
end

function tests.two_tasks_cannot_work_on_goals_at_a_time()
  local got = {}
  play({
    run = function(m)
      local jobs = {}
      for i = 1, 2 do jobs[i] = task.start(function() got[i] = table.pack(m:achieve("part " .. i)) end) end
      for i = 1, 2 do assert(jobs[i]:wait()) end
      got[3] = table.pack(m:achieve "part 3")
    end,
  }, function(m)
    task.sleep(0.05)
    m:claim "done"
  end)
  t.eq({ got[1][1], got[2][1], got[3][1] }, { true, false, true })
  t.has(got[2][2], "a run works on one goal at a time")
  t.has(got[2][2], "1.1 (part 1)")
end

function tests.its_tools_are_those_that_were_named()
  local names, result, why
  play({
    run = function(m)
      local run_before = #m.toolbox:names()
      m:achieve { goal = "part", tools = { "press_key", "wait" } }
      t.eq(#m.toolbox:names(), run_before, "afterwards it has all of them again")
      why = select(2, m:achieve { goal = "part", tools = { "press_kez" } })
    end,
  }, function(m)
    names = m.toolbox:names()
    result = m:act { tool = "click_element", args = { label = "x", position = { 1, 1 } } }
    m:claim "done"
  end)
  t.eq(names, { "give_up", "press_key", "report_completion", "wait" })
  t.has(result.text, "click_element is not among the tools that may be used here: give_up, press_key")
  t.has(why, 'there is no tool "press_kez" here; did you mean "press_key"')
end

function tests.a_goal_within_it_gets_no_tools_that_it_has_not()
  local why
  play({ run = function(m) m:achieve { goal = "outer", tools = { "wait" } } end }, function(m)
    if m.task == "outer" then why = select(2, m:achieve { goal = "inner", tools = { "click_element" } }) end
    m:claim "done"
  end)
  t.has(why, 'there is no tool "click_element" here')
end

-- Without tools that click, keys and typing are all that three_body can give its Executor.
function tests.three_body_works_with_the_tools_of_its_goal()
  local offered = {}
  local run = play({
    policy = "three_body",
    run = function(m)
      m:achieve { goal = "Press shift.", policy = "three_body", tools = { "press_key" }, limits = { turns = 2 } }
    end,
  }, nil, function(request)
    if request.persona == "executor" then
      for _, definition in ipairs(request.tools) do offered[#offered + 1] = definition["function"].name end
    end
    return null_run.calls({}, "I do not know.")
  end)
  t.eq(run.outcome.status, "succeeded", run.outcome.reason)
  t.ok(#offered > 0)
  for _, name in ipairs(offered) do t.ok(name == "press_key" or name == "report_completion", name) end
end

function tests.it_asks_its_own_model()
  local asked, opened = {}, {}
  local function open_model(own)
    if own.model == "bad" then return nil, require "deskpilot.base.errors".new("invalid", "no such address") end
    opened[#opened + 1] = own
    return { name = own.model, endpoint = own.endpoint or "none", record = function() return {} end,
      chat = function(_, request)
        asked[#asked + 1] = own.model .. " for " .. request.persona
        return { content = "ok", tool_calls = {} }
      end }
  end
  local why
  local _, events = play({
    run = function(m)
      m:achieve { goal = "one model", model = "small" }
      m:achieve { goal = "a model for one", model = { model = "large", endpoint = "http://other/v1" },
        personas = { two = "tiny" } }
      m:achieve "the run's"
      why = select(2, m:achieve { goal = "none", model = "bad" })
    end,
  }, function(m)
    for _, name in ipairs { "one", "two" } do m:ask { persona = name, system = "s", text = "t" } end
    m:claim "done"
  end, function(request)
    asked[#asked + 1] = "the run's for " .. request.persona
    return null_run.calls({}, "ok")
  end, open_model)
  t.eq(asked, { "small for one", "small for two", "large for one", "tiny for two", "the run's for one",
    "the run's for two" })
  t.eq(opened[2].endpoint, "http://other/v1")
  t.has(why, "model: no such address")
  t.eq(null_run.only(events, "goal_start")[1].model, "small")
end

-- Where a key belongs to it, a model is configured; a mission's file holds none.
function tests.a_model_of_the_configuration()
  local asked, why = {}, nil
  play({
    run = function(m)
      m.models = { sees = { name = "large", endpoint = "x", record = function() return {} end, chat = function()
        asked[#asked + 1] = "large"
        return { content = "ok", tool_calls = {} }
      end } }
      m:achieve { goal = "outer", model = { persona = "sees" } }
      why = select(2, m:achieve { goal = "none", personas = { one = { persona = "see" } } })
    end,
  }, function(m)
    m:ask { persona = "one", system = "s", text = "t" }
    if m.goal.depth == 2 then m:achieve { goal = "inner", personas = { one = { persona = "sees" } } } end
    m:claim "done"
  end)
  t.eq(asked, { "large", "large" })
  t.has(why, 'personas.one: the configuration gives no persona "see" a model (personas.see.model); did you mean')
end

-- Without a look at the world there is no success.
function tests.what_nothing_has_checked_is_claimed()
  local function claiming(m) m:claim "done" end
  t.eq(play({ task = "x", accept_claims = false }, claiming).outcome, { status = "claimed", reason = "done" })
  local seen = {}
  local run, events = play({ accept_claims = false, run = function(m)
    seen.word = { m:achieve "part" }
    seen.accepted = { m:achieve("part", { accept_claims = true }) }
    seen.checked = { m:achieve("part", { verify = function() return true end }) }
    seen.denied = { m:achieve("part", { verify = function() return false, "it is not" end, limits = { turns = 1 } }) }
  end }, claiming)
  t.eq(seen.word[1], false)
  t.has(seen.word[2], "nothing has checked it (give achieve a verify, or accept_claims = true): done")
  t.eq({ seen.accepted[1], seen.accepted[2] }, { true, "done" })
  t.eq(seen.checked[1], true)
  t.eq(seen.denied[1], false)
  local statuses = {}
  for i, ending in ipairs(null_run.only(events, "goal_end")) do statuses[i] = ending.status end
  t.eq(statuses, { "claimed", "claimed", "succeeded", "incomplete" })
  t.eq(run.outcome.status, "succeeded", "the script's own end")
end

function tests.an_agent_may_give_up()
  local result, world
  local function giving_up(m)
    result = m:act { tool = "give_up", args = { reason = "no" } }
    m:act { tool = "give_up", args = { reason = "The button\nis disabled, and nothing enables it." } }
  end
  t.eq(play({ task = "x" }, giving_up).outcome, { status = "failed",
    reason = "the agent gave up: The button is disabled, and nothing enables it." })
  t.eq(result.ok, false)
  t.has(result.text, "the reason has 2 characters and needs at least 20")
  local mission = { task = "x", verify = function() return world, "not yet" end }
  t.eq(play(mission, giving_up).outcome.status, "failed")
  world = true
  t.has(play(mission, giving_up).outcome.reason, "the mission's own check holds, though the agent ended otherwise")
end

function tests.a_tool_may_hand_out_its_work()
  local result
  local _, events = play({ task = "outer" }, function(m)
    if m.task == "outer" then
      m.toolbox = m.toolbox:with { { name = "delegate", description = "x", parameters = { type = "object" },
        acts = false, run = function(ctx) return (select(2, ctx.run:achieve "inner")) end } }
      result = m:act { tool = "delegate", args = {} }
    end
    m:claim(m.task .. " is done")
  end)
  t.eq({ result.ok, result.text }, { true, "inner is done" })
  t.eq(null_run.only(events, "goal_end")[1].status, "claimed")
end

function tests.a_policy_that_breaks_is_the_error_of_its_goal()
  local caught, run_goal
  local run, events = play({
    run = function(m)
      for i, limits in ipairs { { turns = 3 }, { seconds = 20 } } do
        caught = select(2, pcall(m.achieve, m, { goal = "part " .. i, limits = limits }))
        run_goal = m.goal.path
      end
    end,
  }, function() error "the policy broke" end)
  t.has(tostring(caught), "the policy broke")
  t.eq(run_goal, "1")
  t.eq(run.outcome.status, "succeeded", "the script has caught it")
  for i, event in ipairs(null_run.only(events, "goal_end")) do
    t.eq(event.status, "error", "goal " .. i)
    t.has(event.reason, "the policy broke")
  end
end

function tests.a_goal_whose_task_is_cancelled_is_left()
  local path
  local run, events = play({
    run = function(m)
      local job = task.start(m.achieve, m, { goal = "part", limits = { seconds = 20 } })
      task.sleep(0.1)
      job:cancel "no longer wanted"
      path = m.goal.path
      t.eq(m:achieve { goal = "another", verify = function() return true end }, true)
    end,
  }, function(m)
    if m.task == "another" then return m:claim "done" end
    task.sleep(20)
  end)
  t.eq({ path, run.outcome.status }, { "1", "succeeded" })
  local ending = null_run.only(events, "goal_end")[1]
  t.eq({ ending.goal, ending.status, ending.reason }, { "1.1", "error", "its work was cut off" })
end

function tests.mistakes_of_the_caller_are_errors()
  local said = {}
  play({
    run = function(m)
      for i, options in ipairs { { goal = "x", polcy = "odev" }, { policy = "odev" }, { goal = "x", tools = "wait" },
        { goal = "x", limits = { turn = 3 } }, { goal = "x", limits = { turns = 0 } } } do
        said[i] = tostring(select(2, pcall(m.achieve, m, options)))
      end
    end,
  }, busy)
  t.has(said[1], 'did you mean \'policy\'')
  t.has(said[2], "goal must say what is to be done")
  t.has(said[3], "tools must be a table")
  t.has(said[4], 'there is no limit "turn"')
  t.has(said[5], "limits.turns must be a whole number above 0")
end

function tests.only_the_missions_own_verify_ends_the_run_as_succeeded()
  local asked = 0
  local run, events = play({
    task = "outer",
    limits = { turns = 3, seconds = 60 },
    verify = function()
      asked = asked + 1
      return false, "the world is as it was"
    end,
  }, function(m)
    if m.turn == 1 then
      local ok = m:achieve { goal = "inner", verify = function() return true end }
      t.eq(ok, true)
      t.eq(asked, 0, "the mission's verify was not asked for it")
    end
    m:claim "done"
  end)
  t.eq(run.outcome.status, "incomplete")
  t.eq(null_run.only(events, "goal_end")[1].verdict.answer, "yes")
  t.eq(null_run.only(events, "run_end")[1].verdict.evidence, "the world is as it was")
end

function tests.whoever_ends_it_as_succeeded_its_verify_is_asked()
  local function ended(mission, turn)
    mission.verify = function(m) return m.checks.verdict("unknown", "the window could not be read") end
    local run = play(mission, turn)
    t.eq(run.outcome.status, "failed")
    t.has(run.outcome.reason, "its check says: unknown: the window could not be read")
  end
  ended({ task = "x" }, function(m) m:stop("succeeded", "I say so") end)
  ended({ run = function(m) m:stop("succeeded", "I say so") end })
  ended({ task = "x", turn_start = function() return { stop = { "succeeded", "the hook says so" } } end }, busy)
  local run = play({ run = function(m) m:stop("succeeded", "I say so") end, verify = function() task.sleep(60) end })
  t.eq({ run.outcome.status, run.outcome.reason }, { "failed",
    "it was ended as succeeded (I say so), but its check did not answer" })
  run = play({ run = function(m) m:stop("succeeded", "I say so") end, verify = function() error "a mistake" end })
  t.eq(run.outcome.status, "error", "of the mission's")
  local got
  play({ run = function(m)
    got = table.pack(m:achieve { goal = "part", verify = function() return false, "the world is as it was" end })
  end }, function(m) m:stop("succeeded", "I say so") end)
  t.eq({ got[1], got[2] }, { false,
    "it was ended as succeeded (I say so), but its check says: the world is as it was" })
end

-- A run of three levels, the innermost with an unknown end.
local function three_levels()
  local _, events = play({ task = "the whole" }, function(m)
    if m.task == "the whole" then m:achieve { goal = "a part", limits = { turns = 10 } }
    elseif m.task == "a part" then
      m:achieve { goal = "a detail", limits = { turns = 1 }, verify = function(inner)
        return inner.checks.verdict("unknown", "the window could not be read")
      end }
    end
    m:act { tool = "wait", args = { seconds = 0.1, justification = "for " .. m.task } }
    m:claim(m.task .. " is done")
  end)
  return events
end

function tests.events_belong_to_their_goal_and_to_its_turn()
  local waits = {}
  for _, event in ipairs(null_run.only(three_levels(), "action_result")) do
    waits[#waits + 1] = ("%s of turn %d: %s"):format(event.goal or "own", event.turn, event.args.justification)
  end
  t.eq(waits, { "1.1.1 of turn 3: for a detail", "1.1 of turn 2: for a part", "own of turn 1: for the whole" })
  local steps = trajectory.of("runs/x", three_levels()).steps
  t.eq({ steps[1].goal, steps[2].goal, steps[3].goal }, { nil, "1.1", "1.1.1" })
  for i = 1, 3 do t.eq({ steps[i].turn, steps[i].action.tool }, { i, "wait" }, "step " .. i) end
  t.eq(#steps, 3)
end

function tests.the_report_shows_the_levels()
  local html = report.html(three_levels(), "run")
  t.has(html, "an agent is asked: goal 1.1.1")
  t.has(html, "Turn 3 · goal 1.1.1")
  t.has(html, 'class="within within2"')
  t.has(html, "unknown: the window could not be read")
  t.has(html, "a detail (played): incomplete, 1 turns")
end

function tests.the_progress_shows_the_levels()
  local written = {}
  local shown = progress.new { write = function(words) written[#written + 1] = words end, tty = false }
  for _, event in ipairs(three_levels()) do
    if shown[event.event] then shown[event.event]({}, event) end
  end
  local all = table.concat(written)
  t.has(all, "\ngoal 1.1 (played): a part\n")
  t.has(all, "\n  goal 1.1.1 (played): a detail\n")
  t.has(all, "\n    turn 3")
  t.has(all, "\n  goal 1.1.1 incomplete: out of turns")
  t.has(all, "\n  turn 2")
  t.has(all, "\nturn 1")
end

return tests
