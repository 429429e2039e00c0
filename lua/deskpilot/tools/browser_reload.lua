return require("deskpilot.agent.page_tools").visit_tool {
  api = 1,
  name = "browser_reload",
  group = "browser",
  description = "Load the page again.",
  act = function(tab) return tab:reload() end,
  done = "loaded again",
}
