return {
  name = "Registry Editor", about = "the editor of Windows's registry",
  shortcuts = { find = "ctrl+f", find_next = "f3", rename = "f2", delete = "delete" },
  hints = "What is changed here takes effect at once; there is no undo.",
  windows = { binary = "regedit.exe", class = { "RegEdit_RegEdit", "REGEDIT" } },
}
