--- The screen state that a plan relies on: the active window, the page that it shows, and a dialog or popup on top of
--- that page. It is compared before each of the plan's actions.
local text = require "deskpilot.base.text"
local observation = require "deskpilot.agent.observation"

local screen_state = {}

---@class deskpilot.odev.screen_state
---@field window deskpilot.window?
---@field page deskpilot.page? at most 200 elements and no text where `now` has read it

local function describe_overlay(overlay)
  return overlay and ("%s %q"):format(tostring(overlay.role or overlay.type), text.cut(text.one_line(
    tostring(overlay.name or overlay.message or "")), 80))
end

--- The screen state of the latest observation, which the model was shown.
---@param run deskpilot.run
---@return deskpilot.odev.screen_state
function screen_state.shown(run)
  return { window = run.observation.window, page = run.observation.page }
end

--- The screen state as it is now.
---@param run deskpilot.run
---@return deskpilot.odev.screen_state
function screen_state.now(run)
  local window = run.desk.windows.active()
  local tab = observation.tab(run.desk, window)
  local page = tab and tab:observe { max_elements = 200, max_text = 0, keep = false }
  return { window = window, page = page }
end

local function describe_window(window)
  return window and ("%q"):format(text.cut(text.one_line(window.title), 80)) or "no window"
end

--- A sentence about a change between two screen states that could mislead the next action; nil if there is none.
---@param before deskpilot.odev.screen_state
---@param after deskpilot.odev.screen_state
---@return string?
function screen_state.describe_change(before, after)
  local was, is = before.window, after.window
  if (was and was.id) ~= (is and is.id) then
    return ("the active window is %s and was %s"):format(describe_window(is), describe_window(was))
  end
  local page, now = before.page, after.page
  if not now then return page and "the page can no longer be seen" or nil end
  if not page then return "the window shows a page now" end
  if now.dialog and describe_overlay(now.dialog) ~= describe_overlay(page.dialog) then
    return "a dialog came up: " .. describe_overlay(now.dialog)
  end
  if page.url ~= now.url then
    return ("the page is %s and was %s"):format(text.cut(text.one_line(now.url), 200),
      text.cut(text.one_line(page.url), 200))
  end
  if now.popup and describe_overlay(now.popup) ~= describe_overlay(page.popup) then
    return "a popup came up over the page: " .. describe_overlay(now.popup)
  end
end

return screen_state
