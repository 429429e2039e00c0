return {
  name = "File Explorer", about = "the file manager of Windows",
  shortcuts = { address = "alt+d", new_window = "ctrl+n", up = "alt+up", rename = "f2", delete = "delete",
    new_folder = "ctrl+shift+n", properties = "alt+enter" },
  hints = "alt+d, a folder's path and enter goes there. The title is the folder's name.",
  timing = { settle_quiet = 0.3 },
  windows = { binary = "explorer.exe", class = { "CabinetWClass", "ExplorerWClass" } },
}
