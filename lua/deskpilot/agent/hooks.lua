--- A mission's hooks as a listener. before_run, after_run, before_action and after_action are the
--- friendly names; every event's own name works too. Returning false (and a reason) from before_action
--- vetoes the action.
local text = require "deskpilot.base.text"

local hooks = {}

local function decision(...)
  local first, reason = ...
  if first == false then return { veto = reason or "vetoed by the mission" } end
  return first
end

--- The listener of a mission table.
function hooks.of(mission)
  local listener = {}
  for _, name in ipairs(require "deskpilot.agent.listeners".events) do listener[name] = mission[name] end

  local function both(event, hook)
    local plain = mission[event]
    listener[event] = function(run, e)
      local result = decision(hook(run, e))
      if plain then return decision(plain(run, e)) or result end
      return result
    end
  end
  if mission.before_run then both("run_start", function(run) return mission.before_run(run) end) end
  if mission.after_run then both("run_end", function(run, e) return mission.after_run(run, e) end) end
  if mission.before_action then both("action", function(run, e) return mission.before_action(run, e) end) end
  if mission.after_action then
    both("action_result", function(run, e) return mission.after_action(run, e.action, e) end)
  end
  return listener
end

--- Every key that a mission may hold as a hook.
---@return string[]
function hooks.names()
  local names = { "before_run", "after_run", "before_action", "after_action" }
  for _, name in ipairs(require "deskpilot.agent.listeners".events) do names[#names + 1] = name end
  return names
end

--- Nearest hook for an unknown key, for the error that names it.
function hooks.nearest(name, others)
  local all = hooks.names()
  for _, other in ipairs(others) do all[#all + 1] = other end
  return text.nearest(name, all)
end

return hooks
