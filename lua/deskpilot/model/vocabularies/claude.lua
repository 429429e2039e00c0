--- Anthropic's computer tools: scroll_amount counts notches; `key` has names of X11, and spaces part combinations that
--- are pressed one after the other; `text` of a click is what is held meanwhile.
local verbs = require "deskpilot.model.verbs"

---@type deskpilot.model.vocabulary
return {
  name = "claude",
  flat = true,
  verbs = { key = verbs.key { sequence = true }, scroll = verbs.scroll { unit = "notches", up = false },
    wait = verbs.wait(1), left_click_drag = verbs.drag { from_here = true } },
}
