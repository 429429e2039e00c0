return {
  about = "Gemini to 2.5, without a tool for the computer",
  models = { "*gemini-1*", "*gemini-2.0*", "*gemini-2.5-pro*", "*gemini-2.5-flash*" },
  space = { kind = "scaled", max = 1000 },
  box_order = "yxyx",
  wire = "gemini", vocabulary = "gemini", parallel = true,
}
