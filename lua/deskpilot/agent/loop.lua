--- The loop: observe, let the policy decide and act, until something says that it is over. Everything
--- else listens (listeners.lua) or is the policy's.
local errors = require "deskpilot.base.errors"
local goal_limits = require "deskpilot.agent.goal_limits"
local goal_options = require "deskpilot.agent.goal_options"
local goals = require "deskpilot.agent.goals"
local history = require "deskpilot.agent.history"
local looking = require "deskpilot.agent.looking"
local mistake = require "deskpilot.agent.mistake"
local own_files = require "deskpilot.base.own_files"
local pace = require "deskpilot.agent.pace"
local plugins = require "deskpilot.agent.plugins"
local policy_options = require "deskpilot.agent.policy_options"
local script = require "deskpilot.agent.script"
local state = require "deskpilot.agent.state"
local system = require "native.system"
local task = require "deskpilot.base.task"
local turn_account = require "deskpilot.agent.turn_account"
local verdict = require "deskpilot.agent.verdict"
local uv = require "luv"

-- What few runs need is loaded by those that do.
local function resume() return require "deskpilot.agent.resume" end

local loop = {}

--- What a file of policies/ returns: how an agent thinks.
---@class deskpilot.policy: deskpilot.plugin
---@field personas table<string, { temperature: number?, max_tokens: integer?, optional: boolean? }>? what its personas
---  spend, unless the configuration says otherwise; optional: a run can do without that one's model
---@field tools string[]? the groups and names of the tools that its personas are offered, for persona.toolbox
---@field start (fun(run: deskpilot.run))? before the first turn of a goal
---@field resume (fun(run: deskpilot.run))? in place of start, in a run that goes on with the state of another
---@field transient string[]? fields of run.state that need not outlast a turn, because no continued run wants them
---@field history (fun(config: deskpilot.config): integer, integer, integer?)? how much of the past its personas are
---  told, as history.new takes it; as history.kept and history.sent say unless given
---@field observe deskpilot.look_options|false|(fun(run: deskpilot.run): deskpilot.look_options|false|nil)|nil how the
---  desktop is looked at before each turn; false: not at all, the turn looks itself where it needs to (run:observe)
---@field owns_retries boolean? it repeats failed actions itself, so the loop does not (`retry.actions`)
---@field answer (fun(run: deskpilot.run, question: deskpilot.question): string?)? its rule for questions to a person
---  that nobody has answered
---@field turn fun(run: deskpilot.run) decides and acts once; run.observation is the screen

-- The policy as its file is now: one that was edited, or that nobody has set an option of, brings its own.
local function load_policy(run, name)
  local policy, declaration = plugins.load("policies", name)
  if not policy then return nil, declaration end
  if declaration then
    local ok, err = run.config:declare(declaration)
    if not ok then return nil, err end
  end
  return policy
end

-- What was first read later than at the start, or was edited since: a prompt, say.
local function tell_own_files(run)
  local own, told = own_files.since(run.own_files_told)
  run.own_files_told = told
  if #own > 0 then
    run:emit("note", { message = "your own files, from now on: " .. own_files.words_with_places(own),
      own_files = own })
  end
end

-- Looks at the desktop as the policy wants it.
local function look(run, policy)
  local how = policy.observe
  if type(how) == "function" then how = how(run) end
  if how == false then return true end
  return run:observe(how)
end

-- What turns have used and no longer need goes back to the system after so many of them: pictures and requests are
-- large, what is kept of a turn is small and lies between them.
local TRIM = 50

-- A goal within the turn (run:achieve in a hook) has turns of its own, so the number is kept here.
local function one_turn(run, policy)
  local number = run.turn + 1
  run.turn, run.goal.turn = number, number
  local began = task.now()
  run:emit("turn_start", { turn = number })
  local ok, err = look(run, policy)
  if not ok and run.outcome then return end
  if not ok then
    run:emit("error", { name = "observe", message = tostring(err) })
    run:stop("error", "the desktop cannot be seen: " .. tostring(err))
    return
  end
  policy.turn(run)
  tell_own_files(run)
  run:emit("turn_end", turn_account.of(run, number, task.now() - began))
  state.keep(run, { turn = number }) -- the turn counts from here on: what goes on from this run, goes on after it
  if number % TRIM == 0 then system.trim_memory() end
  local pause = pace.get(run, "turn_delay")
  if pause > 0 and not run.outcome then task.sleep(pause) end
end

local function set_of(list)
  local set = {}
  for _, name in ipairs(list or {}) do set[name] = true end
  return set
end

-- A policy or a hook may end a goal as succeeded without a claim; its verify is asked all the same.
local function confirm(run)
  local said, outcome = run.goal.verdict, run.outcome
  if outcome.status ~= "succeeded" or not run:has_verify() or said and said.answer == "yes" then return end
  run.outcome = { status = "failed", final = outcome.final, -- unless there is an answer, and another one
    reason = ("it was ended as succeeded (%s), but its check did not answer"):format(outcome.reason) }
  local unconfirmed = run.outcome
  said = run:verify()
  if run.outcome ~= unconfirmed then return end -- the check itself has failed
  if said.answer == "yes" then
    run.outcome = outcome
  else
    unconfirmed.reason = ("it was ended as succeeded (%s), but its check says: %s"):format(outcome.reason,
      verdict.words(said))
  end
end

-- From now on the goal is worked on by this policy.
local function think_by(run, policy)
  run.personas, run.goal.rule, run.goal.transient = policy.personas, policy.answer, set_of(policy.transient)
  run.goal.thinks, run.goal.owns_retries = policy, policy.owns_retries
end

-- Takes what was edited since the last turn (run.reloading).
local function reloaded(run, policy)
  if not run.reloading then return policy end
  local taken = run.reloading:turn(run, run.goal.policy or run.config:get "policy", policy)
  if taken ~= policy then think_by(run, taken) end
  tell_own_files(run)
  return taken
end

-- Works on the run's present goal until it is over.
local function pursue(run, policy)
  think_by(run, policy)
  if policy.history then run.history = history.new(policy.history(run.config)) end
  local again = run.past and not run.goal.parent and resume().apply(run)
  if again and next(run.state) ~= nil then
    if policy.resume then policy.resume(run) end
  elseif policy.start then
    policy.start(run)
  end
  if policy.observe ~= false and not run.outcome then looking.await_windows(run) end
  while not run.outcome do
    policy = reloaded(run, policy)
    one_turn(run, policy)
    run:check_limits()
  end
  confirm(run)
  if run.result then run.result.status = run.outcome.status end
end

-- The same within the goal's own limit of time, which holds whatever is waited for or computed.
local function pursue_in_time(run, policy)
  local goal, bound = run.goal, run.goal.bounds.seconds
  if bound == goal.parent.bounds.seconds then return pursue(run, policy) end -- that one's deadline holds
  local ok, err = task.limit(math.max(0, bound.at - task.now()), function()
    goal.worker = task.current()
    pursue(run, policy)
  end)
  if ok then return end
  -- A timer counts whole milliseconds, so that it may be over a moment before the time is.
  if not errors.is(err, "timed_out") or task.now() < bound.at - 0.005 then error(err, 0) end
  run:stop("incomplete", goal_limits.words("seconds", bound))
end

-- What a goal has that differs from the one around it.
local function fields_of(run, options)
  local name = options.policy or run.config:get("policy")
  local policy, err = load_policy(run, name)
  if not policy then return nil, err end
  local fields = { task = options.goal, policy = name, verify = options.verify, indicators = options.indicators,
    history = run:new_history() }
  if options.tools then fields.toolbox, err = run.toolbox:only(options.tools) end
  if not err and (options.model or options.personas) then
    fields.model, fields.models, err = goal_options.models(run, options.model, options.personas)
  end
  if err then return nil, err end
  return fields, policy
end

-- What achieve says of how the present goal has ended.
local function answer(run, options)
  local outcome, accepted = run.outcome, options.accept_claims
  if accepted == nil then accepted = run.config:get("accept_claims") end
  if outcome.status == "claimed" and not accepted then
    return false, ("the agent says that it is done, and nothing has checked it (give achieve a verify, or "
      .. "accept_claims = true): %s"):format(outcome.reason), run.result
  end
  return outcome.status == "succeeded" or outcome.status == "claimed", outcome.reason, run.result
end

-- While a goal of that policy is worked on, the names that it has for shared keys hold.
local function under_policy(run, name, policy)
  local outer_name, outer = run.goal.policy or run.config:get "policy", run.goal.thinks
  policy_options.use(run.config, name, policy)
  return setmetatable({}, { __close = function() policy_options.use(run.config, outer_name, outer or {}) end })
end

-- The limits that the policy has names for, where the goal is given none of its own.
local function with_limits(run, options, policy)
  local copy, limits = {}, policy_options.limits(run.config, policy)
  for key, value in pairs(options) do copy[key] = value end
  for name, value in pairs(options.limits or {}) do limits[name] = value end
  copy.limits = next(limits) and limits or nil
  return copy
end

--- Works on a goal within the present one until it is over (run:achieve).
---@param run deskpilot.run
---@param options deskpilot.goal_options
---@return boolean ok, string reason, table? result what the policy has to say of its work
function loop.achieve(run, options)
  local fields, policy = fields_of(run, options)
  if not fields then return false, tostring(policy) end
  local named <close> = under_policy(run, fields.policy, policy)
  options = named and with_limits(run, options, policy)
  -- The goal has phases of its own: the times of the one before come back with it.
  local paced <close> = setmetatable({}, { __close = function() pace.apply(run) end })
  local inside <close>, why = goals.enter(run, fields, options)
  if not inside or not paced then return false, why end
  pace.apply(run)
  if not run.outcome then pursue_in_time(run, policy) end
  return answer(run, options)
end

-- Seconds since 1970, for whoever reads of the run later: everything else is timed by a clock that nobody sets. To
-- milliseconds, which is what a number of so many digits keeps in the journal.
local function wall_clock()
  local seconds, microseconds = uv.gettimeofday()
  return seconds + microseconds // 1000 / 1000
end

local function body(run)
  task.sleep(0) -- from here on resumed by the loop, so that an interruption ends this task alone
  local start = { mission = run.name, task = run.mission.task, desktop = run.desktop,
    began = wall_clock(), version = system.version, config = run.config:dump() }
  if run.mission.run then
    start.script = true -- it may never ask a model; goal_start tells of those that it asks
  else
    start.policy, start.model, start.endpoint = run.config:get("policy"), run.model.name, run.model.endpoint
  end
  for name, model in pairs(run.models or {}) do
    start.personas = start.personas or {}
    start.personas[name] = { model = model.name, endpoint = model.endpoint }
  end
  local own, told = own_files.since(0)
  run.own_files_told = told
  start.parent, start.flags = run.parent or run.past and resume().parent(run.past), run.flags
  start.file, start.own_files, start.args = run.file, #own > 0 and own or nil, #run.args > 0 and run.args or nil
  run:emit("run_start", start)
  if run.outcome then return end
  if run.mission.run then
    if run.past then resume().apply(run) end
    return script.run(run)
  end
  local policy, err = load_policy(run, run.config:get("policy"))
  if not policy then return run:stop("error", tostring(err)) end -- its file was changed since it was checked
  pursue(run, policy)
end

local function settle_outcome(run, ok, err)
  if not ok and not run.outcome then
    -- Where it cannot be made to yield (in a comparison of table.sort) an interruption is an error.
    local interrupted = errors.interrupts(err) and tostring(err) or task.interruption()
    if interrupted then
      run:stop("interrupted", interrupted)
    else
      run:stop("error", mistake.told(run, run.mission.run and "script" or "policy", err, true))
    end
  end
  if run.outcome.status == "succeeded" then -- by a script, or by a hook before the first turn
    task.limit(run.config:get("timing.verify") + 5, function()
      task.sleep(0) -- as in body
      confirm(run)
    end)
  end
  -- The world has the last word: what an agent never claimed may be done all the same. What was done at last is given
  -- as long to show as after a claim.
  local status = run.outcome.status
  if (status == "incomplete" or status == "failed") and run.mission.verify and not run.mission.run then
    local patience = run.acted and math.max(0, run.acted + run.config:get("timing.verify") - task.now()) or 0
    local asked, said = task.limit(patience + 5, function()
      task.sleep(0) -- as in body
      return run:verify(patience)
    end)
    if asked and said.answer == "yes" then
      run.outcome = { status = "succeeded", reason = "the mission's own check holds, though the agent ended "
        .. "otherwise: " .. run.outcome.reason }
    end
  end
end

-- A private desktop that has ended under the run was not the mission's doing: the machine lacks something, and whoever
-- hands out missions may try it again.
local function tell_lost_desktop(run)
  local session, status = run.desk.session, run.outcome.status
  if session and (session.gone or run.desk:lost()) and status ~= "succeeded" and status ~= "interrupted" then
    run.outcome.missing = true
  end
end

--- Runs a mission to its end, whatever the end is; the outcome is in run.outcome and the journal.
---@param run deskpilot.run
function loop.execute(run)
  run.body = task.start(body, run)
  run.goal.worker = run.body
  local ok, err = run.body:wait()
  script.flush(run)
  settle_outcome(run, ok, err)
  tell_lost_desktop(run)
  script.ended(run)
  for i = #run.closers, 1, -1 do pcall(run.closers[i]) end
  tell_own_files(run)
  run:emit("run_end", { status = run.outcome.status, reason = run.outcome.reason, turns = run.turn,
    actions = run.actions, seconds = task.now() - run.started, verdict = run.goal.verdict,
    task_result = run.result })
end

return loop
