return {
  name = "Thunar", about = "a file manager",
  ready = { role = "directory pane" },
  shortcuts = { new_window = "ctrl+n", new_tab = "ctrl+t", home = "alt+home", up = "alt+up", address = "ctrl+l",
    close = "ctrl+q", rename = "f2", delete = "delete", new_folder = "ctrl+shift+n", show_hidden = "ctrl+h",
    find = "ctrl+f" },
  hints = "ctrl+l, a folder's path and enter goes there. The title begins with the folder's name.",
  timing = { settle_quiet = 0.3 },
  linux = { binary = "thunar", package = "thunar", class = "Thunar", main = " %- Thunar$" },
}
