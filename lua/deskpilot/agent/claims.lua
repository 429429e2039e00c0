--- Whether a goal is reached: the mission's `verify` decides, and what an agent claims is held against it. What the
--- functions take and give is said where a run has them (agent/run.lua).
local errors = require "deskpilot.base.errors"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"
local mistake = require "deskpilot.agent.mistake"
local script = require "deskpilot.agent.script"
local verdict = require "deskpilot.agent.verdict"

local claims = {}

-- What the goal's verify says now. A mistake in it ends the run; what was asserted of the world does not hold yet.
local function ask_verify(run, verify)
  local called, ok, why = xpcall(script.ask, mistake.traceback, run, false, verify, run.m)
  if called then return verdict.of(ok, why) end
  if errors.interrupts(ok) then error(ok, 0) end
  if errors.is(ok) then return verdict.of(nil, ok) end
  local reason = mistake.ends(run, "verify", ok)
  mistake.unwind(run)
  return verdict.unknown(reason)
end

--- See run:verify.
function claims.verify(run, seconds)
  local verify = run.goal.verify
  if not verify then return verdict.yes "nothing was asked for" end
  local limit = task.now() + (seconds or run.config:get("timing.verify"))
  while true do
    local said = ask_verify(run, verify)
    run.goal.verdict = said
    if said.answer == "yes" or task.now() >= limit then return said end
    task.sleep(0.1)
  end
end

--- See run:claim.
function claims.claim(run, evidence, options)
  options = options or {}
  local said = run:verify(options.seconds)
  if said.answer ~= "yes" then
    local why = verdict.words(said)
    run:emit("guard", { name = "verify", message = "the claim of completion is not true: " .. why, verdict = said })
    return errors.fail("refused", "NOT DONE: the mission's own check of the desktop says: %s", why)
  end
  local looked = run:has_verify() or options.checked
  run:stop(looked and "succeeded" or "claimed", text.one_line(evidence))
  return "the mission is complete"
end

return claims
