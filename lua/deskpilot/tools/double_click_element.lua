return require "deskpilot.agent.fields".click_tool {
  api = 1,
  name = "double_click_element",
  group = "pointing",
  description = "Double-click one element, for example to open a file or to select a word.",
  act = function(mouse, point) return mouse.double_click(point) end,
  done = "double-clicked",
}
