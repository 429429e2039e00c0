return {
  about = "UI-TARS 2 and Seed models that call functions as text",
  models = { "*ui-tars-2*", "*ui_tars_2*", "*uitars-2*", "*uitars2*" },
  space = { kind = "scaled", max = 1000 },
  tools = "text", grammar = "seed", vocabulary = "ui_tars", parallel = true,
}
