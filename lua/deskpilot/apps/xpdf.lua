return {
  name = "Xpdf", about = "a PDF viewer",
  shortcuts = { open = "o", find = "f", quit = "q", next_page = "n", previous_page = "p",
    first_page = "ctrl+home", last_page = "ctrl+end" },
  hints = "It tells of no elements; its pages are read from the screen.",
  linux = { binary = "xpdf", package = "xpdf", class = "Xpdf" },
}
