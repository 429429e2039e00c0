--- Several calls of one answer, in their order. Before each what they assume of the screen is compared
--- (assumptions.lua). If it has changed, or if a call fails, the rest is not done: the model looks again first.
local assumptions = require "deskpilot.agent.assumptions"
local preconditions = require "deskpilot.agent.preconditions"
local screen_state = require "deskpilot.agent.screen_state"
local toolbox = require "deskpilot.agent.toolbox"

local batch = {}

---@class deskpilot.batch_outcome
---@field done integer how many calls were done
---@field made table<integer, true> which
---@field failed { number: integer, tool: string, text: string, code: string? }? the call that failed
---@field cut string? why the remaining calls were not done, where none has failed
---@field at_once boolean? not even the first call was tried

-- What ends a batch without being the agent's failure: somebody refused it, or what it points at is not there any more.
local surprises = { stale = true, forbidden = true }

local function describe_rest(rest)
  return rest <= 0 and "" or ("; %d more action%s not done"):format(rest, rest == 1 and " was" or "s were")
end

-- What claims that all is done is decided by a look at what the calls before it have brought.
local function needs_a_look(run, call, outcome)
  local tool = run.toolbox:get(call.tool)
  if outcome.done == 0 or not tool or not toolbox.ends(tool) then return nil end
  return "it is decided by what the screen shows after the actions before it, so look first and call it then"
end

local function offers_suggestions(run, call, typed_into)
  return typed_into or preconditions.suggestions_came(call, screen_state.now(run).page)
end

---@class deskpilot.batch
---@field outcome deskpilot.batch_outcome so far
local Batch = {}
Batch.__index = Batch

---@class deskpilot.batch_options
---@field assumed deskpilot.assumptions? those of an earlier attempt at the same calls
---@field persona string?
---@field skip table<integer, boolean>? which are not done
---@field again boolean? the last batch was cut at once, so the first call is done whatever lies under its target:
---  something there may never be still

--- Begins a batch: its calls were chosen by what has been seen by now.
---@param run deskpilot.run
---@param options deskpilot.batch_options?
---@return deskpilot.batch
function batch.begin(run, options)
  options = options or {}
  return setmetatable({ run = run, options = options, assumed = options.assumed or assumptions.new(run), first = true,
    outcome = { done = 0, made = {} } }, Batch)
end

-- Ends it before or after a call, of which `tried` were.
local function cut(self, tried, words, ...)
  self.outcome.cut, self.tried = words:format(...), tried
  return false
end

--- Does the next call, and lets the screen settle.
---@param call deskpilot.call
---@param number integer its own
---@param last boolean? it is known that none comes after it
---@return boolean go_on whether the next one may be done
function Batch:step(call, number, last)
  local run, outcome = self.run, self.outcome
  local before = self.suggests
  if before then
    return cut(self, before.number, "after action %d (%s): the field offers suggestions: choose one of them next",
      before.number, before.tool)
  end
  run.history:note_places(call.args)
  local why = needs_a_look(run, call, outcome)
    or assumptions.broken(run, self.assumed, call, self.first and self.options.again)
  if why then
    outcome.at_once = self.first or nil
    return cut(self, number - 1, "before action %d (%s): %s", number, call.tool, why)
  end
  self.first = false
  local typed_into = preconditions.types_into_suggestions(run, call)
  local result = run:act { tool = call.tool, args = call.args, why = call.why, persona = self.options.persona,
    observation = call.observation or self.assumed.seen, toolbox = call.toolbox, compared = true }
  if run.outcome then return false end
  if result.vetoed or surprises[result.code] then
    return cut(self, number, "action %d (%s): %s", number, call.tool, result.text)
  end
  assumptions.made(run, self.assumed, call)
  if not result.ok then
    outcome.failed = { number = number, tool = call.tool, text = result.text, code = result.code }
    return false
  end
  outcome.done, outcome.made[number] = outcome.done + 1, true
  if not last and offers_suggestions(run, call, typed_into) then
    self.suggests = { number = number, tool = call.tool }
  end
  return true
end

--- What came of it, once no more calls come.
---@param count integer how many there were
---@return deskpilot.batch_outcome
function Batch:finish(count)
  local outcome = self.outcome
  if outcome.cut then outcome.cut = outcome.cut .. describe_rest(count - self.tried) end
  return outcome
end

--- Does calls one after the other; each settles before the next.
---@param run deskpilot.run
---@param calls deskpilot.call[]
---@param options deskpilot.batch_options?
---@return deskpilot.batch_outcome
function batch.run(run, calls, options)
  local self, skip = batch.begin(run, options), options and options.skip or {}
  for _, call in ipairs(calls) do run.history:note_places(call.args) end -- what is told of them may name these
  for i, call in ipairs(calls) do
    if not skip[i] and not self:step(call, i, i == #calls) then break end
  end
  return self:finish(#calls)
end

return batch
