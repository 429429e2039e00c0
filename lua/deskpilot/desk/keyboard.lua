--- desk.keyboard: typing text and pressing keys.
local keys = require "native.desk"
local errors = require "deskpilot.base.errors"
local task = require "deskpilot.base.task"
local waits = require "deskpilot.desk.waits"

local keyboard = {}

-- Waits until the application has taken what was typed so far: the keyboard map must not change
-- under keys that are still on their way. Waits for `pause` where it cannot be asked. Returns true and
-- whether it was asked, or nil and an error.
local function catch_up(desk, pause)
  local token, err = desk.native:ping()
  if not token then return nil, err end
  if token == 0 then
    if pause > 0 then task.sleep(pause) end
    return true, false
  end
  local limit = task.now() + desk.timing.type_answer
  while true do
    local ok, why = desk.native:pump()
    if not ok then return nil, why end
    if desk.native:ping_answered(token) then return true, true end
    if task.now() >= limit then
      return errors.fail("timed_out", "the application stopped taking what was typed")
    end
    desk.inbox:wait(limit - task.now())
  end
end

local function type_all(desk, text)
  local offset = 0
  while offset < #text do
    local consumed, remapped = desk.native:text_step(text, offset)
    if not consumed then return nil, remapped end
    offset = offset + consumed
    if remapped then
      local ok, err = catch_up(desk, desk.timing.type_pause)
      if not ok then return nil, err end
    elseif consumed == 0 then
      return errors.fail("io", "the keyboard does not take this text")
    end
  end
  return true
end

-- Fields that complete or check what is typed do so a moment later, and lose an Enter that comes too
-- early (GTK's file dialog): so what acts on a text waits until the text shows. Terminals and others
-- that answer no questions take their keys in order and need none of this.
local function let_text_arrive(desk)
  local ok, err = catch_up(desk, 0)
  if not ok then return nil, err end
  if err == false then return true end
  local quiet = desk.timing.type_quiet
  waits.settle(desk, { quiet = quiet, floor = quiet, cap = desk.timing.type_cap }) -- where it can be seen
  return true
end

local function type_with_enter(desk, text)
  local body, enters = text:match("^(.-)(\n*)$")
  local ok, err = type_all(desk, body)
  if not ok or enters == "" then return ok, err end
  if body ~= "" then
    ok, err = let_text_arrive(desk)
    if not ok then return nil, err end
  end
  return type_all(desk, enters)
end

-- Typing with nobody to type to would go to whatever comes next. While one window goes and another comes
-- none is active for a moment.
local function somebody_listens(desk)
  local limit = task.now() + desk.timing.focus
  while true do
    local window, err = desk.windows.active()
    if window then return true end
    if not errors.is(err, "not_found") then return nil, err end
    if task.now() >= limit then
      return errors.fail("not_found", "no window is active, so nobody would get the text; focus one first")
    end
    task.sleep(0.005)
  end
end

-- Presses names[1..n]; what went down is counted in `down`.
local function press_all(desk, names, down)
  for i, name in ipairs(names) do
    local ok, err = desk.native:key(name, true)
    if not ok then return nil, err end
    down.count = i
  end
  return true
end

local function release_all(desk, names, count)
  local failure
  for i = count, 1, -1 do
    local ok, err = desk.native:key(names[i], false)
    if not ok then failure = failure or err end
  end
  if failure then return nil, failure end
  return true
end

---@param desk deskpilot.desk
function keyboard.new(desk)
  local api = {}
  local typed = false -- something, and no key pressed since

  --- Types text into the active window, any Unicode; a line break is Enter, a tab is Tab.
  ---@param text string
  ---@return boolean? ok, deskpilot.error? err
  function api.type(text)
    assert(type(text) == "string", "keyboard.type wants a text")
    local free, busy = desk.human.give_way()
    if not free then return nil, busy end
    local ok, err = somebody_listens(desk)
    if not ok then return nil, err end
    local ended
    local guard <close> = setmetatable({}, { __close = function()
      if not ended then desk.native:text_end() end
    end })
    assert(guard)
    ok, err = type_with_enter(desk, text)
    ended = true
    typed = true
    local restored, failure = desk.native:text_end()
    if not ok then return nil, err end
    return restored, failure
  end

  --- Presses a key or a combination such as "ctrl+s", and lets go in reverse.
  ---@param combo string
  ---@return boolean? ok, deskpilot.error? err
  function api.press(combo)
    local free, busy = desk.human.give_way()
    if not free then return nil, busy end
    local names, err = keys.combo(combo)
    if not names then return nil, err end
    if typed then
      local arrived, late = let_text_arrive(desk)
      if not arrived then return nil, late end
      typed = false
    end
    local down = { count = 0 }
    local ok, failure = press_all(desk, names, down)
    local released, why = release_all(desk, names, down.count)
    if not ok then return nil, failure end
    return released, why
  end

  --- Presses keys and leaves them down until release, or until the desk is closed.
  ---@param combo string
  ---@return boolean? ok, deskpilot.error? err
  function api.hold(combo)
    local free, busy = desk.human.give_way()
    if not free then return nil, busy end
    local names, err = keys.combo(combo)
    if not names then return nil, err end
    local down = { count = 0 }
    local ok, failure = press_all(desk, names, down)
    if ok then return true end
    release_all(desk, names, down.count)
    return nil, failure
  end

  --- Lets keys go that were held.
  ---@param combo string
  ---@return boolean? ok, deskpilot.error? err
  function api.release(combo)
    local names, err = keys.combo(combo)
    if not names then return nil, err end
    return release_all(desk, names, #names)
  end

  --- The names of all keys.
  ---@return string[]
  function api.keys()
    return keys.keys()
  end

  return api
end

return keyboard
