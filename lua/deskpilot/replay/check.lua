--- What is to be true after a step of a replayed run: what changed then. Each is a state that is waited for.
local replay_target = require "deskpilot.replay.target"

local replay_check = {}

---@class deskpilot.replay.expect
---@field value string? what the element that was acted on holds
---@field states string[]? states of it that are on, such as checked
---@field window { app: string?, title: string? }? the active window
---@field page string? where the page in front is, digits as #
---@field appears { role: string, name: string }? an element that is there
---@field shows { role: string, name: string, nth: integer?, text: string }? an element's text

local function holds(element)
  local value = element.text or element.value
  return value ~= nil and tostring(value) or nil
end

-- The element of the step as it is in the latest look.
local function own(desk, seen, step)
  local on = step.on or {}
  if not on.role then return nil end
  local target = {}
  for key, value in pairs(on) do
    if key ~= "focus" then target[key] = value end
  end
  local found = replay_target.find(desk, seen, target, function(name) return name end)
  return found and (found.page or found.element)
end

local tests = {}

function tests.value(wanted, desk, seen, step)
  local element = own(desk, seen, step)
  local value = element and holds(element)
  if value == wanted then return true end
  return false, ("it holds %q and not %q"):format(tostring(value), wanted)
end

function tests.states(wanted, desk, seen, step)
  local element = own(desk, seen, step)
  for _, name in ipairs(wanted) do
    if not (element and element.states[name]) then return false, "it is not " .. name end
  end
  return true
end

function tests.window(wanted, _, seen)
  local window = seen.window
  local app = window and replay_target.application(window)
  if not window or wanted.app and app ~= wanted.app then
    return false, ("the active window is of %s and not of %s"):format(tostring(app), tostring(wanted.app))
  end
  if wanted.title and window.title ~= wanted.title then
    return false, ("the active window is %q and not %q"):format(window.title, wanted.title)
  end
  return true
end

function tests.page(wanted, _, seen)
  local where = seen.page and replay_target.page(seen.page.url)
  if where == wanted then return true end
  return false, ("the page in front is %s and not %s"):format(tostring(where), wanted)
end

function tests.appears(wanted, _, seen)
  for _, list in ipairs { seen.page and seen.page.elements or {}, seen.tree or {} } do
    for _, element in ipairs(list) do
      if element.role == wanted.role and element.name == wanted.name then return true end
    end
  end
  return false, ("there is no %s %q"):format(wanted.role, wanted.name)
end

function tests.shows(wanted, _, seen)
  local last
  for _, list in ipairs { seen.page and seen.page.elements or {}, seen.tree or {} } do
    for _, element in ipairs(list) do
      if element.role == wanted.role and element.name == wanted.name then
        last = holds(element) or last
        if last == wanted.text then return true end
      end
    end
  end
  return false, ("the %s %q shows %q and not %q"):format(wanted.role, wanted.name, tostring(last), wanted.text)
end

--- The names of what can be expected.
---@type table<string, function>
replay_check.tests = tests

--- Whether all of it is true in the latest look.
---@param desk deskpilot.desk
---@param seen deskpilot.observation
---@param step table
---@return boolean ok, string? why
function replay_check.holds(desk, seen, step)
  for name, wanted in pairs(step.expect or {}) do
    local ok, why = tests[name](wanted, desk, seen, step)
    if not ok then return false, why end
  end
  return true
end

return replay_check
