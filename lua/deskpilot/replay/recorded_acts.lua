--- What a person does with the mouse, put together from its buttons: clicks, double clicks, drags, turns of the wheel;
--- and what each act touches, of the look before it.
local find = require "deskpilot.desk.elements.find"
local hit_test = require "deskpilot.agent.hit_test"
local replay_target = require "deskpilot.replay.target"
local text = require "deskpilot.base.text"

local recorded_acts = {}

local again = 0.4 -- seconds within which a click goes on as a double click, and the wheel as the same turn
local still = 8 -- pixels that the pointer may move during a click

local buttons = { "left", "middle", "right" }
local wheel = { [4] = { tool = "scroll_up" }, [5] = { tool = "scroll_down" },
  [6] = { tool = "scroll_up", sideways = true }, [7] = { tool = "scroll_down", sideways = true } }

local function near(a, b)
  return math.abs(a.x - b.x) <= still and math.abs(a.y - b.y) <= still
end

--- Whether an event of a button belongs to what has begun.
---@param gesture table
---@param event deskpilot.input_event
---@return boolean
function recorded_acts.goes_on(gesture, event)
  if event.button ~= gesture.button then return false end
  if not event.down then return true end
  return event.at - gesture.last <= again and near(event, gesture.from) and not gesture.to
    and (wheel[event.button] ~= nil or gesture.count < 3)
end

--- Whether nothing that belongs to it can come any more.
---@param gesture table
---@param now number
---@return boolean
function recorded_acts.is_over(gesture, now)
  return not gesture.down and now - gesture.last > again
end

--- What has begun with an event, or goes on with it.
---@param gesture table? under way
---@param event deskpilot.input_event
---@param look fun(): table the look before it
---@return table? gesture nil for a button that was let go of and not seen to be pressed
function recorded_acts.gesture(gesture, event, look)
  if not event.down then
    if not gesture then return nil end
    gesture.down, gesture.last = false, event.at
    if not near(event, gesture.from) and not wheel[event.button] then gesture.to = { x = event.x, y = event.y } end
    return gesture
  end
  gesture = gesture or { button = event.button, from = { x = event.x, y = event.y }, count = 0, look = look(),
    ctrl = event.ctrl, alt = event.alt, shift = event.shift, win = event.win }
  gesture.count, gesture.down, gesture.last = gesture.count + 1, true, event.at
  return gesture
end

local function held(gesture)
  local names = {}
  for _, name in ipairs { "ctrl", "alt", "shift", "win" } do
    if gesture[name] then names[#names + 1] = name end
  end
  return #names > 0 and table.concat(names, "+") or nil
end

--- The acts that it was.
---@param gesture table
---@return table[] acts as Recorder:tell takes them
function recorded_acts.of_gesture(gesture)
  local turn = wheel[gesture.button]
  if turn then
    return { { tool = turn.tool, at = gesture.from, args = { notches = math.min(gesture.count, 100),
      sideways = turn.sideways } } }
  end
  local name = buttons[gesture.button]
  if not name then return {} end -- a button of the mouse's own, such as back
  if gesture.to then
    return name == "left" and { { tool = "drag_element", at = gesture.from, to = gesture.to, args = {} } } or {}
  end
  return { { tool = "click_element", at = gesture.from, args = { button = name ~= "left" and name or nil,
    clicks = gesture.count > 1 and gesture.count or nil, keys = held(gesture) } } }
end

--- The element that has the keyboard's focus in a look.
---@param seen deskpilot.observation
---@return deskpilot.element?
function recorded_acts.focused(seen)
  return seen.window and hit_test.focused_in(seen.tree or {}, seen.window.pid)
end

local function at_point(run, seen, at)
  local window = hit_test.window(seen.windows, at.x, at.y)
  return { point = at, window = window, element = hit_test.element(run, seen, window, at.x, at.y, true),
    application = window and replay_target.application(window) }
end

--- What an act touches, as an action tells it (action_target.lua). An act of the pointer gets its label.
---@param run deskpilot.run
---@param seen deskpilot.observation
---@param act table
---@return table
function recorded_acts.touched(run, seen, act)
  if not act.at then
    return { window = seen.window, application = seen.window and replay_target.application(seen.window),
      element = act.into and hit_test.told(act.into, true) or nil }
  end
  local touched = at_point(run, seen, act.at)
  if act.to then touched.drop = at_point(run, seen, act.to) end
  if act.tool == "click_element" or act.tool == "drag_element" then
    local element = touched.element
    act.args.label = text.cut(element and (element.name ~= "" and element.name or element.role)
      or touched.window and touched.window.title ~= "" and touched.window.title or "screen", 200)
  end
  return touched
end

--- What was done, in words.
---@param act table
---@param hit table?
---@return string
function recorded_acts.words(act, hit)
  local element = hit and hit.element
  local on = element and " on " .. find.label(element) or ""
  if act.withheld then return "a person typed something that is not kept" .. on end
  if act.tool == "type_text" then return ("a person typed %d characters%s"):format(utf8.len(act.args.text) or 0, on) end
  return "a person did it" .. on
end

return recorded_acts
