return {
  name = "Command Prompt", about = "a terminal of Windows",
  shortcuts = { copy = "ctrl+c", paste = "ctrl+v" },
  hints = "The command exit and enter closes it.",
  -- Started by itself it would have no window; its host makes one. Wine's has another name.
  windows = { binary = { "wineconsole.exe", "conhost.exe" }, arguments = { "cmd.exe" },
    class = { "ConsoleWindowClass", "WineConsoleClass" } },
}
