return {
  about = "models of OpenAI before GPT-5.4",
  models = { "*gpt-4*", "*gpt-5*", "o1*", "o3*", "o4*", "openai/o1*", "openai/o3*", "openai/o4*" },
  space = { kind = "pixels" },
  renames = { max_tokens = "max_completion_tokens" }, refuses = { "temperature" },
}
