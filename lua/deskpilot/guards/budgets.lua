--- Ends a run that has used up its turns, its time, what it may spend on models, or its failures in a row.
local goal_limits = require "deskpilot.agent.goal_limits"
local task = require "deskpilot.base.task"

---@type deskpilot.guard
local budgets = {
  api = 1,
  section = "limits",
  options = {
    turns = { type = "integer", default = 600, min = 1, about = "turns after which a run ends" },
    seconds = { type = "number", default = 1800, min = 0.1, about = "seconds after which a run ends" },
    tokens = { type = "integer", default = 0, min = 0,
      about = "tokens of requests and answers, as the servers count them, after which a run ends (0: any number)" },
    calls = { type = "integer", default = 0, min = 0, about = "model calls after which a run ends (0: any number)" },
    input_tokens = { type = "integer", default = 0, min = 0,
      about = "tokens of requests after which a run ends (0: any number)" },
    output_tokens = { type = "integer", default = 0, min = 0,
      about = "tokens of answers after which a run ends (0: any number)" },
    model_seconds = { type = "number", default = 0, min = 0,
      about = "seconds of models' answers after which a run ends (0: any number)" },
    cost = { type = "number", default = 0, min = 0, about = "US dollars after which a run ends, by `models.NAME` and "
      .. "the models' profiles; a server of this machine costs nothing (0: any sum)" },
    model_failures = { type = "integer", default = 3, min = 1,
      about = "times in a row that the model fails in the same way after which a run ends" },
    failures = { type = "integer", default = 10, min = 1, about = "failed steps in a row after which a run ends" },
  },
}

-- Not a look at the clock between turns: a model that never answers, and a script that never waits, must not outlast
-- it.
local function watch_time(run)
  local first, owner, stop = run.goal, task.current(), nil
  local function watch()
    local bound = first.bounds.seconds
    stop = task.deadline(owner, math.max(0, bound.at - task.now()), function()
      run:abort("incomplete", goal_limits.words("seconds", bound))
    end)
  end
  watch()
  run.time_changed = function()
    stop()
    watch()
  end
  run:on_close(function() stop() end)
end

function budgets.run_start(run)
  local asked = { turns = run.config:get("limits.turns"), seconds = run.config:get("limits.seconds") }
  for _, name in ipairs(goal_limits.of_models) do
    local most = run.config:get("limits." .. name)
    asked[name] = most > 0 and most or nil
  end
  -- The loop counts, also for the goals within this one.
  run.goal.bounds = goal_limits.within(run, asked, {}, "limits.%s")
  local bound = run.goal.bounds.seconds
  bound.from, bound.at = bound.from - run.spent, bound.at - run.spent -- by the runs that this one goes on from
  watch_time(run)
end

-- Numbers of requests, times and the like make two failures no different.
local function kind_of(err)
  return err.code .. " " .. err.message:gsub("%w+", function(word) return word:find("%d") and "#" or nil end)
end

function budgets.model_reply(run, event)
  local kept, err = run.goal.guards, event.error
  if not err then
    kept.model_failure = nil
    return
  end
  local before, kind = kept.model_failure, kind_of(err)
  local times = before and before.kind == kind and before.times + 1 or 1
  kept.model_failure = { kind = kind, times = times }
  if run.outcome or times < run.config:get("limits.model_failures") then return end
  run:stop("error", ("the model failed %d times in a row in the same way (limits.model_failures): %s"):format(times,
    err.message))
  run.outcome.missing = true -- the environment lacks something: the program's exit status says so
end

function budgets.action_result(run, event)
  if event.action and event.action.postponed then return end
  local kept = run.goal.guards
  kept.failures = event.ok and 0 or (kept.failures or 0) + 1
  local limit = run.config:get("limits.failures")
  if kept.failures >= limit then
    return { stop = { "failed", ("%d steps in a row failed (limits.failures); the last one: %s")
      :format(kept.failures, event.text) } }
  end
end

return budgets
