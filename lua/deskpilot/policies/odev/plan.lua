--- The planner's answer: its schema, and the checks that all of its actions pass before the first one is done.
local briefing = require "deskpilot.agent.briefing"
local named_calls = require "deskpilot.agent.named_calls"
local persona = require "deskpilot.agent.persona"
local schema_fields = require "deskpilot.agent.fields"

local plan = {}

--- The groups of tools that a plan may use, and of "finish" what gives up: a plan claims the goal by `completes_goal`.
--- Not "looking": the planner is sent no pictures.
plan.tools = { "pointing", "typing", "browser", "apps", "waiting", "user", "give_up" }

--- The tools that a plan may use.
---@param run deskpilot.run
---@return deskpilot.toolbox
function plan.toolbox(run)
  return persona.toolbox(run, plan.tools)
end

--- One line per tool, for the prompts.
---@param run deskpilot.run
---@return string
function plan.describe_tools(run)
  return briefing.signatures(run, plan.toolbox(run):names())
end

-- It stands for the justification of each action.
local function rationale(shortest)
  return { type = "string", minLength = math.max(1, shortest), description = "One or two sentences: what is seen, and "
    .. "why this is the next step." }
end
local action = named_calls.schema("What this one action is for, if the rationale does not say it.")

--- How many actions a plan may have, in words.
---@param config deskpilot.config
---@return string
function plan.describe_actions(config)
  local most = config:get("odev.max_actions")
  return most == 1 and "1 action" or ("1 to %d actions"):format(most)
end

local function anchor_schema(config)
  local share = config:get("odev.keyword_share")
  local enough = share == 0.5 and "half of them are enough" or ("%g %% of them are enough"):format(share * 100)
  return { type = "object", additionalProperties = false,
    description = "Where the desktop must be afterwards. Give what you know, leave out what you do not.",
    properties = {
      { name = "application", optional = true, type = "string",
        description = "Name or window class of the active application." },
      { name = "title", optional = true, type = "string",
        description = "A part of the active window's or the page's title." },
      { name = "url", optional = true, type = "string", description = "A part of the page's URL." },
      { name = "keywords", optional = true, type = "array", items = { type = "string", minLength = 1 }, maxItems = 20,
        description = ("Words that should be on the screen; %s."):format(enough) },
    } }
end

--- The one tool that the planner is given.
---@param config deskpilot.config
---@return table definition {name, description, parameters}
function plan.definition(config)
  return {
    name = "plan",
    description = "Say what is to be done next, and what the screen must show when it is done.",
    parameters = schema_fields.object({
      rationale = rationale(config:get("tools.min_justification")),
      actions = { type = "array", minItems = 1, maxItems = config:get("odev.max_actions"), items = action,
        description = plan.describe_actions(config) .. ", done in this order without another look of yours." },
      anchor = anchor_schema(config),
      success_indicators = { type = "array", items = { type = "string", minLength = 1 }, maxItems = 10,
        description = "Texts that must be on the screen, every one of them, if and only if the step has worked. "
          .. "Empty where the anchor says it all." },
      completes_goal = { type = "boolean",
        description = "True if the whole goal is reached when this step has worked." },
    }, { "rationale", "actions", "anchor", "success_indicators" }),
  }
end

--- The one tool that the vision persona is given.
plan.correction = {
  name = "correct",
  description = "Say the one action that gets the work going again.",
  parameters = schema_fields.object({ rationale = rationale(1), tool = action.properties.tool,
    args = action.properties.args }, { "rationale", "tool", "args" }),
}
plan.correction.parameters.format = "call"

--- Checks one action of a model against its tool, the latest observation and the preconditions.
---@param run deskpilot.run
---@param wanted { tool: string, args: table, why: string?, observation: deskpilot.observation? } observation: what it
---  was chosen by, the latest if not given
---@param why string the reason of the step
---@return deskpilot.call? call
---@return string? sentence what is wrong, where there is no call
function plan.check_action(run, wanted, why)
  if wanted.tool == "report_completion" then
    return nil, "report_completion is not for a plan: say completes_goal = true in the plan that completes it"
  end
  return named_calls.check(run, plan.toolbox(run), wanted, why)
end

---@class deskpilot.odev.plan
---@field rationale string
---@field actions deskpilot.call[]
---@field anchor { application: string?, title: string?, url: string?, keywords: string[]? }
---@field indicators string[]
---@field completes_goal boolean

--- Reads the plan from an answer. Each of its actions could be done on the screen as it was last observed.
---@param run deskpilot.run
---@param reply table as run:ask gives it
---@return deskpilot.odev.plan? plan, string? why sentences for the planner
function plan.read(run, reply)
  local args, why = named_calls.answer(run, reply, plan.definition(run.config))
  if not args then return nil, why end
  local problems, actions = {}, {}
  for i, wanted in ipairs(args.actions) do
    local call, sentence = plan.check_action(run, wanted, args.rationale)
    actions[i] = call
    if not call then problems[#problems + 1] = ("action %d: %s"):format(i, sentence) end
  end
  if #problems > 0 then return nil, table.concat(problems, "\n") end
  return { rationale = args.rationale, actions = actions, anchor = args.anchor,
    indicators = args.success_indicators, completes_goal = args.completes_goal == true }
end

--- Reads the one action from an answer of the vision persona.
---@param run deskpilot.run
---@param reply table as run:ask gives it
---@return deskpilot.call? call, string? why
function plan.read_correction(run, reply)
  local args, why = named_calls.answer(run, reply, plan.correction)
  if not args then return nil, why end
  return plan.check_action(run, args, args.rationale)
end

return plan
