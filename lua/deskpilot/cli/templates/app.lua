-- What deskpilot knows of an application, for the agents' prompts and for desk.apps.start "example". This file is data:
-- it is read, never run. `deskpilot eject mousepad` gives a shipped one to compare.
return {
  name = "Example", about = "what it is, in a few words",
  -- What tells that it can be used: an element with this role is there.
  ready = { role = "text" },
  shortcuts = { save = "ctrl+s", quit = "ctrl+q" },
  hints = "What somebody who uses it for the first time should know, in a sentence or two.",
  linux = { binary = "example", package = "example", class = "Example" },
  windows = { binary = "example.exe", executable = "example.exe" },
}
