--- Acts on elements without mouse and keyboard. Where an action changes the element's state, the call waits for that
--- change; an error says which state was found instead.
local errors = require "deskpilot.base.errors"
local find = require "deskpilot.desk.elements.find"
local places = require "deskpilot.desk.elements.places"
local signature = require "deskpilot.base.signature"
local task = require "deskpilot.base.task"
local texts = require "deskpilot.desk.elements.texts"

local acts = {}

-- Roles that can be on or off, also where the application does not report the state "checkable".
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

signature.kind("action", {
  what = "the name or the number of an action",
  fits = function(value) return type(value) == "string" or math.type(value) == "integer" end,
})

local signatures = signature.of("desk.elements", {
  press = { "element", "action?" }, actions = { "element" }, set_value = { "element", "number" },
  select = { "element" }, toggle = { "element", "boolean?" }, expand = { "element" }, collapse = { "element" },
  focus = { "element" }, scroll_into_view = { "element" },
})

--- Adds these functions to desk.elements.
---@param part deskpilot.desk.elements
---@param desk deskpilot.desk
---@param reader table find(element, all?): element or nil, err; call(method, ...): the native answer
function acts.add(part, desk, reader)
  ---@class deskpilot.desk.elements
  local api = part

  -- The current state of the element that is meant; nil and an error if it cannot be read.
  local function now_of(element)
    local found, err = reader.find(element)
    if not found then return nil, err end
    return api.refresh(found)
  end

  local function change(element, what)
    return reader.call("change", element, what)
  end

  -- Reads the element until reached(element) is true. After timing.element_action the results are nil, nil and the
  -- element as it is then.
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
    return errors.fail("refused", "%s", ("the %s "):format(find.label(element)) .. format:format(...))
  end

  texts.add(api, desk, { find = reader.find, now_of = now_of, change = change, watch = watch, refused = refused })

  local function check_enabled(element)
    if element.states.enabled then return true end
    return refused(element, "is disabled")
  end

  --- Does what a click on the element does, without the mouse: its first action, or the one with that name (or number,
  --- counted from 0). The call returns when the application has got the request; the effect may take a moment. (GTK
  --- shows a button pressed for 250 ms first, and drops the action if another one comes earlier.)
  ---@param element deskpilot.element|deskpilot.element_criteria|string
  ---@param action string|integer|nil
  ---@return boolean? ok, deskpilot.error? err
  function api.press(element, action)
    local found, err = reader.find(element)
    if not found then return nil, err end
    return reader.call("act", found, action or 0)
  end

  --- The actions that press can do, the default one first.
  ---@param element deskpilot.element|deskpilot.element_criteria|string
  ---@return { name: string, title: string?, description: string?, key: string? }[]? actions, deskpilot.error? err
  function api.actions(element)
    local now, err = now_of(element)
    if not now then return nil, err end
    return now.action_list
  end

  --- Sets the value of a slider, a spin button or the like, and waits until the element has it.
  ---@param element deskpilot.element|deskpilot.element_criteria|string
  ---@param number number between its minimum and maximum
  ---@return number? value the new value, which the element may have rounded to its step
  ---@return deskpilot.error? err
  function api.set_value(element, number)
    if math.abs(number) == math.huge then errors.mistake "elements.set_value wants a finite number" end
    local before, err = now_of(element)
    if not before then return nil, err end
    local ok, failure = check_enabled(before)
    if not ok then return nil, failure end
    if not before.value then
      return errors.fail("unsupported", "%s", ("the %s has no value to set%s"):format(find.label(before),
        before.states.editable and "; elements.set_text sets its text" or ""))
    end
    if before.maximum and (number < before.minimum or number > before.maximum) then
      return errors.fail("invalid", "%s", ("the %s goes from %.6g to %.6g; %.6g is outside"):format(
        find.label(before), before.minimum, before.maximum, number))
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
  ---@param element deskpilot.element|deskpilot.element_criteria|string
  ---@return boolean? ok, deskpilot.error? err
  function api.select(element)
    local before, err = now_of(element)
    if not before then return nil, err end
    if radio[before.role] then return api.toggle(before, true) end
    if before.states.selected then return true end
    local ok, failure = check_enabled(before)
    if not ok then return nil, failure end
    ok, failure = change(before, { kind = "selected" })
    -- An item of a closed combo box has no state of its own; the native call has checked the combo box.
    if not ok or not before.states.selectable or before.role == "menu item" then return ok, failure end
    local now, gone, seen = watch(before, function(now) return now.states.selected end)
    if now then return true end
    if gone then return nil, gone end
    return refused(seen, "is not selected")
  end

  -- Presses once, and returns the state after it. A check box may have a third state.
  local function toggle_once(before)
    local ok, failure = change(before, { kind = "checked" })
    if not ok then return nil, failure end
    local was, between = is_on(before), before.states.indeterminate
    local now, gone, seen = watch(before, function(now)
      return is_on(now) ~= was or now.states.indeterminate ~= between
    end)
    return now or seen, gone
  end

  --- Switches a check box, a toggle button or the like on or off; without `on` to its other state. An element that
  --- already has the state is left alone.
  ---@param element deskpilot.element|deskpilot.element_criteria|string
  ---@param on boolean?
  ---@return boolean? ok, deskpilot.error? err
  function api.toggle(element, on)
    local now, err = now_of(element)
    if not now then return nil, err end
    if not checkable[now.role] and not now.states.checkable then
      return errors.fail("unsupported", "%s", ("the %s cannot be switched on or off"):format(find.label(now)))
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
    return refused(now, "is still %s", now.states.indeterminate and "indeterminate" or is_on(now) and "on" or "off")
  end

  -- Whether a menu or combo box shows its popup. GTK's do not report whether they are open, so their popup is looked
  -- for; a combo box opens a window of its own.
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

  -- Whether the element is open, by its popup or by its states.
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
      return errors.fail("unsupported", "%s", ("the %s cannot be opened or closed%s"):format(find.label(before),
        before.actions > 0 and "; elements.press does its action" or ""))
    end
    local open, why = looks_open(before, not has_states)
    if open == on then return true end
    if open == nil then return nil, why end
    local ok, failure = check_enabled(before)
    if not ok then return nil, failure end
    if not on and not has_states and before.role == "menu" then
      ok, failure = desk.keyboard.press "escape" -- closes an open menu; the menu's own action can only open it
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
  ---@param element deskpilot.element|deskpilot.element_criteria|string
  ---@return boolean? ok, deskpilot.error? err
  function api.expand(element)
    return open_or_close(element, true)
  end

  --- Closes what expand has opened, and waits until it is closed.
  ---@param element deskpilot.element|deskpilot.element_criteria|string
  ---@return boolean? ok, deskpilot.error? err
  function api.collapse(element)
    return open_or_close(element, false)
  end

  --- Gives an element the keyboard focus within its window. desk.windows.focus activates the window.
  ---@param element deskpilot.element|deskpilot.element_criteria|string
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
    return refused(seen, "did not get the focus%s", seen.states.focusable and "" or ": it is not focusable")
  end

  -- Whether the element is in view; and the element as it is in a new list.
  local function look(element)
    local list, err = api.list { pid = element.pid ~= 0 and element.pid or nil, all = true, bare = true }
    if not list then return nil, err end
    for _, now in ipairs(list) do
      if now.handle == element.handle then return places.in_view(list, now) and "in" or "out" end
    end
    return errors.fail("not_found", "%s", ("the %s no longer exists"):format(find.label(element)))
  end

  --- Scrolls until an element is in view. If its application cannot scroll to it, the element gets the focus, which
  --- usually brings it into view.
  ---@param element deskpilot.element|deskpilot.element_criteria|string
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

  signatures(api)
end

return acts
