--- Does a plan's actions in their order (agent/batch.lua), and again what of them may be repeated.
local assumptions = require "deskpilot.agent.assumptions"
local batch = require "deskpilot.agent.batch"

local execute = {}

--- Begins a step.
---@param run deskpilot.run
---@param plan deskpilot.odev.plan
---@return table step {plan, assumed, done, failed, tries}: done[i] for each action, failed = the one that did
function execute.step(run, plan)
  return { plan = plan, assumed = assumptions.new(run), done = {}, tries = 0 }
end

-- Whether a retry leaves this action out. It does so with what was done before an action that failed, and, when all
-- actions were done but the step was not verified, with actions whose tool is not `repeatable`.
local function is_finished(run, step, number)
  if not step.done[number] then return false end
  if step.failed then return true end
  local call = step.plan.actions[number]
  local again = run.toolbox:get(call.tool).repeatable
  if type(again) == "function" then again = again(call.args) end
  return again == false
end

--- Why the step cannot be retried: no action is left that may be repeated, or the screen state has changed. Nil where
--- it can be.
---@param run deskpilot.run
---@param step table
---@return string? why
function execute.cannot_repeat(run, step)
  for i, call in ipairs(step.plan.actions) do
    if not is_finished(run, step, i) then return assumptions.broken(run, step.assumed, call) end
  end
  return "none of its actions may be repeated"
end

--- Does the step's actions: at first all of them; on a retry those from the failed one on, or, if none failed, those
--- whose tool is repeatable.
---@param run deskpilot.run
---@param step table
---@return deskpilot.batch_outcome
function execute.batch(run, step)
  local actions, finished = step.plan.actions, {}
  for i = 1, #actions do finished[i] = is_finished(run, step, i) end
  local outcome = batch.run(run, actions, { assumed = step.assumed, persona = "planner", skip = finished })
  for i in pairs(outcome.made) do step.done[i] = true end
  step.failed = outcome.failed and outcome.failed.number
  return outcome
end

return execute
