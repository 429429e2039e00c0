local desktop_dialog = require "deskpilot.agent.desktop_dialog"
local app_profiles = require "deskpilot.desk.app.profiles"
local fields = require "deskpilot.agent.fields"
local observation = require "deskpilot.agent.observation"
local page_format = require "deskpilot.agent.page_format"

-- A page goes back in its history; a question that holds it up is answered with Cancel first.
local function back_on_page(tab)
  local dialog = tab:dialog()
  if dialog then
    local ok, err = tab:dismiss_dialog()
    if not ok then return nil, err end
    return ("dismissed the %s of the page"):format(dialog.type)
  end
  local visit, err = tab:back()
  if not visit then return nil, err end
  return "went back to the page " .. page_format.title_and_url(visit.title, visit.url)
end

-- What closes or leaves what is in front: Escape for a dialog, else the application's own key for going back.
local function key_for(ctx, window)
  local dialog = desktop_dialog.find(ctx.desk.windows.list() or {}, ctx.desk.elements.list {} or {})
  if dialog and dialog.window.id == window.id then return "escape" end
  local profile = app_profiles.of_window(window)
  return profile and profile.shortcuts and profile.shortcuts.back or "alt+left"
end

---@type deskpilot.tool
return {
  api = 1,
  name = "back",
  group = "touch",
  description = "Go back as the application in front does it: a browser to the page before, a dialog is left by "
    .. "Escape, everything else gets Alt+Left.",
  parameters = fields.object {},
  repeatable = false,
  run = function(ctx)
    local window, none = ctx.desk.windows.active()
    if not window then return nil, none end
    local tab = observation.tab(ctx.desk, window)
    if tab then return back_on_page(tab) end
    local key = key_for(ctx, window)
    local ok, err = ctx.desk.keyboard.press(key)
    if not ok then return nil, err end
    return ("pressed %s in %q"):format(key, window.title)
  end,
}
