--- Gemini 3.5 and later: names as others have them; `type` goes where the caret is.
local verbs = require "deskpilot.model.verbs"

---@type deskpilot.model.vocabulary
return {
  name = "gemini_3_5",
  flat = true,
  verbs = { type = verbs.type, wait = verbs.wait(5), press_key = verbs.key(), hotkey = verbs.key() },
}
