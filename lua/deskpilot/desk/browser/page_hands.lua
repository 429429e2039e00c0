--- Two implementations of pointer and keyboard input for a page: the desktop's own mouse and keyboard ("real"), and
--- simulated events of the DevTools protocol ("cdp"). Both have the same functions. Points are device pixels, counted
--- from the upper left corner of the visible page.
local native = require "native.desk"
local active = require "deskpilot.desk.browser.active"
local click_apart = require "deskpilot.desk.input.click_apart"
local errors = require "deskpilot.base.errors"
local mouse = require "deskpilot.desk.input.mouse"
local viewport = require "deskpilot.desk.browser.viewport"

local hands = {}

-- --- the desktop's mouse and keyboard -------------------------------------------------------------------

local real = {}
hands.real = real

--- Whether the page may be in front, by the desktop's word; then it tells in its next answer whether it is.
function real.may_be_in_front(tab)
  return active.has_window(tab)
end

--- Brings the page to the front.
function real.begin(tab)
  local ok, err = tab:activate()
  if not ok then return nil, err end
  local window
  window, err = tab:window()
  if not window then return nil, err end
  return window.active or tab.browser.desk.windows.focus(window)
end

--- Moves the pointer to a point. Returns where that is on the screen, from which viewport.lua measures the page's
--- place.
---@return table? moved { place, x, y }; whoever asks the page about it adds what that has `said` (page.said)
---@return deskpilot.error? err
function real.move(tab, metrics, x, y)
  local place, err = viewport.place(tab, metrics)
  if not place then
    return errors.fail("unavailable", "%s", "no window shows the page" .. (err and ": " .. tostring(err) or ""))
  end
  local hand = tab.browser.desk.mouse
  local to_x, to_y = place:pixel(x, y)
  local at_x, at_y = hand.position()
  if not at_x then return nil, at_y end
  if at_x == to_x and at_y == to_y then -- without a move the page gets no event
    local ok, why = hand.move { x = place:contains(to_x - 1, to_y) and to_x - 1 or to_x + 1, y = to_y }
    if not ok then return nil, why end
  end
  local ok, why = hand.move { x = to_x, y = to_y }
  if not ok then return nil, why end
  return { place = place, x = to_x, y = to_y }
end

--- What is to be kept clear of where another place of an element does as well: the pixel that was pressed a moment ago
--- for another act, and how far.
---@return { x: integer, y: integer, by: integer }?
function real.pressed_before(tab, button)
  local last = click_apart.last(tab.browser.desk, button)
  local at = last and tab.pressed and tab.pressed.press == last and tab.pressed
  return at and { x = at.x, y = at.y, by = click_apart.by } or nil
end

--- Presses a button where the pointer has been moved to: at a pixel of the page.
function real.press(tab, moved, button, count, x, y)
  local desk = tab.browser.desk
  local ok, err = mouse.click_page(desk, tab, button, count, moved)
  tab.pressed = { press = desk.last_press, x = x, y = y }
  return ok, err
end

--- Types text at the caret. A line break presses Enter.
function real.type(tab, content)
  return tab.browser.desk.keyboard.type(content)
end

local combos = { all = "ctrl+a", line_end = "end", text_end = "ctrl+end", delete = "delete" }

--- Presses a key: "all" (select everything), "line_end", "text_end" (of the whole text) or "delete".
function real.key(tab, name)
  return tab.browser.desk.keyboard.press(combos[name])
end

--- Turns the mouse wheel at a point, by about dx and dy CSS pixels.
function real.wheel(tab, metrics, x, y, dx, dy)
  local moved, err = real.move(tab, metrics, x, y)
  if not moved then return nil, err end
  return tab.browser.desk.mouse.scroll { dx = dx, dy = dy, pixels = true }
end

-- --- simulated by the browser ---------------------------------------------------------------------------

local cdp = {}
hands.cdp = cdp

--- Its events need no window.
function cdp.may_be_in_front() return false end

function cdp.begin(tab)
  return tab:call("Page.bringToFront")
end

-- The protocol counts in CSS pixels.
local function point(metrics, x, y)
  local dpr = tonumber(metrics.dpr) or 1
  return x / dpr, y / dpr
end

function cdp.move(tab, metrics, x, y)
  local px, py = point(metrics, x, y)
  local ok, err = tab:call("Input.dispatchMouseEvent", { type = "mouseMoved", x = px, y = py })
  if not ok then return nil, err end
  return { px = px, py = py }
end

local bits = { left = 1, right = 2, middle = 4, back = 8, forward = 16 }

--- Nothing: each press tells which of how many it is.
function cdp.pressed_before() end

function cdp.press(tab, moved, button, count)
  tab.browser.desk.input.clicked()
  for i = 1, count do
    for _, kind in ipairs { "mousePressed", "mouseReleased" } do
      local ok, err = tab:call("Input.dispatchMouseEvent", { type = kind, x = moved.px, y = moved.py, button = button,
        buttons = kind == "mousePressed" and bits[button] or 0, clickCount = i })
      if not ok then return nil, err end
    end
  end
  return true
end

local desk_keys = { ["\n"] = "enter", ["\t"] = "tab" }

local keys = {
  ["\n"] = { key = "Enter", code = "Enter", windowsVirtualKeyCode = 13, text = "\r" },
  ["\t"] = { key = "Tab", code = "Tab", windowsVirtualKeyCode = 9 },
  all = { key = "a", code = "KeyA", windowsVirtualKeyCode = 65, modifiers = 2, commands = { "selectAll" } },
  line_end = { key = "End", code = "End", windowsVirtualKeyCode = 35 },
  text_end = { key = "End", code = "End", windowsVirtualKeyCode = 35, modifiers = 2 },
  delete = { key = "Delete", code = "Delete", windowsVirtualKeyCode = 46 },
}

-- For the desk it is the same key whoever presses it.
local function may_press(tab, name)
  local input = tab.browser.desk.input
  local ok, err = input.may_press(native.combo(desk_keys[name] or combos[name]))
  if not ok then return nil, err end
  return input.may_act { act = "page", what = "key", tab = tab }
end

function cdp.key(tab, name)
  local permitted, forbidden = may_press(tab, name)
  if not permitted then return nil, forbidden end
  for _, kind in ipairs { "keyDown", "keyUp" } do
    local params = { type = kind }
    for field, value in pairs(keys[name]) do
      if kind == "keyDown" or field ~= "text" and field ~= "commands" then params[field] = value end
    end
    local ok, err = tab:call("Input.dispatchKeyEvent", params)
    if not ok then return nil, err end
  end
  return true
end

function cdp.type(tab, content)
  local input = tab.browser.desk.input
  local permitted, forbidden = input.may_type(content)
  if permitted then permitted, forbidden = input.may_act { act = "page", what = "type", tab = tab } end
  if not permitted then return nil, forbidden end
  for plain, special in (content .. "\0"):gmatch("([^\n\t%z]*)([\n\t%z])") do -- pattern: no try fails
    if plain ~= "" then
      local ok, err = tab:call("Input.insertText", { text = plain })
      if not ok then return nil, err end
    end
    if special ~= "\0" then
      local ok, err = cdp.key(tab, special)
      if not ok then return nil, err end
    end
  end
  return true
end

function cdp.wheel(tab, metrics, x, y, dx, dy)
  local permitted, forbidden = tab.browser.desk.input.may_act { act = "page", what = "scroll", tab = tab }
  if not permitted then return nil, forbidden end
  local px, py = point(metrics, x, y)
  return tab:call("Input.dispatchMouseEvent", { type = "mouseWheel", x = px, y = py, deltaX = dx, deltaY = dy })
end

--- The implementation of that name. Raises an error for another name.
---@param name "real"|"cdp"|nil default "real"
---@return table
function hands.of(name)
  local found = hands[name or "real"]
  if not found or type(found) ~= "table" then errors.mistake("input is real or cdp, not %s", tostring(name)) end
  return found
end

return hands
