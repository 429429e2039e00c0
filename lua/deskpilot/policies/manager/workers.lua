--- The workers by their roles: who works on a subtask, what it needs before it can, and what each spends.
local analyst = require "deskpilot.policies.manager.analyst"
local operator = require "deskpilot.policies.manager.operator"
local shell = require "deskpilot.agent.shell"
local technician = require "deskpilot.policies.manager.technician"

local workers = {}

-- sees: whether it is shown the screen; step(run, subtask): asks it once, and does what it calls for; lacking(run,
-- subtask): what has to be there first, and which subtask gives that.
local roles = {
  operator = { sees = true, step = operator.step },
  analyst = { step = analyst.step, lacking = analyst.lacking },
  technician = { step = technician.step },
}

--- The names of the roles that there are in a run: no Technician where no command may be run.
---@param run deskpilot.run
---@return string[]
function workers.names(run)
  local commands = run.toolbox:get "run_command" and shell.mode(run.config) ~= "off"
  return { "operator", "analyst", commands and "technician" or nil }
end

--- Takes over what a run before has left unfinished.
---@param run deskpilot.run
function workers.resume(run)
  technician.resume(run)
end

--- Whether a role is shown the screen.
---@param role string
---@return boolean
function workers.sees(role)
  return roles[role].sees == true
end

--- Asks a subtask's worker once.
---@param run deskpilot.run
---@param subtask deskpilot.manager.subtask
---@return string trigger
---@return string why
---@return { subtask: string, missing: string }? lack with the trigger "lacking"
function workers.step(run, subtask)
  return roles[subtask.role].step(run, subtask)
end

--- Who is asked for what a subtask lacks: of an Analyst's whoever gives what it needs, else its own worker.
---@param run deskpilot.run
---@param subtask deskpilot.manager.subtask
---@return deskpilot.manager.subtask
function workers.who_gives(run, subtask)
  local wanted = {}
  for _, name in ipairs(subtask.role == "analyst" and subtask.needs or {}) do wanted[name] = true end
  for _, other in ipairs(run.state.plan) do
    for _, name in ipairs(other.status == "done" and other.gives or {}) do
      if wanted[name] then return other end
    end
  end
  return subtask
end

--- What a subtask lacks before it can begin; nil where nothing.
---@param run deskpilot.run
---@param subtask deskpilot.manager.subtask
---@return string? missing, deskpilot.manager.subtask? giver
function workers.lacking(run, subtask)
  local role = roles[subtask.role]
  if role.lacking then return role.lacking(run, subtask) end
end

return workers
