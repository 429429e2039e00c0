return {
  name = "LXTerminal", about = "a terminal",
  ready = { role = "terminal" },
  shortcuts = { new_tab = "ctrl+shift+t", close_tab = "ctrl+shift+w", copy = "ctrl+shift+c", paste = "ctrl+shift+v",
    quit = "ctrl+shift+q", stop = "ctrl+c" },
  hints = "The element with the role terminal holds what is on its screen.",
  linux = { binary = "lxterminal", package = "lxterminal", class = "Lxterminal" },
}
