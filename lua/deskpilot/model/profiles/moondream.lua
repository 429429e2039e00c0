return {
  about = "Moondream 3",
  models = { "*moondream*" },
  space = { kind = "scaled", max = 1 },
  tools = "text", grammar = "points",
}
