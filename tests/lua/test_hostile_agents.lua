--- Models that misbehave, with the policies that plan for others or decide on several things at once: one that loops,
--- one that only asks for tools, one that lies, one that plans forty subtasks or commands, one that returns rubbish.
--- Each ends in the state that docs/policies.md tells of, within its limits, with a report that shows why, and nothing
--- was done. On a desktop that is only imagined: what is on the screen does not matter to them. The one that asks for
--- `rm -rf` is in test_run_command.lua.
local t = require "harness"
local json = require "deskpilot.base.json"
local model_server = require "model_server"
local orchestrator = require "orchestrator_play"
local play = require "manager_play"
local report = require "deskpilot.cli.commands.report"

local tests = {}

-- --- manager --------------------------------------------------------------------------------------------------------

local subtask, yes, ends = play.subtask, play.yes, play.ends

local one_operator, pipeline = play.one_operator, play.pipeline

-- Gathers, then says that it is done.
local function gather(_, n)
  if n > 1 then return play.done() end
  return play.call("memorize", { items = json.list { { name = "q1", question = "What is 5 plus 6?",
    data = "A 10\nB 11", guidance = "one letter" } } })
end

function tests.with_manager_a_model_that_loops()
  local played = play.play({ manager = function(_, n) return play.plan(subtask("operator", "Work on page " .. n)) end,
    operator = function() return play.wait() end, evaluator = function(request)
      local offered = play.tool(request, "judge").parameters.properties.decision.enum
      for _, decision in ipairs(offered) do
        if decision == "go_on" then return play.judge("no", "go_on") end
      end
      return play.judge("no", "failed")
    end }, {}, { flags = { ["manager.operations"] = 7, ["manager.replans"] = 2 } })
  ends(played, "failed", "planned anew 2 times already (manager.replans)")
  t.eq(#played:asked "operator", 21, "seven answers in each of three subtasks")
  t.eq(#played:only "evaluation", 9, "after each three equal actions, and when seven were used up")
end

function tests.with_manager_a_model_that_only_asks_for_tools()
  local played = play.play { manager = one_operator, evaluator = yes,
    operator = function() return play.call("recall", {}) end }
  ends(played, "failed", "limits.failures")
  t.ok(#played:asked "operator" <= 60, #played:asked "operator")
  local manager = play.play { manager = function() return play.call("ask_user", { question = "What now?" }) end }
  ends(manager, "failed", "limits.failures")
end

function tests.with_manager_a_model_that_lies()
  local played = play.play({ manager = function(_, n) return play.plan(subtask("operator", "Work on page " .. n)) end,
    evaluator = yes, operator = function() return play.done "I have done it." end },
    { verify = function() return false, "nothing was done" end }, { flags = { ["manager.replans"] = 3 } })
  ends(played, "failed", "nothing was done; planned anew 3 times already (manager.replans)")
  for _, event in ipairs(played:only "action") do t.eq(event.tool, "none", "nothing was done at all") end
end

function tests.with_manager_a_model_that_plans_forty_subtasks()
  local played = play.play { manager = function()
    local list = {}
    for i = 1, 40 do list[i] = subtask("operator", "Work on page " .. i) end
    return play.plan(table.unpack(list))
  end }
  ends(played, "failed", "limits.failures")
  t.has(played.run.outcome.reason, "12")
  t.eq(#played.run.state.plan, 0, "nothing of it was taken")
end

function tests.with_manager_a_model_that_returns_rubbish()
  local rubbish = { model_server.reply_text "%%% {{{", play.call("fly", { to = "the moon" }),
    play.call("write_plan", '{"subtasks": 7'), play.call("judge", { answer = "perhaps" }) }
  for _, who in ipairs { "manager", "operator", "evaluator", "analyst" } do
    local script = { manager = pipeline, operator = gather, evaluator = yes }
    script[who] = function(_, n) return rubbish[n % #rubbish + 1] end
    local played = play.play(script)
    ends(played, "failed", "10 steps in a row failed (limits.failures)")
  end
end

-- --- orchestrator ---------------------------------------------------------------------------------------------------

-- How a run of a model that always answers so ends; gives the run for further checks.
local function orchestrated(answer, wanted, mission, flags)
  local whole = { policy = "orchestrator" }
  for key, value in pairs(mission or {}) do whole[key] = value end
  local played = play.play({ nobody = answer }, whole, { flags = flags })
  local outcome = played.run.outcome
  t.eq(outcome.status, wanted.status, outcome.reason)
  t.has(outcome.reason, wanted.reason)
  t.eq(#played:only "iteration", wanted.iterations)
  local page = report.html(played.events, "run")
  t.has(page, ("iteration %d of"):format(wanted.iterations))
  t.has(page, (outcome.reason:match "^[^\n\"'<>&]*"))
  return played
end

local function nothing_done(played)
  for _, event in ipairs(played:only "action_result") do t.ok(not event.ok, event.tool .. " was done") end
end

function tests.with_orchestrator_a_model_that_loops()
  local played = orchestrated(function()
    return orchestrator.decide { commands = { { "press_key", { key = "home" } } } }
  end, { status = "incomplete", iterations = 4,
    reason = "the goal has had its 4 iterations (orchestrator.iterations)" }, nil, { ["orchestrator.iterations"] = 4 })
  t.eq(#played:only "action_result", 4)
end

function tests.with_orchestrator_a_model_that_only_asks_for_tools()
  local played = orchestrated(function() return orchestrator.ask({ "take_screenshot" }) end,
    { status = "failed", reason = "2 iterations in a row failed", iterations = 2 })
  t.eq(#played:only "lookup", 4, "a picture, and three in vain in the first iteration; then the tool is withheld")
  t.eq(played.run.result.pictures, 1, "the same screen is given once")
  t.has(played.run.outcome.reason, "take_screenshot is withheld in this iteration")
  nothing_done(played)
end

function tests.with_orchestrator_a_model_that_lies()
  local played = orchestrated(function() return orchestrator.decide { status = "complete" } end,
    { status = "failed", iterations = 2,
      reason = "2 iterations in a row failed (orchestrator.failures); the last one: NOT DONE" },
    { verify = function() return false, "nothing was done" end })
  t.has(play.words(played.requests[2]), "REPORT:\nThe goal is not reached yet. NOT DONE: the mission's own check")
  nothing_done(played)
end

-- Where only texts on the screen tell.
function tests.with_orchestrator_a_model_that_lies_about_what_is_seen()
  local played = orchestrated(function() return orchestrator.decide { status = "complete" } end,
    { status = "failed", reason = "NOT DONE: not on the screen: The total is 42", iterations = 2 },
    { indicators = { "The total is 42" } })
  nothing_done(played)
end

function tests.with_orchestrator_a_model_that_plans_forty_commands()
  local played = orchestrated(function()
    local commands = {}
    for i = 1, 40 do commands[i] = { "type_text", { text = "x" } } end
    return orchestrator.decide { commands = commands }
  end, { status = "failed", reason = "commands", iterations = 2 })
  nothing_done(played)
end

function tests.with_orchestrator_a_model_that_returns_rubbish()
  local rubbish = { model_server.reply_text "Hm.", play.call("fly", { to = "the moon" }),
    play.call("decide", '{"commands": 7'), play.call("decide", { status = "perhaps" }) }
  for i, answer in ipairs(rubbish) do
    local played = orchestrated(function() return answer end, { status = "failed", iterations = 2,
      reason = i == 1 and 'answer by calling the tool decide; you said: "Hm."' or "2 iterations in a row failed" })
    t.eq(#played.requests, 4, "each answer goes back once")
    nothing_done(played)
  end
end

return tests
