return {
  name = "Mousepad", about = "a text editor",
  ready = { role = "text" },
  shortcuts = { new = "ctrl+n", open = "ctrl+o", save = "ctrl+s", save_as = "ctrl+shift+s", quit = "ctrl+q",
    find = "ctrl+f", select_all = "ctrl+a", undo = "ctrl+z", close_tab = "ctrl+w" },
  hints = "A new document is saved by ctrl+s, the whole path typed into the dialog's Name field, and enter.",
  linux = {
    binary = "mousepad", package = "mousepad",
    -- Without it a window may be another process's, which was started with other arguments.
    arguments = { "--disable-server" },
    class = "Mousepad", main = " %- Mousepad$",
  },
}
