return {
  about = "Gemini 3.5 and later",
  models = { "*gemini-3.5*", "*gemini-3-5*", "*gemini-4*" },
  space = { kind = "scaled", max = 1000 },
  box_order = "yxyx",
  wire = "gemini", computer = "desktop", vocabulary = "gemini_3_5", parallel = true,
}
