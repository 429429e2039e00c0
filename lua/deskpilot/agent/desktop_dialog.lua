--- Which windows a modal dialog of the desktop blocks. An application that has one open takes no input in its other
--- windows; it says so by its elements, so that programs without elements have none here.
local rects = require "deskpilot.desk.picture.rect"
local text = require "deskpilot.base.text"

local desktop_dialog = {}

---@class deskpilot.desktop_dialog
---@field name string
---@field role string
---@field pid integer
---@field window deskpilot.window the dialog's own
---@field beneath deskpilot.window[] the windows of the same application that it blocks
---@field popups deskpilot.element[] what the application shows above it: open menus and lists
---@field controls string[] names of what can be pressed in it, at most 6

local pressed = { ["push button"] = true, ["toggle button"] = true, ["check box"] = true, ["radio button"] = true }

local function inside(list, element, frame)
  local at = element
  while at and at ~= frame do at = at.parent and list[at.parent] end
  return at == frame
end

local function controls_of(list, frame)
  local names = {}
  for _, element in ipairs(list) do
    if #names < 6 and pressed[element.role] and element.name ~= "" and element.states.enabled ~= false
      and inside(list, element, frame) then
      names[#names + 1] = ("%q"):format(text.cut(text.one_line(element.name), 40))
    end
  end
  return names
end

-- How well a window fits an element's rectangle: 1 is exactly, 0 not at all.
local function fit(window, element)
  local common = rects.overlap(window, element)
  return common / (window.width * window.height + element.width * element.height - common)
end

-- Where the element's window is in the list; nil if none is about as large and in the same place. Titles do not tell:
-- dialogs often have none, and lie on the window that they belong to.
local function place_of(element, windows)
  local best, best_fit = nil, 0.5
  for i, window in ipairs(windows) do
    local its = window.visible and window.pid == element.pid and fit(window, element) or 0
    if its >= best_fit then best, best_fit = i, its end
  end
  return best
end

-- What lies above the dialog: the menus and lists that it has opened, and what no window manager lists.
local function popups_of(list, top, windows)
  local popups = {}
  for _, element in ipairs(list) do
    local role = element.role
    local opened = (role:find("menu", 1, true) or role:find("list", 1, true)) and inside(list, element, top)
    local floats = element.depth == 1 and element.pid == top.pid and element ~= top and not place_of(element, windows)
    if opened or floats then popups[#popups + 1] = element end
  end
  return popups
end

-- The topmost window whose element is modal: that element, and the window's place in the list.
local function topmost_modal(windows, list)
  local top, place
  for _, element in ipairs(list) do
    if element.states.modal and element.depth == 1 then
      local at = place_of(element, windows)
      if at and at > (place or 0) then top, place = element, at end
    end
  end
  return top, place
end

--- The topmost modal dialog, if there is one.
---@param windows deskpilot.window[] all windows, bottom to top
---@param list deskpilot.element[] all elements that are showing
---@return deskpilot.desktop_dialog?
function desktop_dialog.find(windows, list)
  local top, place = topmost_modal(windows, list)
  if not top then return nil end
  local window, beneath = windows[place], {}
  for i = 1, place - 1 do
    if windows[i].visible and windows[i].pid == window.pid then beneath[#beneath + 1] = windows[i] end
  end
  return { name = top.name ~= "" and top.name or window.title, role = top.role, pid = window.pid, window = window,
    beneath = beneath, popups = popups_of(list, top, windows), controls = controls_of(list, top) }
end

local function any_contains(list, x, y)
  for _, rect in ipairs(list) do
    if rects.contains(rect, x, y) then return true end
  end
  return false
end

--- Whether a pixel of the screen belongs to a window that the dialog blocks.
---@param dialog deskpilot.desktop_dialog
---@param x integer
---@param y integer
---@return boolean
function desktop_dialog.blocks(dialog, x, y)
  return not rects.contains(dialog.window, x, y) and any_contains(dialog.beneath, x, y)
    and not any_contains(dialog.popups, x, y)
end

--- The dialog in one line.
---@param dialog deskpilot.desktop_dialog
---@return string
function desktop_dialog.describe(dialog)
  local controls = #dialog.controls > 0 and "; in it are " .. text.join(dialog.controls) or ""
  return ("%s %q%s"):format(dialog.role, text.cut(text.one_line(dialog.name), 80), controls)
end

return desktop_dialog
