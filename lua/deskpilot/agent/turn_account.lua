--- What the end of a turn tells whoever shows how far a run is: its number of how many, what was done last and why, and
--- how long the turns that are left may take at the pace so far.
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"
local history = require "deskpilot.agent.history"

local turn_account = {}

local longest_why = 400 -- characters

-- How long the rest may take; nil where nothing limits it.
local function seconds_left(goal, turn)
  local turns, time = goal.bounds.turns, goal.bounds.seconds
  local left = turns and math.max(0, turns.at - turn) * goal.turn_seconds / goal.turns_done
  local clock = time and math.max(0, time.at - task.now())
  return left and clock and math.min(left, clock) or left or clock
end

local function last_action(goal)
  local done = goal.history.actions[#goal.history.actions]
  if not done then return nil end
  local why = type(done.args.justification) == "string" and done.args.justification or done.why
  return { tool = done.tool, target = history.target(done.args), ok = done.ok,
    why = why and text.cut(text.one_line(why), longest_why) or nil }
end

--- The fields of turn_end that tell it. To be called once for each turn.
---@param run deskpilot.run
---@param turn integer its number
---@param seconds number that it took
---@return { turn: integer, seconds: number, of: integer?, last: table?, seconds_left: number?, task_result: table? }
function turn_account.of(run, turn, seconds)
  local goal = run.goal
  goal.turns_done, goal.turn_seconds = (goal.turns_done or 0) + 1, (goal.turn_seconds or 0) + seconds
  local left = seconds_left(goal, turn)
  return { turn = turn, seconds = seconds, of = goal.bounds.turns and goal.bounds.turns.at, actions = run.actions,
    last = last_action(goal), seconds_left = left and math.floor(left * 10 + 0.5) / 10, task_result = run.result }
end

return turn_account
