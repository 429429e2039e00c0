--- Everything that listens to a run, in order: the mission's hooks, the guards, the journal, the
--- progress display. A listener is a table of functions named after the events (agent/events.lua); each is
--- called as fn(run, event), and `every` for the events that it has no other function for. What it returns is its
--- decision (decisions.lua): an action, a request and a question may be vetoed before they happen.
---
--- When a listener fails, or returns what means nothing, the run says so by name and goes on, but for what may be
--- vetoed that counts as a veto: what could not be checked is not done. A mission's hook that fails, and a journal that
--- cannot be written, end the run.
local decisions = require "deskpilot.agent.decisions"
local errors = require "deskpilot.base.errors"
local events = require "deskpilot.agent.run_events"
local mistake = require "deskpilot.agent.mistake"
local plugins = require "deskpilot.agent.plugins"

local listeners = {}

---@class deskpilot.event
---@field event string its name
---@field at number seconds since the run began
---@field turn integer? nil before the first
---@field goal string? the path of the goal within the run that it belongs to (run:achieve); nil for the run's own

--- An action that a model asked for, before it is done.
---@class deskpilot.action: deskpilot.event, deskpilot.touched
---@field tool string its name
---@field args table
---@field persona string? who asked for it
---@field why string? where the arguments do not say it
---@field rejected boolean? the answer could not become an action: nothing will be done
---@field postponed boolean? set by who vetoes it for now: it is no failure of the agent's
---@field veto string? why it is not done
---@field vetoed_by string?

---@class deskpilot.action_result: deskpilot.event
---@field tool string
---@field args table
---@field action deskpilot.action
---@field ok boolean
---@field text string what was done, or why it was not
---@field code string? of the error
---@field seconds number?
---@field element { role: string, name: string }? that was acted on, where the tool knows
---@field point number[]? where, as 0..1000 of the picture

---@class deskpilot.model_request: deskpilot.event
---@field persona string
---@field request string the name of its file in the run's folder
---@field model string
---@field tools string[]? the names of those that are offered
---@field temperature number?
---@field max_tokens integer?
---@field warning string? is put below the text
---@field acts boolean? whether the answer is to be an action
---@field image boolean? false: without the screenshot
---@field veto string?

---@class deskpilot.run_end: deskpilot.event
---@field status "succeeded"|"claimed"|"failed"|"incomplete"|"interrupted"|"error"
---@field reason string
---@field turns integer
---@field actions integer
---@field seconds number
---@field task_result table? what the policy has to say of its work

--- A goal within the run begins; its path is `goal`.
---@class deskpilot.goal_start: deskpilot.event
---@field task string what is to be done
---@field policy string
---@field model string
---@field tools string[]? the names of those that it is limited to
---@field limits deskpilot.goal_limits? what it may spend, of what is limited at all

--- It has ended, however that was.
---@class deskpilot.goal_end: deskpilot.event
---@field task string
---@field policy string
---@field status string
---@field reason string
---@field turns integer its own and those of goals within it
---@field seconds number
---@field verdict deskpilot.verdict? what its verify said last
---@field task_result table? what its policy has to say of its work

--- Functions named after the events; those that it has are called.
---@class deskpilot.listener
---@field every (fun(run: deskpilot.run, event: deskpilot.event): deskpilot.decision?)? hears what no other hears
---@field run_start (fun(run: deskpilot.run, event: deskpilot.event): deskpilot.decision?)?
---@field turn_start (fun(run: deskpilot.run, event: deskpilot.event): deskpilot.decision?)?
---@field observed (fun(run: deskpilot.run, event: deskpilot.event): deskpilot.decision?)?
---@field model_request (fun(run: deskpilot.run, event: deskpilot.model_request): deskpilot.decision?)?
---@field model_reply (fun(run: deskpilot.run, event: deskpilot.event): deskpilot.decision?)?
---@field lookup (fun(run: deskpilot.run, event: deskpilot.event): deskpilot.decision?)?
---@field iteration (fun(run: deskpilot.run, event: deskpilot.event): deskpilot.decision?)?
---@field tools_changed (fun(run: deskpilot.run, event: deskpilot.event): deskpilot.decision?)?
---@field action (fun(run: deskpilot.run, event: deskpilot.action): deskpilot.decision?)?
---@field action_result (fun(run: deskpilot.run, event: deskpilot.action_result): deskpilot.decision?)?
---@field settled (fun(run: deskpilot.run, event: deskpilot.event): deskpilot.decision?)?
---@field turn_end (fun(run: deskpilot.run, event: deskpilot.event): deskpilot.decision?)?
---@field run_end (fun(run: deskpilot.run, event: deskpilot.run_end): deskpilot.decision?)?
---@field goal_start (fun(run: deskpilot.run, event: deskpilot.goal_start): deskpilot.decision?)?
---@field goal_end (fun(run: deskpilot.run, event: deskpilot.goal_end): deskpilot.decision?)?
---@field phase_change (fun(run: deskpilot.run, event: deskpilot.event): deskpilot.decision?)?
---@field guard (fun(run: deskpilot.run, event: deskpilot.event): deskpilot.decision?)?
---@field note (fun(run: deskpilot.run, event: deskpilot.event): deskpilot.decision?)?
---@field question (fun(run: deskpilot.run, event: deskpilot.event): deskpilot.decision?)? a person is to be asked
---@field answer (fun(run: deskpilot.run, event: deskpilot.event): deskpilot.decision?)? what came of it
---@field memory (fun(run: deskpilot.run, event: deskpilot.event): deskpilot.decision?)? it has changed
---@field error (fun(run: deskpilot.run, event: deskpilot.event): deskpilot.decision?)?
---@field control (fun(run: deskpilot.run, event: deskpilot.event): deskpilot.decision?)? a person holds the run
---@field desk_call (fun(run: deskpilot.run, event: deskpilot.desk_call): deskpilot.decision?)? after the call
---@field goal_start (fun(run: deskpilot.run, event: deskpilot.event): deskpilot.decision?)? an agent is asked (achieve)
---@field picture (fun(run: deskpilot.run, event: deskpilot.event): deskpilot.decision?)? what the run has left

--- What a file of guards/ returns.
---@class deskpilot.guard: deskpilot.plugin, deskpilot.listener

local function can_be_vetoed(event)
  for _, key in ipairs(events.get(event.event).returns or {}) do
    if key == "veto" then return true end
  end
  return false
end

local function apply(run, event, name, decision, final)
  if not decision then return end
  if decision.veto and not event.veto then
    event.veto, event.vetoed_by = tostring(decision.veto), name
  end
  if decision.amend then
    for key, value in pairs(decision.amend) do event[key] = value end
    event.amended_by = event.amended_by and event.amended_by .. ", " .. name or name
  end
  if decision.answer ~= nil and event.answer == nil then
    event.answer, event.answered_by = decision.answer, name
  end
  if decision.stop then run:stop(decision.stop[1], tostring(decision.stop[2]), final) end
end

local function hear(run, event, listen)
  return decisions.read(event.event, listen, listen(run, event))
end

-- A hook of the mission's own that fails ends the run. One that hears the end itself changes how it ended.
local function mission_failed(run, event, entry, err)
  local name = entry.mission[event.event] or event.event
  if event.event ~= "run_end" then
    mistake.ends(run, name, err)
  elseif event.status == "succeeded" or event.status == "claimed" then
    event.status, event.reason = "error", mistake.ends(run, name, err)
  else
    mistake.told(run, name, err, false)
  end
end

--- Tells every listener of an event and applies what they decide to the event's own fields.
---@param run deskpilot.run
---@param event deskpilot.event
function listeners.tell(run, event)
  local over = false
  for _, entry in ipairs(run.listeners) do
    local listen = entry.listener[event.event] or entry.listener.every
    -- After a mistake of the mission's own only its last hook is called, which may have to tidy up.
    if listen and not (entry.mission and run.mistaken and event.event ~= "run_end") then
      local ok, decision = xpcall(hear, mistake.traceback, run, event, listen)
      if ok then
        apply(run, event, entry.name, decision, entry.final)
      elseif errors.interrupts(decision) then
        error(decision, 0)
      elseif entry.mission then
        mission_failed(run, event, entry, decision)
        over = true
      else
        listeners.failed(run, event, entry, decision)
      end
    end
  end
  if over then mistake.unwind(run) end -- the others have been told
end

--- Whether one of the mission's hooks hears an event.
---@param run deskpilot.run
---@param name string
---@return boolean
function listeners.mission_hears(run, name)
  for _, entry in ipairs(run.listeners) do
    if entry.mission and (entry.listener[name] or entry.listener.every) then return true end
  end
  return false
end

--- Whether a file that does not ship hears an event: a hook of the mission's, or a guard of somebody's own.
---@param run deskpilot.run
---@param name string
---@return boolean
function listeners.own_file_hears(run, name)
  for _, entry in ipairs(run.listeners) do
    local own = not entry.mission and plugins.label(entry.listener) and not plugins.ships(entry.listener)
    if own and (entry.listener[name] or entry.listener.every) then return true end
  end
  return listeners.mission_hears(run, name)
end

--- What happens when a listener fails (see the head of this file).
function listeners.failed(run, event, entry, err)
  local message = errors.is(err) and errors.words(err) or tostring(err)
  if can_be_vetoed(event) and not event.veto then
    event.veto, event.vetoed_by = ("%s failed while it was asked: %s"):format(entry.name,
      message:match("^[^\n]*")), entry.name
  end
  if event.event == "error" then return end -- no error about an error
  if entry.essential then
    local reason = ("%s failed: %s"):format(entry.name, message:match("^[^\n]*"))
    -- Nothing counts as done of which the journal could not tell.
    if run.outcome and run.outcome.status ~= "interrupted" then run.outcome = nil end
    run:stop("error", reason, true)
    if event.event == "run_end" then
      event.status, event.reason = run.outcome.status, run.outcome.reason
      pcall(entry.listener.every, run, event) -- the end as it is now, if that can be told
    end
  end
  run:emit("error", { name = entry.name, during = event.event, message = message })
end

return listeners
