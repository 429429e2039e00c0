--- GLM-4.1V to 4.6V: a scroll counts steps, WAIT(), DONE() and FAIL() have no arguments.
local verbs = require "deskpilot.model.verbs"

---@type deskpilot.model.vocabulary
return {
  name = "glm",
  verbs = { scroll = verbs.scroll { unit = "notches", up = false }, wait = verbs.wait(5) },
  words = { click_element = "left_click", double_click_element = "left_double_click",
    right_click_element = "right_click", drag_element = "left_drag", type_text = "type", press_key = "key",
    report_completion = "DONE", give_up = "FAIL" },
  arguments = { left_click = { position = "start_box", label = "element_info" },
    left_double_click = { position = "start_box", label = "element_info" },
    right_click = { position = "start_box", label = "element_info" },
    left_drag = { start = "start_box", ["end"] = "end_box", label = "element_info" }, type = { text = "content" },
    key = { key = "keys" } },
}
