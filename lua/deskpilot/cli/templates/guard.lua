-- Looks on at every run and speaks up where it must: each function is called when the event of its name happens, in
-- every run that finds this file. docs/hooks.md lists the events with their fields; a mission hears them first.

---@type deskpilot.guard
local guard = {
  api = 1,
  -- Keys of the configuration: --set example.most_drags=3
  options = {
    most_drags = { type = "integer", default = 50, min = 0, about = "drags of one run, after which no more are done" },
  },
}

function guard.run_start(run)
  run.example = { drags = 0 } -- what it remembers of this run
end

--- An action is about to be done; a veto keeps it from that, and the agent is told why.
function guard.action(run, action)
  if action.tool ~= "drag" then return nil end
  run.example.drags = run.example.drags + 1
  if run.example.drags > run.config:get "example.most_drags" then
    return { veto = "there were enough drags in this run (example.most_drags)" }
  end
end

return guard
