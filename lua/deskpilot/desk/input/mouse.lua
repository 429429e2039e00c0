--- desk.mouse: moving, clicking, dragging, scrolling. Targets are points or elements (points.lua).
--- Whatever goes down comes up again, also when the task is cancelled half-way.
local keys = require "native.desk"
local click_apart = require "deskpilot.desk.input.click_apart"
local errors = require "deskpilot.base.errors"
local held_keys = require "deskpilot.desk.input.held_keys"
local mouse_path = require "deskpilot.desk.input.mouse_path"
local options = require "deskpilot.base.option_table"
local points = require "deskpilot.desk.picture.points"
local signature = require "deskpilot.base.signature"
local task = require "deskpilot.base.task"
local timing = require "deskpilot.desk.wait.timing"
local typing = require "deskpilot.desk.input.typing"
local waits = require "deskpilot.desk.wait.waits"

local mouse = {}

local PIXELS = 100 -- that count as a notch of the wheel: what browsers scroll by one

local buttons = { left = true, middle = true, right = true, back = true, forward = true }

local function check_button(name, who)
  if not buttons[name] then
    errors.mistake("%s: a button is left, middle, right, back or forward, not %s", who, tostring(name))
  end
  return name
end

-- Lets go of a button or of keys at the end of a block, whatever ends it.
local function held(release)
  return setmetatable({}, { __close = release })
end

-- Holds modifiers such as "ctrl+shift" or { "ctrl", "shift" }.
local function hold_modifiers(desk, modifiers)
  if not modifiers then return held(function() end) end
  if type(modifiers) == "table" then modifiers = table.concat(modifiers, "+") end
  local names, err = keys.combo(modifiers)
  if not names then return nil, err end
  local down = { count = 0 }
  local ok, failure = held_keys.press(desk, names, down)
  local function release() held_keys.release(desk, names, down.count) end
  if ok then return held(release) end
  release()
  return nil, failure
end

-- Presses when the last click has gone through: a window manager that is busy with one loses the next.
local function go_down(desk, button)
  desk.input.clicked()
  click_apart.wait(desk, button)
  local limit = task.now() + desk.timing.click_taken
  while desk.native:button_waits() and task.now() < limit do task.sleep(0.001) end
  return desk.native:button(button, true)
end

-- Whether a button may go down, or the wheel turn, at a target, before the pointer goes there; where it is already
-- without one. The target itself may be an element that moves, so what counts is where it is now. `said`: what a page
-- has just said of the pixel `x`, `y`.
local function may_point(desk, target, act, said)
  local x, y
  if target then x, y = points.resolve(desk, target) else x, y = desk.native:pointer() end
  if not x then return nil, y end
  act.act, act.x, act.y = "point", x, y
  act.said = said and said.x == x and said.y == y and said.said or nil
  local ok, err = desk.input.may_act(act)
  if not ok or target then return ok, err end
  -- A person may have been asked, and have used the mouse for the answer.
  local now_x, now_y = desk.native:pointer()
  if now_x == x and now_y == y then return true end
  return mouse_path.go(desk, x, y)
end

local function rest(seconds)
  if seconds > 0 then task.sleep(seconds) end
end

local function press(desk, button, seconds)
  local down = true
  local guard <close> = held(function() if down then desk.native:button(button, false) end end)
  assert(guard)
  local ok, err = go_down(desk, button)
  if ok then rest(seconds) end
  down = false
  local released, why = desk.native:button(button, false)
  if not ok then return nil, err end
  return released, why
end

local function click_times(desk, button, count, interval)
  local before, hold, after, between = timing.of(desk, "pointer_rest", "click_hold", "click_pause", "double_click")
  rest(before)
  for i = 1, count do
    if i > 1 then task.sleep(interval or between) end
    local ok, err = press(desk, button, hold)
    if not ok then return nil, err end
  end
  rest(after)
  return true
end

--- Clicks where the pointer is, for a page that has confirmed that it is over what is to be clicked.
---@param desk deskpilot.desk
---@param tab deskpilot.tab
---@param button deskpilot.button
---@param count integer
---@param confirmed { x: integer, y: integer, said: deskpilot.page_words? } the pixel of the screen that the page has
---  confirmed, and what it has said of it
---@return boolean? ok, deskpilot.error? err
function mouse.click_page(desk, tab, button, count, confirmed)
  local waited = desk.activity.give_way()
  local permitted, forbidden = may_point(desk, nil, { button = button, count = count, tab = tab },
    not waited and confirmed or nil)
  if not permitted then return nil, forbidden end
  return click_times(desk, button, count)
end

---@alias deskpilot.button "left"|"middle"|"right"|"back"|"forward"

---@class deskpilot.click_options
---@field button deskpilot.button? left if not given
---@field count integer? how many times; 1
---@field modifiers string|string[]|nil keys that are held: "ctrl+shift", { "ctrl", "shift" }
---@field interval number? seconds between the clicks of a count; timing.double_click

---@class deskpilot.drag_options
---@field button deskpilot.button? left if not given
---@field modifiers string|string[]|nil keys that are held
---@field seconds number? that the way takes; timing.drag_step for each move
---@field steps integer? how many moves it is made of

---@class deskpilot.scroll_options
---@field dx number? notches to the right
---@field dy number? notches down
---@field pixels boolean? whether dx and dy are pixels
---@field at deskpilot.target? where; where the pointer is if not given
---@field modifiers string|string[]|nil keys that are held

local click_options = { button = "string", count = "whole", modifiers = "any", interval = "number" }
local move_options = { seconds = "number" }
local drag_options = { button = "string", modifiers = "any", seconds = "number", steps = "whole" }
local scroll_options = { dx = "number", dy = "number", at = "any", pixels = "boolean", modifiers = "any" }

local function options_with(given, who, button, count)
  local copy = {}
  for key, value in pairs(options.check(given, click_options, who)) do copy[key] = value end
  copy.button = copy.button or button
  copy.count = copy.count or count
  return copy
end

-- The pixels that a drag goes by: of drag(from, to, options) or drag({ point, ... }, options).
local function corners_of(desk, path)
  local corners = {}
  for i, target in ipairs(path) do
    local x, y = points.resolve(desk, target)
    if not x then return nil, y end
    corners[i] = { x = x, y = y }
  end
  return corners
end

-- The pixel beside `corner` on the line to `before`.
local function step_back(corner, before)
  local dx, dy = before.x - corner.x, before.y - corner.y
  local far = math.max(math.abs(dx), math.abs(dy), 1)
  return corner.x + math.tointeger((dx / far + 0.5) // 1), corner.y + math.tointeger((dy / far + 0.5) // 1)
end

-- Toolkits leave out moves that they are too slow for, and would cut the corners. Those that have the server tell them
-- of a move only once until they ask (GTK 2's motion hints) may ask after the last of a leg and never hear where it
-- ended: one step back and forth there tells them, and draws nothing beside the line. At the end too: with the button
-- up they draw no more.
local function be_seen(desk, before, corner)
  local ok, err = typing.catch_up(desk, desk.timing.drag_step)
  if not ok or not before then return ok, err end
  ok, err = mouse_path.go(desk, step_back(corner, before))
  if ok then ok, err = typing.catch_up(desk, desk.timing.drag_step) end
  if ok then ok, err = mouse_path.go(desk, corner.x, corner.y) end
  if not ok then return nil, err end
  return typing.catch_up(desk, desk.timing.drag_step)
end

local function drag_along(desk, corners, how)
  local button = check_button(how.button or "left", "mouse.drag")
  local before, drag_step = timing.of(desk, "pointer_rest", "drag_step")
  local ok, err = mouse_path.go(desk, corners[1].x, corners[1].y)
  if not ok then return nil, err end
  rest(before)
  local modifiers <close>, why = hold_modifiers(desk, how.modifiers)
  if not modifiers then return nil, why end
  local down <close> = held(function() desk.native:button(button, false) end)
  ok, err = go_down(desk, button)
  if not ok or not down then return nil, err end
  local steps = how.steps or math.max(timing.drag_steps, (how.seconds or 0) // math.max(drag_step, 0.001))
  local way = mouse_path.along(corners, steps)
  return mouse_path.follow(desk, way, how.seconds or #way * drag_step,
    function(point, corner) return be_seen(desk, point, corner) end)
end

local function is_path(value)
  return type(value) == "table" and type(value[1]) == "table"
end

signature.kind("path", {
  what = "a point, an element or a list of them",
  fits = function(value) return is_path(value) or signature.fits("target", value) end,
  take = signature.numbers_as_point,
})

signature.kind("drag_to", {
  what = "a point, an element or a table of options",
  fits = function(value) return type(value) == "table" and not errors.is(value) end,
  take = signature.numbers_as_point,
})

local signatures = signature.of("desk.mouse", {
  position = {}, move = { "target", "options?" }, hover = { "target", "number?" }, click = { "target?", "options?" },
  double_click = { "target?", "options?" }, triple_click = { "target?", "options?" },
  right_click = { "target?", "options?" }, middle_click = { "target?", "options?" }, press = { "any?" },
  release = { "any?" }, drag = { "path", "drag_to?", "options?" }, scroll = { "options" },
})

---@param desk deskpilot.desk
---@return deskpilot.desk.mouse
function mouse.new(desk)
  ---@class deskpilot.desk.mouse
  local api = {}

  --- Where the pointer is.
  ---@return integer? x, integer|deskpilot.error y
  function api.position()
    return desk.native:pointer()
  end

  --- Moves the pointer, and makes sure that it arrived: at once, or on a straight way that takes that many
  --- seconds, slow at its ends, with all the moves in between that a hand makes.
  ---@param target deskpilot.target
  ---@param how { seconds: number? }?
  ---@overload fun(x: number, y: number, how: { seconds: number? }?): boolean?, deskpilot.error?
  ---@return boolean? ok, deskpilot.error? err
  function api.move(target, how)
    how = options.check(how, move_options, "mouse.move")
    desk.activity.give_way()
    local x, y = points.resolve(desk, target)
    if not x then return nil, y end
    if not how.seconds then return mouse_path.go(desk, x, y) end
    local from_x, from_y = desk.native:pointer()
    if not from_x then return nil, from_y end
    local steps = math.max(2, math.ceil(how.seconds / desk.timing.move_step))
    return mouse_path.follow(desk, mouse_path.along({ { x = from_x, y = from_y }, { x = x, y = y } }, steps,
      mouse_path.smooth), how.seconds)
  end

  --- Moves to a target, stays there for that many seconds (timing.hover: longer than tooltips wait) and then
  --- until the screen is quiet.
  ---@param target deskpilot.target
  ---@param seconds number?
  ---@overload fun(x: number, y: number, seconds: number?): boolean?, deskpilot.error?
  ---@return boolean? ok, deskpilot.error? err
  function api.hover(target, seconds)
    desk.activity.give_way()
    local x, y = points.resolve(desk, target)
    if not x then return nil, y end
    local at_x, at_y = desk.native:pointer()
    if not at_x then return nil, at_y end
    local to = at_x == x and at_y == y and mouse_path.stir or mouse_path.go
    local ok, err = to(desk, x, y)
    if not ok then return nil, err end
    task.sleep(seconds or desk.timing.hover)
    local settled, failure = waits.wait_until_settled(desk)
    if not settled then return nil, failure end
    return true
  end

  --- Clicks at a point or in the middle of an element; where the pointer is, if no target is given. On Windows that
  --- is where it was sent, if that is less than a second ago.
  ---@param target deskpilot.target?
  ---@param how deskpilot.click_options?
  ---@overload fun(x: number, y: number, how: deskpilot.click_options?): boolean?, deskpilot.error?
  ---@return boolean? ok, deskpilot.error? err
  function api.click(target, how)
    how = options.check(how, click_options, "mouse.click")
    local button = check_button(how.button or "left", "mouse.click")
    desk.activity.give_way()
    target = click_apart.beside(desk, target, button)
    local permitted, forbidden = may_point(desk, target, { button = button, count = how.count or 1 })
    if not permitted then return nil, forbidden end
    if target then
      local ok, err = api.move(target)
      if not ok then return nil, err end
    end
    local modifiers <close>, err = hold_modifiers(desk, how.modifiers)
    if not modifiers then return nil, err end
    return click_times(desk, button, how.count or 1, how.interval)
  end

  --- Two clicks of the left button, close enough to count as one double click.
  ---@param target deskpilot.target?
  ---@param how deskpilot.click_options?
  ---@overload fun(x: number, y: number, how: deskpilot.click_options?): boolean?, deskpilot.error?
  ---@return boolean? ok, deskpilot.error? err
  function api.double_click(target, how)
    return api.click(target, options_with(how, "mouse.double_click", "left", 2))
  end

  --- Three clicks, which mark a line or a paragraph in most programs.
  ---@param target deskpilot.target?
  ---@param how deskpilot.click_options?
  ---@overload fun(x: number, y: number, how: deskpilot.click_options?): boolean?, deskpilot.error?
  ---@return boolean? ok, deskpilot.error? err
  function api.triple_click(target, how)
    return api.click(target, options_with(how, "mouse.triple_click", "left", 3))
  end

  --- A click of the right button.
  ---@param target deskpilot.target?
  ---@param how deskpilot.click_options?
  ---@overload fun(x: number, y: number, how: deskpilot.click_options?): boolean?, deskpilot.error?
  ---@return boolean? ok, deskpilot.error? err
  function api.right_click(target, how)
    return api.click(target, options_with(how, "mouse.right_click", "right", 1))
  end

  --- A click of the middle button.
  ---@param target deskpilot.target?
  ---@param how deskpilot.click_options?
  ---@overload fun(x: number, y: number, how: deskpilot.click_options?): boolean?, deskpilot.error?
  ---@return boolean? ok, deskpilot.error? err
  function api.middle_click(target, how)
    return api.click(target, options_with(how, "mouse.middle_click", "middle", 1))
  end

  --- Presses a button where the pointer is (as for click) and leaves it down until release, or until the desk is
  --- closed.
  ---@param button deskpilot.button? left if not given
  ---@return boolean? ok, deskpilot.error? err
  function api.press(button)
    check_button(button or "left", "mouse.press")
    desk.activity.give_way()
    local permitted, forbidden = may_point(desk, nil, { button = button or "left", count = 1 })
    if not permitted then return nil, forbidden end
    return go_down(desk, button or "left")
  end

  --- Lets a button go that was pressed.
  ---@param button deskpilot.button? left if not given
  ---@return boolean? ok, deskpilot.error? err
  function api.release(button)
    return desk.native:button(check_button(button or "left", "mouse.release"), false)
  end

  --- Presses a button at one place, moves in small steps to another, and lets go: drag(from, to), or
  --- drag { a, b, c } along several points. `seconds` is the time of the way (timing.drag_step for each move if
  --- not given), `steps` how many moves it is made of. At each corner and at the end it goes back by a pixel and
  --- forth again, so that programs which are slow to ask for the pointer's place do not cut the corner.
  ---@param from deskpilot.target|deskpilot.target[]
  ---@param to deskpilot.target?
  ---@param how deskpilot.drag_options?
  ---@return boolean? ok, deskpilot.error? err
  function api.drag(from, to, how)
    local path = { from, to }
    if is_path(from) then
      if how ~= nil then errors.mistake "mouse.drag wants drag(from, to, options) or drag({ points }, options)" end
      path, how = from, to
      if #path < 2 then errors.mistake "mouse.drag wants two points or more" end
    end
    how = options.check(how, drag_options, "mouse.drag")
    check_button(how.button or "left", "mouse.drag")
    if not path[2] then errors.mistake "mouse.drag wants to know where to" end
    desk.activity.give_way()
    local corners, err = corners_of(desk, path)
    if not corners then return nil, err end
    for i = 1, #corners, math.max(1, #corners - 1) do -- both ends
      local permitted, forbidden = may_point(desk, corners[i], { button = how.button or "left", count = 1 })
      if not permitted then return nil, forbidden end
    end
    local ok, failure = drag_along(desk, corners, how)
    if ok then rest((timing.of(desk, "click_pause"))) end
    return ok, failure
  end

  --- Turns the wheel: notches to the right and down, negative to the left and up. With `pixels`, dx and dy
  --- are pixels of about a hundredth of a notch, which is what browsers scroll by; Windows turns that finely,
  --- X11 by whole notches (to the nearest, at least one). How far a notch scrolls is the application's choice.
  ---@param how deskpilot.scroll_options
  ---@return boolean? ok, deskpilot.error? err
  function api.scroll(how)
    how = options.check(how, scroll_options, "mouse.scroll")
    local dx, dy = how.dx or 0, how.dy or 0
    if how.pixels then
      dx, dy = dx / PIXELS, dy / PIXELS
    elseif dx % 1 ~= 0 or dy % 1 ~= 0 then
      errors.mistake "mouse.scroll: notches are whole numbers; for less say pixels = true"
    end
    desk.activity.give_way()
    local permitted, forbidden = may_point(desk, how.at, { what = "scroll" })
    if not permitted then return nil, forbidden end
    if how.at then
      local ok, err = api.move(how.at)
      if not ok then return nil, err end
    end
    local modifiers <close>, err = hold_modifiers(desk, how.modifiers)
    if not modifiers then return nil, err end
    desk.pending_work:has_turned_wheel()
    return desk.native:wheel(dx, dy)
  end

  return signatures(api)
end

return mouse
