--- The state that a run of this policy is in, and its TaskResult (`run.result`): counts of steps, and seconds per kind
--- of state. Each change of state is a `phase_change` event, so that the journal shows the order of states; the time
--- since the change before is added to the state that is left.
local task = require "deskpilot.base.task"

local task_result = {}

-- Under which key of `seconds` the time of a state is added up.
local kinds = {
  OBSERVE = "observe", DECIDE = "decide", EXECUTE = "execute", RECONNECT = "execute", VERIFY = "verify",
  ESCALATE_BROWSER = "escalate", ESCALATE_VISION = "escalate",
}

---@class deskpilot.task_result
---@field status string that of the run, once it is over
---@field steps integer plans that were begun; each ends as verified, unverified or cut short
---@field verified integer
---@field unverified integer
---@field cut_short integer plans that were stopped because the screen had changed
---@field rejected integer answers of the planner that were not valid plans
---@field retries integer
---@field escalations { browser: integer, vision: integer } how often the page, and the vision model, were asked
---@field seconds { observe: number, decide: number, execute: number, verify: number, escalate: number }

--- Sets all counts to 0 and enters OBSERVE.
---@param run deskpilot.run
function task_result.start(run)
  run.result = { status = "running", steps = 0, verified = 0, unverified = 0, cut_short = 0, rejected = 0,
    retries = 0, escalations = { browser = 0, vision = 0 },
    seconds = { observe = 0, decide = 0, execute = 0, verify = 0, escalate = 0 } }
  run.state.entered = task.now()
  run.state.spent = { observe = 0, decide = 0, execute = 0, verify = 0, escalate = 0 }
  task_result.enter_state(run, "OBSERVE", "the goal is new")
end

--- Goes on with the counts of a run before, in OBSERVE.
---@param run deskpilot.run
function task_result.resume(run)
  local s = run.state
  if not (run.result and s.spent) then return task_result.start(run) end
  run.result.status, s.entered = "running", task.now()
  task_result.enter_state(run, "OBSERVE", "the run goes on")
end

--- Enters a state.
---@param run deskpilot.run
---@param state string
---@param why string
function task_result.enter_state(run, state, why)
  local s, now = run.state, task.now()
  local kind = kinds[s.name]
  if kind then
    s.spent[kind] = s.spent[kind] + now - s.entered
    run.result.seconds[kind] = math.floor(s.spent[kind] * 1000 + 0.5) / 1000
  end
  run:emit("phase_change", { from = s.name or "START", to = state, why = why })
  s.name, s.entered = state, now
end

--- Adds 1 to a count.
---@param run deskpilot.run
---@param what "steps"|"verified"|"unverified"|"cut_short"|"rejected"|"retries"|"browser"|"vision"
function task_result.count(run, what)
  local result = run.result
  local place = result[what] and result or result.escalations
  place[what] = place[what] + 1
end

return task_result
