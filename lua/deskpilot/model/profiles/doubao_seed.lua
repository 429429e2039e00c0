return {
  about = "Doubao Seed 1.6 to 2",
  models = { "*doubao*", "*seed-1.6*", "*seed-1-6*", "*seed-1.8*", "*seed-1-8*", "*seed-2*" },
  space = { kind = "scaled", max = 1000 },
  reasoning = "reasoning_content",
}
