--- Doing a plan's actions, in their order. Between two of them the screen is looked at: where it is no longer what
--- the plan was made for, the rest is left undone, as it is after a failure.
local rules = require "deskpilot.policies.odev.rules"
local scene = require "deskpilot.policies.odev.scene"

local execute = {}

---@class deskpilot.odev.outcome
---@field done integer how many actions were done in this go
---@field failed { number: integer, tool: string, text: string, code: string? }? the action that failed
---@field cut string? why the rest was left undone

-- What has become of the screen that the action needs; nothing where it needs none.
local function moved_on(run, step, call)
  if run.toolbox:get(call.tool).anywhere then return nil end
  return scene.difference(step.scene, scene.now(run))
end

local function left(step, number)
  local rest = #step.plan.actions - number
  return rest == 0 and "" or ("; %d more action%s not done"):format(rest, rest == 1 and " was" or "s were")
end

--- Begins a step.
---@param run deskpilot.run
---@param plan deskpilot.odev.plan
---@return table step {plan, scene, done, failed, tries}: done[i] for each action, failed = the one that did
function execute.step(run, plan)
  return { plan = plan, scene = scene.shown(run), done = {}, tries = 0 }
end

-- Actions that were done and are not done over, and, after a failure, those before it.
local function is_over(run, step, number)
  if not step.done[number] then return false end
  if step.failed then return true end
  local call = step.plan.actions[number]
  local again = run.toolbox:get(call.tool).repeatable
  if type(again) == "function" then again = again(call.args) end
  return again == false
end

--- Why the step cannot be done again: nothing of it would be done, or the screen is not what it was made for.
---@param run deskpilot.run
---@param step table
---@return string? why
function execute.cannot_repeat(run, step)
  for i, call in ipairs(step.plan.actions) do
    if not is_over(run, step, i) then return moved_on(run, step, call) end
  end
  return "what was done is not done twice"
end

--- Does the actions that are to be done: all of them, or on a retry those from the one that failed on, or, where
--- all were done in vain, those that may be done twice.
---@param run deskpilot.run
---@param step table
---@return deskpilot.odev.outcome
function execute.batch(run, step)
  local actions, over = step.plan.actions, {}
  for i = 1, #actions do over[i] = is_over(run, step, i) end
  step.failed = nil
  local outcome = { done = 0 }
  for i, call in ipairs(actions) do
    if not over[i] then
      local why = moved_on(run, step, call)
      if why then
        outcome.cut = ("before action %d (%s): %s%s"):format(i, call.tool, why, left(step, i - 1))
        return outcome
      end
      local typed_into_suggestions = rules.types_into_suggestions(run, call)
      local result = run:act { tool = call.tool, args = call.args, why = call.why, persona = "planner",
        observation = call.observation }
      if run.outcome then return outcome end
      if result.vetoed or result.code == "stale" then
        outcome.cut = ("action %d (%s): %s%s"):format(i, call.tool, result.text, left(step, i))
        return outcome
      end
      if not result.ok then
        step.failed = i
        outcome.failed = { number = i, tool = call.tool, text = result.text, code = result.code }
        return outcome
      end
      outcome.done = outcome.done + 1
      step.done[i] = true
      if i < #actions and (typed_into_suggestions or rules.suggestions_came(call, scene.now(run).page)) then
        outcome.cut = ("after action %d (%s): the field offers suggestions, which are chosen from in a plan of their "
          .. "own%s"):format(i, call.tool, left(step, i))
        return outcome
      end
    end
  end
  return outcome
end

return execute
