return {
  name = "WordPad", about = "a simple word processor of Windows",
  shortcuts = { new = "ctrl+n", open = "ctrl+o", save = "ctrl+s", find = "ctrl+f", bold = "ctrl+b",
    italic = "ctrl+i", undo = "ctrl+z" },
  hints = "It saves as rich text; saving as plain text asks whether the formatting may go.",
  windows = { binary = { "%ProgramFiles%\\Windows NT\\Accessories\\wordpad.exe", "wordpad.exe" },
    class = { "WordPadClass", "WORDPADTOP" } },
}
