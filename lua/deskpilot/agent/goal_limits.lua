--- What a goal may spend: turns, seconds and tokens. A limit is kept as the count at which it is reached, so that what
--- a goal within it spends counts too, and a goal can never spend more than the one around it has left.
local task = require "deskpilot.base.task"

local goal_limits = {}

---@class deskpilot.goal_limits
---@field turns integer?
---@field seconds number?
---@field tokens integer? of requests and answers together

---@class deskpilot.goal_bound
---@field at number the count at which it is reached
---@field words string "the limit is 5 turns (the goal's own)"

-- What has been spent in the whole run, and how it is said.
local kinds = {
  turns = { spent = function(run) return run.turn end, unit = "", over = "out of turns" },
  seconds = { spent = function() return task.now() end, unit = " s", over = "out of time" },
  tokens = { spent = function(run) return run.tokens end, unit = "", over = "out of tokens" },
}
local order = { "turns", "seconds", "tokens" }

--- What is wrong with limits that somebody gives a goal; nil where nothing is.
---@param limits any
---@return string?
function goal_limits.problem(limits)
  if limits == nil then return nil end
  if type(limits) ~= "table" then return "limits must be a table such as { turns = 20, seconds = 60 }" end
  for name, value in pairs(limits) do
    if not kinds[name] then return ("there is no limit %q for a goal; there are turns, seconds and tokens"):format(
      tostring(name)) end
    local whole = name == "seconds" or math.type(value) == "integer"
    if type(value) ~= "number" or value <= 0 or not whole then
      return ("limits.%s must be a%s number above 0"):format(name, name == "seconds" and "" or " whole")
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
    local at = asked[name] and kind.spent(run) + asked[name]
    if at and not (bounds[name] and bounds[name].at <= at) then
      bounds[name] = { at = at, words = ("the limit is %g%s (%s)"):format(asked[name], kind.unit, whose:format(name)) }
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
---@param name "turns"|"seconds"|"tokens"
---@param bound deskpilot.goal_bound
---@return string
function goal_limits.words(name, bound)
  return ("%s: %s"):format(kinds[name].over, bound.words)
end

--- Which limit is reached, in a sentence; nil if none is.
---@param run deskpilot.run
---@param bounds table<string, deskpilot.goal_bound>
---@param only string? of the limits
---@return string?
function goal_limits.reached(run, bounds, only)
  for _, name in ipairs(order) do
    local bound = bounds[name]
    if bound and (name == only or not only) and kinds[name].spent(run) >= bound.at then
      return goal_limits.words(name, bound)
    end
  end
end

return goal_limits
