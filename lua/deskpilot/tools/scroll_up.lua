return require "deskpilot.agent.fields".scroll_tool {
  api = 1,
  name = "scroll_up",
  group = "pointing",
  description = "Scroll up by a few lines, at the middle of the screen, or at an element or a position.",
  direction = -1,
  done = "scrolled up",
  side = "left",
}
