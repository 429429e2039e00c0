--- Clicking on what is on a page. Between the number that was seen and the press, everything is asked again: is it
--- still the same element, does it rest, would the click reach it, does the page hear the pointer over it. What
--- became of the press is what the page has heard.
local errors = require "deskpilot.base.errors"
local hands_of = require("deskpilot.desk.browser.page_hands").of
local options = require "deskpilot.base.option_table"
local page = require "deskpilot.desk.browser.page"

local pointer = { methods = {} }

local ATTEMPTS = 4 -- to be over an element: the first may only learn where the page is, or it moves
local UNHEARD = 2  -- of these may pass without a word from the page

local function refused(target, format, ...)
  return errors.fail("refused", "%s", target.label .. " " .. format:format(...))
end

-- Where to press: the page's answer, when it can be pressed.
local function aim(tab, target)
  local told, err = page.ask(tab, "aim", { ref = target.ref, watched = true }, tab.browser.desk.timing.page_act)
  if not told then return nil, err end
  local failure = page.failure(target, told)
  if failure then return nil, failure end
  if type(told.states) == "table" and told.states.disabled then return refused(target, "is disabled") end
  if told.covered then return refused(target, "is covered by %s, which would get the click", tostring(told.covered)) end
  if told.hidden or not tonumber(told.x) or not tonumber(told.y) then
    return refused(target, "cannot be brought into view")
  end
  return told
end

-- Brings the pointer over it, and makes the page say so.
local function reach(tab, target, hands, aimed)
  local timing = tab.browser.desk.timing
  local wrong, unheard = nil, 0
  for _ = 1, ATTEMPTS do
    local _, failed = page.ask_again(tab, "again", {}, timing.page_act)
    if failed then return nil, failed end
    local moved, err = hands.move(tab, aimed.metrics, aimed.x, aimed.y)
    if not moved then return nil, err end
    local over, why = page.ask_again(tab, "over", { seconds = timing.page_hears }, timing.page_act)
    if not over then return nil, why end
    local failure = page.failure(target, over)
    if failure then return nil, failure end
    if over.missing or over.lost then
      unheard = unheard + 1
      wrong = "the page does not hear the pointer there: another window or a part of the browser may lie over it"
    else
      if moved.place then moved.place:learn(tab, moved.x, moved.y, tonumber(over.x) or 0, tonumber(over.y) or 0) end
      if over.on then
        local ready
        ready, why = page.ask_again(tab, "ready", { ref = target.ref }, timing.page_act)
        if not ready then return nil, why end
        failure = page.failure(target, ready)
        if failure then return nil, failure end
        if ready.ok then return moved end
        over.cover = ready.covered
      end
      wrong = ("the pointer is over %s there"):format(tostring(over.cover))
    end
    aimed, err = aim(tab, target)
    if not aimed then return nil, err end
    if unheard >= UNHEARD then break end
  end
  return refused(target, "cannot be pointed at: %s", wrong)
end

local heard_as = { left = "click", right = "contextmenu" }

-- What became of the press, as the page has heard it. A dialog, another page or a tab that is gone came of it.
local function verdict(tab, target, button, count)
  local timing = tab.browser.desk.timing
  local told, err = page.ask_again(tab, "pressed", { event = heard_as[button] or "auxclick", times = count,
    seconds = timing.page_hears }, timing.page_act)
  if not told then
    if err.dialog or tab:dialog() or tab.closed then return true end
    return nil, err
  end
  if told.left or told.on then return true end
  if told.missing or told.lost then return refused(target, "was pressed, but the page heard nothing of it") end
  return refused(target, "was not what the click reached; %s was", tostring(told.other or "something else"))
end

--- Clicks on a target; see methods.click.
---@param tab deskpilot.tab
---@param target { ref: table, label: string }
---@param how { input: string?, button: string?, count: integer? }
---@return table? aimed what the page said of it
---@return deskpilot.error? err
function pointer.click(tab, target, how)
  local hands, button, count = hands_of(how.input), how.button or "left", how.count or 1
  local ok, err = hands.begin(tab)
  if not ok then return nil, err end
  local aimed, moved
  aimed, err = aim(tab, target)
  if not aimed then return nil, err end
  moved, err = reach(tab, target, hands, aimed)
  if not moved then return nil, err end
  ok, err = hands.press(tab, moved, button, count)
  if not ok and not (errors.is(err) and err.dialog) then return nil, err end
  ok, err = verdict(tab, target, button, count)
  if not ok then return nil, err end
  return aimed
end

local click_options = { input = "string", button = "string", count = "whole" }

---@class deskpilot.tab
local methods = pointer.methods

--- Clicks on an element: the desktop's mouse goes there ("real"), or the browser is told so ("cdp"). Right before the
--- press the page confirms that it is the element that was seen and that the pointer is over it, afterwards that the
--- click reached it.
---@param target integer|deskpilot.page_element an index of this tab's last observation, or an element of one
---@param how { input: "real"|"cdp"|nil, button: "left"|"middle"|"right"|nil, count: integer? }?
---@return boolean? ok, deskpilot.error? err code "stale": it is no longer what was seen; "refused": something lies
---  over it, or it is disabled
function methods.click(self, target, how)
  how = options.check(how, click_options, "tab:click")
  if how.button and how.button ~= "left" and how.button ~= "middle" and how.button ~= "right" then
    error("tab:click: a button is left, middle or right, not " .. how.button, 2)
  end
  local found, err = page.target(self, target)
  if not found then return nil, err end
  local aimed, failure = pointer.click(self, found, how)
  if not aimed then return nil, failure end
  return true
end

--- Scrolls until an element is in view.
---@param target integer|deskpilot.page_element as tab:click's
---@return boolean? ok, deskpilot.error? err
function methods.scroll_to(self, target)
  local found, err = page.target(self, target)
  if not found then return nil, err end
  local told, why = page.ask(self, "bringIntoView", { ref = found.ref }, self.browser.desk.timing.page_act)
  if not told then return nil, why end
  local failure = page.failure(found, told)
  if failure then return nil, failure end
  if told.in_view then return true end
  return refused(found, "cannot be brought into view")
end

local scroll_options = { dx = "number", dy = "number", input = "string" }

--- Turns the wheel in the middle of what is shown of the page, by about that many of its pixels to the right and down,
--- and waits until it rests.
---@param how { dx: number?, dy: number?, input: "real"|"cdp"|nil }
---@return { x: number, y: number, max_x: number, max_y: number }? scroll where the page is then
---@return deskpilot.error? err
function methods.scroll(self, how)
  how = options.check(how, scroll_options, "tab:scroll")
  local hands, timing = hands_of(how.input), self.browser.desk.timing
  local ok, err = hands.begin(self)
  if not ok then return nil, err end
  local told, why = page.ask(self, "observe", { elements = 0, text = 0, keep = false }, timing.page_look)
  if not told then return nil, why end
  local metrics = type(told.metrics) == "table" and told.metrics or {}
  local pixels = type(metrics.pixels) == "table" and metrics.pixels or {}
  ok, err = hands.wheel(self, metrics, (tonumber(pixels[1]) or 0) // 2, (tonumber(pixels[2]) or 0) // 2,
    how.dx or 0, how.dy or 0)
  if not ok then return nil, err end
  told, why = page.ask(self, "scrollRests", {}, timing.page_act)
  if not told then return nil, why end
  return page.scroll_of(told.scroll)
end

return pointer
