--- The options of the desktop that is worked on.
return {
  { section = "desktop", options = {
    kind = { type = "string", default = "current", choices = { "current", "private" },
      about = "the desktop worked on: the user's own, or a new one for this run" },
    shared = { type = "boolean", default = false, about = "work on the current desktop also while another run, or "
      .. "a prompt, is working on it" },
    width = { type = "integer", default = 1280, min = 320, max = 16384, about = "pixels across of a private desktop" },
    height = { type = "integer", default = 800, min = 200, max = 16384, about = "pixels down of a private desktop" },
    pass_env = { type = "list", default = {}, about = "names of environment variables that programs started by "
      .. "deskpilot get beside the harmless ones; not those of API keys" },
    size = { type = "keys", keys = { "width", "height" }, about = "pixels across and down of a private desktop" },
  } },
}
