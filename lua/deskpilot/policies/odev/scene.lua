--- What a batch of actions takes for granted about the screen: the window that is in front, the page that it
--- shows, and what stands on top of the page. Between two actions the scene is looked at again.
local text = require "deskpilot.base.text"
local observation = require "deskpilot.agent.observation"

local scene = {}

---@class deskpilot.odev.scene
---@field window deskpilot.window?
---@field page deskpilot.page? with a few elements only where it was taken by `now`

local function key(thing)
  return thing and ("%s %q"):format(tostring(thing.role or thing.type), text.cut(text.one_line(
    tostring(thing.name or thing.message or "")), 80))
end

--- The scene that the model was shown.
---@param run deskpilot.run
---@return deskpilot.odev.scene
function scene.shown(run)
  return { window = run.observation.window, page = run.observation.page }
end

--- The scene as it is now.
---@param run deskpilot.run
---@return deskpilot.odev.scene
function scene.now(run)
  local window = run.desk.windows.active()
  local tab = observation.tab(run.desk, window)
  local page = tab and tab:observe { max_elements = 200, max_text = 0, keep = false }
  return { window = window, page = page }
end

local function window_words(window)
  return window and ("%q"):format(text.cut(text.one_line(window.title), 80)) or "no window"
end

--- What has changed between two scenes that matters to the next action, in words; or nil.
---@param before deskpilot.odev.scene
---@param after deskpilot.odev.scene
---@return string?
function scene.difference(before, after)
  local was, is = before.window, after.window
  if (was and was.id) ~= (is and is.id) then
    return ("the active window is %s and was %s"):format(window_words(is), window_words(was))
  end
  local page, now = before.page, after.page
  if not now then return page and "the page can no longer be seen" or nil end
  if not page then return "a page has come" end
  if now.dialog and key(now.dialog) ~= key(page.dialog) then return "a dialog came up: " .. key(now.dialog) end
  if page.url ~= now.url then
    return ("the page is %s and was %s"):format(text.cut(text.one_line(now.url), 200),
      text.cut(text.one_line(page.url), 200))
  end
  if now.popup and key(now.popup) ~= key(page.popup) then
    return "something came up over the page: " .. key(now.popup)
  end
end

return scene
