return {
  about = "AutoGLM",
  models = { "*autoglm*" },
  space = { kind = "scaled", max = 1000 },
  tools = "text", grammar = "autoglm", vocabulary = "autoglm",
}
