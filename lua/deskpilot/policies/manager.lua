--- A Manager plans subtasks and gives each to the worker that suits it: an Operator, who sees the screen and acts on
--- it, an Analyst, who works on what was gathered, or a Technician, who runs commands. An Evaluator looks after each
--- subtask and at the end. The Controller (manager/controller.lua) says which state follows which.
---
--- Each state is a function that returns one of its triggers and the reason. One turn of the loop is one transition.
local asking = require "deskpilot.policies.manager.asking"
local controller = require "deskpilot.policies.manager.controller"
local evaluator = require "deskpilot.policies.manager.evaluator"
local persona = require "deskpilot.agent.persona"
local plan_module = require "deskpilot.policies.manager.plan"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"
local workers = require "deskpilot.policies.manager.workers"

---@class deskpilot.policies.manager: deskpilot.policy
local policy = {
  api = 1,
  options = {
    subtasks = { type = "integer", default = 12, min = 1, max = 50, about = "most subtasks of one plan" },
    replans = { type = "integer", default = 5, min = 0, about = "times that the task is planned anew" },
    switches = { type = "integer", default = 20, min = 0,
      about = "times that the work goes from one role to another" },
    operations = { type = "integer", default = 20, min = 1,
      about = "answers of the Operator or the Analyst in one subtask, after which the Evaluator ends it" },
    commands = { type = "integer", default = 12, min = 1, about = "the same of the Technician" },
    seconds = { type = "number", default = 600, min = 1, about = "the same in seconds of any worker" },
    repeats = { type = "integer", default = 3, min = 2,
      about = "equal actions of the Operator in a row after which the Evaluator looks" },
    supplements = { type = "integer", default = 2, min = 0,
      about = "times that what one subtask lacks is asked for, before the task is planned anew" },
  },
  -- What each may spend, unless personas.NAME says otherwise.
  personas = {
    manager = { temperature = 0.2, max_tokens = 3000 },
    operator = { temperature = 0.3, max_tokens = 1500 },
    analyst = { temperature = 0.1, max_tokens = 4000 },
    technician = { temperature = 0.2, max_tokens = 1500 },
    evaluator = { temperature = 0.1, max_tokens = 1000 },
  },
}

local states = {}

-- --- plan -------------------------------------------------------------------------------------------------

function states.INIT()
  return "begun", "nothing is planned yet"
end

local function listed(list)
  local lines = {}
  for i, subtask in ipairs(list) do lines[i] = plan_module.line(subtask) end
  return #lines > 0 and table.concat(lines, "\n") or nil
end

local function situation(run)
  local s, notes = run.state, {}
  for _, part in ipairs { { "DONE", "done" }, { "LEFT OF THE LAST PLAN", "open" }, { "FAILED", "failed" } } do
    local words = listed(plan_module.of_status(s.plan, part[2]))
    if words then notes[#notes + 1] = { part[1], words } end
  end
  if s.replan then notes[#notes + 1] = { "WHY THE PLAN IS TO BE REVISED", s.replan } end
  return { mission = "THE USER'S TASK", knowledge = run.desk.apps.overview(), memory = true, history = true,
    screen = "words", notes = notes, demand = s.replan and "Revise the plan: what is left to do from here?"
      or "Plan the task.", turn = true }
end

-- Shows the plan: as data in the journal, and in lines to whoever watches.
local function announce(run, reason, changes)
  local list = run.state.plan
  run:emit("plan", { reason = reason, subtasks = list, kept = changes.kept, dropped = changes.dropped,
    reassigned = changes.reassigned })
  for _, subtask in ipairs(plan_module.of_status(list, "open")) do run:note("plan: " .. plan_module.line(subtask)) end
  if #changes.dropped > 0 then run:note("dropped: " .. table.concat(changes.dropped, ", ")) end
end

local function take_plan(run, call)
  local written, why = plan_module.read(run, call.args)
  if not written then
    run.result.rejected = run.result.rejected + 1
    asking.reject(run, "manager", call, why)
    return "rejected", "the plan was rejected: " .. text.cut(text.one_line(why), 300)
  end
  local changes = plan_module.take(run, written)
  run.result.plans = run.result.plans + 1
  run.state.replan = nil
  announce(run, written.reason, changes)
  if #written.subtasks == 0 then return "nothing_left", written.reason end
  return "planned", text.cut(text.one_line(written.reason), 300)
end

-- A question to the user, or the end; `asked` leads back here with the answer.
function states.PLAN(run)
  local definition = plan_module.definition(run, workers.names(run))
  local own = run.toolbox:scope { names = { "ask_user", "give_up" } }
  local names = own:names()
  table.insert(names, 1, definition.name)
  local call = asking.call(run, "manager", { toolbox = own:with { definition }, tools = names,
    system = persona.prompt("manager", { most = tostring(run.config:get "manager.subtasks") }),
    brief = situation(run) })
  if run.outcome then return nil end
  if not call then return "rejected", "there was no plan in the answer" end
  if call.name == definition.name then return take_plan(run, call) end
  run:act { tool = call.name, args = call.args, persona = "manager" }
  return "asked", "the Manager has asked"
end

-- --- assign and execute -----------------------------------------------------------------------------------

function states.ASSIGN(run)
  local s, subtask = run.state, controller.next_open(run)
  if not subtask then return "all_done", "no subtask is left" end
  s.current = subtask.id
  local lacking, giver = workers.lacking(run, subtask)
  if lacking then
    s.lack = { subtask = giver.id, missing = lacking }
    return "lacking", ("%s cannot begin: %s"):format(subtask.id, lacking)
  end
  s.same, s.outputs = nil, nil
  return "assigned", ("%s for the %s: %s"):format(subtask.id, subtask.role, subtask.title)
end

local function used_up(run, subtask)
  local key = subtask.role == "technician" and "manager.commands" or "manager.operations"
  local most, seconds = run.config:get(key), run.config:get "manager.seconds"
  if subtask.operations - (subtask.granted or 0) >= most then
    return ("%d answers of the %s are used up (%s)"):format(most, subtask.role, key)
  elseif subtask.seconds >= seconds then
    return ("%g seconds are used up (manager.seconds)"):format(seconds)
  end
end

function states.EXECUTE(run)
  local s, subtask = run.state, controller.current(run)
  local began = task.now()
  subtask.operations = subtask.operations + 1
  run.result.operations[subtask.role] = run.result.operations[subtask.role] + 1
  local trigger, why, lack = workers.step(run, subtask)
  subtask.seconds = subtask.seconds + task.now() - began
  if run.outcome then return nil end
  if trigger == "lacking" then s.lack = lack end
  local spent = trigger == "working" and used_up(run, subtask)
  if spent then trigger, why = "limit", spent end
  s.check = { because = trigger, why = text.cut(why, 2000) }
  return trigger, text.cut(text.one_line(why), 300)
end

-- --- check ------------------------------------------------------------------------------------------------

local follow = {}

function follow.done(_, subtask, said)
  subtask.status, subtask.result = "done", subtask.result or said.evidence
  subtask.missing, subtask.advice = nil, nil
end

function follow.go_on(_, subtask, said)
  subtask.advice = said.missing or said.evidence
end

function follow.supplement(run, subtask, said)
  run.state.lack = { subtask = workers.who_gives(run, subtask).id, missing = said.missing }
end

function follow.failed(_, subtask, said)
  subtask.status, subtask.why = "failed", said.evidence
end

function states.CHECK(run)
  local s, subtask = run.state, controller.current(run)
  local said = evaluator.judge(run, s.check.because, s.check.why, subtask)
  if run.outcome then return nil end
  if not said then return "unclear", "the Evaluator's answer was of no use" end
  follow[said.decision](run, subtask, said)
  local why = ("%s: %s: %s"):format(subtask.id, said.answer, text.cut(text.one_line(said.evidence), 300))
  run.history:add(run.turn, said.answer == "yes" and "note" or "error", "evaluated " .. why)
  if said.decision == "failed" then
    why = ("%s (%s) has failed: %s"):format(subtask.id, subtask.title, said.evidence)
  end
  return said.decision, why
end

-- What is missing is added by whoever has to give it: that subtask is open again, and comes first.
function states.SUPPLEMENT(run)
  local s, lack = run.state, run.state.lack
  s.current, s.lack = lack.subtask, nil
  local subtask = controller.current(run)
  if subtask.supplements >= run.config:get "manager.supplements" then
    subtask.status, subtask.why = "failed", "what is still missing: " .. lack.missing
    return "exhausted", ("%s was asked %d times for what is missing (manager.supplements): %s"):format(subtask.id,
      subtask.supplements, lack.missing)
  end
  run.result.supplements = run.result.supplements + 1
  subtask.supplements, subtask.status, subtask.missing = subtask.supplements + 1, "open", lack.missing
  subtask.advice, subtask.granted = nil, subtask.operations
  return "supplemented", ("%s is to add: %s"):format(subtask.id, text.cut(text.one_line(lack.missing), 300))
end

-- --- the end ----------------------------------------------------------------------------------------------

local function claim(run, evidence)
  local ok, err = run:claim(evidence)
  if ok then return "done", evidence end
  run.history:add(run.turn, "error", tostring(err))
  return "open", tostring(err)
end

function states.FINAL_CHECK(run)
  if run:has_verify() and run:verify(0).answer == "yes" then return claim(run, "the mission's own check holds") end
  local said = evaluator.judge(run, "final", "no subtask is left")
  if run.outcome then return nil end
  if not said then return "unclear", "the Evaluator's answer was of no use" end
  if said.decision == "done" then return claim(run, said.evidence) end
  return "open", "the task is not done: " .. said.evidence
end

-- --- the policy -------------------------------------------------------------------------------------------

-- Only these look at the screen; a worker that sees none needs no picture taken.
local looking = { PLAN = true, CHECK = true, FINAL_CHECK = true }

--- Whether the desktop is looked at before the turn.
---@param run deskpilot.run
---@return deskpilot.look_options|false
function policy.observe(run)
  local s = run.state
  local subtask = s.name == "EXECUTE" and controller.current(run)
  if looking[s.name] or subtask and workers.sees(subtask.role) then return {} end
  return false
end

function policy.start(run) controller.start(run) end

function policy.resume(run)
  controller.resume(run)
  workers.resume(run)
end

function policy.turn(run)
  local s = run.state
  local trigger, why = states[s.name](run)
  if not run.outcome then controller.move(run, trigger, why) end
  controller.count(run)
  if not run.outcome then return end
  local succeeded = run.outcome.status == "succeeded" or run.outcome.status == "claimed"
  controller.enter(run, succeeded and "DONE" or "FAILED", run.outcome.reason)
end

return policy
