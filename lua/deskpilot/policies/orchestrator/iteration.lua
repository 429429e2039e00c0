--- How an iteration ends: what its status leads to, and what people and the journal are told of it.
local errors = require "deskpilot.base.errors"
local json = require "deskpilot.base.json"
local text = require "deskpilot.base.text"
local visible_texts = require "deskpilot.agent.visible_texts"
local waits = require "deskpilot.desk.wait.waits"

local iteration = {}

-- Whether the texts by which the goal is known to be reached are on the screen; waits for them as for a verify.
local function indicators_problem(run)
  local wanted, missing = run.goal.indicators, {}
  if run:has_verify() or not wanted then return nil end
  local ok, err = waits.look_until(run.desk, { timeout = run.config:get "timing.verify" }, function()
    missing = visible_texts.collect(run):missing(wanted)
    if #missing == 0 then return true end
    return nil, errors.new("not_found", "not on the screen: %s", text.join(missing))
  end)
  if not ok then return tostring(err) end
end

local function claim(run, decided)
  local why = indicators_problem(run)
  if why then return "NOT DONE: " .. why end
  local ok, err = run:claim(decided.status_why, { checked = run.goal.indicators ~= nil })
  return not ok and tostring(err) or nil
end

local statuses = {}

function statuses.continue(run, _, outcome)
  if outcome then return nil end
  run.state.report = "Nothing was done: an iteration needs at least one command, or another status."
  return "there was no command and no end"
end

-- Where nothing but the agent's word could tell, it has to see first what its commands have brought.
function statuses.complete(run, decided, outcome)
  local s = run.state
  if outcome and outcome.cut then
    s.report = "Not all commands were done, so it was not asked whether the goal is reached."
    return nil
  end
  if outcome and not run:has_verify() and not run.goal.indicators then
    s.report = "The commands were done. Say complete only after you have seen what they brought: look now."
    return nil
  end
  local why = claim(run, decided)
  if why then s.report = "The goal is not reached yet. " .. why end
  return why
end

function statuses.stuck(run, decided)
  run:stop("failed", "the agent is stuck: " .. text.one_line(decided.status_why))
end

function statuses.infeasible(run, decided)
  run:stop("failed", "the agent says that the goal cannot be reached: " .. text.one_line(decided.status_why))
end

--- What the status of a decision leads to.
---@param run deskpilot.run
---@param step { decided: deskpilot.orchestrator.decision, outcome: deskpilot.batch_outcome? }
---@return string? failed why the iteration has failed
function iteration.settle(run, step)
  local outcome = step.outcome
  if run.outcome then return nil end
  if outcome and outcome.failed then
    return ("command %d (%s): %s"):format(outcome.failed.number, outcome.failed.tool, outcome.failed.text)
  end
  if outcome and outcome.cut and outcome.done == 0 then return outcome.cut end
  return statuses[step.decided.status](run, step.decided, outcome)
end

-- The look-ups without what is only kept to compare them.
local function lookups_of(run)
  local list = json.list {}
  for i, entry in ipairs(run.state.lookups) do
    list[i] = { tool = entry.tool, why = entry.why, ok = entry.ok == true, redundant = entry.redundant,
      cached = entry.cached, pictures = entry.pictures, tokens = entry.tokens }
  end
  return #list > 0 and list or nil
end

--- Announces what an iteration was.
---@param run deskpilot.run
---@param step table of the iteration
function iteration.announce(run, step)
  local s, decided = run.state, step.decided or {}
  run:emit("iteration", { iteration = s.iteration, of = run.config:get "orchestrator.iterations",
    reasoning = decided.reasoning, tools = lookups_of(run),
    commands = step.commands and #step.commands > 0 and step.commands or nil,
    commands_why = decided.commands_why, learned = decided.learned, reflection = decided.reflection,
    status = decided.status or step.invalid and "invalid" or "unanswered", status_why = decided.status_why
      or step.invalid, failed = step.failed, system_note = step.system_note, sizes = step.sizes })
end

return iteration
