return {
  about = "Kimi K2.6 and K3",
  models = { "*kimi*" },
  space = { kind = "pixels", fractions = true },
  refuses = { "temperature" }, reasoning = "reasoning_content",
}
