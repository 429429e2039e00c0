local information = require "deskpilot.agent.information"
local observation = require "deskpilot.agent.observation"
local text = require "deskpilot.base.text"

local quiet, cap = 0.3, 1.5 -- seconds without a change, and how long that is waited for

local function of_page(tab)
  local dialog = tab:dialog()
  if dialog then
    return ("NOT READY: a dialog blocks the page: %q"):format(text.cut(text.one_line(tostring(dialog.message)), 200))
  end
  if tab.loading then return "NOT READY: the page is still loading" end
end

---@type deskpilot.tool
return information.tool {
  api = 1,
  name = "check_page_ready",
  fresh = true,
  description = "Ask whether the page has loaded and the screen has stopped changing.",
  run = function(ctx)
    local tab = observation.tab(ctx.desk, ctx.desk.windows.active())
    local settled = ctx.desk.settle { quiet = quiet, cap = cap }
    local why = tab and of_page(tab)
    if why then return why end
    if settled and settled.reason == "cap" then return "NOT READY: the screen is still changing" end
    return tab and "READY: the page has loaded, and the screen is quiet" or "READY: the screen is quiet"
  end,
}
