return {
  name = "Windows Terminal", about = "a terminal of Windows",
  shortcuts = { new_tab = "ctrl+shift+t", close_tab = "ctrl+shift+w", copy = "ctrl+shift+c", paste = "ctrl+shift+v",
    find = "ctrl+shift+f" },
  hints = "The command exit and enter closes a tab.",
  windows = { binary = "wt.exe", package = "Microsoft.WindowsTerminal", class = "CASCADIA_HOSTING_WINDOW_CLASS" },
}
