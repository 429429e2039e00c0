return {
  name = "LibreOffice Calc", about = "a spreadsheet",
  ready = { role = "menu bar" },
  shortcuts = { new = "ctrl+n", open = "ctrl+o", save = "ctrl+s", save_as = "ctrl+shift+s", quit = "ctrl+q",
    find = "ctrl+f", undo = "ctrl+z", first_cell = "ctrl+home", close = "ctrl+w" },
  hints = [[What is typed goes into the selected cell; enter selects the one below, tab the one to the right.
    A window 'Tip of the Day' may come up a second after the first one: escape closes it.
    Saving in a format other than its own asks whether to keep it.]],
  arguments = { "--calc", "--norestore" },
  timing = { start = 60, ready = 30, settle_quiet = 0.6, settle_cap = 5 },
  linux = { binary = { "libreoffice", "soffice" }, package = "libreoffice-calc", class = "libreoffice-calc" },
  windows = { binary = "%ProgramFiles%\\LibreOffice\\program\\soffice.exe",
    package = "TheDocumentFoundation.LibreOffice", class = "SALFRAME", executable = "soffice.bin",
    title = " LibreOffice Calc$" },
}
