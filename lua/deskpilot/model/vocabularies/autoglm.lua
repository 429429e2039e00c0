--- AutoGLM: do(action="Tap", element=[x, y]) and finish(message="..."). It was trained on telephones: a swipe moves
--- what is shown.
local verbs = require "deskpilot.model.verbs"

---@type deskpilot.model.vocabulary
return {
  name = "autoglm",
  verbs = {
    type = verbs.type, wait = verbs.wait(2), swipe = verbs.swipe,
    finish = verbs.finish,
  },
}
