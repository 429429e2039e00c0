--- The limits of a goal. Whatever the agent says, they end it.
local goal_limits = require "deskpilot.agent.goal_limits"

local guardrails = {}

--- The limits that one goal may be given, as achieve takes them; nil where there are none.
---@param config deskpilot.config
---@return deskpilot.goal_limits?
function guardrails.limits(config)
  local seconds, tokens = config:get "orchestrator.goal_seconds", config:get "orchestrator.goal_tokens"
  local limits = { seconds = seconds > 0 and seconds or nil, tokens = tokens > 0 and tokens or nil }
  return next(limits) and limits or nil
end

--- Sets the limits of a goal that begins. One of a list has them already.
---@param run deskpilot.run
function guardrails.begin(run)
  local limits = not run.state.place and guardrails.limits(run.config)
  if not limits then return end
  run.goal.bounds = goal_limits.within(run, limits, run.goal.bounds, "orchestrator.goal_%s")
end

--- Ends the goal where its iterations are used up, or too many have failed in a row.
---@param run deskpilot.run
---@param step table of the iteration
function guardrails.check(run, step)
  if run.outcome then return end
  local s, config = run.state, run.config
  if s.failures >= config:get "orchestrator.failures" then
    return run:stop("failed", ("%d iteration%s in a row failed (orchestrator.failures); the last one: %s"):format(
      s.failures, s.failures == 1 and "" or "s", step.failed))
  end
  if s.iteration >= config:get "orchestrator.iterations" then
    run:stop("incomplete", ("the goal has had its %d iterations (orchestrator.iterations)"):format(s.iteration))
  end
end

return guardrails
