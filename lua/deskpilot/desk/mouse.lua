--- desk.mouse: moving, clicking, dragging, scrolling. Targets are points or elements (points.lua).
--- Whatever goes down comes up again, also when the task is cancelled half-way.
local keys = require "native.desk"
local points = require "deskpilot.desk.points"
local task = require "deskpilot.base.task"
local timing = require "deskpilot.desk.timing"

local mouse = {}

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
  local down = 0
  local function release()
    for i = down, 1, -1 do desk.native:key(names[i], false) end
  end
  for i, name in ipairs(names) do
    local ok, failure = desk.native:key(name, true)
    if not ok then
      release()
      return nil, failure
    end
    down = i
  end
  return held(release)
end

local function press(desk, button)
  local ok, err = desk.native:button(button, true)
  if not ok then
    desk.native:button(button, false)
    return nil, err
  end
  return desk.native:button(button, false)
end

local function click_times(desk, button, count, interval)
  for i = 1, count do
    if i > 1 then task.sleep(interval) end
    local ok, err = press(desk, button)
    if not ok then return nil, err end
  end
  return true
end

local function options_with(options, button, count)
  local copy = {}
  for key, value in pairs(options or {}) do copy[key] = value end
  copy.button = copy.button or button
  copy.count = copy.count or count
  return copy
end

local function drag_path(desk, x1, y1, x2, y2, steps)
  for i = 1, steps do
    task.sleep(desk.timing.drag_step)
    local x, y = x1 + (x2 - x1) * i // steps, y1 + (y2 - y1) * i // steps
    local ok, err = desk.native:move(x, y)
    if not ok then return nil, err end
  end
  return true
end

---@param desk deskpilot.desk
function mouse.new(desk)
  local api = {}

  --- Where the pointer is.
  ---@return integer? x, integer|deskpilot.error y
  function api.position()
    return desk.native:pointer()
  end

  --- Moves the pointer, and makes sure that it arrived.
  ---@param target deskpilot.point|table
  ---@return boolean? ok, deskpilot.error? err
  function api.move(target)
    local x, y = points.resolve(desk, target)
    if not x then return nil, y end
    return desk.native:move(x, y)
  end

  --- Clicks at a point or in the middle of an element; where the pointer is, if no target is given.
  ---@param target deskpilot.point|table|nil
  ---@param options { button: string?, count: integer?, modifiers: string|string[]|nil, interval: number? }?
  ---@return boolean? ok, deskpilot.error? err
  function api.click(target, options)
    options = options or {}
    if target then
      local ok, err = api.move(target)
      if not ok then return nil, err end
    end
    local modifiers <close>, err = hold_modifiers(desk, options.modifiers)
    if not modifiers then return nil, err end
    return click_times(desk, options.button or "left", options.count or 1,
      options.interval or desk.timing.double_click)
  end

  --- Two clicks of the left button, close enough to count as one double click.
  ---@param target deskpilot.point|table|nil
  ---@param options table? as click's
  ---@return boolean? ok, deskpilot.error? err
  function api.double_click(target, options)
    return api.click(target, options_with(options, "left", 2))
  end

  --- A click of the right button.
  ---@param target deskpilot.point|table|nil
  ---@param options table? as click's
  ---@return boolean? ok, deskpilot.error? err
  function api.right_click(target, options)
    return api.click(target, options_with(options, "right", 1))
  end

  --- A click of the middle button.
  ---@param target deskpilot.point|table|nil
  ---@param options table? as click's
  ---@return boolean? ok, deskpilot.error? err
  function api.middle_click(target, options)
    return api.click(target, options_with(options, "middle", 1))
  end

  --- Presses a button at one place, moves in small steps to another, and lets go.
  ---@param from deskpilot.point|table
  ---@param to deskpilot.point|table
  ---@param options { button: string?, modifiers: string|string[]|nil, steps: integer? }?
  ---@return boolean? ok, deskpilot.error? err
  function api.drag(from, to, options)
    options = options or {}
    local button = options.button or "left"
    local x1, y1 = points.resolve(desk, from)
    if not x1 then return nil, y1 end
    local x2, y2 = points.resolve(desk, to)
    if not x2 then return nil, y2 end
    local ok, err = desk.native:move(x1, y1)
    if not ok then return nil, err end
    local modifiers <close>, why = hold_modifiers(desk, options.modifiers)
    if not modifiers then return nil, why end
    local down <close> = held(function() desk.native:button(button, false) end)
    ok, err = desk.native:button(button, true)
    if not ok or not down then return nil, err end
    ok, err = drag_path(desk, x1, y1, x2, y2, options.steps or timing.drag_steps)
    if not ok then return nil, err end
    task.sleep(desk.timing.drag_step) -- for the last move to be taken in before the button goes up
    return true
  end

  --- Turns the wheel: notches to the right and down, negative to the left and up.
  ---@param options { dx: integer?, dy: integer?, at: deskpilot.point|table|nil, modifiers: string|string[]|nil }
  ---@return boolean? ok, deskpilot.error? err
  function api.scroll(options)
    if options.at then
      local ok, err = api.move(options.at)
      if not ok then return nil, err end
    end
    local modifiers <close>, err = hold_modifiers(desk, options.modifiers)
    if not modifiers then return nil, err end
    return desk.native:wheel(options.dx or 0, options.dy or 0)
  end

  return api
end

return mouse
