return {
  name = "Calculator", about = "the calculator of Windows",
  shortcuts = { copy = "ctrl+c", paste = "ctrl+v", equals = "enter", clear = "escape" },
  hints = "Digits and operators may be typed: 6*7 and enter.",
  single = true,
  windows = { binary = "calc.exe", class = { "ApplicationFrameWindow", "CalcFrame", "SciCalc" },
    title = { "^Calculator$", "^Rechner$", "^Calculatrice$", "^Calculadora$", "^Calcolatrice$" } },
}
