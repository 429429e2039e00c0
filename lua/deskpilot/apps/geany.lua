return {
  name = "Geany", about = "an editor for programs",
  ready = { role = "text" },
  shortcuts = { new = "ctrl+n", open = "ctrl+o", save = "ctrl+s", quit = "ctrl+q", find = "ctrl+f",
    find_in_files = "ctrl+shift+f", go_to_line = "ctrl+l", close_tab = "ctrl+w", undo = "ctrl+z" },
  hints = "A document that has changed shows its name in red; quitting asks for each of them.",
  timing = { settle_quiet = 0.2 },
  linux = { binary = "geany", package = "geany", class = "Geany", main = " %- Geany$", single = true },
}
