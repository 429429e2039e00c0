--- What a goal has cost and how well it went, as the run's account of its work (`task_result`), and how that compares
--- with what is aimed at.
local task = require "deskpilot.base.task"

local metrics = {}

-- What is aimed at, of one goal or of the mean of several: the value, whether less or more of it is better, and how it
-- is worked out.
local targets = {
  { "calls", "below", 3, function(r) return r.calls end },
  { "iterations", "below", 5, function(r) return r.iterations end },
  { "lookups", "below", 2, function(r) return r.lookups end },
  { "seconds", "below", 30, function(r) return r.seconds end },
  { "tokens", "below", 5000, function(r) return r.tokens end },
  { "command_success", "above", 0.8, function(r) return r.commands > 0 and r.commands_done / r.commands end },
  { "commands_per_iteration", "at_least", 2, function(r) return r.iterations > 0 and r.commands / r.iterations end },
  { "lookup_relevance", "above", 0.9, function(r) return r.lookups > 0 and r.useful / r.lookups end },
  { "screenshot_share", "below", 0.1, function(r) return r.iterations > 0 and r.pictures / r.iterations end },
}
local compare = {
  below = function(value, aim) return value < aim end,
  above = function(value, aim) return value > aim end,
  at_least = function(value, aim) return value >= aim end,
}

local counts = { "iterations", "calls", "tokens", "seconds", "lookups", "useful", "redundant", "cached", "pictures",
  "picture_tokens", "commands", "commands_done", "failed" }

local function rounded(value) return math.floor(value * 1000 + 0.5) / 1000 end

-- How the counts compare with what is aimed at; `goals` is how many they are of.
local function compared(result, goals)
  local mean, list = {}, {}
  for _, name in ipairs(counts) do mean[name] = result[name] / math.max(1, goals) end
  for _, target in ipairs(targets) do
    local name, how, aim, of = table.unpack(target)
    local value = of(mean)
    if value then list[name] = { value = rounded(value), [how] = aim, met = compare[how](value, aim) } end
  end
  return list
end

local function empty()
  local result = { status = "running", tools = {} }
  for _, name in ipairs(counts) do result[name] = 0 end
  return result
end

--- Begins to count for a goal, or goes on where the run goes on from another.
---@param run deskpilot.run
function metrics.begin(run)
  local result = run.result or empty()
  result.status = "running"
  run.result = result
  run.state.began = { at = task.now(), seconds = result.seconds, calls = run.spending.calls - result.calls,
    tokens = run.spending.tokens - result.tokens }
end

--- Adds an iteration.
---@param run deskpilot.run
---@param step table of the iteration
function metrics.add(run, step)
  local s, result = run.state, run.result
  local began = s.began
  result.iterations = result.iterations + 1
  result.calls, result.tokens = run.spending.calls - began.calls, run.spending.tokens - began.tokens
  result.seconds = rounded(began.seconds + task.now() - began.at)
  result.failed = result.failed + (step.failed and 1 or 0)
  for _, entry in ipairs(s.lookups) do
    result.lookups = result.lookups + 1
    result.redundant = result.redundant + (entry.redundant and 1 or 0)
    result.cached = result.cached + (entry.cached and 1 or 0)
    result.pictures = result.pictures + (entry.pictures or 0)
    result.picture_tokens = result.picture_tokens + (entry.tokens or 0)
  end
  result.useful, result.tools = 0, {}
  for name, value in pairs(s.tools or {}) do
    result.useful = result.useful + value.useful
    result.tools[name] = { asked = value.asked, useful = value.useful, redundant = value.redundant,
      cached = value.cached }
  end
  for _, command in ipairs(step.commands or {}) do
    result.commands = result.commands + 1
    result.commands_done = result.commands_done + (command.done and 1 or 0)
  end
  result.targets = compared(result, 1)
end

--- The account of a list of goals, before the first of them.
---@return table
function metrics.journey()
  local result = empty()
  result.goals = {}
  return result
end

--- Adds what came of one goal of a list.
---@param run deskpilot.run that leads
---@param goal string
---@param reached boolean
---@param account table? of that goal
function metrics.join(run, goal, reached, account)
  local result = run.result
  table.insert(result.goals, { goal = goal, reached = reached, account = account })
  if not account or not account.iterations then return end
  for _, name in ipairs(counts) do result[name] = result[name] + account[name] end
  result.seconds = rounded(result.seconds)
  for name, value in pairs(account.tools) do
    local sums = result.tools[name] or { asked = 0, useful = 0, redundant = 0, cached = 0 }
    result.tools[name] = sums
    for key, number in pairs(value) do sums[key] = sums[key] + number end
  end
  result.targets = compared(result, #result.goals)
end

return metrics
