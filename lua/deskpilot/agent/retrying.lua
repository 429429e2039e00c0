--- Actions that have failed are done again, as often as `retry.actions` says and with a growing pause before each. Only
--- what may pass by itself is tried again, and only what can do no harm twice: the desktop is looked at before, and
--- where it has changed since the action was decided on, the action may have worked after all or mean something else.
local screen_change = require "deskpilot.agent.screen_change"
local task = require "deskpilot.base.task"
local toolbox = require "deskpilot.agent.toolbox"

local retrying = {}

-- Errors that may be over at the next attempt.
local passing = { timed_out = true, unavailable = true, io = true, protocol = true, not_found = true, refused = true }

-- Tools whose failure is an answer: a claim that was denied, a wait in which nothing happened.
local answers = { finish = true, waiting = true }

local function repeatable(tool, args)
  local says = tool.repeatable
  if type(says) == "function" then
    local ok, said = pcall(says, args)
    says = ok and said
  end
  return says ~= false and not toolbox.lasts(tool, args)
end

-- How often a call may be tried.
local function most_attempts(run, call, args)
  local tool = (call.toolbox or run.toolbox):get(call.tool)
  if not tool or tool.acts == false or answers[tool.group] or run.recording or run.goal.owns_retries then return 1 end
  return repeatable(tool, args) and run.config:get "retry.actions" + 1 or 1
end

local function pause_after(run, attempt)
  return run.config:get "retry.delay" * run.config:get "retry.factor" ^ (attempt - 1)
end

-- Why the call is not done again; nil where it is.
local function obstacle(run, before)
  local how = {}
  for key, value in pairs(run.goal.look or {}) do how[key] = key ~= "reuse" and value or nil end
  local ok, err = run:observe(how)
  if run.outcome then return run.outcome.reason end
  if not ok then return "the desktop cannot be seen: " .. tostring(err) end
  local changed = before and screen_change.of(before, run.observation)
  return changed and ("%s changed meanwhile, so it may have worked or mean something else now"):format(changed) or nil
end

--- Does a call until it works or may not be tried again.
---@param run deskpilot.run
---@param call deskpilot.call
---@param args table as its tool takes them
---@param once fun(): deskpilot.tool_result?, deskpilot.error? does it
---@return deskpilot.tool_result? result, deskpilot.error? err
---@return integer attempts
function retrying.run(run, call, args, once)
  local before, most, attempt = call.observation or run.observation, nil, 1
  local result, err = once()
  while not result and err and passing[err.code] and not run.outcome do
    most = most or most_attempts(run, call, args)
    if attempt >= most then break end
    local seconds = pause_after(run, attempt)
    task.sleep(seconds)
    local why = obstacle(run, before)
    run:emit("retry", { tool = call.tool, attempt = attempt, of = most, text = tostring(err), code = err.code,
      seconds = seconds, again = why == nil, why = why })
    if why then break end
    attempt = attempt + 1
    result, err = once()
  end
  return result, err, attempt
end

return retrying
