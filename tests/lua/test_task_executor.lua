--- The policy task_executor on the desktop that is only imagined: what it makes of answers, and what it counts. Real
--- applications are in e2e.test_task_executor*.
local null_run = require "null_run"
local t = require "harness"

local tests = {}

local play = require "executor_answers"

local finish = '{"action": "FINISH", "reason": "It is done."}'

function tests.a_claim_that_nothing_checks_is_claimed()
  local run = play({}, { finish })
  t.eq({ run.outcome.status, run.outcome.reason }, { "claimed", "It is done." })
  t.eq(run.result, { status = "claimed", steps = 1, failed = 0, rejected = 0 })
end

function tests.answers_without_an_action_are_steps()
  local run, events, told = play({}, { "I would rather talk about the weather.", finish })
  t.eq({ run.outcome.status, run.turn, run.result.steps, run.result.rejected }, { "claimed", 2, 2, 1 })
  t.has(told[2], 'every step needs one action, and none was called. You said: "I would rather talk')
  t.eq(#null_run.only(events, "observed"), 1, "nothing was done, so the same look served")
end

function tests.one_action_each_step()
  local run, events, told = play({}, { '[{"action": "wait", "seconds": 0.1}, {"action": "back"}]', finish })
  t.eq({ run.outcome.status, run.turn }, { "claimed", 2 })
  t.eq(null_run.only(events, "action_result")[1].tool, "wait")
  t.has(told[2], "1 more action came with that one and was not done: one action each step")
end

-- An action without a reason of its own has the agent's words beside it.
function tests.thoughts_are_recorded()
  local _, events = play({}, { { "wait", { seconds = 0.1 } }, finish })
  t.eq(null_run.only(events, "action")[1].why, "(The agent gave no reason.)")
  _, events = play({}, { '{"thought": "The screen is not ready.", "action": "wait", "seconds": 0.1}', finish })
  t.has(null_run.only(events, "action")[1].args.justification, "The screen is not ready.")
end

function tests.a_refusal_ends_it()
  local run = null_run.play({ policy = "task_executor", task = "x" }, { model = function()
    return { choices = { { finish_reason = "stop", message = { role = "assistant", refusal = "I will not." } } } }
  end })
  t.eq(run.outcome, { status = "failed", reason = "the agent refused: I will not.", final = run.outcome.final })
end

function tests.a_veto_is_shown_and_the_same_look_serves()
  local _, events, told = play({ before_action = function(_, action)
    if action.tool == "wait" then return false, "not now" end
  end }, { { "wait", { seconds = 0.1, justification = "The screen is not ready." } }, finish })
  t.has(told[2], "not now")
  t.eq(#null_run.only(events, "observed"), 1)
end

-- What a tool could not finish may have changed the screen all the same.
function tests.what_may_have_been_half_done_is_looked_at_anew()
  local _, events = play({ before_run = function(m)
    assert(m.toolbox:add { name = "poke", description = "Pokes.", parameters = { type = "object", properties = {} },
      run = function() return require "deskpilot.base.errors".fail("refused", "it was stopped half-way") end })
  end }, { { "poke", { justification = "It is the next thing to do here." } }, finish })
  t.eq(null_run.only(events, "action_result")[1].code, "refused")
  local turns = {}
  for i, event in ipairs(null_run.only(events, "observed")) do turns[i] = event.turn end
  t.eq(turns[#turns], 2)
end

function tests.without_servers_it_is_not_offered()
  local _, _, told = play({}, { '{"action": "mcp_call", "tool": "x"}', finish })
  t.has(told[2], 'ActionValidationError: there is no action "mcp_call"')
end

return tests
