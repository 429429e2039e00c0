--- OpenAI's computer: scroll_x and scroll_y are pixels, positive to the right and down; a drag is a path; `keypress`
--- has a list of keys that are pressed together.
local verbs = require "deskpilot.model.verbs"

---@type deskpilot.model.vocabulary
return {
  name = "openai",
  flat = true,
  verbs = { wait = verbs.wait(2), drag = verbs.drag() },
}
