--- The screen state that several calls rely on: the active window, what other windows there are, the page that it
--- shows, and a dialog or popup on top of that page. It is compared before each of the calls.
local rects = require "deskpilot.desk.picture.rect"
local text = require "deskpilot.base.text"
local observation = require "deskpilot.agent.observation"

local screen_state = {}

---@class deskpilot.screen_state
---@field window deskpilot.window?
---@field windows deskpilot.window[]?
---@field page deskpilot.page? at most 200 elements and no text where `now` has read it

local function describe_overlay(overlay)
  return overlay and ("%s %q"):format(tostring(overlay.role or overlay.type), text.cut(text.one_line(
    tostring(overlay.name or overlay.message or "")), 80))
end

--- The screen state of the latest observation, which the model was shown.
---@param run deskpilot.run
---@return deskpilot.screen_state
function screen_state.shown(run)
  local seen = run.observation
  return { window = seen.window, windows = seen.windows, page = seen.page }
end

--- The screen state as it is now.
---@param run deskpilot.run
---@return deskpilot.screen_state
function screen_state.now(run)
  local window = run.desk.windows.active()
  local tab = observation.tab(run.desk, window)
  local page = tab and tab:observe { max_elements = 200, max_text = 0, keep = false }
  return { window = window, windows = run.desk.windows.list(), page = page }
end

local function describe_window(window)
  return window and ("%q"):format(text.cut(text.one_line(window.title), 80)) or "no window"
end

-- A window that came up over the active one, or that its application has opened, without being the active one itself.
local function new_window(before, after)
  local known, active = {}, after.window
  if not (before.windows and after.windows and active) then return nil end
  for _, window in ipairs(before.windows) do known[window.id] = true end
  for _, window in ipairs(after.windows) do
    if not known[window.id] and window.visible and not window.minimized
      and (window.pid == active.pid or rects.overlap(window, active) > 0) then
      return window
    end
  end
end

--- A sentence about a change between two screen states that could mislead the next action; nil if there is none.
---@param before deskpilot.screen_state
---@param after deskpilot.screen_state
---@return string?
function screen_state.describe_change(before, after)
  local was, is = before.window, after.window
  if (was and was.id) ~= (is and is.id) then
    return ("the active window is %s and was %s"):format(describe_window(is), describe_window(was))
  end
  local came = new_window(before, after)
  if came then return "a window came up: " .. describe_window(came) end
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
