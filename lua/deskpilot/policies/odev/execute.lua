--- Does a plan's actions in their order. Before each action the screen state is compared with the one that the plan was
--- made for. If it has changed, or if an action fails, the remaining actions are not done.
local preconditions = require "deskpilot.policies.odev.preconditions"
local screen_state = require "deskpilot.policies.odev.screen_state"

local execute = {}

---@class deskpilot.odev.outcome
---@field done integer how many actions this attempt did
---@field failed { number: integer, tool: string, text: string, code: string? }? the action that failed
---@field cut string? why the remaining actions were not done

-- How the screen state has changed since the plan was made; nil if it has not, or if the action's tool (`anywhere`)
-- does not depend on the screen.
local function screen_change(run, step, call)
  if run.toolbox:get(call.tool).anywhere then return nil end
  return screen_state.describe_change(step.screen_state, screen_state.now(run))
end

local function describe_rest(step, number)
  local rest = #step.plan.actions - number
  return rest == 0 and "" or ("; %d more action%s not done"):format(rest, rest == 1 and " was" or "s were")
end

--- Begins a step.
---@param run deskpilot.run
---@param plan deskpilot.odev.plan
---@return table step {plan, screen_state, done, failed, tries}: done[i] for each action, failed = the one that did
function execute.step(run, plan)
  return { plan = plan, screen_state = screen_state.shown(run), done = {}, tries = 0 }
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
    if not is_finished(run, step, i) then return screen_change(run, step, call) end
  end
  return "none of its actions may be repeated"
end

--- Does the step's actions: at first all of them; on a retry those from the failed one on, or, if none failed, those
--- whose tool is repeatable.
---@param run deskpilot.run
---@param step table
---@return deskpilot.odev.outcome
function execute.batch(run, step)
  local actions, finished = step.plan.actions, {}
  for i = 1, #actions do finished[i] = is_finished(run, step, i) end
  step.failed = nil
  local outcome = { done = 0 }
  for i, call in ipairs(actions) do
    if not finished[i] then
      local why = screen_change(run, step, call)
      if why then
        outcome.cut = ("before action %d (%s): %s%s"):format(i, call.tool, why, describe_rest(step, i - 1))
        return outcome
      end
      local typed_into_suggestions = preconditions.types_into_suggestions(run, call)
      local result = run:act { tool = call.tool, args = call.args, why = call.why, persona = "planner",
        observation = call.observation }
      if run.outcome then return outcome end
      if result.vetoed or result.code == "stale" or result.code == "forbidden" then
        outcome.cut = ("action %d (%s): %s%s"):format(i, call.tool, result.text, describe_rest(step, i))
        return outcome
      end
      if not result.ok then
        step.failed = i
        outcome.failed = { number = i, tool = call.tool, text = result.text, code = result.code }
        return outcome
      end
      outcome.done = outcome.done + 1
      step.done[i] = true
      if i < #actions
          and (typed_into_suggestions or preconditions.suggestions_came(call, screen_state.now(run).page)) then
        outcome.cut = ("after action %d (%s): the field offers suggestions: choose one of them in the next plan%s")
          :format(i, call.tool, describe_rest(step, i))
        return outcome
      end
    end
  end
  return outcome
end

return execute
