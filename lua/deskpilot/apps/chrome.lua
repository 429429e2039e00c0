return {
  name = "Google Chrome", about = "a web browser",
  shortcuts = { address = "ctrl+l", new_tab = "ctrl+t", close_tab = "ctrl+w", next_tab = "ctrl+page_down",
    reload = "ctrl+r", back = "alt+left", forward = "alt+right", find = "ctrl+f", quit = "ctrl+shift+w" },
  browser = true, single = true,
  timing = { start = 30, settle_quiet = 0.3, settle_cap = 5 },
  linux = { binary = { "google-chrome", "google-chrome-stable" }, package = "google-chrome-stable",
    class = "Google-chrome" },
  windows = { binary = { "%ProgramFiles%\\Google\\Chrome\\Application\\chrome.exe",
      "%ProgramFiles(x86)%\\Google\\Chrome\\Application\\chrome.exe",
      "%LocalAppData%\\Google\\Chrome\\Application\\chrome.exe" }, package = "Google.Chrome",
    class = "Chrome_WidgetWin_1", executable = "chrome.exe" },
}
