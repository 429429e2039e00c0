return {
  name = "PCManFM", about = "a file manager",
  shortcuts = { home = "alt+home", up = "alt+up", address = "ctrl+l", new_tab = "ctrl+t", close = "ctrl+w",
    rename = "f2", delete = "delete", show_hidden = "ctrl+h", properties = "alt+enter" },
  hints = "ctrl+l, a folder's path and enter goes there. The title is the folder's name. It tells of no elements.",
  -- Its own name is the title for as long as it has not read the folder.
  ready = { title = "^[^p]" },
  linux = { binary = "pcmanfm", package = "pcmanfm", class = "Pcmanfm" },
}
