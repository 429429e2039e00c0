return require("deskpilot.agent.page_tools").element_tool {
  api = 1,
  name = "browser_click",
  group = "browser",
  description = "Click an element of the page.",
  act = function(_, tab, element) return tab:click(element) end,
  done = function(element) return "clicked " .. element end,
}
