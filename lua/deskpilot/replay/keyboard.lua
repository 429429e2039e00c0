--- Keys of a replayed run that a model has mended: what it points at gets the keyboard, and nothing else happens to it.
local errors = require "deskpilot.base.errors"
local hit_test = require "deskpilot.agent.hit_test"
local replay_target = require "deskpilot.replay.target"

local replay_keyboard = {}

--- The tool by which a model points at what is to have the keyboard.
---@param m deskpilot.mission_run
---@return string? tool nil where there is none
function replay_keyboard.pointer(m)
  for _, name in ipairs { "click_element", "tap" } do
    if m.toolbox:get(name) then return name end
  end
end

-- A click on it would do more than give it the keyboard.
local function does_something(element)
  local role = element.role
  return role:find "button" ~= nil or role:find "check" ~= nil or role:find "menu" ~= nil or role:find "tab$" ~= nil
    or role == "link" or role == "switch" or role == "radio"
end

local function refuse(element)
  return errors.fail("refused", "the model points at the %s %q to give it the keyboard, and a click would do more: "
    .. "nothing was done", element.role, element.name)
end

local function element_of(seen, number)
  for _, element in ipairs(seen.elements) do
    if element.number == number then return element end
  end
end

local function focus(self, element)
  local desk = self.m.desk
  local behind = replay_target.behind(self.m.observation, element)
  if behind then
    local ok, err = desk.windows.focus(behind)
    if not ok then return nil, err end
  end
  if element.states.focused then return true end
  return desk.elements.focus(element)
end

-- What lies where a click would go.
local function element_at(self, place)
  local seen = self.m.observation
  if place.element or place.index then
    for _, element in ipairs(seen.page and seen.page.elements or {}) do
      if element.index == (place.element or place.index) then return element end
    end
    return nil
  end
  local frame, at = seen.shot.frame, place.position
  local x, y = frame.x + at[1] * frame.width // 1000, frame.y + at[2] * frame.height // 1000
  return hit_test.element(self.m, seen, hit_test.window(seen.windows, x, y), x, y)
end

local function give(self, step, tool, place)
  local m = self.m
  local element = place.element and element_of(m.observation, place.element)
  if element then return focus(self, element) end
  element = element_at(self, place)
  if element and element.states.focused then return true end
  if element and does_something(element) then return refuse(element) end
  local result = m:act { tool = tool, args = { label = step[1], element = place.element or place.index,
    position = place.position }, why = step[1], persona = "healer" }
  if result.ok then return true end
  return errors.fail("refused", "%s", result.text)
end

--- Gives what the model points at the keyboard: an element of an application by itself, anything else by a click. Then
--- it looks at the screen again.
---@param self deskpilot.replay.player
---@param step deskpilot.replay.step
---@param tool string the tool of a click
---@param place { element: integer?, index: integer?, position: number[]? }
---@return boolean? ok, deskpilot.error? err
function replay_keyboard.give(self, step, tool, place)
  local ok, err = give(self, step, tool, place)
  if not ok then return nil, err end
  ok, err = self.m:observe()
  return ok and true, err
end

return replay_keyboard
