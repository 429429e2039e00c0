return {
  name = "Chromium", about = "a web browser",
  shortcuts = { address = "ctrl+l", new_window = "ctrl+n", new_tab = "ctrl+t", close_tab = "ctrl+w",
    next_tab = "ctrl+page_down", reload = "ctrl+r", back = "alt+left", forward = "alt+right", find = "ctrl+f",
    quit = "ctrl+shift+w" },
  hints = "Pages are worked in by their elements; these keys are for the browser around them.",
  browser = true, single = true,
  ready = { title = "Chromium$" },
  timing = { start = 30, settle_quiet = 0.3, settle_cap = 5 },
  linux = { binary = { "chromium", "chromium-browser" }, package = "chromium",
    class = { "Chromium", "Chromium-browser" } },
  windows = { binary = "%LocalAppData%\\Chromium\\Application\\chrome.exe", package = "Hibbiki.Chromium",
    class = "Chrome_WidgetWin_1", executable = "chrome.exe", title = "Chromium$" },
}
