--- Reading back what was typed: whether a field holds what it held before and the text, wherever its
--- caret was and whatever was selected. What fields hold may be secret, so errors tell places and at most
--- one character.
local errors = require "deskpilot.base.errors"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local read_back = {}

local READABLE = 2000 -- characters; DESK_ELEMENTS_MAX_TEXT of runtime/desk/elements.h

local function name_of(element)
  return ("%s '%s'"):format(element.role, text.cut(text.one_line(element.name), 80))
end

local function same_newlines(s)
  return (s:gsub("\r\n?", "\n"))
end

-- The field that has the keyboard; the innermost, as a page around it may say so too. A window that has
-- just become the active one says so a moment later.
local function focused_field(desk, pid)
  local limit = task.now() + desk.timing.focus
  while true do
    local list, err = desk.elements.list { pid = pid ~= 0 and pid or nil, states = "focused" }
    if not list then return nil, err end
    for i = #list, 1, -1 do
      if list[i].text then return list[i] end
    end
    if task.now() >= limit then
      return errors.fail("not_found", "verify: nothing that has the keyboard says what it holds; name a field by into")
    end
    task.sleep(desk.timing.wait_every)
  end
end

--- The field by the keyboard, or by what it is found by.
---@param desk deskpilot.desk
---@param target deskpilot.window
---@param element deskpilot.element?
---@param typed string what will be typed
---@return { element: deskpilot.element, before: string }? field, deskpilot.error? err
function read_back.open(desk, target, element, typed)
  local err
  if not element then
    element, err = focused_field(desk, target.pid)
    if not element then return nil, err end
  end
  local before
  before, err = desk.elements.text(element)
  if not before then return nil, err end
  if (utf8.len(before) or #before) + (utf8.len(typed) or #typed) > READABLE then
    return errors.fail("unsupported", "verify: more than %d characters cannot be read back; type without it, or in "
      .. "an empty field by parts", READABLE)
  end
  return { element = element, before = same_newlines(before) }
end

--- Whether `after` is `before` with `typed` put in, in place of a selection or not.
---@return boolean
function read_back.is_insertion(before, typed, after)
  local from = 1
  while true do
    local first, last = after:find(typed, from, true)
    if not first then return false end
    local head, tail = after:sub(1, first - 1), after:sub(last + 1)
    if #head + #tail <= #before and text.starts(before, head) and text.ends(before, tail) then return true end
    from = first + 1
  end
end

local function characters(s)
  local list = {}
  for _, code in utf8.codes(s, true) do list[#list + 1] = code end
  return list
end

local function point(code)
  return code and ("U+%04X"):format(code) or "the end"
end

-- Told as if the text had been put where the two begin to differ, which is right but for odd cases.
local function difference(field, typed, after)
  local before, now, wanted = characters(field.before), characters(after), characters(typed)
  local at = 0
  while before[at + 1] and before[at + 1] == now[at + 1] and now[at + 1] ~= wanted[1] do at = at + 1 end
  local i = 1
  while wanted[i] and wanted[i] == now[at + i] do i = i + 1 end
  if i > #wanted then return ("the text is there, but more than that has changed: %d characters became %d"):format(
    #before, #now) end
  return ("character %d of %d was typed as %s and is %s"):format(i, #wanted, point(wanted[i]), point(now[at + i]))
end

--- Waits until the field holds the text; code "refused" with the place of the first difference if it
--- does not within timing.type_verify.
---@param desk deskpilot.desk
---@param field { element: deskpilot.element, before: string } from read_back.open
---@param typed string
---@return boolean? ok, deskpilot.error? err
function read_back.check(desk, field, typed)
  local wanted, limit = same_newlines(typed), task.now() + desk.timing.type_verify
  while true do
    local after, err = desk.elements.text(field.element)
    if not after then return nil, err end
    after = same_newlines(after)
    if read_back.is_insertion(field.before, wanted, after) then return true end
    if task.now() >= limit then
      return errors.fail("refused", "%s", ("the %s does not hold what was typed: %s"):format(name_of(field.element),
        difference(field, wanted, after)))
    end
    task.sleep(desk.timing.wait_every)
  end
end

return read_back
