return {
  about = "Qwen2.5-VL",
  models = { "*qwen2.5*vl*", "*qwen2_5*vl*", "*qwen2-5*vl*", "*qwen-vl-max*", "*qwen-vl-plus*" },
  space = { kind = "resized", factor = 28, min_pixels = 3136, max_pixels = 12845056 },
  picture = { factor = 28 },
  grammar = "tool_call", vocabulary = "qwen",
}
