return require "deskpilot.agent.fields".click_tool {
  api = 1,
  name = "click_element",
  group = "pointing",
  description = "Click one element with the left mouse button.",
  act = function(mouse, point) return mouse.click(point) end,
  done = "clicked",
}
