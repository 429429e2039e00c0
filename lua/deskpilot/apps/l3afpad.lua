return {
  name = "L3afpad", about = "a small text editor",
  ready = { role = "text" },
  shortcuts = { new = "ctrl+n", open = "ctrl+o", save = "ctrl+s", save_as = "ctrl+shift+s", quit = "ctrl+q",
    find = "ctrl+f", replace = "ctrl+h", select_all = "ctrl+a", undo = "ctrl+z" },
  hints = "Each document has a window of its own; a title that begins with * has changes that are not saved.",
  linux = { binary = "l3afpad", package = "l3afpad", class = "L3afpad" },
}
