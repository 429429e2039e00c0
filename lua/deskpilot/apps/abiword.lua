return {
  name = "AbiWord", about = "a word processor",
  ready = { role = "text" },
  shortcuts = { new = "ctrl+n", open = "ctrl+o", save = "ctrl+s", save_as = "ctrl+shift+s", quit = "ctrl+q",
    find = "ctrl+f", bold = "ctrl+b", italic = "ctrl+i", undo = "ctrl+z" },
  hints = "Each document has a window of its own; its title is the document's name alone.",
  -- Its caret is wider than others' and blinks for ever.
  timing = { settle_quiet = 0.2 },
  linux = { binary = "abiword", package = "abiword", class = "Abiword", main = { "^%*?Untitled", "%.%w+$" } },
}
