-- Goals within goals (run:achieve): what belongs to one and to no other, and what ends which.
local t = require "harness"
local configured = require "configured"
local export = require "deskpilot.agent.export"
local null_run = require "null_run"

local tests = {}

-- Runs a mission whose policy, for every goal, is a function.
local function play(mission, turn, model)
  mission.timing = { verify = 0 }
  if mission.accept_claims == nil then mission.accept_claims = true end
  mission.limits = mission.limits or { turns = 40, seconds = 60 }
  return null_run.play(mission, { turn = turn, model = model })
end

function tests.the_end_of_a_goal_within_a_task_is_not_the_end_of_the_run()
  local world, inner, claims = "undone", nil, {}
  local run, events = play({
    task = "outer",
    verify = function() return world == "done", "the world is " .. world end,
    before_action = function(m)
      if m.task ~= "outer" or inner then return end
      inner = { m:achieve "inner" }
    end,
  }, function(m)
    if m.task == "inner" then return m:claim "the inner part is done" end
    if m.state.turns == 2 then world = "done" end
    m.state.turns = (m.state.turns or 0) + 1
    m:reject("x", {}, "something that the hook hears of")
    claims[#claims + 1] = { m:claim "the outer task is done" }
  end)
  t.eq({ inner[1], inner[2] }, { true, "the inner part is done" })
  t.eq(#claims, 3, "the claims of the task itself were judged by its own verify")
  t.has(tostring(claims[1][2]), "the world is undone")
  t.eq(run.outcome, { status = "succeeded", reason = "the outer task is done" })
  t.eq(run.state.turns, 3, "its state is its own")
  local goals, ends = {}, {}
  for _, event in ipairs(null_run.only(events, "turn_start")) do goals[#goals + 1] = event.goal or "own" end
  for _, event in ipairs(null_run.only(events, "turn_end")) do ends[#ends + 1] = event.turn end
  t.eq(goals, { "own", "1.1", "own", "own" })
  t.eq(ends, { 2, 1, 3, 4 }, "each turn ends by its own number")
end

function tests.a_goal_within_a_goal_that_fails_does_not_end_the_run_either()
  local seen
  local run = play({
    task = "outer",
    turn_start = function(m)
      if m.task == "outer" and not seen then seen = { m:achieve "inner" } end
    end,
  }, function(m)
    if m.task == "inner" then return m:stop("failed", "it cannot be done") end
    m:claim "done all the same"
  end)
  t.eq({ seen[1], seen[2] }, { false, "it cannot be done" })
  t.eq(run.outcome, { status = "claimed", reason = "done all the same" })
end

function tests.what_a_hook_ends_is_the_whole_run()
  local after = 0
  local run = play({
    task = "outer",
    note = function() return { stop = { "failed", "the hook has seen enough" } } end,
  }, function(m)
    if m.task == "inner" then return m:note "x" end
    m:achieve "inner"
    after = after + 1
  end)
  t.eq(after, 1)
  t.eq(run.outcome, { status = "failed", reason = "the hook has seen enough", final = true })
end

function tests.failures_are_counted_for_each_goal()
  local parts = {}
  local run = play({
    limits = { turns = 40, seconds = 60, failures = 3 },
    run = function(m)
      for i, name in ipairs { "fails three times", "fails twice and is done" } do parts[i] = { m:achieve(name) } end
    end,
  }, function(m)
    m.state.turns = (m.state.turns or 0) + 1
    if m.task:find "done" and m.state.turns == 3 then return m:claim "the second part is done" end
    m:reject("x", {}, "no")
  end)
  t.has(parts[1][2], "3 steps in a row failed")
  t.eq(parts[2], { true, "the second part is done" })
  t.eq(run.outcome.status, "succeeded")
end

function tests.each_goal_is_warned_of_its_own_loops()
  local _, events = play({
    run = function(m)
      m:achieve "first"
      m:achieve "second"
    end,
  }, function(m)
    m.state.turns = (m.state.turns or 0) + 1
    m:ask { persona = "one", system = "s", text = "t", acts = true, image = false }
    if m.state.turns == 5 then return m:stop("failed", "enough") end
    m:reject("click_element", { label = "Start" }, "no")
  end, function() return null_run.calls({}, "nothing") end)
  local warned = {}
  for _, event in ipairs(null_run.only(events, "model_request")) do
    local list = warned[event.goal] or {}
    warned[event.goal] = list
    list[#list + 1] = event.warning ~= nil
  end
  t.eq(warned, { ["1.1"] = { false, false, false, true, true }, ["1.2"] = { false, false, false, true, true } })
end

function tests.a_goal_has_its_own_result()
  local results = {}
  local run, events = play({
    run = function(m)
      for i, name in ipairs { "counts", "does not" } do results[i] = table.pack(m:achieve(name)) end
    end,
  }, function(m)
    if m.task == "counts" then m.result = { status = "running", steps = 7 } end
    m:claim "done"
  end)
  t.eq(results[1][3], { status = "claimed", steps = 7 })
  t.eq(results[2][3], nil)
  t.eq(run.result, nil)
  t.eq(export.result(events, "/nowhere").task_result, nil, "nobody's but the goal's that it is of")
  local goals = {}
  for _, event in ipairs(null_run.only(events, "turn_end")) do goals[event.goal] = event.task_result or false end
  t.eq(goals, { ["1.1"] = { status = "claimed", steps = 7 }, ["1.2"] = false }, "the journal tells whose it is")
end

function tests.history_and_observation_are_those_of_the_goal()
  local inner, outer
  play({ task = "outer" }, function(m)
    if m.task == "inner" then
      m.history:add(m.turn, "note", "of the inner one")
      inner = m.observation
      return m:claim "done"
    end
    m.history:add(m.turn, "note", "of the outer one")
    outer = m.observation
    m:achieve "inner"
    t.ok(m.observation == outer, "what its model was shown")
    t.ok(not m.history:render():find("inner", 1, true))
    m:claim "done"
  end)
  t.ok(inner and outer and inner ~= outer, "each has looked for itself")
end

function tests.a_script_has_the_last_look_of_its_goals()
  local seen
  play({
    run = function(m)
      m:achieve "anything"
      seen = m.observation ~= nil
    end,
  }, function(m) m:claim "done" end)
  t.eq(seen, true)
end

function tests.goals_without_end_within_goals_are_refused()
  local deepest, why = 0, nil
  local run = play({
    task = "0",
    before_action = function(m)
      deepest = math.max(deepest, m.goal.depth)
      local ok, reason = m:achieve(tostring(m.goal.depth))
      if not ok and not why then why = reason end
    end,
  }, function(m)
    m:reject("x", {}, "the hook is asked")
    if not m.outcome then m:claim "done" end
  end)
  t.eq(deepest, 8)
  t.has(why, "8 goals within each other")
  t.eq(run.outcome.status, "claimed")
end

function tests.limits_of_the_run_hold_within_its_goals()
  local run = play({
    task = "outer",
    limits = { turns = 5, seconds = 60 },
  }, function(m)
    if m.task == "outer" then m:achieve "inner" end
  end)
  t.eq(run.outcome.status, "incomplete")
  t.has(run.outcome.reason, "out of turns")
  t.eq(run.turn, 5)
end

function tests.a_toolbox_with_more_tools_names_all()
  local _, box = configured.defaults()
  local more = box:with { { name = "extra", description = "x", parameters = { type = "object" }, run = print } }
  t.eq(#more:names(), #box:names() + 1)
  t.has(table.concat(more:names(), " "), "click_element")
  t.eq(box:get "extra", nil, "the first one is as it was")
  local _, err = more:validate("click_elemen", {})
  t.has(tostring(err), 'the nearest is "click_element"')
end

return tests
