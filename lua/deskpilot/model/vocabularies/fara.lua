--- computer_use of Fara: as Qwen's, with verbs for a browser.
local verbs = require "deskpilot.model.verbs"

---@type deskpilot.model.vocabulary
return {
  name = "fara",
  verbs = {
    scroll = verbs.scroll { unit = "pixels", up = true },
    wait = verbs.wait(2),
    type = verbs.type,
  },
}
