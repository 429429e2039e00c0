--- The Evaluator: looks whether a subtask, or the task as a whole, is done. It is offered tools that only read, and one
--- to say what it has seen.
local asking = require "deskpilot.policies.manager.asking"
local json = require "deskpilot.base.json"
local orders = require "deskpilot.policies.manager.orders"
local persona = require "deskpilot.agent.persona"
local plan = require "deskpilot.policies.manager.plan"
local technician = require "deskpilot.policies.manager.technician"
local schema_fields = require "deskpilot.agent.fields"

local evaluator = {}

-- A worker that has used up its operations, or has given up, does not go on by itself.
local decisions = { finished = { "done", "go_on", "supplement", "failed" },
  repeating = { "done", "go_on", "failed" }, limit = { "done", "failed" }, stuck = { "done", "supplement", "failed" },
  final = { "done", "failed" } }

local asked_because = {
  finished = "The worker says that the subtask is done. Is it?",
  repeating = "The worker does the same again and again. Does anything come of it?",
  limit = "The worker has used up what it may spend on this subtask. Is it done?",
  stuck = "The worker says that it cannot go on. Is it so, and what is missing?",
  final = "All subtasks are over. Is the whole task done?",
}

local function definition(because)
  return { name = "judge", description = "Say what you have seen, and what follows from it.", acts = false,
    parameters = schema_fields.object {
      { name = "evidence", type = "string", minLength = 10, maxLength = 2000,
        description = "What on the screen, or in the report and the memory, shows it. Quote the words and values." },
      { name = "answer", type = "string", enum = { "yes", "no", "unknown" },
        description = "Whether it is done; unknown if it cannot be seen." },
      { name = "decision", type = "string", enum = json.list(decisions[because]),
        description = "done: go on to the next; go_on: let the worker go on; supplement: something is missing; "
          .. "failed: another plan is needed." },
      { name = "missing", type = "string", maxLength = 1000, optional = true,
        description = "With go_on and supplement: what is still missing." },
    } }
end

-- What contradicts itself in a judgement; nil where nothing does.
local function problem_of(said)
  if said.decision == "done" and said.answer ~= "yes" then
    return ("the decision done needs the answer yes, and the answer was %s"):format(said.answer)
  elseif said.decision ~= "done" and said.answer == "yes" then
    return ("the answer yes needs the decision done, and the decision was %s"):format(said.decision)
  elseif said.decision == "supplement" and not (said.missing or ""):find "%S" then
    return "say in `missing` what is missing"
  end
end

local function reports(run, subtask, why)
  local notes, done = {}, {}
  if subtask and subtask.role == "technician" and run.state.outputs then
    notes[#notes + 1] = { "THE LATEST COMMANDS", technician.outputs(run) }
  end
  for i, other in ipairs(subtask and {} or run.state.plan) do done[i] = plan.line(other) end
  if #done > 0 then notes[#notes + 1] = { "SUBTASKS", table.concat(done, "\n") } end
  notes[#notes + 1] = { subtask and "WHAT THE WORKER SAYS" or "WHY YOU ARE ASKED", why }
  return notes
end

--- Asks it once.
---@param run deskpilot.run
---@param because "finished"|"repeating"|"limit"|"stuck"|"final"
---@param why string what its worker has said, or what has led here
---@param subtask deskpilot.manager.subtask? nil: the task as a whole
---@return { evidence: string, answer: string, decision: string, missing: string? }? said nil where there is no usable
---  answer
function evaluator.judge(run, because, why, subtask)
  local tool = definition(because)
  local scope = run.toolbox:scope { groups = { "looking", "browser" }, names = { "recall" }, reads_only = true }
  local names = scope:names()
  names[#names + 1] = tool.name
  local call = asking.call(run, "evaluator", { toolbox = scope:with { tool }, tools = names,
    system = persona.prompt "evaluator", brief = { mission = "THE USER'S TASK",
      own_orders = subtask and orders.words(subtask) or nil, memory = true, history = true, screen = true,
      notes = reports(run, subtask, why), demand = asked_because[because], turn = true } })
  if run.outcome or not call then return nil end
  local problem = problem_of(call.args)
  if problem then
    asking.reject(run, "evaluator", call, problem)
    return nil
  end
  local counts = run.result.evaluations
  counts[call.args.answer] = counts[call.args.answer] + 1
  run:emit("evaluation", { subtask = subtask and subtask.id, because = because, answer = call.args.answer,
    decision = call.args.decision, evidence = call.args.evidence, missing = call.args.missing })
  return call.args
end

return evaluator
