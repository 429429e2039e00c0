--- Goals: what an agent works on. A run begins with the mission's own; a script, a hook or a tool begins others within
--- it (run:achieve). Everything that lasts as long as a goal, and no longer, is a field of the goal, so that nothing of
--- one is left over for the next. The fields of `lent` are read and written as the run's own while the goal is worked
--- on: `run.state` is `run.goal.state`.
local goals = {}

-- More than anyone means: a hook that hands each action to another agent, whose action calls the hook again.
local deepest = 8

---@class deskpilot.goal
---@field path string "1" is the mission's own, "1.2" the second that was begun within it
---@field depth integer 1 is the mission's own
---@field parent deskpilot.goal? the goal within which it was begun
---@field begun integer how many goals were begun within it
---@field verify function|false|nil whether it is reached; without one the agent's word is taken
---@field indicators string[]? texts that are all on the screen when it is reached
---@field criteria string[]? success criteria (agent/criteria.lua), from whoever planned the work
---@field unmet table<integer, string>? what the latest claim lacked, by the criterion's number
---@field guards table<string, any> what guards keep while it lasts
---@field before deskpilot.observation? the one before the latest
---@field pictures deskpilot.picture[]? what tools have given to see, for the next request for an action
---@field lookups { turn: integer, number: integer }? how many look-ups the present turn had
---@field task string? what is to be done, in words
---@field state table the policy's own
---@field phase string? that the policy has announced last
---@field history deskpilot.history what the personas are told of the past
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
  result = true, outcome = true }

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
  local goal = { path = path, depth = depth, parent = parent, begun = 0, state = {}, guards = {} }
  for key, value in pairs(fields) do goal[key] = value end
  return goal
end

--- The goal of the mission itself.
---@param fields { task: string?, verify: function?, indicators: string[]?, history: deskpilot.history }
---@return deskpilot.goal
function goals.first(fields)
  return new("1", 1, nil, fields)
end

-- However its work has ended, the goal around it goes on with its own; one that has not looked at the screen itself
-- (a script) has the last look of what was done for it.
local function leave(inside)
  local run, goal = inside.run, inside.goal
  local parent = goal.parent
  parent.observation = parent.observation or goal.observation
  run.goal = parent
end

--- Begins a goal within the run's present one; it is left when the returned value is closed (`<close>`).
---@param run deskpilot.run
---@param fields { task: string, verify: function|false|nil, indicators: string[]?, history: deskpilot.history }
---@return table? inside nil where goals are nested too deeply
---@return string? why
function goals.enter(run, fields)
  local parent = run.goal
  if parent.depth >= deepest then
    return nil, ("there are %d goals within each other already: a hook or a tool hands its work to an agent again and "
      .. "again"):format(deepest)
  end
  parent.begun = parent.begun + 1
  local goal = new(("%s.%d"):format(parent.path, parent.begun), parent.depth + 1, parent, fields)
  run.goal = goal
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
