--- Compares the screen before and after each action (observe.validate_screen_change). An action that should have
--- changed something, and after which all is as it was, may have failed without saying so: the next request tells the
--- model, which decides again. The look after an action is that of the next turn, so this costs no picture of its own.
local screen_change = require "deskpilot.agent.screen_change"

---@type deskpilot.guard
local guard = {
  api = 1,
  section = "observe",
  options = {
    validate_screen_change = { type = "boolean", default = false, about = "compare the screen before and after each "
      .. "action, and tell the model where nothing has changed: the action may have failed" },
  },
}

-- Tools that change nothing on the screen where they work: a claim, a wait.
local silent = { finish = true, waiting = true }

local function expects_change(run, event)
  local tool = run.toolbox:get(event.tool)
  return event.ok and tool ~= nil and tool.acts ~= false and not silent[tool.group]
end

function guard.action_result(run, event)
  if not run.config:get "observe.validate_screen_change" then return end
  local kept = run.goal.guards
  kept.unproven = expects_change(run, event) and run.observation
    and { before = run.observation, tool = event.tool, action = run.actions } or nil
end

function guard.observed(run)
  local kept = run.goal.guards
  local done = kept.unproven
  kept.unproven, kept.suspicion = nil, nil
  if not done or done.before == run.observation or screen_change.of(done.before, run.observation) then return end
  kept.suspicion = ("%s was done, but nothing on the screen has changed: it may not have worked. Check whether it has, "
    .. "and do it again or in another way if not."):format(done.tool)
  run.history:add(run.turn, "note", done.tool .. " has changed nothing on the screen")
  run:emit("suspected", { tool = done.tool, action_number = done.action, message = kept.suspicion })
end

--- The next request for an action says so.
function guard.model_request(run, request)
  local suspicion = run.goal.guards.suspicion
  if not suspicion or not request.acts then return end
  run.goal.guards.suspicion = nil
  return { amend = { warning = request.warning and request.warning .. "\n" .. suspicion or suspicion } }
end

return guard
