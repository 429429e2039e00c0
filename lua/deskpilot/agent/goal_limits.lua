--- What a goal may spend: turns, time, and what is spent on its models. A limit is kept as the count at which it is
--- reached, so that what a goal within it spends counts too, and a goal can never spend more than the one around it has
--- left.
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local goal_limits = {}

---@class deskpilot.goal_limits
---@field turns integer?
---@field seconds number?
---@field calls integer? of models
---@field tokens integer? of requests and answers together
---@field input_tokens integer? of requests
---@field output_tokens integer? of answers
---@field model_seconds number? that models take
---@field cost number? US dollars

---@class deskpilot.goal_bound
---@field from number the count when it was set
---@field at number the count at which it is reached
---@field words string "the limit is 5 (the goal's own)"
---@field warned boolean? whether it was told that little is left

-- What has been spent in the whole run, and how it is said.
local kinds = {
  turns = { spent = function(run) return run.turn end, unit = "", over = "out of turns" },
  seconds = { spent = function() return task.now() end, unit = " s", over = "out of time" },
}
local order = { "turns", "seconds" }

--- The limits of what models are asked for. It changes with each answer, and so they are looked at after each.
goal_limits.of_models = {}
for _, kind in ipairs { { "calls", "out of model calls" }, { "tokens", "out of tokens" },
  { "input_tokens", "out of tokens of requests" }, { "output_tokens", "out of tokens of answers" },
  { "model_seconds", "out of the models' time", " s" }, { "cost", "out of money", " US dollars" } } do
  local name = kind[1]
  order[#order + 1] = name
  table.insert(goal_limits.of_models, name)
  kinds[name] = { spent = function(run) return run.spending[name] end, over = kind[2], unit = kind[3] or "",
    of_models = true }
end

local warn_at = 0.8 -- of a limit

--- What is wrong with limits that somebody gives a goal; nil where nothing is.
---@param limits any
---@return string?
function goal_limits.problem(limits)
  if limits == nil then return nil end
  if type(limits) ~= "table" then return "limits must be a table such as { turns = 20, seconds = 60 }" end
  for name, value in pairs(limits) do
    if not kinds[name] then
      return ("there is no limit %q for a goal; there are %s"):format(tostring(name), text.join(order))
    end
    local any = kinds[name].unit ~= ""
    if type(value) ~= "number" or value ~= value or value <= 0 or not (any or math.type(value) == "integer") then
      return ("limits.%s must be a%s number above 0"):format(name, any and "" or " whole")
    end
  end
end

--- Bounds for a goal that begins now: those of the goal around it, or what is asked for where that is less.
---@param run deskpilot.run
---@param asked deskpilot.goal_limits
---@param around table<string, deskpilot.goal_bound> of the goal around it
---@param whose string "the goal's own"; %s stands for the limit's name
---@return table<string, deskpilot.goal_bound> bounds
function goal_limits.within(run, asked, around, whose)
  local bounds = {}
  for name, kind in pairs(kinds) do
    bounds[name] = around[name]
    local from = kind.spent(run)
    local at = asked[name] and from + asked[name]
    if at and not (bounds[name] and bounds[name].at <= at) then
      bounds[name] = { from = from, at = at,
        words = ("the limit is %g%s (%s)"):format(asked[name], kind.unit, whose:format(name)) }
    end
  end
  return bounds
end

--- What is left to a goal, of what is limited at all.
---@param run deskpilot.run
---@param bounds table<string, deskpilot.goal_bound>
---@return deskpilot.goal_limits
function goal_limits.left(run, bounds)
  local left = {}
  for name, bound in pairs(bounds) do left[name] = math.max(0, bound.at - kinds[name].spent(run)) end
  return left
end

--- The sentence about a limit that is reached.
---@param name string of the limit
---@param bound deskpilot.goal_bound
---@return string
function goal_limits.words(name, bound)
  return ("%s: %s"):format(kinds[name].over, bound.words)
end

--- Which limit is reached, in a sentence; nil if none is.
---@param run deskpilot.run
---@param bounds table<string, deskpilot.goal_bound>
---@param of_models boolean? only those of what is spent on models
---@return string? words, string? name of that limit
function goal_limits.reached(run, bounds, of_models)
  for _, name in ipairs(order) do
    local bound, kind = bounds[name], kinds[name]
    if bound and (kind.of_models or not of_models) and kind.spent(run) >= bound.at then
      return goal_limits.words(name, bound), name
    end
  end
end

--- Gives the present goal and those around it more time, for what is not theirs: a person's pause. A limit is replaced
--- and not changed, so that whoever keeps it knows. A goal within another that has a limit of time of its own is ended
--- by that all the same.
---@param run deskpilot.run
---@param seconds number
function goal_limits.extend(run, seconds)
  local replaced, goal = {}, run.goal
  while goal do
    local bound = goal.bounds.seconds
    if bound and not replaced[bound] then
      replaced[bound] = { from = bound.from + seconds, at = bound.at + seconds, words = bound.words,
        warned = bound.warned }
    end
    goal.bounds.seconds = bound and replaced[bound]
    goal = goal.parent
  end
  if run.time_changed then run.time_changed() end
end

--- Of which limits there is little left, a sentence for each; each is told once.
---@param run deskpilot.run
---@param bounds table<string, deskpilot.goal_bound>
---@return string[]
function goal_limits.warnings(run, bounds)
  local list = {}
  for _, name in ipairs(order) do
    local bound = bounds[name]
    local part = bound and (kinds[name].spent(run) - bound.from) / (bound.at - bound.from)
    if part and part >= warn_at and not bound.warned then
      bound.warned = true
      list[#list + 1] = ("%d %% of what may be spent is spent: %s"):format(part * 100 // 1, bound.words)
    end
  end
  return list
end

return goal_limits
