return {
  name = "Firefox", about = "a web browser",
  shortcuts = { address = "ctrl+l", new_window = "ctrl+n", new_tab = "ctrl+t", close_tab = "ctrl+w",
    next_tab = "ctrl+page_down", reload = "ctrl+r", back = "alt+left", forward = "alt+right", find = "ctrl+f",
    quit = "ctrl+q" },
  hints = [[ctrl+l, an address and enter goes to a page. The first start shows pages of its own in further tabs.
    It asks before it quits: enter says yes.]],
  single = true,
  timing = { start = 40, settle_quiet = 0.4, settle_cap = 5 },
  linux = { binary = { "firefox-esr", "firefox" }, package = "firefox-esr", class = { "firefox-esr", "firefox" },
    main = "Mozilla Firefox$" },
  windows = { binary = { "%ProgramFiles%\\Mozilla Firefox\\firefox.exe", "firefox.exe" }, package = "Mozilla.Firefox",
    class = "MozillaWindowClass", executable = "firefox.exe", main = "Mozilla Firefox$" },
}
