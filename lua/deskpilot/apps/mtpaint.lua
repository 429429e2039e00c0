return {
  name = "mtPaint", about = "a painting program",
  shortcuts = { new = "ctrl+n", open = "ctrl+o", save = "ctrl+s", save_as = "ctrl+shift+s", quit = "ctrl+q",
    undo = "ctrl+z", select_all = "ctrl+a", copy = "ctrl+c", paste = "ctrl+v" },
  hints = "It tells of no elements. The left mouse button paints, the right one erases.",
  linux = { binary = "mtpaint", package = "mtpaint", class = "Mtpaint", main = "^mtPaint" },
}
