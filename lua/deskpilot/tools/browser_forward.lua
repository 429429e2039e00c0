return require("deskpilot.agent.page_tools").visit_tool {
  api = 1,
  name = "browser_forward",
  group = "browser",
  description = "Go forward again to the page that was left by going back.",
  act = function(tab) return tab:forward() end,
  done = "went forward",
}
