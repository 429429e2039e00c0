return require("deskpilot.agent.page_tools").visit_tool {
  api = 1,
  name = "browser_back",
  group = "browser",
  description = "Go back to the page before.",
  act = function(tab) return tab:back() end,
  done = "went back",
}
