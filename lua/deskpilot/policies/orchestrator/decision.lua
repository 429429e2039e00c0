--- What the agent answers with: its schema, and reading it. All commands of a decision are checked before the first is
--- done.
local fields = require "deskpilot.agent.fields"
local named_calls = require "deskpilot.agent.named_calls"
local offer = require "deskpilot.policies.orchestrator.offer"

local decision = {}

local function words(name, about, most)
  return { name = name, type = "string", maxLength = most or 600, optional = true, description = about }
end

local thoughts = { name = "reflection", type = "object", optional = true, additionalProperties = false,
  description = "Notes to yourself for the next iteration.", properties = {
    words "focus", words "avoid", words "hypothesis", words "guidance_for_next",
    { name = "detecting_loop", type = "boolean", optional = true }, words "loop_reasoning",
  } }

local command = named_calls.schema "What this one command is for."

--- The one tool that ends an iteration.
---@param run deskpilot.run
---@param most integer commands
---@return table definition {name, description, parameters}
function decision.definition(run, most)
  local parameters = fields.object {
    { name = "reasoning", type = "string", minLength = math.max(1, run.config:get "tools.min_justification"),
      maxLength = 2000, description = "What you see, and why this comes next." },
    { name = "commands", type = "array", items = command, maxItems = most,
      description = "What is done now, in this order." },
    words("commands_why", nil, 400),
    { name = "status", type = "string", enum = { "continue", "complete", "stuck", "infeasible" } },
    { name = "status_why", type = "string", minLength = 1, maxLength = 1000,
      description = "What on the screen shows that." },
    { name = "learned", type = "array", optional = true, maxItems = 3,
      items = { type = "string", minLength = 1, maxLength = 300 },
      description = "Short sentences that help again later. Mostly none." },
    thoughts,
  }
  return { name = "decide", description = "Decide on the commands of this iteration, and say how the goal stands.",
    parameters = parameters }
end

---@class deskpilot.orchestrator.decision
---@field reasoning string
---@field commands deskpilot.call[]
---@field commands_why string?
---@field status "continue"|"complete"|"stuck"|"infeasible"
---@field status_why string
---@field learned string[]?
---@field reflection table?

-- The arguments with the values that ${name} stands for.
local function expanded(run, wanted)
  local args, unknown = run.memory:expand(wanted.args)
  if #unknown > 0 then return nil, ("there is no value ${%s}: extract it first"):format(unknown[1]) end
  return { tool = wanted.tool, args = args, why = wanted.why }
end

local function check(run, wanted, why)
  local call, problem = expanded(run, wanted)
  if not call then return nil, problem end
  return named_calls.check(run, offer.toolbox(run), call, why)
end

--- Reads the decision from an answer.
---@param run deskpilot.run
---@param reply table as run:ask gives it
---@param definition table as `definition` gives it
---@return deskpilot.orchestrator.decision? decision, string? why sentences for the agent
function decision.read(run, reply, definition)
  local first = (reply.calls or {})[1]
  local withheld = first and (run.state.withheld or {})[first.name]
  if withheld then return nil, ("%s is withheld in this iteration (%s): decide with what you know"):format(first.name,
    withheld) end
  local args, why = named_calls.answer(run, reply, definition)
  if not args then return nil, why end
  if args.status == "stuck" or args.status == "infeasible" then
    args.commands = {} -- who gives the goal up does nothing more
    return args
  end
  local problems, calls = {}, {}
  for i, wanted in ipairs(args.commands) do
    local call, sentence = check(run, wanted, args.reasoning)
    calls[i] = call
    if not call then problems[#problems + 1] = ("command %d: %s"):format(i, sentence) end
  end
  if #problems > 0 then return nil, table.concat(problems, "\n") end
  args.commands = calls
  return args
end

return decision
