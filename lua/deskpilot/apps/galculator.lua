return {
  name = "galculator", about = "a calculator",
  ready = { role = "text" },
  shortcuts = { quit = "ctrl+q", copy = "ctrl+c", paste = "ctrl+v", equals = "enter", clear = "delete" },
  hints = "Digits and operators may be typed: 6*7 and enter. The display is the only element with the role text.",
  linux = { binary = "galculator", package = "galculator", class = "Galculator" },
}
