return {
  about = "GUI-Owl 1.5",
  models = { "*gui-owl*", "*gui_owl*" },
  space = { kind = "scaled", max = 1000 },
  picture = { factor = 32 },
  grammar = "tool_call", vocabulary = "qwen",
}
