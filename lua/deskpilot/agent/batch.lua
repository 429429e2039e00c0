--- Several calls of one answer, in their order. Before each what they assume of the screen is compared
--- (assumptions.lua). If it has changed, or if a call fails, the rest is not done: the model looks again first.
local assumptions = require "deskpilot.agent.assumptions"
local preconditions = require "deskpilot.agent.preconditions"
local screen_state = require "deskpilot.agent.screen_state"

local batch = {}

---@class deskpilot.batch_outcome
---@field done integer how many calls were done
---@field made table<integer, true> which
---@field failed { number: integer, tool: string, text: string, code: string? }? the call that failed
---@field cut string? why the remaining calls were not done, where none has failed
---@field at_once boolean? not even the first call was tried

-- What ends a batch without being the agent's failure: somebody refused it, or what it points at is not there any more.
local surprises = { stale = true, forbidden = true }

local function describe_rest(calls, number)
  local rest = #calls - number
  return rest == 0 and "" or ("; %d more action%s not done"):format(rest, rest == 1 and " was" or "s were")
end

-- What claims that all is done is decided by a look at what the calls before it have brought.
local function needs_a_look(run, call, outcome)
  local tool = run.toolbox:get(call.tool)
  if outcome.done == 0 or not tool or tool.group ~= "finish" then return nil end
  return "it is decided by what the screen shows after the actions before it, so look first and call it then"
end

local function offers_suggestions(run, call, typed_into)
  return typed_into or preconditions.suggestions_came(call, screen_state.now(run).page)
end

--- Does calls one after the other; each settles before the next.
---@param run deskpilot.run
---@param calls deskpilot.call[]
---@param options { assumed: deskpilot.assumptions?, persona: string?, skip: table<integer, boolean>?,
---  again: boolean? }? assumed: those of an earlier attempt at the same calls; skip: which are not done; again: the
---  last batch was cut at once, so the first call is done whatever lies under its target: something there may never be
---  still
---@return deskpilot.batch_outcome
function batch.run(run, calls, options)
  options = options or {}
  local assumed, skip = options.assumed or assumptions.new(run), options.skip or {}
  local outcome, first = { done = 0, made = {} }, true
  for i, call in ipairs(calls) do
    if not skip[i] then
      local why = needs_a_look(run, call, outcome)
        or assumptions.broken(run, assumed, call, first and options.again)
      if why then
        outcome.at_once = first or nil
        outcome.cut = ("before action %d (%s): %s%s"):format(i, call.tool, why, describe_rest(calls, i - 1))
        return outcome
      end
      first = false
      local typed_into = preconditions.types_into_suggestions(run, call)
      local result = run:act { tool = call.tool, args = call.args, why = call.why, persona = options.persona,
        observation = call.observation or assumed.seen, toolbox = call.toolbox }
      if run.outcome then return outcome end
      if result.vetoed or surprises[result.code] then
        outcome.cut = ("action %d (%s): %s%s"):format(i, call.tool, result.text, describe_rest(calls, i))
        return outcome
      end
      assumptions.made(run, assumed, call)
      if not result.ok then
        outcome.failed = { number = i, tool = call.tool, text = result.text, code = result.code }
        return outcome
      end
      outcome.done, outcome.made[i] = outcome.done + 1, true
      if i < #calls and offers_suggestions(run, call, typed_into) then
        outcome.cut = ("after action %d (%s): the field offers suggestions: choose one of them next%s"):format(i,
          call.tool, describe_rest(calls, i))
        return outcome
      end
    end
  end
  return outcome
end

return batch
