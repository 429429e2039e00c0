return require "deskpilot.agent.fields".click_tool {
  api = 1,
  name = "right_click_element",
  group = "pointing",
  description = "Click one element with the right mouse button, usually to open its context menu.",
  act = function(mouse, point) return mouse.right_click(point) end,
  done = "right-clicked",
}
