--- UI-TARS and Seed. Keys of a `hotkey` are parted by spaces; a text that ends in a line break is sent with Enter.
local verbs = require "deskpilot.model.verbs"

---@type deskpilot.model.vocabulary
return {
  name = "ui_tars",
  verbs = {
    wait = verbs.wait(5), drag = verbs.drag(),
    press = verbs.none "press the combination by hotkey(key='ctrl c')",
  },
  words = { click_element = "click", double_click_element = "left_double", right_click_element = "right_single",
    drag_element = "drag", type_text = "type", press_key = "hotkey", report_completion = "finished" },
  arguments = { click = { position = "point" }, left_double = { position = "point" },
    right_single = { position = "point" }, drag = { start = "start_point", ["end"] = "end_point" },
    type = { text = "content" }, finished = { evidence = "content" } },
}
