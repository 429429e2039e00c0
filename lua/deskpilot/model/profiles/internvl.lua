return {
  about = "InternVL 3 and 3.5",
  models = { "*internvl*" },
  space = { kind = "scaled", max = 1000 },
  tools = "text", grammar = "points",
}
