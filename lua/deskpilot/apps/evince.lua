return {
  name = "Evince", about = "a PDF viewer",
  ready = { role = "panel" },
  shortcuts = { open = "ctrl+o", find = "ctrl+f", close = "ctrl+w", print = "ctrl+p",
    save_as = "ctrl+s", next_page = "n", previous_page = "p", full_screen = "f11" },
  hints = "The title names the document. ctrl+l and a number and enter goes to that page.",
  linux = { binary = "evince", package = "evince", class = "Evince" },
}
