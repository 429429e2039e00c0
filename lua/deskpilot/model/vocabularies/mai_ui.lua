--- mobile_use and grounding of MAI-UI. Its `swipe` has a direction and no end.
local verbs = require "deskpilot.model.verbs"

local opposite = { up = "down", down = "up", left = "right", right = "left" }
local scroll = verbs.scroll { unit = "notches", up = false }

---@type deskpilot.model.vocabulary
return {
  name = "mai_ui",
  verbs = {
    -- the finger's direction, against which what is shown is read on
    swipe = function(args)
      local direction = opposite[verbs.pick(args, "direction") or ""]
      if not direction then return verbs.swipe(args) end
      return scroll { direction = direction, coordinate = args.coordinate }
    end,
  },
}
