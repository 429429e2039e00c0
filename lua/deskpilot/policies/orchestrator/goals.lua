--- A list of goals (the mission's `goals`), each worked on as a goal within the run. They share one history and one
--- memory: what was extracted for one is ${name} in those after it.
local metrics = require "deskpilot.policies.orchestrator.metrics"
local repair = require "deskpilot.policies.orchestrator.repair"
local guardrails = require "deskpilot.policies.orchestrator.guardrails"
local text = require "deskpilot.base.text"

local goals = {}

--- Whether the present goal is the one that leads through the mission's list.
---@param run deskpilot.run
---@return boolean
function goals.leads(run)
  return not run.goal.parent and run.mission.goals ~= nil and #run.mission.goals > 0
end

--- Begins with the first.
---@param run deskpilot.run
function goals.start(run)
  run.state.reached = {}
  run.result = metrics.journey(run)
end

--- Goes on with the one that was not reached yet, from its beginning.
---@param run deskpilot.run
function goals.resume(run)
  run.state.reached = run.state.reached or {}
  run.result = run.result or metrics.journey(run)
end

--- Of a goal that begins: its place in the list, and the journey so far.
---@param run deskpilot.run
function goals.join(run)
  local lead = run.goal.parent
  local reached = lead and not lead.parent and run.mission.goals and lead.state.reached
  if not reached then return end
  run.state.place = { number = #reached + 1, of = #run.mission.goals, done = table.move(reached, 1, #reached, 1, {}) }
  run.history = lead.history:successor()
  lead.journey = run.history
end

-- The goal as achieve takes it. Its words keep their ${name}: what these stand for comes from the screen, and is told
-- as such. Texts that are looked for have the values.
local function options_of(run, wanted)
  local options = { accept_claims = true, limits = guardrails.limits(run.config) }
  for key, value in pairs(type(wanted) == "table" and wanted or { goal = wanted }) do options[key] = value end
  options.indicators = options.indicators and run.memory:expand(options.indicators)
  return options, select(2, run.memory:expand(options.goal))
end

-- What ends the run where a goal was not reached: as the goal has ended.
local ends = { incomplete = true, error = true, interrupted = true }

local function give_up(run, number, goal, reason, result)
  local status = result and ends[result.status] and result.status or "failed"
  run:stop(status, ("goal %d of %d (%s): %s"):format(number, #run.mission.goals, text.cut(text.one_line(goal), 80),
    tostring(reason)))
end

local function finish(run)
  local ok, err = run:claim(("all %d goals are reached"):format(#run.mission.goals))
  if not ok and not run.outcome then run:stop("failed", "all goals are reached, but " .. tostring(err)) end
  repair.finish(run)
end

--- Works on the next goal, until it is over.
---@param run deskpilot.run
function goals.work(run)
  local s, list = run.state, run.mission.goals
  local number = #s.reached + 1
  local options, unknown = options_of(run, list[number])
  if #unknown > 0 then
    return give_up(run, number, options.goal, ("it needs ${%s}, which no goal before it has extracted"):format(
      text.join(unknown)))
  end
  local ok, reason, result = run:achieve(options)
  run.history, run.goal.journey = run.goal.journey or run.history, nil
  metrics.join(run, options.goal, ok, result)
  if run.outcome then return end
  if not ok then return give_up(run, number, options.goal, reason, result) end
  s.reached[number] = ("%d. %s"):format(number, text.cut(text.one_line(options.goal), 80))
  if number == #list then finish(run) end
end

return goals
