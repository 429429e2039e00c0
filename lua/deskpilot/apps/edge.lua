return {
  name = "Microsoft Edge", about = "a web browser",
  shortcuts = { address = "ctrl+l", new_window = "ctrl+n", new_tab = "ctrl+t", close_tab = "ctrl+w",
    next_tab = "ctrl+page_down", reload = "ctrl+r", back = "alt+left", forward = "alt+right", find = "ctrl+f",
    quit = "ctrl+shift+w" },
  hints = "Pages are worked in by their elements; these keys are for the browser around them.",
  browser = true, single = true,
  timing = { start = 30, settle_quiet = 0.3, settle_cap = 5 },
  linux = { binary = { "microsoft-edge", "microsoft-edge-stable" }, package = "microsoft-edge-stable",
    class = "Microsoft-edge" },
  windows = { binary = { "%ProgramFiles(x86)%\\Microsoft\\Edge\\Application\\msedge.exe",
      "%ProgramFiles%\\Microsoft\\Edge\\Application\\msedge.exe" }, package = "Microsoft.Edge",
    class = "Chrome_WidgetWin_1", executable = "msedge.exe" },
}
