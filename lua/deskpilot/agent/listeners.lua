--- Everything that listens to a run, in order: the mission's hooks, the guards, the journal, the
--- progress display. A listener is a table of functions named after the events; each is called as
--- fn(run, event). Before an action or a request happens, a listener may return a decision:
---   { veto = "why" }     it does not happen, and the model reads why
---   { amend = {...} }    these fields of the event are replaced
---   { stop = {status, reason} }  the run ends (in any event)
--- When a listener fails, the run says so by name and goes on, but for an action or a request its
--- failure counts as a veto: what could not be checked is not done. A mission whose before_run fails, and a
--- journal that cannot be written, end the run.
local errors = require "deskpilot.base.errors"

local listeners = {}

--- The events of a run, in the order in which a turn announces them.
listeners.events = {
  "run_start", "turn_start", "observed", "model_request", "model_reply", "action", "action_result",
  "settled", "turn_end", "run_end", "phase_change", "guard", "note", "ask", "error",
}

local asks = { action = true, model_request = true }

local function apply(run, event, name, decision, final)
  if type(decision) ~= "table" then return end
  if decision.veto and asks[event.event] and not event.veto then
    event.veto, event.vetoed_by = tostring(decision.veto), name
  end
  if type(decision.amend) == "table" and asks[event.event] then
    for key, value in pairs(decision.amend) do event[key] = value end
    event.amended_by = event.amended_by and event.amended_by .. ", " .. name or name
  end
  if type(decision.stop) == "table" then run:stop(decision.stop[1], decision.stop[2], final) end
end

--- Tells every listener of an event and applies what they decide to the event's own fields.
---@param run table
---@param event table with event.event, the name
function listeners.tell(run, event)
  for _, entry in ipairs(run.listeners) do
    local listen = entry.listener[event.event]
    if listen then
      local ok, decision = xpcall(listen, debug.traceback, run, event)
      if ok then
        apply(run, event, entry.name, decision, entry.final)
      elseif errors.is(decision, "cancelled") then
        error(decision, 0)
      else
        listeners.failed(run, event, entry, tostring(decision))
      end
    end
  end
end

--- What happens when a listener fails (see the head of this file).
function listeners.failed(run, event, entry, message)
  if asks[event.event] and not event.veto then
    event.veto, event.vetoed_by = ("%s failed while it was asked: %s"):format(entry.name,
      message:match("^[^\n]*")), entry.name
  end
  if event.event == "error" then return end -- no error about an error
  if entry.must_start and event.event == "run_start" then
    run:stop("error", ("before_run failed: %s"):format(message:match("^[^\n]*")), true)
  end
  if entry.essential then
    run:stop("error", ("%s failed: %s"):format(entry.name, message:match("^[^\n]*")), true)
    entry.listener = {}
  end
  run:emit("error", { name = entry.name, during = event.event, message = message })
end

return listeners
