--- A mistake in the mission's own functions (a Lua error in a hook, in `verify`, in the script): the run ends with the
--- status "error", and its journal has the message with the mission's file and line, and the traceback.
local errors = require "deskpilot.base.errors"
local text = require "deskpilot.base.text"

local mistake = {}

local TRACEBACK = "\nstack traceback:\n"

-- The frames that are of use to whoever wrote the mission: none of C, and none of deskpilot's own if there are others.
local function frames_of(trace)
  local all, theirs = {}, {}
  for line in trace:gmatch("[^\n]+") do
    local frame = text.trim(line)
    if not frame:find("^%[C%]") and not frame:find("^%(?%.%.%.") then
      all[#all + 1] = frame
      if not frame:find("^deskpilot/") then theirs[#theirs + 1] = frame end
    end
  end
  return #theirs > 0 and theirs or all
end

--- For xpcall: a Lua error with its traceback; an error value as it is.
---@param err any
---@return any
function mistake.traceback(err)
  return errors.is(err) and err or debug.traceback(tostring(err), 2)
end

--- What was raised, as a sentence and as a traceback.
---@param err any as xpcall gives it with debug.traceback as its handler
---@return string message with file and line, where they are known
---@return string? traceback frames, one a line; nil if there are none
function mistake.words(err)
  if errors.is(err) then return errors.words(err), nil end
  local whole = tostring(err)
  local at = whole:find(TRACEBACK, 1, true)
  if not at then return whole, nil end
  local frames = frames_of(whole:sub(at + #TRACEBACK))
  return whole:sub(1, at - 1), #frames > 0 and table.concat(frames, "\n") or nil
end

--- Tells of what was raised by an event of the run, and gives the reason for which the run ends if it does.
---@param run deskpilot.run
---@param name string what has failed: "script", "verify", "before_action"
---@param err any
---@param ends boolean whether the run ends because of it
---@return string reason
function mistake.told(run, name, err, ends)
  local message, traceback = mistake.words(err)
  run:emit("error", { name = name, message = message, traceback = traceback, ends = ends or nil })
  return message:match("^[^\n]*")
end

--- Ends the run because of a mistake in one of the mission's functions, whatever else was about to end it. The first
--- such mistake counts. What is under way goes on until it waits or calls unwind.
---@param run deskpilot.run
---@param name string as for told
---@param err any
---@return string reason
function mistake.ends(run, name, err)
  local first = not run.mistaken
  run.mistaken = true
  local reason = ("the mission's %s failed: %s"):format(name, mistake.told(run, name, err, first))
  if first then
    local goal = run.goal
    while goal do goal.outcome, goal = nil, goal.parent end
    run:abort("error", reason)
  end
  return reason
end

--- Leaves whatever the run is at, once its end has been decided.
---@param run deskpilot.run
function mistake.unwind(run)
  if run.body and not run.body:ended() then error(errors.new("cancelled", run.outcome.reason), 0) end
end

return mistake
