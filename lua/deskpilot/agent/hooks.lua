--- A mission's hooks as listeners. before_run, after_run, before_action and after_action are the
--- friendly names; every event's own name works too. What they may return is in decisions.lua.
local decisions = require "deskpilot.agent.decisions"
local events = require "deskpilot.agent.run_events"
local script = require "deskpilot.agent.script"
local strict_fields = require "deskpilot.agent.strict_fields"
local text = require "deskpilot.base.text"

local hooks = {}

-- The friendly names: the event that each hears, and what it is called with.
local friendly = {
  before_run = { "run_start", function(run) return run end },
  after_run = { "run_end", function(run, event) return run, event end },
  before_action = { "action", function(run, event) return run, event end },
  ask = { "question", function(run, event) return run, event end },
  after_action = { "action_result", function(run, event) return run, event.action, event end },
}

-- A hook as a listener. What is wrong with what it returns is told with its own file and line.
local function listener(hook, arguments)
  return function(run, event)
    local watched <close> = strict_fields.watch(run, event)
    assert(watched)
    return decisions.read(event.event, hook, script.ask(run, true, hook, arguments(run, event)))
  end
end

--- The listeners of a mission: its friendly hooks, then those that are named after events. Two, so
--- that each has its own decision where a mission has both for one event.
---@return table friendly, table named
function hooks.of(mission)
  local kind, named = {}, {}
  for name, how in pairs(friendly) do
    local hook = mission[name]
    if hook then
      kind[how[1]] = listener(hook, function(run, event) return how[2](run.m or run, event) end)
    end
  end
  for _, name in ipairs(events.names()) do
    local hook = mission[name]
    if hook then named[name] = listener(hook, function(run, event) return run.m or run, event end) end
  end
  return kind, named
end

--- The same as entries of run.listeners.
---@return table[] entries
function hooks.entries(mission)
  local kind, named = hooks.of(mission)
  local called = {}
  for name, how in pairs(friendly) do called[how[1]] = name end
  return { { name = "the mission's hook", mission = called, final = true, listener = kind },
    { name = "the mission's hook", mission = {}, final = true, listener = named } }
end

--- Whether an event is announced to hooks: the first line of a journal is not.
---@param name string of an event
---@return boolean
function hooks.hears(name)
  return not events.get(name).of_file
end

--- Every key that a mission may hold as a hook.
---@return string[]
function hooks.names()
  local names = text.keys(friendly)
  for _, name in ipairs(events.names()) do names[#names + 1] = hooks.hears(name) and name or nil end
  return names
end

return hooks
