return {
  name = "Paint", about = "the painting program of Windows",
  shortcuts = { new = "ctrl+n", open = "ctrl+o", save = "ctrl+s", save_as = "f12", undo = "ctrl+z",
    select_all = "ctrl+a", copy = "ctrl+c", paste = "ctrl+v" },
  hints = "The left mouse button paints with the first colour, the right one with the second.",
  windows = { binary = "mspaint.exe", class = "MSPaintApp" },
}
