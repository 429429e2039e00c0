return {
  name = "LibreOffice Writer", about = "a word processor",
  ready = { role = "menu bar" },
  shortcuts = { new = "ctrl+n", open = "ctrl+o", save = "ctrl+s", save_as = "ctrl+shift+s", quit = "ctrl+q",
    find = "ctrl+f", undo = "ctrl+z", bold = "ctrl+b", close = "ctrl+w" },
  hints = [[ctrl+shift+s asks for a name and a format.
    A window 'Tip of the Day' may come up a second after the first one: escape closes it.
    Saving in a format other than its own asks whether to keep it.]],
  arguments = { "--writer", "--norestore" },
  timing = { start = 60, ready = 30, settle_quiet = 0.6, settle_cap = 5 },
  linux = { binary = { "libreoffice", "soffice" }, package = "libreoffice-writer", class = "libreoffice-writer" },
  windows = { binary = "%ProgramFiles%\\LibreOffice\\program\\soffice.exe",
    package = "TheDocumentFoundation.LibreOffice", class = "SALFRAME", executable = "soffice.bin",
    title = " LibreOffice Writer$" },
}
