return {
  name = "GPicView", about = "a picture viewer",
  shortcuts = { open = "ctrl+o", quit = "q", next = "right", previous = "left", zoom_in = "+", zoom_out = "-",
    full_screen = "f11", rotate = "r" },
  hints = "It tells of no elements. It shows a folder's pictures one by one; the title names the one that is shown.",
  linux = { binary = "gpicview", package = "gpicview", class = "Gpicview" },
}
