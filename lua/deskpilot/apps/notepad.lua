return {
  name = "Notepad", about = "a text editor",
  shortcuts = { new = "ctrl+n", open = "ctrl+o", save = "ctrl+s", find = "ctrl+f", select_all = "ctrl+a",
    undo = "ctrl+z" },
  hints = "A new document is saved by ctrl+s, the whole path typed into the dialog, and enter.",
  windows = { binary = "notepad.exe", class = "Notepad" },
}
