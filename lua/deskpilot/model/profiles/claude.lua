return {
  about = "Claude to 4.8",
  models = { "*claude*" },
  space = { kind = "pixels" },
  -- A larger one is made smaller by the server, and positions would be those of that one.
  picture = { width = 1568, height = 1568, patch = 28, patches = 1568 },
  wire = "anthropic", computer = "computer_20251124", vocabulary = "claude",
}
