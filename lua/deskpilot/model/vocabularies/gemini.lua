--- Gemini to 3.1: `magnitude` of a scroll is in thousandths of the screen; type_text_at clears the field
--- unless told otherwise. Enter is pressed only where the call says so: it may send a form.
local verbs = require "deskpilot.model.verbs"

---@type deskpilot.model.vocabulary
return {
  name = "gemini",
  flat = true,
  verbs = { type_text_at = verbs.type_over, wait_5_seconds = verbs.wait(5) },
}
