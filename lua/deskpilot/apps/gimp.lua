return {
  name = "GIMP", about = "a painting program",
  shortcuts = { new = "ctrl+n", open = "ctrl+o", save = "ctrl+s", export = "ctrl+shift+e", quit = "ctrl+q",
    undo = "ctrl+z", select_all = "ctrl+a", copy = "ctrl+c", paste = "ctrl+v" },
  hints = "ctrl+s saves its own format only (.xcf); PNG and JPEG are made by ctrl+shift+e.",
  single = true,
  timing = { start = 90, ready = 30, settle_quiet = 0.4, settle_cap = 5 },
  linux = { binary = "gimp", package = "gimp", arguments = { "--no-splash" }, class = { "Gimp", "Gimp-2.10" },
    main = { "^GNU Image Manipulation Program$", "GIMP$" } },
}
