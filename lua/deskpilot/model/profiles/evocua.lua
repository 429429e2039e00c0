return {
  about = "EvoCUA",
  models = { "*evocua*" },
  space = { kind = "scaled", max = 1000 },
  picture = { factor = 32 },
  grammar = "tool_call", vocabulary = "qwen",
}
