return {
  name = "xterm", about = "a terminal",
  shortcuts = { paste = "shift+insert", page_up = "shift+page_up", page_down = "shift+page_down", stop = "ctrl+c",
    quit = "ctrl+d", clear = "ctrl+l" },
  hints = "It tells of no elements. ctrl+d at an empty prompt ends the shell, and the window with it.",
  linux = { binary = "xterm", package = "xterm", arguments = { "-fa", "DejaVuSansMono" }, class = "XTerm" },
}
