--- computer_use and mobile_use of Qwen, GUI-Owl, EvoCUA: `pixels` of a scroll are positive upwards, and a drag begins
--- where the pointer is.
local verbs = require "deskpilot.model.verbs"

---@type deskpilot.model.vocabulary
return {
  name = "qwen",
  verbs = {
    scroll = verbs.scroll { unit = "pixels", up = true },
    hscroll = verbs.scroll { unit = "pixels", up = true, sideways = true },
    wait = verbs.wait(2),
  },
  words = { click_element = "left_click", double_click_element = "double_click", right_click_element = "right_click",
    type_text = "type", press_key = "key" },
}
