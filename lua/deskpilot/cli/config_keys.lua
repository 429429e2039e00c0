--- The options of the program's face.
return {
  { section = "safety", options = {
    stop_hotkey = { type = "string", default = "ctrl+alt+escape", off = true, about = "keys that stop the program, "
      .. "pressed by a person in any window; a second time at once (`false`: none)" },
  } },
  { options = {
    trusted_folders = { type = "list", default = {}, personal = true, about = "folders whose files are used also where "
      .. "others could have written them; not in a project's `deskpilot.lua` or a mission" },
  } },
}
