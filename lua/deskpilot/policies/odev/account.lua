--- What a run of this policy has come to: the state it is in, and the TaskResult, which is run.result. Each
--- change of state is an event, so that the order of states can be read from the journal, and the time between
--- two of them is booked on the one that is left.
local task = require "deskpilot.base.task"

local account = {}

-- What each state's time is booked as.
local kinds = {
  OBSERVE = "observe", DECIDE = "decide", EXECUTE = "execute", RECONNECT = "execute", VERIFY = "verify",
  ESCALATE_BROWSER = "escalate", ESCALATE_VISION = "escalate",
}

---@class deskpilot.task_result
---@field status string that of the run, once it is over
---@field steps integer plans that were begun: verified, unverified or cut short
---@field verified integer
---@field unverified integer
---@field cut_short integer those whose screen was no longer what they were made for
---@field rejected integer answers of the planner that were no plan
---@field retries integer
---@field escalations { browser: integer, vision: integer } how often the page, and the vision model, were asked
---@field seconds { observe: number, decide: number, execute: number, verify: number, escalate: number }

--- Begins: nothing has been done, and the first look is next.
---@param run deskpilot.run
function account.start(run)
  run.result = { status = "running", steps = 0, verified = 0, unverified = 0, cut_short = 0, rejected = 0,
    retries = 0, escalations = { browser = 0, vision = 0 },
    seconds = { observe = 0, decide = 0, execute = 0, verify = 0, escalate = 0 } }
  run.state.entered = task.now()
  run.state.spent = { observe = 0, decide = 0, execute = 0, verify = 0, escalate = 0 }
  account.enter(run, "OBSERVE", "the goal is new")
end

--- Goes into a state.
---@param run deskpilot.run
---@param state string
---@param why string
function account.enter(run, state, why)
  local s, now = run.state, task.now()
  local kind = kinds[s.name]
  if kind then
    s.spent[kind] = s.spent[kind] + now - s.entered
    run.result.seconds[kind] = math.floor(s.spent[kind] * 1000 + 0.5) / 1000
  end
  run:emit("phase_change", { from = s.name or "START", to = state, why = why })
  s.name, s.entered = state, now
end

--- Counts one up.
---@param run deskpilot.run
---@param what "steps"|"verified"|"unverified"|"cut_short"|"rejected"|"retries"|"browser"|"vision"
function account.count(run, what)
  local result = run.result
  local place = result[what] and result or result.escalations
  place[what] = place[what] + 1
end

return account
