--- The Controller: the states of a run of this policy, what leads from one to the next, and what may be spent on them.
--- One turn of the loop is one transition, so that the journal's event `state` follows each, and a run that was cut off
--- goes on in the state that it was in.
local plan = require "deskpilot.policies.manager.plan"

local controller = {}

--- The states, and for each trigger the state that comes next.
---@type table<string, table<string, string>>
controller.transitions = {
  INIT = { begun = "PLAN" },
  PLAN = { planned = "ASSIGN", rejected = "PLAN", asked = "PLAN", nothing_left = "FINAL_CHECK" },
  ASSIGN = { assigned = "EXECUTE", lacking = "SUPPLEMENT", all_done = "FINAL_CHECK" },
  EXECUTE = { working = "EXECUTE", finished = "CHECK", stuck = "CHECK", repeating = "CHECK", limit = "CHECK",
    lacking = "SUPPLEMENT" },
  CHECK = { done = "ASSIGN", go_on = "EXECUTE", supplement = "SUPPLEMENT", failed = "PLAN", unclear = "CHECK" },
  SUPPLEMENT = { supplemented = "ASSIGN", exhausted = "PLAN" },
  FINAL_CHECK = { done = "DONE", open = "PLAN", unclear = "FINAL_CHECK" },
}

---@class deskpilot.manager.result
---@field status string that of the run, once it is over
---@field subtasks integer that were planned
---@field done integer
---@field failed integer
---@field dropped integer
---@field plans integer that were accepted
---@field rejected integer plans that were not
---@field replans integer
---@field switches integer from one role to another
---@field supplements integer
---@field operations { operator: integer, analyst: integer, technician: integer } answers of the workers
---@field evaluations { yes: integer, no: integer, unknown: integer }

--- Begins.
---@param run deskpilot.run
function controller.start(run)
  run.result = { status = "running", subtasks = 0, done = 0, failed = 0, dropped = 0, plans = 0, rejected = 0,
    replans = 0, switches = 0, supplements = 0, operations = { operator = 0, analyst = 0, technician = 0 },
    evaluations = { yes = 0, no = 0, unknown = 0 } }
  -- Among the state too: a run that was cut off before its first turn had ended has told of no result.
  run.state.plan, run.state.result = {}, run.result
  controller.enter(run, "INIT", "the task is new")
end

--- Goes on in the state that a run before was in.
---@param run deskpilot.run
function controller.resume(run)
  local s = run.state
  if not (s.result and s.plan and controller.transitions[s.name]) then return controller.start(run) end
  run.result = s.result
  run.result.status = "running"
  controller.enter(run, s.name, "the run goes on")
end

--- Enters a state.
---@param run deskpilot.run
---@param state string
---@param why string
function controller.enter(run, state, why)
  local from = run.state.name or "START"
  run.state.name, run.state.phase = state, state
  run:emit("phase_change", { from = from, to = state, why = why })
end

-- Counts what is limited; why the run ends, where a limit is reached.
local limits = {}

function limits.PLAN(run)
  local most, count = run.config:get "manager.replans", run.result.replans
  if count >= most then return ("planned anew %d times already (manager.replans)"):format(count) end
  run.result.replans = count + 1
end

function limits.EXECUTE(run)
  local s, most = run.state, run.config:get "manager.switches"
  local role = controller.current(run).role
  if s.role and s.role ~= role then
    if run.result.switches >= most then
      return ("the work went from one role to another %d times already (manager.switches)"):format(
        run.result.switches)
    end
    run.result.switches = run.result.switches + 1
  end
  s.role = role
end

-- Triggers that begin something which is limited.
local counted = { failed = true, exhausted = true, open = true, assigned = true }

--- Makes a transition: the next state, or the end of the run where what the next one takes is used up.
---@param run deskpilot.run
---@param trigger string one of the present state's
---@param why string
function controller.move(run, trigger, why)
  local s = run.state
  local to = controller.transitions[s.name][trigger]
  if not to then error(("the state %s knows no trigger %q"):format(s.name, tostring(trigger))) end
  local spent = counted[trigger] and limits[to] and limits[to](run)
  if spent then return run:stop("failed", ("%s; %s"):format(why, spent)) end
  if to == "PLAN" and counted[trigger] then s.replan = why end
  if to ~= s.name then controller.enter(run, to, why) end
end

--- The subtask that is worked on.
---@param run deskpilot.run
---@return deskpilot.manager.subtask?
function controller.current(run)
  for _, subtask in ipairs(run.state.plan) do
    if subtask.id == run.state.current then return subtask end
  end
end

--- The next subtask that is open.
---@param run deskpilot.run
---@return deskpilot.manager.subtask?
function controller.next_open(run)
  return plan.of_status(run.state.plan, "open")[1]
end

--- Counts the subtasks by how they stand.
---@param run deskpilot.run
function controller.count(run)
  local list = run.state.plan
  run.result.subtasks = #list
  for _, status in ipairs { "done", "failed", "dropped" } do
    run.result[status] = #plan.of_status(list, status)
  end
end

return controller
