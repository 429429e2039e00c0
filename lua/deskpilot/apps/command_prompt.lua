return {
  name = "Command Prompt", about = "a terminal of Windows",
  shortcuts = { copy = "ctrl+c", paste = "ctrl+v" },
  hints = "The command exit and enter closes it.",
  windows = { binary = { "cmd.exe" }, class = "ConsoleWindowClass" },
}
