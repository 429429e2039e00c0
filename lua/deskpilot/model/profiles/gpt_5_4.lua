return {
  about = "GPT-5.4 and later",
  models = { "*gpt-5.4*", "*gpt-5.5*", "*gpt-5.6*", "*gpt-5.7*", "*gpt-6*" },
  space = { kind = "pixels" },
  picture = { detail = "original" },
  wire = "responses", computer = "computer", vocabulary = "openai", parallel = true,
  renames = { max_tokens = "max_completion_tokens" }, refuses = { "temperature" },
}
