--- Acting on elements without mouse and keyboard. What can be seen to have happened is waited for, in
--- the element's own state; what was seen instead is said.
local errors = require "deskpilot.base.errors"
local find = require "deskpilot.desk.elements.find"
local places = require "deskpilot.desk.elements.places"
local task = require "deskpilot.base.task"
local texts = require "deskpilot.desk.elements.texts"

local acts = {}

-- What can be on and off, also where its application does not say so.
local checkable = { ["check box"] = true, ["toggle button"] = true, ["radio button"] = true,
  ["check menu item"] = true, ["radio menu item"] = true, switch = true }
local openers = { menu = true, ["combo box"] = true }
local popup_parts = { ["menu item"] = true, ["check menu item"] = true, ["radio menu item"] = true, menu = true,
  window = true, ["list item"] = true, ["table cell"] = true, ["tearoff menu item"] = true, list = true }
local radio = { ["radio button"] = true, ["radio menu item"] = true }

local function is_on(element)
  return element.states.checked or (element.role == "toggle button" and element.states.pressed) or false
end

local function is_open(element)
  return element.states.expanded or false
end

--- Adds the acts to desk.elements.
---@param part deskpilot.desk.elements
---@param desk deskpilot.desk
---@param reader table find(element, all?): element or nil, err; call(method, ...): the native answer
function acts.add(part, desk, reader)
  ---@class deskpilot.desk.elements
  local api = part

  -- The element that is meant as it is now; a call of a failing world gives nil and its error.
  local function now_of(element)
    local found, err = reader.find(element)
    if not found then return nil, err end
    return api.refresh(found)
  end

  local function change(element, what)
    return reader.call("change", element, what)
  end

  -- Looks at the element until reached(it), for timing.element_action: then what it is instead comes
  -- third.
  local function watch(element, reached)
    local limit = task.now() + desk.timing.element_action
    while true do
      local now, err = api.refresh(element)
      if not now then return nil, err end
      if reached(now) then return now end
      if task.now() >= limit then return nil, nil, now end
      task.sleep(0.02)
    end
  end

  local function refused(element, format, ...)
    return errors.fail("refused", "%s", ("the %s "):format(find.words(element)) .. format:format(...))
  end

  texts.add(api, desk, { find = reader.find, now_of = now_of, change = change, watch = watch, refused = refused })

  local function check_enabled(element)
    if element.states.enabled then return true end
    return refused(element, "is disabled")
  end

  --- Does what a click on the element does, without the mouse: its first action, or the one of that
  --- name (or number, from 0). The application has been told when this returns, and may take a moment
  --- to do it (GTK shows a button pressed for 250 ms first, and forgets it if the next comes earlier).
  ---@param element deskpilot.element|deskpilot.element_criteria
  ---@param action string|integer|nil
  ---@return boolean? ok, deskpilot.error? err
  function api.press(element, action)
    local found, err = reader.find(element)
    if not found then return nil, err end
    return reader.call("act", found, action or 0)
  end

  --- The actions that press can do, the usual one first.
  ---@param element deskpilot.element|deskpilot.element_criteria
  ---@return { name: string, title: string?, description: string?, key: string? }[]? actions, deskpilot.error? err
  function api.actions(element)
    local now, err = now_of(element)
    if not now then return nil, err end
    return now.action_list
  end

  --- Sets the value of a slider, a spin button or the like, and waits until it has it.
  ---@param element deskpilot.element|deskpilot.element_criteria
  ---@param number number between its minimum and maximum
  ---@return number? value that it has now, which it may have rounded to its step
  ---@return deskpilot.error? err
  function api.set_value(element, number)
    assert(type(number) == "number" and number == number and math.abs(number) < math.huge, "a number is wanted")
    local before, err = now_of(element)
    if not before then return nil, err end
    local ok, failure = check_enabled(before)
    if not ok then return nil, failure end
    if not before.value then
      return errors.fail("unsupported", "%s", ("the %s has no value to set%s"):format(find.words(before),
        before.states.editable and "; elements.set_text sets its text" or ""))
    end
    if before.maximum and (number < before.minimum or number > before.maximum) then
      return errors.fail("invalid", "%s", ("the %s goes from %.6g to %.6g; %.6g is outside"):format(
        find.words(before), before.minimum, before.maximum, number))
    end
    ok, failure = change(before, { kind = "value", number = number })
    if not ok then return nil, failure end
    local near = math.max((before.step or 0) / 2, math.abs(number) * 1e-6, 1e-9)
    local now, gone, seen = watch(before, function(now) return now.value and math.abs(now.value - number) <= near end)
    if now then return now.value end
    if gone then return nil, gone end
    return refused(before, "has the value %.6g, not %.6g", seen.value or before.value, number)
  end

  --- Selects an item of a list, a table, a tree or a combo box, a page's tab, a radio button.
  ---@param element deskpilot.element|deskpilot.element_criteria
  ---@return boolean? ok, deskpilot.error? err
  function api.select(element)
    local before, err = now_of(element)
    if not before then return nil, err end
    if radio[before.role] then return api.toggle(before, true) end
    if before.states.selected then return true end
    local ok, failure = check_enabled(before)
    if not ok then return nil, failure end
    ok, failure = change(before, { kind = "selected" })
    -- An item of a combo box that is closed has no state; the reader has asked the combo box.
    if not ok or not before.states.selectable or before.role == "menu item" then return ok, failure end
    local now, gone, seen = watch(before, function(now) return now.states.selected end)
    if now then return true end
    if gone then return nil, gone end
    return refused(seen, "is not selected")
  end

  -- One press, and the state after it: a check box may have a third.
  local function toggle_once(before)
    local ok, failure = change(before, { kind = "checked" })
    if not ok then return nil, failure end
    local was, between = is_on(before), before.states.indeterminate
    local now, gone, seen = watch(before, function(now)
      return is_on(now) ~= was or now.states.indeterminate ~= between
    end)
    return now or seen, gone
  end

  --- Switches a check box, a toggle button or the like on or off; without `on` to the other of the two.
  --- Nothing is done to one that is so already.
  ---@param element deskpilot.element|deskpilot.element_criteria
  ---@param on boolean?
  ---@return boolean? ok, deskpilot.error? err
  function api.toggle(element, on)
    local now, err = now_of(element)
    if not now then return nil, err end
    if not checkable[now.role] and not now.states.checkable then
      return errors.fail("unsupported", "%s", ("the %s is nothing to switch on or off"):format(find.words(now)))
    end
    if on == nil then on = not is_on(now) end
    for _ = 1, 3 do
      if is_on(now) == on and not now.states.indeterminate then return true end
      local ok, failure = check_enabled(now)
      if not ok then return nil, failure end
      now, err = toggle_once(now)
      if not now then return nil, err end
    end
    if is_on(now) == on and not now.states.indeterminate then return true end
    return refused(now, "is still %s", now.states.indeterminate and "in between" or is_on(now) and "on" or "off")
  end

  -- GTK's menus and combo boxes do not say whether they are open; what they open does. That of a combo
  -- box is a window of its own then.
  local function has_popup(element)
    local list, err = api.list { pid = element.pid ~= 0 and element.pid or nil, bare = true }
    if not list then return nil, err end
    for _, item in ipairs(list) do
      local top = item
      while top.depth > 1 and top.handle ~= element.handle do top = list[top.parent] end
      local below = top.handle == element.handle and item ~= top
      local beside = element.role == "combo box" and top.role == "window" and item.x < element.x + element.width
        and item.x + item.width > element.x
      if (below or beside) and popup_parts[item.role] and item.states.showing and item.width > 0 then return true end
    end
    return false
  end

  -- Whether it is open: by its states, else by its popup.
  local function looks_open(element, by_popup)
    if by_popup then return has_popup(element) end
    local now, err = api.refresh(element)
    if not now then return nil, err end
    return is_open(now)
  end

  local function open_or_close(element, on)
    local before, err = now_of(element)
    if not before then return nil, err end
    local has_states = before.states.expandable or before.states.expanded
    if not has_states and not openers[before.role] then
      return errors.fail("unsupported", "%s", ("the %s is nothing to open or close%s"):format(find.words(before),
        before.actions > 0 and "; elements.press does its action" or ""))
    end
    local open, why = looks_open(before, not has_states)
    if open == on then return true end
    if open == nil then return nil, why end
    local ok, failure = check_enabled(before)
    if not ok then return nil, failure end
    if not on and not has_states and before.role == "menu" then
      ok, failure = desk.keyboard.press "escape" -- which an open menu gets; its action only opens it
    else
      ok, failure = change(before, { kind = "expanded", on = on })
    end
    if not ok then return nil, failure end
    local limit = task.now() + desk.timing.element_action
    repeat
      task.sleep(0.02)
      open, why = looks_open(before, not has_states)
      if open == on then return true end
      if open == nil then return nil, why end
    until task.now() >= limit
    return refused(before, "is still %s", on and "closed" or "open")
  end

  --- Opens an item of a tree, a combo box, a menu, an expander, and waits until it is open.
  ---@param element deskpilot.element|deskpilot.element_criteria
  ---@return boolean? ok, deskpilot.error? err
  function api.expand(element)
    return open_or_close(element, true)
  end

  --- Closes it again.
  ---@param element deskpilot.element|deskpilot.element_criteria
  ---@return boolean? ok, deskpilot.error? err
  function api.collapse(element)
    return open_or_close(element, false)
  end

  --- Gives an element the keyboard's focus within its window; desk.windows.focus raises the window.
  ---@param element deskpilot.element|deskpilot.element_criteria
  ---@return boolean? ok, deskpilot.error? err
  function api.focus(element)
    local before, err = now_of(element)
    if not before then return nil, err end
    if before.states.focused then return true end
    local ok, failure = change(before, { kind = "focused" })
    if not ok then return nil, failure end
    local now, gone, seen = watch(before, function(now) return now.states.focused end)
    if now then return true end
    if gone then return nil, gone end
    return refused(seen, "did not take the focus%s", seen.states.focusable and "" or "; it is none that can")
  end

  -- Whether it is in view; and the element in its list.
  local function look(element)
    local list, err = api.list { pid = element.pid ~= 0 and element.pid or nil, all = true, bare = true }
    if not list then return nil, err end
    for _, now in ipairs(list) do
      if now.handle == element.handle then return places.in_view(list, now) and "in" or "out" end
    end
    return errors.fail("not_found", "%s", ("the %s is gone"):format(find.words(element)))
  end

  --- Scrolls until an element can be seen. Where its application cannot do that, it gets the focus,
  --- which brings it into view too.
  ---@param element deskpilot.element|deskpilot.element_criteria
  ---@return boolean? ok, deskpilot.error? err
  function api.scroll_into_view(element)
    local found, err = reader.find(element, true)
    if not found then return nil, err end
    local where, failure = look(found)
    if where == "in" then return true end
    if not where then return nil, failure end
    local ok
    ok, failure = change(found, { kind = "in_view" })
    if not ok then return nil, failure end
    local limit = task.now() + desk.timing.element_action
    while true do
      where, failure = look(found)
      if where == "in" then return true end
      if not where then return nil, failure end
      if task.now() >= limit then return refused(found, "is still out of view") end
      task.sleep(0.02)
    end
  end
end

return acts
