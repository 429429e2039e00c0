return {
  about = "UI-TARS 1.0",
  models = { "*ui-tars*", "*doubao*ui-tars*", "*ui_tars*", "*uitars*" },
  space = { kind = "scaled", max = 1000 },
  tools = "text", grammar = "ui_tars", vocabulary = "ui_tars",
}
