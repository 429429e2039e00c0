--- What literal answers as the one who is asked: a commander, a manager, an evaluator, an executor or a planner. Each
--- says no more than the task's steps. An answer is { content, calls = { { name, args } }?, refusal? }.
local json = require "deskpilot.base.json"
local text = require "deskpilot.base.text"
local course = require "deskpilot.model.literal.course"
local deeds = require "deskpilot.model.literal.deeds"
local touch = require "deskpilot.model.literal.touch"

local faces = {}

local function refuse(why)
  return { content = why, refusal = why }
end

local function listed(plan)
  local lines = {}
  for i, step in ipairs(plan) do lines[i] = ("%d. %s"):format(i, step.says) end
  return table.concat(lines, "\n")
end

-- The texts that the task expects to see at its end, as criteria.
local function criteria_of(plan)
  local list = json.list()
  for _, words in ipairs(course.expected_at_the_end(plan)) do
    table.insert(list, course.quoted(words) .. " is on the screen.")
  end
  return list
end

--- A commander who writes the doctrine.
---@param facts deskpilot.literal.facts
---@param plan deskpilot.literal.step[]
---@param tool table? the definition that the doctrine is asked for with; in words where there is none
---@return table answer
function faces.strategist(facts, plan, tool)
  local phase = ("EXECUTION: these %d steps, one at a time and in their order.\n%s"):format(#plan, listed(plan))
  local verification = "What the steps expect is looked for on the screen before completion is claimed."
  local answer = { content = ("MISSION\n%s\n\nPHASES\n%s\n\nVERIFICATION\n%s"):format(facts.task, phase,
    verification) }
  if tool then
    answer.calls = { { name = tool.name, args = { mission = facts.task, phases = { phase },
      verification = verification, success_criteria = criteria_of(plan) } } }
  end
  return answer
end

local orders_format = [[
Carry out these %d steps, one each turn and in their order, and do nothing that they do not ask for. Where something is
not there yet, wait a second and look again; try a step that fails again, three times at most. When all are done, wait
for the phase that verifies them.
%s]]

local verify_format = [[
All %d steps have been carried out:
%s
Look whether what they expect is on the screen, and report completion, with what the screen shows as evidence.]]

local function orders(content, phase, prompt, names, rationale)
  return { content = content, calls = {
    { name = "spawn_executor_prompt", args = { phase = phase, rationale = rationale, prompt = prompt } },
    { name = "update_phase_tools", args = { tool_names = names, rationale = rationale } },
  } }
end

--- A commander who gives orders for two phases: one for the steps, and, when they are done, one that verifies.
---@param state deskpilot.literal.course
---@return table answer
function faces.tactician(state)
  local plan, phase = state.plan, state.facts.phase
  if phase == "VERIFICATION" or phase == "EXECUTION" and state.step then
    return { content = "The phase stays as it is." }
  end
  if not state.step then
    local why = ("All %d steps that the task spells out are done, so the result is verified."):format(#plan)
    return orders(why, "VERIFICATION", verify_format:format(#plan, listed(plan)), { "report_completion", "wait" }, why)
  end
  local needed = { wait = true }
  for _, step in ipairs(plan) do
    for _, name in ipairs(deeds.tools(step)) do needed[name] = true end
  end
  local why = ("The task spells out its %d steps, so one phase with what they need is enough for them."):format(#plan)
  return orders(why, "EXECUTION", orders_format:format(#plan, listed(plan)), text.keys(needed), why)
end

-- Nothing is left to do but to claim it, which this phase does not offer: a moment for the commander, who will.
local function await_verification(state)
  return { tool = "wait", args = { seconds = 0.1 },
    why = ("The %d steps are done; completion is reported in the phase that verifies them."):format(#state.plan) }
end

-- Whether a claim is to have evidence for each of the success criteria.
local function wants_list(tool)
  local evidence = ((tool.parameters or {}).properties or {}).evidence
  return evidence ~= nil and evidence.type == "array"
end

--- A manager: one subtask with all steps. The operator who gets it knows the steps by itself.
---@param state deskpilot.literal.course
---@return table answer
function faces.manager(state)
  local plan = state.plan
  if not state.step then
    return refuse(("All %d steps that the task spells out were carried out, and that was not enough. literal gives up.")
      :format(#plan))
  end
  local why = ("The task spells out %d steps, and step %d is next."):format(#plan, state.now)
  return { content = why, calls = { { name = "write_plan", args = { reason = why, subtasks = json.list { {
    title = ("Carry out the steps from number %d on"):format(state.now),
    intent = ("Carry out the %d steps that the task spells out, in their order."):format(#plan),
    role = "operator", completion = "All steps were carried out, and what they expect is on the screen." } } } } } }
end

-- The decision among those that are offered.
local function decision(tool, wanted, otherwise)
  local choices = ((tool.parameters.properties or {}).decision or {}).enum or {}
  for _, choice in ipairs(choices) do
    if choice == wanted then return wanted end
  end
  return otherwise
end

--- An evaluator: whether all steps were carried out, and what they expect is there.
---@param state deskpilot.literal.course
---@param tool table the definition of `judge`
---@return table answer
function faces.evaluator(state, tool)
  local args
  if state.step then
    args = { evidence = ("Step %d of %d is not done: %s."):format(state.now, #state.plan, state.step.says),
      answer = "no", decision = decision(tool, "go_on", "failed") }
  else
    args = { evidence = course.next(state, 1)[1].args.evidence, answer = "yes", decision = "done" }
  end
  return { content = args.evidence, calls = { { name = tool.name, args = args } } }
end

--- An executor: one tool call, for the next step or for the claim that all are done.
---@param state deskpilot.literal.course
---@param offered table<string, table> the definitions of the tools
---@return table answer
function faces.executor(state, offered)
  local list, why = course.next(state, 1)
  if not list then return refuse(why) end
  local deed = list[1]
  if deed.args.evidence and offered.subtask_done then
    return { content = deed.why, calls = { { name = "subtask_done", args = { result = deed.args.evidence } } } }
  end
  if deed.args.evidence and not offered[deed.tool] and offered.wait then deed = await_verification(state) end
  if not offered[deed.tool] then
    return { content = ("%s That needs the tool %s, which is not offered."):format(deed.why, deed.tool) }
  end
  if not deed.args.evidence then deed.args.justification = deed.why end
  if deed.shown and wants_list(offered[deed.tool]) then deed.args.evidence = json.list(deed.shown) end
  return { content = deed.why, calls = { { name = deed.tool, args = deed.args } } }
end

--- An agent that operates by a finger: one action, for the next step or to say that all are done.
---@param state deskpilot.literal.course
---@param offered table<string, table> the definitions of the tools
---@return table answer
function faces.agent(state, offered)
  local list, why = course.next(state, 1)
  if not list then return refuse(why) end
  local deed = list[1]
  local tool, args = touch.of(deed)
  if not offered[tool] then
    return { content = ("%s That needs the tool %s, which is not offered."):format(deed.why, tool) }
  end
  if (offered[tool].parameters.properties or {}).justification then args.justification = deed.why end
  return { content = deed.why, calls = { { name = tool, args = args } } }
end

local longest_why = 190 -- characters; the plan's schema has a limit

-- What the task expects to see behind that step, and the step after these expectations.
local function expected_after(plan, number)
  local texts = json.list()
  repeat
    number = number + 1
    local expects = plan[number] and plan[number].kind == "expect"
    if expects then table.insert(texts, plan[number].args.text) end
  until not expects
  return texts, number
end

-- As many as the list of that name in the tool's schema takes.
local function most_of(tool, name)
  local list = (tool.parameters.properties or {})[name]
  return list and list.maxItems or 1
end

--- An agent that decides on some commands at a time: as many steps as go together; when all are done, that the goal is
--- complete.
---@param state deskpilot.literal.course
---@param tool table the definition of `decide`, which says how many commands a decision may have
---@return table answer
function faces.orchestrator(state, tool)
  local list, why = course.next(state, most_of(tool, "commands"))
  if not list then return refuse(why) end
  local last = list[#list]
  local args = { reasoning = last.why, commands = json.list(), status = "continue",
    status_why = ("%d of %d steps come next or are left."):format(#state.plan - state.now + 1, #state.plan) }
  for i, deed in ipairs(list) do
    if deed.args.evidence then args.status, args.status_why = "complete", deed.args.evidence
    else args.commands[i] = { tool = deed.tool, args = deed.args, why = text.cut(deed.why, longest_why) } end
  end
  return { content = last.why, calls = { { name = tool.name, args = args } } }
end

--- A planner: as many steps as go together, with what the task itself says should be seen afterwards.
---@param state deskpilot.literal.course
---@param tool table the definition of `plan`, which says how many actions a plan may have
---@return table answer
function faces.planner(state, tool)
  local list, why = course.next(state, most_of(tool, "actions"))
  if not list then return refuse(why) end
  local last, window = list[#list], state.facts.window
  local texts, after = expected_after(state.plan, last.number or #state.plan + 1)
  local args = { rationale = last.why, actions = {}, anchor = last.anchor, success_indicators = texts,
    completes_goal = last.number ~= nil and after > #state.plan }
  if not last.ends then args.anchor = { application = window and window.class } end -- the batch only fills in
  for i, deed in ipairs(list) do
    args.actions[i] = { tool = deed.tool, args = deed.args, why = text.cut(deed.why, longest_why) }
    if deed.args.evidence then args.actions[i].tool, args.actions[i].args = "wait", { seconds = 0.1 } end -- a plan acts
  end
  return { content = last.why, calls = { { name = "plan", args = args } } }
end

return faces
