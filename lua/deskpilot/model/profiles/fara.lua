return {
  about = "Fara-7B",
  models = { "*fara-7b*", "*fara_7b*", "*fara*" },
  space = { kind = "resized", factor = 28, min_pixels = 3136, max_pixels = 12845056 },
  picture = { factor = 28 },
  grammar = "tool_call", vocabulary = "fara",
}
