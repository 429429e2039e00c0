return {
  about = "UI-TARS 1.5",
  models = { "*ui-tars-1.5*", "*ui-tars-1-5*", "*ui_tars_1.5*", "*ui_tars_1_5*", "*uitars-1.5*", "*uitars1.5*" },
  space = { kind = "resized", factor = 28, min_pixels = 78400, max_pixels = 12845056 },
  picture = { factor = 28 },
  tools = "text", grammar = "ui_tars", vocabulary = "ui_tars",
}
