--- Texts of elements: reads and replaces a field's text, reads and sets its selection.
local errors = require "deskpilot.base.errors"
local find = require "deskpilot.desk.elements.find"
local signature = require "deskpilot.base.signature"
local text = require "deskpilot.base.text"

local texts = {}

-- Longer texts are returned cut off, and control characters are replaced: such texts cannot be compared.
local longest_text = 2000

local function comparable(value)
  local count = utf8.len(value)
  return count and count < longest_text and not value:gsub("[\n\t]", ""):find("%c")
end

local signatures = signature.of("desk.elements", {
  set_text = { "element", "text" }, text = { "element" }, selection = { "element" },
  select_text = { "element", "whole?", "whole?" },
})

--- Adds these functions to desk.elements.
---@param part deskpilot.desk.elements
---@param desk deskpilot.desk
---@param tools table of acts.lua: find, now_of, change, watch, refused
function texts.add(part, desk, tools)
  ---@class deskpilot.desk.elements
  local api = part

  -- Sets a field by typing over its selected content, where the application does not accept texts by the accessibility
  -- interface (browsers). The element must get the focus, and its window must be the active one.
  local function type_over(element, value)
    local ok, err = api.focus(element)
    if not ok then return nil, err end
    local window = desk.windows.active()
    if not window or (element.pid ~= 0 and window.pid ~= 0 and window.pid ~= element.pid) then
      return errors.fail("unsupported", "%s", ("the application does not accept a text for the %s, and typed text "
        .. "would go to another window; activate its window first by desk.windows.focus"):format(find.label(element)))
    end
    if value:find "\n" and not element.states.multi_line then
      return errors.fail("invalid", "%s", ("the %s holds one line, the text has several"):format(find.label(element)))
    end
    ok, err = api.select_text(element)
    if not ok then return nil, err end
    if value == "" then return desk.keyboard.press "backspace" end
    return desk.keyboard.type(value)
  end

  local function put_text(element, value)
    local ok, err = desk.input.may_enter(value)
    if not ok then return nil, err end
    ok, err = tools.change(element, { kind = "text", text = value })
    if ok or err.code ~= "unsupported" then return ok, err end
    local now = api.refresh(element)
    if not (now and now.states.editable and now.selection) then return nil, err end
    return type_over(now, value)
  end

  --- Replaces the text of a field, and waits until the field holds it. Where the application does not accept texts by
  --- the accessibility interface (browsers), the field gets the focus and the text is typed.
  ---@param element deskpilot.element|deskpilot.element_criteria|string
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
    return tools.refused(found, "holds %q instead of the new text", text.cut(seen.text, 80))
  end

  --- The current content of an element: its text, else its value, else its name.
  ---@param element deskpilot.element|deskpilot.element_criteria|string
  ---@return string? text, deskpilot.error? err
  function api.text(element)
    local now, err = tools.now_of(element)
    if not now then return nil, err end
    return now.text or (now.value and ("%.14g"):format(now.value)) or now.name
  end

  --- The selected part of a text: characters start to stop, counted from 1 as by string.sub. If nothing is selected,
  --- text is "", stop is the character before the caret, and start the one after it.
  ---@param element deskpilot.element|deskpilot.element_criteria|string
  ---@return { start: integer, stop: integer, text: string }? selection, deskpilot.error? err
  function api.selection(element)
    local now, err = tools.now_of(element)
    if not now then return nil, err end
    if now.selection then return now.selection end
    return errors.fail("unsupported", "%s", ("the %s does not report what is selected in it"):format(find.label(now)))
  end

  -- Converts to the native reader's counting: from 0, and the end is exclusive.
  local function range(from, to, count)
    if from < 0 then from = math.max(1, count + from + 1) end
    if to < 0 then to = count + to + 1 end
    from = math.min(math.max(from, 1), count + 1) - 1
    return from, math.max(math.min(to, count), from)
  end

  --- Selects a part of a text: characters `from` to `to`, counted as by string.sub, where -1 is the last; without them
  --- all of it. If `to` is before `from`, nothing is selected and the caret goes before `from`.
  ---@param element deskpilot.element|deskpilot.element_criteria|string
  ---@param from integer?
  ---@param to integer?
  ---@return boolean? ok, deskpilot.error? err
  function api.select_text(element, from, to)
    from, to = math.tointeger(from or 1), math.tointeger(to or -1)
    local before, err = tools.now_of(element)
    if not before then return nil, err end
    if not before.selection then
      return errors.fail("unsupported", "%s", ("the %s has no text that can be selected"):format(find.label(before)))
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

  signatures(api)
end

return texts
