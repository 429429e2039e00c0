return {
  about = "MAI-UI",
  models = { "*mai-ui*", "*mai_ui*" },
  space = { kind = "scaled", max = 999 },
  picture = { factor = 32 },
  tools = "text", grammar = "tool_call", vocabulary = "mai_ui",
}
