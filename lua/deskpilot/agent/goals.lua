--- Goals: what an agent works on. A run begins with the mission's own; a script, a hook or a tool begins others within
--- it (run:achieve). Everything that lasts as long as a goal, and no longer, is a field of the goal, so that nothing of
--- one is left over for the next. The fields of `lent` are read and written as the run's own while the goal is worked
--- on: `run.state` is `run.goal.state`.
local goal_limits = require "deskpilot.agent.goal_limits"
local task = require "deskpilot.base.task"

local goals = {}

---@class deskpilot.goal
---@field path string "1" is the mission's own, "1.2" the second that was begun within it
---@field depth integer 1 is the mission's own
---@field parent deskpilot.goal? the goal within which it was begun
---@field begun integer how many goals were begun within it
---@field worker deskpilot.task? that works on it
---@field started number when it was begun
---@field turns_done integer? how many were finished, and `turn_seconds` what they took
---@field turn_seconds number?
---@field turn integer? the number of its latest turn, before its first that of the goal around it
---@field first_turn integer how many turns the run had had when it was begun
---@field bounds table<string, deskpilot.goal_bound> what it may spend
---@field policy string? the name of its policy
---@field thinks deskpilot.policy? that policy
---@field verify function|false|nil whether it is reached; without one the agent can only claim it
---@field indicators string[]? texts that are all on the screen when it is reached
---@field criteria string[]? success criteria (agent/criteria.lua), from whoever planned the work
---@field unmet table<integer, string>? what the latest claim lacked, by the criterion's number
---@field verdict deskpilot.verdict? what its verify said last
---@field rule (fun(run: deskpilot.run, question: deskpilot.question): string?)? the policy's, for questions that nobody
---  has answered
---@field guards table<string, any> what guards keep while it lasts
---@field transient table<string, true>? fields of the state that do not outlast a turn
---@field kept table? what of it is in the journal already (agent/state.lua)
---@field before deskpilot.observation? the one before the latest
---@field look deskpilot.look_options? how the latest was taken
---@field owns_retries boolean? its policy repeats failed actions itself
---@field pictures deskpilot.picture[]? what tools have given to see, for the next request for an action
---@field lookups { turn: integer, number: integer, all: integer }? how many look-ups the present turn had: of those
---  that are limited, and of all
---@field toolbox deskpilot.toolbox the tools that it may use
---@field model deskpilot.model.client
---@field models table<string, deskpilot.model.client>? of personas that ask a model of their own
---@field task string? what is to be done, in words
---@field state table the policy's own
---@field phase string? that the policy has announced last
---@field history deskpilot.history what the personas are told of the past
---@field journey deskpilot.history? that of the goal within it, where the policy goes on with it
---@field observation deskpilot.observation? the latest
---@field personas table<string, table>? what the policy lets its personas spend
---@field result table? what the policy has to say of its work
---@field outcome deskpilot.outcome? once it is over

---@class deskpilot.outcome
---@field status string
---@field reason string
---@field final boolean? it ends the goals around it too
---@field missing boolean? the environment lacks something

local lent = { task = true, state = true, phase = true, history = true, observation = true, personas = true,
  result = true, outcome = true, toolbox = true, model = true, models = true }

--- The metatable of a run with these methods, which finds the fields of its goal.
---@param methods table
---@return table
function goals.metatable(methods)
  return {
    __index = function(run, key)
      if lent[key] then return rawget(run, "goal")[key] end
      return methods[key]
    end,
    __newindex = function(run, key, value)
      if lent[key] then run.goal[key] = value else rawset(run, key, value) end
    end,
  }
end

local function new(path, depth, parent, fields)
  local goal = { path = path, depth = depth, parent = parent, begun = 0, started = task.now(), first_turn = 0,
    bounds = {}, state = {}, guards = {} }
  for key, value in pairs(fields) do goal[key] = value end
  return goal
end

--- The goal of the mission itself.
---@param fields { task: string?, verify: function?, indicators: string[]?, toolbox: deskpilot.toolbox,
---  model: deskpilot.model.client, models: table<string, deskpilot.model.client>? }
---@return deskpilot.goal
function goals.first(fields)
  return new("1", 1, nil, fields)
end

local function announce_start(run, goal, tools)
  local left = goal_limits.left(run, goal.bounds)
  if left.seconds then left.seconds = left.seconds * 100 // 1 / 100 end
  run:emit("goal_start", { task = goal.task, policy = goal.policy, tools = tools, model = goal.model.name,
    endpoint = goal.model.endpoint,
    limits = next(left) and left or nil })
end

local function announce_end(run, goal, err)
  local outcome = goal.outcome or { status = "error", reason = tostring(err or "its work was cut off") }
  run:emit("goal_end", { task = goal.task, policy = goal.policy, status = outcome.status,
    reason = outcome.reason:match("^[^\n]*"), turns = run.turn - goal.first_turn, seconds = task.now() - goal.started,
    verdict = goal.verdict, task_result = goal.result })
end

-- However its work has ended, the goal around it goes on with its own; one that has not looked at the screen itself
-- (a script) has the last look of what was done for it.
local function leave(inside, err)
  local run, goal = inside.run, inside.goal
  local parent = goal.parent
  parent.observation = parent.observation or goal.observation
  announce_end(run, goal, err)
  run.goal = parent
end

-- Why no goal can be begun within the present one; nil if one can.
local function refusal(run)
  local parent, config = run.goal, run.config
  if run.outcome then return run.outcome.reason end
  local current = task.current()
  if parent.worker and not (current and current:is_within(parent.worker)) then
    return ("another task is at work on the goal %s (%s): a run works on one goal at a time; wait until achieve has "
      .. "returned there"):format(parent.path, tostring(parent.task))
  end
  local deepest, most = config:get("limits.goal_depth"), config:get("limits.goals")
  if parent.depth >= deepest then
    return ("there are %d goals within each other already (limits.goal_depth): a hook or a tool hands its work to an "
      .. "agent again and again"):format(deepest)
  end
  if run.goals_begun >= most then
    return ("%d goals were begun in this run already (limits.goals)"):format(most)
  end
  return goal_limits.reached(run, parent.bounds)
end

--- Begins a goal within the run's present one; it is left when the returned value is closed (`<close>`).
---@param run deskpilot.run
---@param fields { task: string, policy: string?, verify: function|false|nil, indicators: string[]?,
---  history: deskpilot.history, toolbox: deskpilot.toolbox?, model: deskpilot.model.client?,
---  models: table<string, deskpilot.model.client>? } what is not given of the last three is the parent's
---@param options { limits: deskpilot.goal_limits?, tools: string[]? }
---@return table? inside nil where none can be begun
---@return string? why
function goals.enter(run, fields, options)
  local why = refusal(run)
  if why then return nil, why end
  local parent = run.goal
  parent.begun, run.goals_begun = parent.begun + 1, run.goals_begun + 1
  local goal = new(("%s.%d"):format(parent.path, parent.begun), parent.depth + 1, parent, fields)
  for _, name in ipairs { "toolbox", "model", "models" } do
    if goal[name] == nil then goal[name] = parent[name] end
  end
  goal.worker, goal.turn, goal.first_turn = task.current(), parent.turn, run.turn
  goal.bounds = goal_limits.within(run, options.limits or {}, parent.bounds, "the goal's own")
  run.goal = goal
  announce_start(run, goal, options.tools)
  return setmetatable({ run = run, goal = goal }, { __close = leave })
end

--- Ends the run's present goal, and with a final outcome every goal around it. The first outcome is the one that
--- counts.
---@param run deskpilot.run
---@param outcome deskpilot.outcome
function goals.finish(run, outcome)
  local goal = run.goal
  repeat
    goal.outcome = goal.outcome or outcome
    goal = outcome.final and goal.parent
  until not goal
end

return goals
