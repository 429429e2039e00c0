return require "deskpilot.agent.fields".scroll_tool {
  api = 1,
  name = "scroll_down",
  group = "pointing",
  description = "Scroll down by a few lines, at the middle of the screen, or at an element or a position.",
  direction = 1,
  done = "scrolled down",
  side = "right",
}
