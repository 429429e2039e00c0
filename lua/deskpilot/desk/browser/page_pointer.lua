--- Clicks on elements of a page. Before the press everything is checked again: that the index still means the same
--- element, that it does not move, that nothing covers it, and that the page receives pointer events over it.
--- Afterwards the page's events show whether the press has reached the element.
local errors = require "deskpilot.base.errors"
local hands_of = require("deskpilot.desk.browser.page_hands").of
local options = require "deskpilot.base.option_table"
local page = require "deskpilot.desk.browser.page"

local pointer = { methods = {} }

local ATTEMPTS = 4 -- to bring the pointer over an element: the first may only measure where the page is
local UNHEARD = 2  -- attempts that may pass without a pointer event in the page

local function refused(target, format, ...)
  return errors.fail("refused", "%s", target.label .. " " .. format:format(...))
end

-- The page's answer about where to press, which an element that cannot be clicked has too. Where any place of it does,
-- one that is clear of a pixel (page_hands.lua). With `in_front` only where the page has the keyboard focus: nil and no
-- error where it has not.
local function place_to_press(tab, target, clear_of, in_front)
  local answer, err = page.ask(tab, "aim", { ref = target.ref, watched = true, clear_of = clear_of,
    in_front = in_front }, tab.browser.desk.timing.page_act)
  if not answer then return nil, err end
  if answer.behind then return nil end
  local failure = page.failure(target, answer)
  if failure then return nil, failure end
  return answer
end

-- That answer, or an error if the element cannot be clicked.
local function clickable(target, answer)
  if type(answer.states) == "table" and answer.states.disabled then return refused(target, "is disabled") end
  if answer.covered then
    return refused(target, "is covered by %s, which would get the click", tostring(answer.covered))
  end
  if answer.hidden or not tonumber(answer.x) or not tonumber(answer.y) then
    return refused(target, "cannot be brought into view")
  end
  return answer
end

local function aim_again(tab, target, clear_of)
  local answer, err = place_to_press(tab, target, clear_of)
  if not answer then return nil, err end
  return clickable(target, answer)
end

--- Brings the page to the front, and finds out where to press. Most pages are in front already: one answer tells both.
---@param tab deskpilot.tab
---@param target { ref: table, label: string }
---@param how { input: string?, button: string? }?
---@return table? answer the page's about the element; whether it can be clicked is not judged yet
---@return deskpilot.error? err code "stale"
function pointer.aim(tab, target, how)
  how = how or {}
  local hands = hands_of(how.input)
  local clear_of = hands.pressed_before(tab, how.button or "left")
  if hands.may_be_in_front(tab) then
    local answer, err = place_to_press(tab, target, clear_of, true)
    if answer then tab.browser.active = tab end
    if answer or err then return answer, err end
  end
  local ok, err = hands.begin(tab)
  if not ok then return nil, err end
  return place_to_press(tab, target, clear_of)
end

-- Moves the pointer over the element until the page confirms it by its pointer event; and where that was aimed at.
local function reach(tab, target, hands, aimed, clear_of)
  local timing = tab.browser.desk.timing
  local wrong, unheard = nil, 0
  for attempt = 1, ATTEMPTS do
    if attempt > 1 then
      local _, failed = page.ask_again(tab, "again", {}, timing.page_act)
      if failed then return nil, failed end
    end
    local moved, err = hands.move(tab, aimed.metrics, aimed.x, aimed.y)
    if not moved then return nil, err end
    local over, why = page.ask_again(tab, "over", { ref = target.ref, seconds = timing.page_hears }, timing.page_act)
    if not over then return nil, why end
    local failure = page.failure(target, over)
    if failure then return nil, failure end
    if over.missing or over.lost then
      unheard = unheard + 1
      wrong = "the page receives no pointer events there: another window or a part of the browser may cover it"
    else
      if moved.place then moved.place:learn(tab, moved.x, moved.y, tonumber(over.x) or 0, tonumber(over.y) or 0) end
      if over.on then
        moved.said = page.said(over)
        return moved, aimed
      end
      wrong = ("the pointer is over %s there"):format(tostring(over.cover))
    end
    aimed, err = aim_again(tab, target, clear_of)
    if not aimed then return nil, err end
    if unheard >= UNHEARD then break end
  end
  return refused(target, "cannot be pointed at: %s", wrong)
end

local event_of = { left = "click", right = "contextmenu" }

-- The page's answer whether the press has reached the element, by its events; and with `focus`, after so many seconds
-- at most, whether that has the keyboard. If a dialog has opened, another page has come or the tab has closed, the
-- press has had an effect, which counts as success.
local function check_press(tab, target, button, count, focus)
  local timing = tab.browser.desk.timing
  local answer, err = page.ask_again(tab, "pressed", { event = event_of[button] or "auxclick", times = count,
    seconds = timing.page_hears, focus = focus }, timing.page_act)
  if not answer then
    if err.dialog or tab:dialog() or tab.closed then return { err = err } end
    return nil, err
  end
  if answer.left or answer.on then return answer end
  if answer.missing or answer.lost then return refused(target, "was pressed, but the page received no event") end
  return refused(target, "did not get the click; %s got it", tostring(answer.other or "something else"))
end

--- Clicks on a target; see methods.click.
---@param tab deskpilot.tab
---@param target { ref: table, label: string }
---@param how { input: string?, button: string?, count: integer?, focus: number? } focus: so many seconds at most it is
---  waited until the element has the keyboard
---@param answer table? what pointer.aim gave for it just now
---@return table? aimed the page's answer about the element
---@return table|deskpilot.error more the page's answer about the press; with `focus` whether it is `focused` and the
---  `length` of what it holds; `err` in place of all that where the page could not answer any more
function pointer.click(tab, target, how, answer)
  local hands, button, count = hands_of(how.input), how.button or "left", how.count or 1
  local clear_of = hands.pressed_before(tab, button)
  local aimed, err = answer, nil
  if not aimed then aimed, err = pointer.aim(tab, target, how) end
  if aimed then aimed, err = clickable(target, aimed) end
  if not aimed then return nil, err end
  local permitted, forbidden = tab.browser.desk.input.may_act { act = "page", what = "click", tab = tab,
    element = page.told(aimed), submits = aimed.submits == true, said = page.said(aimed) }
  if not permitted then return nil, forbidden end
  local moved, pressed = reach(tab, target, hands, aimed, clear_of)
  if not moved then return nil, pressed end
  local ok
  ok, err = hands.press(tab, moved, button, count, pressed.x, pressed.y)
  if not ok and not (errors.is(err) and err.dialog) then return nil, err end
  local more, why = check_press(tab, target, button, count, how.focus)
  if not more then return nil, why end
  return aimed, more
end

local click_options = { input = "string", button = "string", count = "whole" }

---@class deskpilot.tab
local methods = pointer.methods

--- Clicks on an element, with the desktop's mouse ("real", the default) or with simulated events of the browser
--- ("cdp"). Before the press the page confirms that the element is still the same and that the pointer is over it;
--- afterwards, that the click has reached it.
---@param target integer|deskpilot.page_element an index of this tab's latest observation, or an element of any
---@param how { input: "real"|"cdp"|nil, button: "left"|"middle"|"right"|nil, count: integer? }?
---@return boolean? ok, deskpilot.error? err code "stale": the element has changed; "refused": it is covered or disabled
function methods.click(self, target, how)
  how = options.check(how, click_options, "tab:click")
  if how.button and how.button ~= "left" and how.button ~= "middle" and how.button ~= "right" then
    errors.mistake("tab:click: a button is left, middle or right, not %s", how.button)
  end
  local found, err = page.target(self, target)
  if not found then return nil, err end
  local aimed, failure = pointer.click(self, found, how)
  if not aimed then return nil, failure end
  return true
end

--- Scrolls until an element is in view.
---@param target integer|deskpilot.page_element as for tab:click
---@return boolean? ok, deskpilot.error? err
function methods.scroll_to(self, target)
  local found, err = page.target(self, target)
  if not found then return nil, err end
  local answer, why = page.ask(self, "bringIntoView", { ref = found.ref }, self.browser.desk.timing.page_act)
  if not answer then return nil, why end
  local failure = page.failure(found, answer)
  if failure then return nil, failure end
  if answer.in_view then return true end
  return refused(found, "cannot be brought into view")
end

local scroll_options = { dx = "number", dy = "number", input = "string" }

--- Turns the mouse wheel in the middle of the visible page, and waits until the page stops scrolling.
---@param how { dx: number?, dy: number?, input: "real"|"cdp"|nil } dx, dy: about how many CSS pixels, right and down
---@return { x: number, y: number, max_x: number, max_y: number }? scroll the page's scroll position afterwards
---@return deskpilot.error? err
function methods.scroll(self, how)
  how = options.check(how, scroll_options, "tab:scroll")
  local hands, timing = hands_of(how.input), self.browser.desk.timing
  local ok, err = hands.begin(self)
  if not ok then return nil, err end
  local answer, why = page.ask(self, "observe", { elements = 0, text = 0, keep = false }, timing.page_look)
  if not answer then return nil, why end
  local metrics = type(answer.metrics) == "table" and answer.metrics or {}
  local pixels = type(metrics.pixels) == "table" and metrics.pixels or {}
  ok, err = hands.wheel(self, metrics, (tonumber(pixels[1]) or 0) // 2, (tonumber(pixels[2]) or 0) // 2,
    how.dx or 0, how.dy or 0)
  if not ok then return nil, err end
  answer, why = page.ask(self, "scrollRests", {}, timing.page_act)
  if not answer then return nil, why end
  return page.scroll_of(answer.scroll)
end

return pointer
