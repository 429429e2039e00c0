--- Yutori n1.
local verbs = require "deskpilot.model.verbs"

---@type deskpilot.model.vocabulary
return {
  name = "yutori",
  flat = true,
  verbs = { scroll = verbs.scroll { unit = "notches", up = false }, wait = verbs.wait(2) },
}
