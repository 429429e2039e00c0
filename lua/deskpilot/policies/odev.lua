--- Observe, decide, execute, verify, escalate. The planner gets the screen as text, without a picture. It answers with
--- the next actions and with what the screen must show afterwards. The policy does the actions, verifies that result,
--- and asks a model that sees the screen only where nothing else helps. One turn of the loop is one step, from one
--- observation to the next.
---
--- Each state is a function that returns the name of the next state and the reason for the change.
local errors = require "deskpilot.base.errors"
local persona = require "deskpilot.agent.persona"
local text = require "deskpilot.base.text"
local task_result = require "deskpilot.policies.odev.task_result"
local escalate = require "deskpilot.policies.odev.escalate"
local execute = require "deskpilot.policies.odev.execute"
local plan_module = require "deskpilot.policies.odev.plan"
local recover = require "deskpilot.policies.odev.recover"
local verify = require "deskpilot.policies.odev.verify"

---@class deskpilot.policies.odev: deskpilot.policy
local policy = {
  api = 1,
  options = {
    max_actions = { type = "integer", default = 5, min = 1, max = 20, about = "most actions of one plan" },
    retries = { type = "integer", default = 2, min = 0, max = 10,
      about = "times that a step which could not be verified is done again" },
    verify_seconds = { type = "number", default = 5, min = 0,
      about = "seconds for the screen to show what a step was to bring" },
    keyword_share = { type = "number", default = 0.5, min = 0, max = 1,
      about = "how many of an anchor's keywords have to be seen, as a share of them" },
    read_screen = { type = "boolean", default = true,
      about = "read the active window's pixels for what neither elements nor the page tell of" },
    vision = { type = "boolean", default = true, about = "ask the persona `vision` when nothing else helps" },
    force_vision = { type = "integer", default = 3, min = 1,
      about = "failed steps in a row after which `vision` is asked without looking at the page first" },
    max_escalations = { type = "integer", default = 5, min = 0,
      about = "times that `vision` is asked before the run is given up" },
  },
  owns_retries = true, -- of whole steps (odev.retries)
  -- Objects of a step, and of the browser that it is done in.
  transient = { "browser", "correction", "done", "entered", "interrupted", "lost", "step" },
  tools = plan_module.tools,
  -- What each may spend, unless personas.NAME says otherwise.
  personas = {
    planner = { temperature = 0.2, max_tokens = 1500 },
    vision = { temperature = 0.2, max_tokens = 800, optional = true },
  },
}
local states = {}

-- Reports to the planner (in its next request), to the history, to the journal and to the user.
local function report(run, message)
  run.state.report = message
  run.history:add(run.turn, "note", message)
  run:note(message)
end

-- Counts a failure. True after `odev.force_vision` failures in a row: then a model that sees the screen is asked.
local function failed(run)
  local s = run.state
  s.failures = s.failures + 1
  return s.failures >= run.config:get("odev.force_vision")
end

local function forced(run, why)
  return "ESCALATE_VISION", ("%d failures in a row (odev.force_vision): %s"):format(run.state.failures, why)
end

-- --- observe ----------------------------------------------------------------------------------------------

-- The success indicators that the mission, or whoever called `achieve`, gave for the goal; without them those of the
-- planner's latest plan that was to complete it.
local function goal_indicators(run)
  return run.goal.indicators or run.state.goal_indicators or {}
end

-- Why the goal counts as reached, before anything is planned; nil where it does not. The mission's own check decides
-- alone where the mission names no indicators.
local function quick_check(run)
  local s = run.state
  if s.denied then return nil end
  if not run.goal.indicators and run:has_verify() then
    s.denied = run:verify(0).answer ~= "yes" -- asked again after the next action
    return not s.denied and "the mission's own check holds" or nil
  end
  local indicators = goal_indicators(run)
  if not verify.all_seen(run, indicators) then return nil end
  return "all success indicators of the goal are on the screen: " .. text.join(indicators)
end

-- Claims the goal where the quick check says that it is reached. A claim that `verify` has denied is not repeated
-- before another action has been done.
local function goal_is_reached(run)
  local why = quick_check(run)
  if not why then return nil end
  local ok, err = run:claim(why, { seconds = 0, checked = run.goal.indicators ~= nil })
  if ok then return why end
  run.state.denied = true
  report(run, ("%s, but %s"):format(why, tostring(err)))
end

-- Whether the connection to the browser is lost; `step` is the step that this has interrupted, if any.
local function has_lost_browser(run, step)
  local s = run.state
  s.lost, s.interrupted = recover.lost(run), step
  return s.lost ~= nil
end

function states.OBSERVE(run)
  if has_lost_browser(run, nil) then return "RECONNECT", "the connection to the browser is lost" end
  local reached = goal_is_reached(run)
  if reached then return "DONE", reached end
  return "DECIDE", "the goal is not reached yet"
end

-- --- decide -----------------------------------------------------------------------------------------------

-- What is known of the active application and of those that could be opened.
local function knowledge(run)
  local window, apps, lines = run.observation.window, run.desk.apps, {}
  for _, hints in ipairs { apps.overview(), window and apps.about(window) or "" } do
    if hints ~= "" then lines[#lines + 1] = hints end
  end
  return table.concat(lines, "\n\n")
end

local function situation(run)
  return { mission = "GOAL", criteria = run.goal.indicators, knowledge = knowledge(run), history = true, screen = true,
    turn = true, notes = run.state.report and { { "REPORT ON YOUR LAST PLAN", run.state.report } } }
end

local function reject(run, args, why)
  task_result.count(run, "rejected")
  run:reject("plan", args, why)
  run.state.report = "The plan was rejected and none of its actions was done:\n" .. why
  if run.outcome then return "OBSERVE", why end
  if failed(run) then return forced(run, "the planner's answers are not valid plans; the latest: " .. why) end
  return "OBSERVE", "the plan was rejected"
end

function states.DECIDE(run)
  local s = run.state
  local definition = plan_module.definition(run.config)
  local prompt = persona.prompt("planner", { tools = plan_module.describe_tools(run),
    actions = plan_module.describe_actions(run.config) })
  local reply, err = persona.ask(run, "planner", { acts = true, image = false, system = prompt, brief = situation(run),
    tools = { definition.name }, toolbox = run.toolbox:with { definition } })
  if run.outcome then return end
  if not reply then
    run:emit("error", { name = "planner", message = tostring(err), code = err.code })
    return reject(run, {}, "the planner did not answer: " .. tostring(err))
  end
  local plan, why = plan_module.read(run, reply)
  if not plan then return reject(run, {}, why) end
  s.report = nil
  if plan.completes_goal then s.goal_indicators = plan.indicators end
  s.step = execute.step(run, plan)
  task_result.count(run, "steps")
  return "EXECUTE", text.cut(text.one_line(plan.rationale), 200)
end

-- --- execute ----------------------------------------------------------------------------------------------

-- Does the one action of the vision persona. The next observation shows its effect, so it is not verified.
local function correct(run, call)
  run.state.correction = nil
  local result = run:act { tool = call.tool, args = call.args, why = call.why, persona = "vision",
    observation = call.observation }
  report(run, ("a model that sees the screen has corrected with %s: %s"):format(call.tool,
    text.cut(text.one_line(result.text), 200)))
  return "OBSERVE", "the correction was " .. (result.ok and "done" or "tried")
end

local function cut_short(run, outcome)
  task_result.count(run, "cut_short")
  report(run, "the plan was stopped early: " .. outcome.cut)
  -- Without this count a step whose first action is always refused would be planned again for ever.
  if next(run.state.step.done) == nil and failed(run) then return forced(run, outcome.cut) end
  return "OBSERVE", "the step was cut short"
end

function states.EXECUTE(run)
  local s = run.state
  s.denied = nil
  if s.correction then return correct(run, s.correction) end
  local outcome = execute.batch(run, s.step)
  if run.outcome then return end
  s.done = outcome
  if (outcome.cut or outcome.failed) and has_lost_browser(run, s.step) then
    return "RECONNECT", "the connection to the browser is lost"
  end
  if outcome.cut then return cut_short(run, outcome) end
  return "VERIFY", outcome.failed and "an action failed" or "all actions are done"
end

function states.RECONNECT(run)
  local s = run.state
  local step = s.interrupted
  s.reconnects = (s.reconnects or 0) + 1
  if s.reconnects > run.config:get("odev.retries") + 1 then
    run:stop("failed", ("the connection to the browser was lost %d times in a row (odev.retries)"):format(s.reconnects))
    return
  end
  local again, why = recover.bring_back(run, s.lost, step)
  if run.outcome then return end
  if again == nil then
    run:stop("failed", why)
    return
  end
  report(run, why)
  if not again then
    if step then task_result.count(run, "cut_short") end
    return "OBSERVE", why
  end
  task_result.count(run, "retries")
  return "EXECUTE", why
end

-- --- verify -----------------------------------------------------------------------------------------------

-- A plan claims the goal. The mission's own check decides; where it has none, the indicators that it gave.
local function claim(run, plan)
  local own = run.goal.indicators
  local why = own and not run:has_verify() and verify.mismatch(run, { anchor = {}, indicators = own }, {})
  if why then return errors.fail("refused", "NOT DONE: of the goal as a whole, %s", why) end
  local seen = #plan.indicators > 0 and "; on the screen: " .. text.join(plan.indicators) or ""
  return run:claim(plan.rationale .. seen, { checked = own ~= nil })
end

local function verified(run, how)
  local s = run.state
  task_result.count(run, "verified")
  s.reconnects = 0
  run.history:add(run.turn, "note", "verified: the last step has worked")
  if not s.step.plan.completes_goal then
    s.failures = 0
    return "OBSERVE", how
  end
  local ok, err = claim(run, s.step.plan)
  if ok then return "DONE", how .. ", and the goal is reached" end
  s.denied = true
  report(run, "the step has worked, but the goal is not reached: " .. tostring(err))
  -- A denied claim counts, although its step has worked, or else a planner could claim for ever.
  if failed(run) then return forced(run, tostring(err)) end
  return "OBSERVE", "the goal is not reached yet"
end

function states.VERIFY(run)
  local s = run.state
  local step = s.step
  local why = verify.mismatch(run, step.plan, s.done)
  if not why then return verified(run, "verified") end
  local retries = run.config:get("odev.retries")
  if step.tries < retries then
    local not_again = execute.cannot_repeat(run, step)
    if not not_again then
      step.tries = step.tries + 1
      task_result.count(run, "retries")
      return "EXECUTE", ("retry %d of %d: %s"):format(step.tries, retries, why)
    end
    why = ("%s (not retried: %s)"):format(why, not_again)
  end
  task_result.count(run, "unverified")
  run.history:add(run.turn, "error", "not verified: " .. text.cut(text.one_line(why), 200))
  s.why = why
  if failed(run) then return forced(run, why) end
  if verify.has_page(run) then return "ESCALATE_BROWSER", why end
  return "ESCALATE_VISION", why
end

-- --- escalate ---------------------------------------------------------------------------------------------

function states.ESCALATE_BROWSER(run)
  task_result.count(run, "browser")
  local why = verify.page_mismatch(run, run.state.step.plan)
  if why then return "ESCALATE_VISION", "the page does not show it either: " .. why end
  run.result.unverified = run.result.unverified - 1
  return verified(run, "verified by the page's URL and text")
end

function states.ESCALATE_VISION(run)
  local s = run.state
  local call, why = escalate.ask_vision(run, s.why or s.report or "the last step did not work")
  if run.outcome then return end
  s.why = nil
  if not call then
    failed(run)
    report(run, "a model that sees the screen was asked and gave no action: " .. tostring(why))
    return "OBSERVE", "there is no correction"
  end
  s.correction = call
  return "EXECUTE", "correction: " .. text.cut(text.one_line(call.why), 200)
end

-- --- the policy -------------------------------------------------------------------------------------------

function policy.start(run)
  run.state.failures = 0
  task_result.start(run)
end

function policy.resume(run)
  run.state.failures = 0
  task_result.resume(run)
end

function policy.turn(run)
  local s = run.state
  repeat
    local state, why = states[s.name](run)
    if run.outcome then
      local succeeded = run.outcome.status == "succeeded" or run.outcome.status == "claimed"
      state, why = succeeded and "DONE" or "FAILED", succeeded and why or run.outcome.reason
    end
    task_result.enter_state(run, state, why)
  until state == "OBSERVE" or run.outcome
end

return policy
