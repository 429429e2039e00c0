return {
  about = "Claude Opus 5 and later",
  models = { "*claude-opus-5*", "*claude-sonnet-5*", "*claude-haiku-5*", "*claude-5*" },
  space = { kind = "pixels" },
  -- A larger one is made smaller by the server, and positions would be those of that one.
  picture = { width = 1288, height = 1288, patch = 28, patches = 1568 },
  wire = "anthropic", computer = "computer_toolset_20260801", vocabulary = "claude",
  parallel = true, tool_choice = false,
  refuses = { "temperature", "top_p", "top_k" },
}
