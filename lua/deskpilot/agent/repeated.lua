--- A mission that does again what a run has done, without a model: its steps one after the other, each by its tool. The
--- element that a step acted on is found by its role and name, since numbers are others in each run.
local alike = require "deskpilot.agent.alike"
local errors = require "deskpilot.base.errors"
local lua_source = require "deskpilot.agent.lua_source"
local task = require "deskpilot.base.task"

local repeated = {}

local pause = 0.2 -- seconds between looks for the element of a step

---@class deskpilot.repeated.step
---@field tool string
---@field args table as they were used
---@field on deskpilot.alike? what it acted on
---@field why string? what it was for

-- The number of an element in the latest look: one of the page, or else of the desktop.
local function number_of(seen, told)
  local of_page = seen.page and alike.find(seen.page.elements, told)
  if of_page then return of_page.index end
  local element = alike.find(seen.elements, told)
  return element and element.number
end

-- The arguments with the number that the element has now. It is waited for as a verify is: it may still be coming.
local function arguments(m, step)
  local name = step.args.element ~= nil and "element" or step.args.index ~= nil and "index" or nil
  local args, seconds = {}, m.config:get "timing.verify"
  local stop = task.now() + seconds
  for key, value in pairs(step.args) do args[key] = value end
  while true do
    local seen, err = m:observe()
    if not seen then return nil, err end
    if not (name and step.on) then return args end
    args[name] = number_of(m.observation, step.on)
    if args[name] then return args end
    if task.now() > stop then
      return errors.fail("not_found", "there is no %s %q on the screen, also after %g seconds (timing.verify)",
        step.on.role, step.on.name, seconds)
    end
    task.sleep(pause)
  end
end

--- Does steps one after the other, up to the first that fails.
---@param m deskpilot.mission_run
---@param steps deskpilot.repeated.step[]
---@return boolean ok, string? why
function repeated.run(m, steps)
  for i, step in ipairs(steps) do
    local args, err = arguments(m, step)
    local result = args and m:act { tool = step.tool, args = args, why = step.why }
    if m.outcome then return false, m.outcome.reason end
    if not (result and result.ok) then
      return false, ("step %d of %d (%s): %s"):format(i, #steps, step.tool, result and result.text or tostring(err))
    end
  end
  return true
end

--- A mission as it is, but with these steps in place of what an agent is to do. Its `verify` still decides.
---@param mission deskpilot.mission
---@param steps deskpilot.repeated.step[]
---@return deskpilot.mission
function repeated.mission(mission, steps)
  local copy = {}
  for key, value in pairs(mission) do copy[key] = value end
  copy.task, copy.goals, copy.run = nil, nil, function(m) return repeated.run(m, steps) end
  return copy
end

-- --- as a file ------------------------------------------------------------------------------------------------------

--- Such a mission as a file.
---@param title string what it does, in a line
---@param mission string the source of the mission whose steps they are
---@param steps deskpilot.repeated.step[]
---@return string source
function repeated.source(title, mission, steps)
  local lines = {}
  for i, step in ipairs(steps) do lines[i] = ("  %s,\n"):format(lua_source.written(step)) end
  return ("--- %s\n--- Needs no model. Positions and values are those of the run that it repeats. If the mission below "
    .. "has files\n--- beside it, this one belongs beside them too.\nlocal repeated = require "
    .. "\"deskpilot.agent.repeated\"\n\nlocal steps = {\n%s}\n\nlocal mission = (function()\n%s\nend)()\n\n"
    .. "return repeated.mission(mission, steps)\n"):format((title:gsub("%c", " ")), table.concat(lines), mission)
end

return repeated
