--- The commands of one iteration: how many there may be, and doing them one after the other up to the first that fails
--- (agent/batch.lua).
local batch = require "deskpilot.agent.batch"

local batches = {}

local latest = 10 -- commands that say how well it goes
local well, badly = 0.8, 0.5 -- share of them that were done

--- The most commands of an iteration now.
---@param run deskpilot.run
---@return integer
function batches.most(run)
  local config, usual = run.config, run.config:get "orchestrator.commands"
  local steps, share = run.history:success(latest)
  if steps < latest then return usual end
  if share > well then return config:get "orchestrator.commands_succeeding" end
  if share < badly then return config:get "orchestrator.commands_failing" end
  return usual
end

-- One entry for each command, for the event: whether it was done.
local function told(calls, outcome)
  local list = {}
  for i, call in ipairs(calls) do
    local failed = outcome.failed and outcome.failed.number == i
    list[i] = { tool = call.tool, why = call.why, done = outcome.made[i] == true,
      text = failed and outcome.failed.text or nil }
  end
  return list
end

--- Does the commands of a decision. The agent is told of what was not done in its next request.
---@param run deskpilot.run
---@param decided deskpilot.orchestrator.decision
---@return table[] commands for the event `iteration`
---@return deskpilot.batch_outcome? outcome nil where there was nothing to do
function batches.perform(run, decided)
  local calls, s = decided.commands, run.state
  if #calls == 0 then return told(calls, { made = {} }) end
  local outcome = batch.run(run, calls, { persona = "orchestrator", again = s.cut_at_once })
  s.cut_at_once = outcome.at_once
  local rest = outcome.failed and #calls - outcome.failed.number or 0
  local words = outcome.cut and "the commands were stopped " .. outcome.cut
    or rest > 0 and ("%d command%s after the one that failed %s not done"):format(rest, rest == 1 and "" or "s",
      rest == 1 and "was" or "were")
  if words and not run.outcome then
    run.history:add(run.turn, "note", words)
    run:note(words)
  end
  return told(calls, outcome), outcome
end

return batches
