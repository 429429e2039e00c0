return {
  about = "Gemini 2.5 Computer Use, and 3 to 3.1",
  models = { "*gemini*" },
  space = { kind = "scaled", max = 1000 },
  box_order = "yxyx",
  wire = "gemini", computer = "browser", vocabulary = "gemini", parallel = true,
}
