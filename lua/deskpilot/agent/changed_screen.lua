--- The screen goes on while a model thinks. Before an act that a model has chosen, what it assumes of the picture that
--- the model was shown is compared with the screen (assumptions.lua), where anything has changed since: a click whose
--- place looks different by now, or keys that another window would get, are refused as `stale`, and the model looks
--- again.
local errors = require "deskpilot.base.errors"
local assumptions = require "deskpilot.agent.assumptions"

local changed_screen = {}

-- When the screen changed last, if that was after the run's latest observation and none of its own acts was.
local function changed_at(run, call)
  local seen = run.observation
  if not seen or not seen.at or run.recording or not run.desk.watching then return nil end
  if call.observation and call.observation ~= seen or run.acted and run.acted > seen.at then return nil end
  if not run.desk.native:pump() then return nil end
  local at = run.desk.native:last_change() / 1e9
  return at > seen.at and at or nil
end

--- Refuses a call of a model's that the screen no longer is as it was for. What is never still is refused once.
---@param run deskpilot.run
---@param call deskpilot.call
---@return boolean? ok, deskpilot.error? err code "stale"
function changed_screen.check(run, call)
  if not call.persona or call.compared then return true end
  local again = run.goal.refused_as_stale
  run.goal.refused_as_stale = nil
  local at = changed_at(run, call)
  if not at then return true end
  local why = assumptions.broken(run, assumptions.new(run), call, again)
  run:emit("screen_changed", { tool = call.tool, seconds = at - run.observation.at, matters = why ~= nil,
    text = why })
  if not why then return true end
  run.goal.refused_as_stale = true
  return errors.fail("stale", "%s", ("the screen has changed since the picture that this was decided by: %s; nothing "
    .. "was done: look again"):format(why))
end

return changed_screen
