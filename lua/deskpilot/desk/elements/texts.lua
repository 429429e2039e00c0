--- Texts of elements: what a field holds, putting another one there, and what is selected in it.
local errors = require "deskpilot.base.errors"
local find = require "deskpilot.desk.elements.find"
local text = require "deskpilot.base.text"

local texts = {}

-- Longer texts come back cut, and others cleaned: they are not compared.
local longest_text = 2000

local function comparable(value)
  local count = utf8.len(value)
  return count and count < longest_text and not value:gsub("[\n\t]", ""):find("%c")
end

--- Adds them to desk.elements.
---@param part deskpilot.desk.elements
---@param desk deskpilot.desk
---@param tools table of acts.lua: find, now_of, change, watch, refused
function texts.add(part, desk, tools)
  ---@class deskpilot.desk.elements
  local api = part

  -- For fields whose application takes no texts (browsers): typed over what is selected, into the
  -- element that has the focus of the window that gets what is typed.
  local function type_over(element, value)
    local ok, err = api.focus(element)
    if not ok then return nil, err end
    local window = desk.windows.active()
    if not window or (element.pid ~= 0 and window.pid ~= 0 and window.pid ~= element.pid) then
      return errors.fail("unsupported", "%s", ("the application takes no text for the %s, and what is typed goes to "
        .. "another window; desk.windows.focus it first"):format(find.words(element)))
    end
    if value:find "\n" and not element.states.multi_line then
      return errors.fail("invalid", "%s", ("the %s takes one line, this text has several"):format(find.words(element)))
    end
    ok, err = api.select_text(element)
    if not ok then return nil, err end
    if value == "" then return desk.keyboard.press "backspace" end
    return desk.keyboard.type(value)
  end

  local function put_text(element, value)
    local ok, err = tools.change(element, { kind = "text", text = value })
    if ok or err.code ~= "unsupported" then return ok, err end
    local now = api.refresh(element)
    if not (now and now.states.editable and now.selection) then return nil, err end
    return type_over(now, value)
  end

  --- Replaces the text of a field, and waits until it holds it. Where its application takes no texts
  --- (browsers), it gets the focus and is typed into.
  ---@param element deskpilot.element|deskpilot.element_criteria
  ---@param value string
  ---@return boolean? ok, deskpilot.error? err
  function api.set_text(element, value)
    local found, err = tools.find(element)
    if not found then return nil, err end
    local ok, failure = put_text(found, value)
    if not ok then return nil, failure end
    if found.role == "password text" or not comparable(value) then return true end
    local now, gone, seen = tools.watch(found, function(now) return now.text == nil or now.text == value end)
    if now then return true end
    if gone then return nil, gone end
    return tools.refused(found, "holds %q, not the text that it was given", text.cut(seen.text, 80))
  end

  --- What an element holds now: its text, else its value, else its name.
  ---@param element deskpilot.element|deskpilot.element_criteria
  ---@return string? text, deskpilot.error? err
  function api.text(element)
    local now, err = tools.now_of(element)
    if not now then return nil, err end
    return now.text or (now.value and ("%.14g"):format(now.value)) or now.name
  end

  --- The selected part of a text: characters start to stop, counted from 1 as string.sub does. Where
  --- nothing is selected the text is "" and stop is the character before the caret, start the one after.
  ---@param element deskpilot.element|deskpilot.element_criteria
  ---@return { start: integer, stop: integer, text: string }? selection, deskpilot.error? err
  function api.selection(element)
    local now, err = tools.now_of(element)
    if not now then return nil, err end
    if now.selection then return now.selection end
    return errors.fail("unsupported", "%s", ("the %s does not tell what is selected in it"):format(find.words(now)))
  end

  -- 0-based and without the last, as the native reader counts.
  local function range(from, to, count)
    if from < 0 then from = math.max(1, count + from + 1) end
    if to < 0 then to = count + to + 1 end
    from = math.min(math.max(from, 1), count + 1) - 1
    return from, math.max(math.min(to, count), from)
  end

  --- Selects a part of a text: characters `from` to `to`, counted from 1, or from -1 at the end, as
  --- string.sub does; all of it without them. With a `to` before `from` the caret goes before `from`.
  ---@param element deskpilot.element|deskpilot.element_criteria
  ---@param from integer?
  ---@param to integer?
  ---@return boolean? ok, deskpilot.error? err
  function api.select_text(element, from, to)
    from, to = math.tointeger(from or 1), math.tointeger(to or -1)
    assert(from and to, "whole numbers are wanted: the first and the last character")
    local before, err = tools.now_of(element)
    if not before then return nil, err end
    if not before.selection then
      return errors.fail("unsupported", "%s", ("the %s has no text to select in"):format(find.words(before)))
    end
    local first, last = range(from, to, before.characters)
    local ok, failure = tools.change(before, { kind = "selection", from = first, to = last })
    if not ok then return nil, failure end
    local now, gone, seen = tools.watch(before, function(now)
      return now.selection and now.selection.start == first + 1 and now.selection.stop == last
    end)
    if now then return true end
    if gone then return nil, gone end
    return tools.refused(seen, "has characters %d to %d selected", seen.selection.start, seen.selection.stop)
  end
end

return texts
