--- Two acts that click at one place are two clicks, but as soon after another as a double click, toolkits count them as
--- one. Buttons and the like, where any place does, are clicked beside the place of the click before; elsewhere the
--- second press waits. What a script clicks by itself counts as it comes.
local task = require "deskpilot.base.task"

local click_apart = {}

--- How far apart two presses are no double click: pixels; they may be 5 apart in GTK and Qt, 4 in Chromium and on
--- Windows.
click_apart.by = 8

---@class deskpilot.last_press
---@field act any the act that it belongs to (desk.act)
---@field button string
---@field x integer a pixel of the screen
---@field y integer
---@field at number task.now

local anywhere = { ["push button"] = true, ["toggle button"] = true, ["check box"] = true, ["radio button"] = true,
  ["page tab"] = true }

--- The latest press, where another of the same button would be a double click with it but belongs to another act.
---@param desk deskpilot.desk
---@param button string
---@return deskpilot.last_press?
function click_apart.last(desk, button)
  local last = desk.last_press
  if last and last.act ~= desk.act and last.button == button
    and task.now() < last.at + desk.timing.click_apart then return last end
end

local function is_near(last, x, y)
  return math.abs(last.x - x) <= click_apart.by and math.abs(last.y - y) <= click_apart.by
end

--- Where an element is to be clicked that was clicked a moment ago: beside its middle, where it is of a kind that may
--- be clicked anywhere and is wide enough; else what was given.
---@param desk deskpilot.desk
---@param target deskpilot.target?
---@param button string
---@return deskpilot.target?
function click_apart.beside(desk, target, button)
  local last = type(target) == "table" and anywhere[target.role] and click_apart.last(desk, button)
  if not (last and target.width and target.height) then return target end
  local x, y = target.x + target.width // 2, target.y + target.height // 2
  if not is_near(last, x, y) then return target end
  for _, quarter in ipairs { 1, 3 } do
    local other = target.x + target.width * quarter // 4
    if not is_near(last, other, y) then return { x = other, y = y } end
  end
  return target
end

--- Waits until a press where the pointer is counts by itself, and notes it as the latest.
---@param desk deskpilot.desk
---@param button string
function click_apart.wait(desk, button)
  local last = click_apart.last(desk, button)
  local x, y = desk.native:pointer()
  if last and x and is_near(last, x, y) then
    task.sleep(math.max(0.001, last.at + desk.timing.click_apart - task.now()))
  end
  desk.last_press = x and { act = desk.act, button = button, x = x, y = y, at = task.now() }
end

return click_apart
