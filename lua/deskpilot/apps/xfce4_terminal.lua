return {
  name = "Xfce Terminal", about = "a terminal",
  ready = { role = "terminal" },
  shortcuts = { new_tab = "ctrl+shift+t", close_tab = "ctrl+shift+w", copy = "ctrl+shift+c", paste = "ctrl+shift+v",
    find = "ctrl+shift+f", quit = "ctrl+shift+q", stop = "ctrl+c" },
  hints = "The element with the role terminal holds what is on its screen.",
  linux = { binary = "xfce4-terminal", package = "xfce4-terminal", arguments = { "--disable-server" },
    class = "Xfce4-terminal" },
}
