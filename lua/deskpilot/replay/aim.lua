--- How a step's tool is pointed at what was found: the arguments for it, in the tool's own words.
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local replay_target = require "deskpilot.replay.target"
local targets = require "deskpilot.agent.targets"

local replay_aim = {}

---@class deskpilot.replay.part
---@field field "on"|"to" of the step
---@field target deskpilot.replay.target
---@field element string the tool's argument for an element's number
---@field position string the one for a place

--- What a step points at: one thing, or of a drag where it begins and where it ends.
---@param step deskpilot.replay.step
---@return deskpilot.replay.part[]
function replay_aim.parts(step)
  local parts = {}
  if step.on then
    parts[1] = { field = "on", target = step.on, element = step.to and "start_element" or "element",
      position = step.to and "start" or "position" }
  end
  if step.to then
    parts[#parts + 1] = { field = "to", target = step.to, element = "end_element", position = "end" }
  end
  return parts
end

local function listed(seen, element)
  for _, other in ipairs(seen.elements) do
    if other.handle == element.handle then return other.number end
  end
end

local function is_off(found)
  local element = found.page or found.element
  if not element then return false end
  return element.states.disabled or found.element and element.states.enabled == false
end

local function position(seen, x, y)
  local nx, ny = seen.shot:to_norm(x, y)
  if nx then return { nx, ny } end
  return errors.fail("not_found", "%d, %d is not on the screen", x, y)
end

-- An element of a page: by its number where the tool takes one of a page, else by its place.
local function at_page(tool, seen, part, element)
  if part.field == "on" and tool.parameters.properties.index then return { index = element.index } end
  if tool.pages then return { [part.element] = element.index } end
  local box = element.box
  if not (box and element.in_view) then
    return errors.fail("not_found", "the %s %q is not in view on the page", element.role, element.name)
  end
  local point, err = position(seen, box.x + box.width // 2, box.y + box.height // 2)
  return point and { [part.position] = point }, err
end

--- The arguments by which a tool is pointed at what a model points at: by a number of ELEMENTS or PAGE ELEMENTS, or by
--- a place.
---@param tool deskpilot.tool
---@param seen deskpilot.observation that the model was shown
---@param part deskpilot.replay.part
---@param number integer?
---@param place number[]?
---@return table<string, any>? args
---@return deskpilot.error? err
function replay_aim.chosen(tool, seen, part, number, place)
  if place or not targets.is_of_page(seen, number) then
    return { [place and part.position or part.element] = place or number }
  end
  for _, element in ipairs(seen.page.elements) do
    if element.index == number then return at_page(tool, seen, part, element) end
  end
  return errors.fail("not_found", "the page has no element %d", number)
end

-- An element of an application; its window is brought to the front first, and it into view.
local function at_element(self, tool, seen, part, element)
  local behind = replay_target.behind(seen, element)
  if behind and self.raised ~= self.count then
    self.raised = self.count
    self.m.desk.windows.focus(behind)
    return errors.fail("not_found", "the window %q is not in front", behind.title)
  end
  local number = tool.parameters.properties[part.element] and listed(seen, element)
  if number then return { [part.element] = number } end
  local x, y = replay_target.middle(seen, element)
  if not x then
    self.m.desk.elements.scroll_into_view(element)
    return errors.fail("not_found", "the %s %q is not in view", element.role, element.name)
  end
  return { [part.position] = position(seen, x, y) }
end

-- A tool that acts whatever window is in front needs no more than that its own is there.
local function has_window(seen, target)
  for _, window in ipairs(seen.windows) do
    local app = replay_target.application(window)
    if not target.app or app and app:lower() == target.app:lower() then return {} end
  end
  return errors.fail("not_found", "there is no window of the application %s", target.app)
end

--- Whether a tool can be told by its arguments where a part is; keys go to what has the focus.
---@param tool deskpilot.tool
---@param part deskpilot.replay.part
---@return boolean
function replay_aim.can_point(tool, part)
  local properties = tool.parameters.properties
  return (properties[part.element] or properties[part.position] or part.field == "on" and properties.index) ~= nil
end

local function with_focus(target)
  local copy = {}
  for key, value in pairs(target) do copy[key] = value end
  copy.focus = true
  return copy
end

--- The arguments that point at a part of a step.
---@param self deskpilot.replay.player
---@param tool deskpilot.tool
---@param seen deskpilot.observation the latest look
---@param part deskpilot.replay.part
---@param otherwise boolean? a picture is looked for in other colours and sizes too
---@return table<string, any>? args none for keys, which go to what has the focus
---@return deskpilot.error? err code "not_found": it may still come
function replay_aim.at(self, tool, seen, part, otherwise)
  if tool.anywhere then return has_window(seen, part.target) end
  local target = replay_aim.can_point(tool, part) and part.target or with_focus(part.target)
  local found, err = replay_target.find(self.m.desk, seen, target, function(name)
    return files.join(self.pictures, name)
  end, otherwise)
  if not found then return nil, err end
  if is_off(found) then return errors.fail("not_found", "the %s %q is disabled", part.target.role, part.target.name) end
  self.otherwise = self.otherwise or found.otherwise
  if found.page then return at_page(tool, seen, part, found.page) end
  if found.element then return at_element(self, tool, seen, part, found.element) end
  if not found.x then return {} end
  local point, why = position(seen, found.x, found.y)
  return point and { [part.position] = point }, why
end

return replay_aim
