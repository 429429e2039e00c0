--- Every configuration key, in the order of the documentation: what it holds, what it is unless told, and what
--- values it may have. config.lua makes the table of docs/configuration.md of them.

---@class deskpilot.config_key
---@field name string dotted, as --set takes it
---@field type "string"|"number"|"integer"|"boolean"|"list"
---@field default any nil for a key that has none
---@field doc string one line
---@field min number? the smallest value allowed
---@field max number? the largest value allowed
---@field choices string[]? the only values allowed
---@field off boolean? whether false stands for "", which turns it off

return {
  { name = "policy", type = "string", default = "three_body",
    doc = "how the agent thinks (a file in policies/)" },

  { name = "model.endpoint", type = "string", default = "http://localhost:1234/v1",
    doc = "address of the OpenAI-compatible model server" },
  { name = "model.name", type = "string", default = "qwen3-vl-2b-instruct", doc = "the model asked for" },
  { name = "model.api_key_file", type = "string", doc = "file whose first line is the API key" },
  { name = "model.timeout", type = "number", default = 240, min = 0.1,
    doc = "seconds to wait for one reply" },
  { name = "model.connect_timeout", type = "number", default = 10, min = 0.1,
    doc = "seconds to wait for a connection" },
  { name = "model.retries", type = "integer", default = 3, min = 0, max = 100,
    doc = "tries after a failed request" },
  { name = "model.calls_per_minute", type = "number", default = 60, min = 0,
    doc = "most requests in a minute (0: no cap)" },

  { name = "personas.*.model", type = "string",
    doc = "the model that this persona asks (`personas.vision.model`); the others ask `model.name`" },
  { name = "personas.*.endpoint", type = "string",
    doc = "the server that this persona asks; another server is not sent the key of `model.endpoint`'s" },
  { name = "personas.*.api_key_file", type = "string", doc = "file whose first line is the key for it" },

  { name = "limits.turns", type = "integer", default = 600, min = 1, doc = "turns after which a run ends" },
  { name = "limits.seconds", type = "number", default = 1800, min = 0.1,
    doc = "seconds after which a run ends" },
  { name = "limits.failures", type = "integer", default = 10, min = 1,
    doc = "failed steps in a row after which a run ends" },

  { name = "timing.turn_delay", type = "number", default = 0, min = 0,
    doc = "seconds to rest between turns" },
  { name = "timing.settle_quiet", type = "number", default = 0.15, min = 0,
    doc = "seconds without a change that count as settled; a known application may have its own, unless it is set" },
  { name = "timing.settle_floor", type = "number", default = 0.03, min = 0,
    doc = "least seconds to wait after an action" },
  { name = "timing.settle_cap", type = "number", default = 2.5, min = 0,
    doc = "seconds after which a changing screen is taken as it is; applications as above" },
  { name = "timing.settle_page", type = "number", default = 10, min = 0,
    doc = "seconds after which a page that is still loading is taken as it is" },
  { name = "timing.verify", type = "number", default = 3, min = 0,
    doc = "seconds to wait for a mission's verify to become true" },

  { name = "screen.image_width", type = "integer", default = 1536, min = 64, max = 8192,
    doc = "widest picture that the model is sent" },
  { name = "screen.image_height", type = "integer", default = 864, min = 64, max = 8192,
    doc = "highest picture that the model is sent" },
  { name = "screen.image_format", type = "string", default = "auto", choices = { "auto", "png", "jpeg" },
    doc = "format of that picture (auto: PNG, or JPEG where a PNG would be more than `screen.image_max_bytes`)" },
  { name = "screen.image_max_bytes", type = "integer", default = 0, min = 0,
    doc = "most bytes of that picture's file: of a lower quality, then smaller, until it fits (0: no cap)" },
  { name = "screen.cursor", type = "boolean", default = true, doc = "draw the mouse pointer in screenshots" },

  { name = "observe.elements", type = "boolean", default = true,
    doc = "tell the model of the elements on screen" },
  { name = "observe.max_elements", type = "integer", default = 120, min = 0, max = 10000,
    doc = "most elements told of in one turn" },
  { name = "observe.page", type = "boolean", default = true,
    doc = "tell the model of the page that the active window shows, where a browser lets us in" },
  { name = "observe.max_page_elements", type = "integer", default = 200, min = 0, max = 10000,
    doc = "most elements of a page told of in one turn" },
  { name = "observe.max_page_text", type = "integer", default = 8000, min = 0, max = 1000000,
    doc = "how much of a page's text is told, in characters" },

  { name = "three_body.tactician_interval", type = "integer", default = 5, min = 1,
    doc = "the Tactician looks in on turn 1 and every so many turns" },
  { name = "three_body.offline_turns", type = "integer", default = 15, min = 1,
    doc = "turns without a word from the Tactician after which the Executor gets emergency orders" },

  { name = "odev.retries", type = "integer", default = 2, min = 0, max = 10,
    doc = "times that a step which could not be verified is done again" },
  { name = "odev.verify_seconds", type = "number", default = 5, min = 0,
    doc = "seconds for the screen to show what a step was to bring" },
  { name = "odev.keyword_share", type = "number", default = 0.5, min = 0, max = 1,
    doc = "how many of an anchor's keywords have to be seen, as a share of them" },
  { name = "odev.read_screen", type = "boolean", default = true,
    doc = "read the active window's pixels for what neither elements nor the page tell of" },
  { name = "odev.vision", type = "boolean", default = true,
    doc = "ask the persona `vision` when nothing else helps" },
  { name = "odev.force_vision", type = "integer", default = 3, min = 1,
    doc = "failed steps in a row after which it is asked without looking at the page first" },
  { name = "odev.max_escalations", type = "integer", default = 5, min = 0,
    doc = "times that it is asked before the run is given up" },

  { name = "browser.upload_folders", type = "list", default = {},
    doc = "folders whose files an agent may upload or open, beside the mission's own and its `files`" },

  { name = "history.kept", type = "integer", default = 10, min = 1,
    doc = "actions kept in the history; as many phase changes and errors beside them" },
  { name = "history.sent", type = "integer", default = 8, min = 0, doc = "latest entries of it sent to the model" },
  { name = "history.doctrine_chars", type = "integer", default = 400, min = 0,
    doc = "how much of the doctrine the history text holds, in characters" },

  { name = "loop.threshold", type = "integer", default = 3, min = 2, doc = "times the same action makes a loop" },
  { name = "loop.window", type = "integer", default = 5, min = 2, doc = "actions looked back over for loops" },

  { name = "safety.forbidden_keys", type = "list", default = { "win+l", "ctrl+alt+delete", "alt+f4" },
    doc = "key combinations that are never pressed" },
  { name = "safety.max_text", type = "integer", default = 1000, min = 1,
    doc = "longest text of one type action, in characters" },
  { name = "safety.min_free_mb", type = "number", default = 100, min = 0,
    doc = "megabytes that a run leaves free on its disk" },

  { name = "safety.kill_chord", type = "string", default = "ctrl+alt+escape", off = true,
    doc = "keys that stop the program, pressed by a person in any window; a second time at once (`false`: none)" },
  { name = "safety.pause_on_human", type = "boolean", default = false,
    doc = "pause while a person uses the mouse or keyboard of the same desktop" },
  { name = "safety.human_quiet", type = "number", default = 3, min = 0.1,
    doc = "seconds without a touch after which a paused run goes on" },

  { name = "runs.dir", type = "string", default = "runs", doc = "folder that run directories are made in" },

  { name = "desktop.kind", type = "string", default = "current", choices = { "current", "private" },
    doc = "the desktop worked on: the user's own, or a new one for this run" },
  { name = "desktop.width", type = "integer", default = 1280, min = 320, max = 16384,
    doc = "pixels across of a private desktop" },
  { name = "desktop.height", type = "integer", default = 800, min = 200, max = 16384,
    doc = "pixels down of a private desktop" },
}
