return {
  name = "Gnumeric", about = "a spreadsheet",
  ready = { role = "status bar" },
  shortcuts = { new = "ctrl+n", open = "ctrl+o", save = "ctrl+s", save_as = "ctrl+shift+s", quit = "ctrl+q",
    find = "ctrl+f", go_to_cell = "ctrl+g", first_cell = "ctrl+home", undo = "ctrl+z" },
  hints = "What is typed goes into the selected cell; enter selects the one below, tab the one to the right.",
  linux = { binary = "gnumeric", package = "gnumeric", class = "Gnumeric", main = " %- Gnumeric$" },
}
