--- desk.keyboard: typing text and pressing keys.
local keys = require "native.desk"
local errors = require "deskpilot.base.errors"
local held_keys = require "deskpilot.desk.input.held_keys"
local options = require "deskpilot.base.option_table"
local signature = require "deskpilot.base.signature"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"
local timing = require "deskpilot.desk.wait.timing"
local typing = require "deskpilot.desk.input.typing"

-- What few runs need is loaded by those that do.
local function read_back() return require "deskpilot.desk.input.read_back" end

local keyboard = {}

-- Presses once and lets go after `seconds`, sooner if the task is cancelled.
local function press_once(desk, names, seconds)
  if seconds == 0 then return held_keys.tap(desk, names) end
  local down = { count = 0 }
  local guard <close> = setmetatable({}, { __close = function() held_keys.release(desk, names, down.count) end })
  assert(guard)
  local ok, err = held_keys.press(desk, names, down)
  if ok then task.sleep(seconds) end
  local count = down.count
  down.count = 0
  local released, why = held_keys.release(desk, names, count)
  if not ok then return nil, err end
  return released, why
end

-- Between two presses: the time that was asked for, or until the window has taken the last one.
local function pause(desk, interval)
  if not interval then return typing.catch_up(desk, desk.timing.key_interval) end
  task.sleep(interval)
  return true
end

-- The element with the keyboard in it: clicked, unless it has it already. Its window comes up first, or the
-- click would go to what covers it.
local function enter_element(desk, into)
  local element, err = into, nil
  if not into.handle then element, err = desk.elements.find(into) end
  if not element then return nil, err end
  local window
  window, err = desk.windows.active()
  if not window and not errors.is(err, "not_found") then return nil, err end
  if element.pid ~= 0 and (not window or window.pid ~= element.pid) and desk.windows.find { pid = element.pid } then
    local ok, why = desk.windows.focus { pid = element.pid }
    if not ok then return nil, why end
  end
  local clicked, limit = false, task.now() + desk.timing.focus
  while true do
    local list, failure = desk.elements.list { pid = element.pid ~= 0 and element.pid or nil, bare = true }
    if not list then return nil, failure end
    local now
    for _, each in ipairs(list) do now = each.handle == element.handle and each or now end
    if now and now.states.focused then return element end
    if not clicked then
      local ok, why = desk.mouse.click(now or element)
      if not ok then return nil, why end
      clicked, limit = true, task.now() + desk.timing.focus
    elseif task.now() >= limit then
      return errors.fail("refused", "%s", ("the %s '%s' was clicked and did not take the keyboard"):format(element.role,
        text.cut(text.one_line(element.name), 80)))
    end
    task.sleep(desk.timing.wait_every)
  end
end

-- Brings up whom the text is for. Returns the window, and the element if one was named.
local function prepare(desk, how)
  local element, err
  if how.window then
    local ok, why = desk.windows.focus(how.window)
    if not ok then return nil, why end
  end
  if how.into then
    element, err = enter_element(desk, how.into)
    if not element then return nil, err end
  end
  local target, why = typing.target(desk)
  if not target then return nil, why end
  return target, element
end

---@class deskpilot.type_options
---@field window deskpilot.window|integer|deskpilot.window_criteria|nil whose the text is
---@field into deskpilot.element|deskpilot.element_criteria|nil where its caret is
---@field verify boolean? whether the field is read afterwards

---@class deskpilot.press_options
---@field times integer? how often; 1
---@field hold number? seconds that each press takes; timing.key_hold
---@field interval number? seconds between two presses; as soon as the window has taken the last one

local type_options = { window = "any", into = "table", verify = "boolean" }
local press_options = { times = "whole", hold = "number", interval = "number" }

local signatures = signature.of("desk.keyboard", {
  type = { "text", "options?" }, press = { "text", "options?" }, hold = { "text" }, release = { "text" }, keys = {},
})

---@param desk deskpilot.desk
---@return deskpilot.desk.keyboard
function keyboard.new(desk)
  ---@class deskpilot.desk.keyboard
  local api = {}
  local typed -- when something was, and no key pressed since

  --- Types text into the active window, or into `window` (as desk.windows gives it, or what to find it by),
  --- or into the element `into` (the same for desk.elements), where its caret is. Any Unicode; a line break is
  --- Enter, a tab is Tab. It goes as fast as the window takes it. When another window becomes the active one
  --- meanwhile, typing stops with an error (code "refused") that says how many characters were typed and
  --- which window came up. With `verify` the field is read afterwards, and what is not there is an error (code
  --- "refused") that says where it differs.
  ---@param words string
  ---@param how deskpilot.type_options?
  ---@return boolean? ok, deskpilot.error? err
  function api.type(words, how)
    how = options.check(how, type_options, "keyboard.type")
    desk.activity.give_way()
    local target, element = prepare(desk, how)
    if not target then return nil, element end
    local permitted, forbidden = desk.input.may_type(words)
    if not permitted then return nil, forbidden end
    local field, err
    if how.verify then
      field, err = read_back().open(desk, target, element, words)
      if not field then return nil, err end
    end
    typed = task.now()
    local ok, failure = typing.type(desk, target, words)
    if not ok or not field then return ok, failure end
    return read_back().check(desk, field, words)
  end

  --- Presses a key or a combination such as "ctrl+s", and lets go in reverse. With `times` again and again:
  --- every `interval` seconds, or as soon as the window has taken the last one. With `hold` each press takes
  --- that many seconds.
  ---@param combo string
  ---@param how deskpilot.press_options?
  ---@return boolean? ok, deskpilot.error? err
  function api.press(combo, how)
    how = options.check(how, press_options, "keyboard.press")
    desk.activity.give_way()
    local names, err = keys.combo(combo)
    if not names then return nil, err end
    if typed and typed > (desk.settled or 0) then
      local arrived, late = typing.let_arrive(desk)
      if not arrived then return nil, late end
    end
    typed = nil
    local hold, after = timing.of(desk, "key_hold", "key_pause")
    for i = 1, how.times or 1 do
      if i > 1 then
        local ok, why = pause(desk, how.interval)
        if not ok then return nil, why end
      end
      local ok, failure = press_once(desk, names, how.hold or hold)
      if not ok then return nil, failure end
      if after > 0 then task.sleep(after) end
    end
    return true
  end

  --- Presses keys and leaves them down until release, or until the desk is closed.
  ---@param combo string
  ---@return boolean? ok, deskpilot.error? err
  function api.hold(combo)
    desk.activity.give_way()
    local names, err = keys.combo(combo)
    if not names then return nil, err end
    local down = { count = 0 }
    local ok, failure = held_keys.press(desk, names, down)
    if ok then return true end
    held_keys.release(desk, names, down.count)
    return nil, failure
  end

  --- Lets keys go that were held.
  ---@param combo string
  ---@return boolean? ok, deskpilot.error? err
  function api.release(combo)
    local names, err = keys.combo(combo)
    if not names then return nil, err end
    return held_keys.release(desk, names, #names)
  end

  --- The names of all keys.
  ---@return string[]
  function api.keys()
    return keys.keys()
  end

  return signatures(api)
end

return keyboard
