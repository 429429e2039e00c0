--- How text gets into a window: not faster than its application takes it, and into no other window.
local errors = require "deskpilot.base.errors"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"
local timing = require "deskpilot.desk.wait.timing"
local waits = require "deskpilot.desk.wait.waits"

local typing = {}

local EMPTY_STEPS = 20 -- in a row
local NAMED = 5 -- seconds for a window to be listed
local GOING = 0.05 -- seconds between two looks whether the window that was asked is still there

--- Waits until the active window's application has taken the keys so far: the keyboard map must not
--- change under keys that are still on their way. One that answers no questions is
--- watched until it has nothing to do, or given `pause` where that cannot be seen. One that goes meanwhile, as
--- a dialog does at Enter, is not waited for.
---@param desk deskpilot.desk
---@param pause number seconds
---@return boolean? ok, boolean|deskpilot.error asked whether it answers questions, or the error
function typing.catch_up(desk, pause)
  local token, asks = desk.native:ping()
  if not token then return nil, asks end
  if token == 0 then
    if pause > 0 then task.sleep(pause) end
    return true, false
  end
  local asked, limit, look = nil, task.now() + desk.timing.type_answer, nil
  while true do
    local ok, why = desk.native:pump()
    if not ok then return nil, why end
    if desk.native:ping_answered(token) then return true, asks end
    local now = task.now()
    if now >= limit then
      return errors.fail("timed_out", "the application stopped taking what was typed")
    end
    if not asked then -- while it answers; what comes meanwhile is to be pumped before a wait
      asked, look = desk.native:active(), now + GOING
    elseif now >= look then
      if desk.native:active() ~= asked then return true, false end
      look = now + GOING
    else
      desk.event_pump:wait(math.min(limit, look) - now)
    end
  end
end

--- Fields that complete or check what is typed do so a moment later, and lose an Enter that comes too
--- early (GTK's file dialog): so what acts on a text waits until the text shows. Terminals and others
--- that answer no questions take their keys in order and need none of this.
---@param desk deskpilot.desk
---@return boolean? ok, deskpilot.error? err
function typing.let_arrive(desk)
  local ok, asked = typing.catch_up(desk, 0)
  if not ok then return nil, asked end
  if not asked then return true end
  local quiet = desk.timing.type_quiet
  waits.wait_until_settled(desk, { quiet = quiet, floor = quiet, cap = desk.timing.type_cap }) -- where it can be seen
  return true
end

--- The active window. Typing with nobody to type to would go to whatever comes next; while one window
--- goes and another comes none is active for a moment.
---@param desk deskpilot.desk
---@return deskpilot.window? window, deskpilot.error? err
function typing.target(desk)
  local limit = task.now() + desk.timing.focus
  while true do
    local window, err = desk.windows.active()
    if window then return window end
    if not errors.is(err, "not_found") then return nil, err end
    if task.now() >= limit then
      return errors.fail("not_found", "no window is active, so nobody would get the text; focus one first")
    end
    task.sleep(0.005)
  end
end

local function name_of(window)
  return window and "'" .. text.cut(text.one_line(window.title), 80) .. "'" or "nothing"
end

-- One that has just come up may be the active one before its window manager lists it; and a window manager may give the
-- keyboard to a window of its own first, which it never lists.
local function name_of_other(job, id)
  local desk = job.desk
  if id == 0 then return "no window" end
  local limit = task.now() + NAMED
  while true do
    local other = desk.windows.find { id = id }
    if other then return name_of(other) end
    if task.now() >= limit then return "another window" end
    task.sleep(0.005)
    local now = desk.native:active()
    if now and now ~= 0 and now ~= job.target.id then id = now end
  end
end

local function stopped(job, id)
  return errors.fail("refused", "%s", ("typing stopped after %d of %d characters, because %s came up instead of %s")
    :format(job.typed, job.total, name_of_other(job, id), name_of(job.target)))
end

-- A dialog that comes up in mid-typing must not get the rest.
local function still_there(job)
  local desk, limit = job.desk, task.now() + job.desk.timing.focus
  while true do
    local id = desk.native:active()
    if id == job.target.id then return true end
    if id ~= 0 or task.now() >= limit then return stopped(job, id) end
    task.sleep(0.005)
  end
end

-- The next keys, once the keyboard is where the text began: while one window goes and another comes nobody has it.
local function step(job, part, offset)
  local desk, limit = job.desk, task.now() + job.desk.timing.focus
  while true do
    local consumed, remapped, moved = desk.native:text_step(part, offset)
    if not moved then return consumed, remapped end
    local there, err = still_there(job)
    if not there then return nil, err end
    if task.now() >= limit then return stopped(job, 0) end
    task.sleep(0.005)
  end
end

local function type_part(job, part)
  local desk, offset, empty = job.desk, 0, 0
  while offset < #part do
    local consumed, remapped = step(job, part, offset)
    if not consumed then return nil, remapped end
    empty = consumed == 0 and empty + 1 or 0 -- a step that only changes the map; the next one types
    if empty > 0 and not remapped or empty > EMPTY_STEPS then
      return errors.fail("io", "the keyboard does not take this text: another program changes its map all the time")
    end
    job.typed = job.typed + (utf8.len(part, offset + 1, offset + consumed) or 0)
    offset = offset + consumed
    local ok, err = typing.catch_up(desk, remapped and desk.timing.type_pause or 0)
    if not ok then return nil, err end
  end
  return true
end

-- As fast as the application takes it, or one character after the other.
local function type_body(job, body)
  local interval = timing.of(job.desk, "type_interval")
  if interval == 0 or not utf8.len(body) then return type_part(job, body) end
  for character in body:gmatch(utf8.charpattern) do -- pattern: Lua's own, linear
    if job.typed > 0 then task.sleep(interval) end
    local ok, err = type_part(job, character)
    if not ok then return nil, err end
  end
  return true
end

local function type_all(job, whole)
  local body = text.without_end(whole, "\n")
  local enters = whole:sub(#body + 1)
  local ok, err = type_body(job, body)
  if not ok or enters == "" then return ok, err end
  if body ~= "" and not body:find("\n", 1, true) then -- a field of several lines: its Enters are characters
    ok, err = typing.let_arrive(job.desk)
    if not ok then return nil, err end
  end
  return type_part(job, enters)
end

--- Types `whole` into `target`, the active window, and stops with an error that says how far it came when
--- another window becomes the active one.
---@param desk deskpilot.desk
---@param target deskpilot.window
---@param whole string
---@return boolean? ok, deskpilot.error? err
function typing.type(desk, target, whole)
  local job = { desk = desk, target = target, typed = 0, total = utf8.len(whole) or 0 }
  local ended
  local guard <close> = setmetatable({}, { __close = function()
    if not ended then desk.native:text_end() end
  end })
  assert(guard)
  local ok, err = typing.catch_up(desk, 0) -- with a click, say, that gave a field the keyboard
  if ok then ok, err = type_all(job, whole) end
  ended = true
  local restored, failure = desk.native:text_end()
  if not ok then return nil, err end
  return restored, failure
end

return typing
