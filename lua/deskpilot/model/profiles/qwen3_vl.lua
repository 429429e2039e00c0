return {
  about = "Qwen3-VL, Qwen3.5 and Qwen3.6",
  models = { "*qwen3-vl*", "*qwen3vl*", "*qwen3_vl*", "*qwen3.5*", "*qwen3.6*" },
  space = { kind = "scaled", max = 1000 },
  picture = { factor = 32 },
  grammar = "tool_call", vocabulary = "qwen", reasoning = "reasoning_content",
}
