--- Asks the vision persona for help with a step that did not work: a model that is shown the screenshot chooses one
--- action. `odev.max_escalations` limits how often it may be asked; when it cannot help, the run ends as failed.
local persona = require "deskpilot.agent.persona"
local text = require "deskpilot.base.text"
local task_result = require "deskpilot.policies.odev.task_result"
local plan_module = require "deskpilot.policies.odev.plan"

local escalate = {}

local function told(run, why)
  local plan, notes = run.state.step and run.state.step.plan, {}
  if plan then
    local actions = {}
    for i, call in ipairs(plan.actions) do
      actions[i] = ("%d. %s: %s"):format(i, call.tool, text.cut(call.why, 200))
    end
    notes[1] = { "THE LAST STEP", table.concat(actions, "\n") }
  end
  notes[#notes + 1] = { "WHAT IS WRONG", why }
  return { mission = "GOAL", history = true, screen = true, notes = notes }
end

local function give_up(run, why, because)
  run:stop("failed", ("%s; %s"):format(text.one_line(why), because))
end

-- Whether the vision persona may be asked again. If not, the run is ended here.
local function allowed(run, why)
  if not run.config:get("odev.vision") then
    give_up(run, why, "a model that sees the screen may not be asked (odev.vision = false)")
    return false
  end
  local asked, most = run.result.escalations.vision, run.config:get("odev.max_escalations")
  if asked >= most then
    give_up(run, why, ("a model that sees the screen has been asked %d time%s already (odev.max_escalations)")
      :format(asked, asked == 1 and "" or "s"))
    return false
  end
  return true
end

--- Asks the vision persona for one action. Returns nothing where the run has ended, and nil and a sentence where the
--- answer was not an action.
---@param run deskpilot.run
---@param why string what did not work
---@return { tool: string, args: table, why: string? }? call, string? sentence
function escalate.ask_vision(run, why)
  if not allowed(run, why) then return nil end
  local ok, err = run:observe()
  if not ok then
    run:stop("error", "the desktop cannot be seen: " .. tostring(err))
    return nil
  end
  task_result.count(run, "vision")
  local reply, failure = run:ask { persona = "vision", acts = true,
    system = persona.prompt("vision", { tools = plan_module.describe_tools(run) }), brief = told(run, why),
    tools = { plan_module.correction.name }, toolbox = run.toolbox:with { plan_module.correction } }
  if run.outcome then return nil end
  if not reply then
    run:emit("error", { name = "vision", message = failure.message, code = failure.code })
    if not persona.is_gone(failure) then return nil, "the vision persona did not answer: " .. tostring(failure) end
    give_up(run, why, ("and the model that should look at the screen cannot be asked (personas.vision.model, "
      .. "personas.vision.endpoint): %s"):format(tostring(failure)))
    return nil
  end
  if reply.refusal then
    give_up(run, why, "the vision persona refused: " .. text.one_line(reply.refusal))
    return nil
  end
  local call, sentence = plan_module.read_correction(run, reply)
  if not call then run:reject("correct", {}, sentence) end
  return call, sentence
end

return escalate
