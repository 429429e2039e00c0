--- Observe, decide, execute, verify, escalate. A planner who is told of the screen in words says what to do next and
--- what must be on the screen then; the policy does it, looks whether it has come true, and asks a model that sees
--- the screen only where nothing else helps. Each turn of the loop is one step: from one look to the next.
---
--- Each state is a function that does its part and says which state comes next, and why.
local persona = require "deskpilot.agent.persona"
local observation = require "deskpilot.agent.observation"
local text = require "deskpilot.base.text"
local account = require "deskpilot.policies.odev.account"
local escalate = require "deskpilot.policies.odev.escalate"
local execute = require "deskpilot.policies.odev.execute"
local plan_module = require "deskpilot.policies.odev.plan"
local recover = require "deskpilot.policies.odev.recover"
local verify = require "deskpilot.policies.odev.verify"

---@class deskpilot.policies.odev: deskpilot.policy
local policy = {}
local states = {}

local spends = { temperature = 0.2, max_tokens = 1500 } -- the planner

-- For the planner's next request, for the journal and for people.
local function tell(run, words)
  run.state.report = words
  run.history:add(run.turn, "note", words)
  run:note(words)
end

-- One more failure in a row; whether it is time to look at the screen itself.
local function failed(run)
  local s = run.state
  s.failures = s.failures + 1
  return s.failures >= run.config:get("odev.force_vision")
end

local function forced(run, why)
  return "ESCALATE_VISION", ("%d failures in a row (odev.force_vision): %s"):format(run.state.failures, why)
end

-- --- observe ----------------------------------------------------------------------------------------------

-- What the mission says of its goal, or who asked for a part of it.
local function given_indicators(run)
  return run.goal.indicators or not run.mission.run and run.mission.indicators or nil
end

-- Else what the planner said when it last thought that it would reach the goal.
local function goal_indicators(run)
  return given_indicators(run) or run.state.goal_indicators or {}
end

-- All of the goal's indicators are there: the world is asked. What it denied is not asked again until something
-- has been done.
local function goal_is_reached(run)
  local s, indicators = run.state, goal_indicators(run)
  if s.denied or not verify.all_seen(run, indicators) then return false end
  local ok, err = run:claim("all success indicators of the goal are on the screen: " .. text.join(indicators), 0)
  if ok then return true end
  s.denied = true
  tell(run, ("all success indicators of the goal are on the screen, but %s"):format(tostring(err)))
  return false
end

-- Whether the browser has to be had back; `step` is the one that was interrupted by its going.
local function has_lost_browser(run, step)
  local s = run.state
  s.lost, s.interrupted = recover.lost(run), step
  return s.lost ~= nil
end

function states.OBSERVE(run)
  if has_lost_browser(run, nil) then return "RECONNECT", "the browser has gone" end
  if goal_is_reached(run) then return "DONE", "the goal's success indicators are all there" end
  return "DECIDE", "the goal is not reached yet"
end

-- --- decide -----------------------------------------------------------------------------------------------

local function situation(run)
  local s, indicators = run.state, given_indicators(run)
  local lines = { "GOAL:\n" .. run.task }
  if indicators and #indicators > 0 then
    lines[#lines + 1] = "THE GOAL IS REACHED WHEN ALL OF THIS IS ON THE SCREEN:\n- " .. table.concat(indicators, "\n- ")
  end
  lines[#lines + 1] = ("TURN: %d of %d"):format(run.turn, run.config:get("limits.turns"))
  if s.report then lines[#lines + 1] = "REPORT ON YOUR LAST PLAN:\n" .. s.report end
  lines[#lines + 1] = observation.words(run.observation)
  local window, apps = run.observation.window, run.desk.apps
  for _, words in ipairs { window and apps.about(window) or "", apps.overview() } do
    if words ~= "" then lines[#lines + 1] = words end
  end
  lines[#lines + 1] = run.history:render()
  return table.concat(lines, "\n\n")
end

local function reject(run, args, why)
  account.count(run, "rejected")
  run:reject("plan", args, why)
  run.state.report = "It was rejected, and nothing of it was done:\n" .. why
  if run.outcome then return "OBSERVE", why end
  if failed(run) then return forced(run, "the planner's answers are no plans; the last: " .. why) end
  return "OBSERVE", "the plan was rejected"
end

function states.DECIDE(run)
  local s = run.state
  local reply, err = persona.ask(run, "planner", { acts = true, image = false,
    system = persona.prompt("planner", { tools = plan_module.tool_words(run) }), text = situation(run),
    tools = { plan_module.definition.name }, toolbox = run.toolbox:with { plan_module.definition },
    temperature = spends.temperature, max_tokens = spends.max_tokens })
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
  account.count(run, "steps")
  return "EXECUTE", text.cut(text.one_line(plan.rationale), 200)
end

-- --- execute ----------------------------------------------------------------------------------------------

-- The vision persona's one action: what came of it is seen by the next look.
local function correct(run, call)
  run.state.correction = nil
  local result = run:act { tool = call.tool, args = call.args, why = call.why, persona = "vision",
    observation = call.observation }
  tell(run, ("a model that sees the screen has corrected with %s: %s"):format(call.tool,
    text.cut(text.one_line(result.text), 200)))
  return "OBSERVE", "the correction was " .. (result.ok and "done" or "tried")
end

local function cut_short(run, outcome)
  account.count(run, "cut_short")
  tell(run, "it was not done to its end: " .. outcome.cut)
  -- A step that did nothing at all would come again for ever.
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
    return "RECONNECT", "the browser has gone"
  end
  if outcome.cut then return cut_short(run, outcome) end
  return "VERIFY", outcome.failed and "an action failed" or "all actions are done"
end

function states.RECONNECT(run)
  local s = run.state
  local step = s.interrupted
  s.reconnects = (s.reconnects or 0) + 1
  if s.reconnects > run.config:get("odev.retries") + 1 then
    run:stop("failed", ("the browser went away %d times"):format(s.reconnects))
    return
  end
  local again, why = recover.bring_back(run, s.lost, step)
  if run.outcome then return end
  if again == nil then
    run:stop("failed", why)
    return
  end
  tell(run, why)
  if not again then
    if step then account.count(run, "cut_short") end
    return "OBSERVE", why
  end
  account.count(run, "retries")
  return "EXECUTE", why
end

-- --- verify -----------------------------------------------------------------------------------------------

local function verified(run, how)
  local s = run.state
  account.count(run, "verified")
  s.failures, s.reconnects = 0, 0
  run.history:add(run.turn, "note", "verified: the last step has worked")
  if not s.step.plan.completes_goal then return "OBSERVE", how end
  local seen = #s.step.plan.indicators > 0 and "; on the screen: " .. text.join(s.step.plan.indicators) or ""
  local ok, err = run:claim(s.step.plan.rationale .. seen)
  if ok then return "DONE", how .. ", and with it the goal" end
  s.denied = true
  tell(run, "the step has worked, but the goal is not reached: " .. tostring(err))
  if failed(run) then return forced(run, tostring(err)) end
  return "OBSERVE", "the goal is not reached yet"
end

function states.VERIFY(run)
  local s = run.state
  local step = s.step
  local why = verify.miss(run, step.plan, s.done)
  if not why then return verified(run, "verified") end
  local retries = run.config:get("odev.retries")
  if step.tries < retries then
    local not_again = execute.cannot_repeat(run, step)
    if not not_again then
      step.tries = step.tries + 1
      account.count(run, "retries")
      return "EXECUTE", ("retry %d of %d: %s"):format(step.tries, retries, why)
    end
    why = ("%s (not done again: %s)"):format(why, not_again)
  end
  account.count(run, "unverified")
  run.history:add(run.turn, "error", "not verified: " .. text.cut(text.one_line(why), 200))
  s.why = why
  if failed(run) then return forced(run, why) end
  if verify.has_page(run) then return "ESCALATE_BROWSER", why end
  return "ESCALATE_VISION", why
end

-- --- escalate ---------------------------------------------------------------------------------------------

function states.ESCALATE_BROWSER(run)
  account.count(run, "browser")
  local why = verify.page_miss(run, run.state.step.plan)
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
    tell(run, "a model that sees the screen was asked and gave no action: " .. tostring(why))
    return "OBSERVE", "there is no correction"
  end
  s.correction = call
  return "EXECUTE", "correction: " .. text.cut(text.one_line(call.why), 200)
end

-- --- the policy -------------------------------------------------------------------------------------------

function policy.start(run)
  run.state.failures = 0
  account.start(run)
end

function policy.turn(run)
  local s = run.state
  repeat
    local state, why = states[s.name](run)
    if run.outcome then
      local succeeded = run.outcome.status == "succeeded"
      state, why = succeeded and "DONE" or "FAILED", succeeded and why or run.outcome.reason
    end
    account.enter(run, state, why)
  until state == "OBSERVE" or run.outcome
end

return policy
