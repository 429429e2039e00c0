return {
  about = "the embedded model, and recorded runs whose model is not known",
  models = { "literal" },
  space = { kind = "scaled", max = 1000 },
}
