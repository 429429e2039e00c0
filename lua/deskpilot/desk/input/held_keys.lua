--- Pressing keys and letting them go: the one place that does so for keyboard and mouse, so that every key is asked for
--- (filter.lua) and what is held is known.
local held_keys = {}

--- Presses keys in their order, if they may be pressed. Whatever ends the caller, it releases `down.count` of them.
---@param desk deskpilot.desk
---@param names string[] as native.desk's combo gives them
---@param down { count: integer } how many went down
---@return boolean? ok, deskpilot.error? err
function held_keys.press(desk, names, down)
  local ok, err = desk.input.may_press(names)
  if not ok then return nil, err end
  for i, name in ipairs(names) do
    ok, err = desk.native:key(name, true)
    if not ok then return nil, err end
    down.count = i
    desk.input.set_held(name, true)
  end
  return true
end

--- Presses keys in their order, if they may be pressed, and lets them go at once; those too that were held before.
---@param desk deskpilot.desk
---@param names string[] as native.desk's combo gives them
---@return boolean? ok, deskpilot.error? err
function held_keys.tap(desk, names)
  local ok, err = desk.input.may_press(names)
  if not ok then return nil, err end
  ok, err = desk.native:tap(names)
  for _, name in ipairs(names) do desk.input.set_held(name, false) end
  return ok, err
end

--- Lets the first `count` keys go, in reverse.
---@param desk deskpilot.desk
---@param names string[]
---@param count integer
---@return boolean? ok, deskpilot.error? err
function held_keys.release(desk, names, count)
  local failure
  for i = count, 1, -1 do
    local ok, err = desk.native:key(names[i], false)
    desk.input.set_held(names[i], false)
    if not ok then failure = failure or err end
  end
  if failure then return nil, failure end
  return true
end

return held_keys
