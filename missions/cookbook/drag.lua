-- Drags the thumb of a slider with the mouse until it is at its end. Linux (zenity).
--   deskpilot run missions/cookbook/drag.lua
local task = require "deskpilot.base.task"

---@type deskpilot.mission
return {
  desktop = { kind = "private", size = { 800, 600 } },
  limits = { seconds = 60 },
  run = function(m)
    local desk = m.desk
    local scale = task.start(function()
      return desk.apps.run { "zenity", "--scale", "--text", "Volume", "--value", "50" }
    end)
    local slider = desk.wait_for_element { role = "slider", timeout = 15 }
    desk.settle()
    slider = desk.elements.refresh(slider)
    local y = slider.y + slider.height - 8 -- the trough is below the number
    desk.mouse.drag({ slider.x + slider.width // 2, y }, { slider.x + slider.width - 2, y })
    desk.wait_until(function() return desk.elements.find({ role = "slider" }).value == 100 end)
    desk.elements.press { role = "push button", name = "OK" }
    local said = select(2, scale:wait()).stdout
    return said == "100\n", "the program was told " .. said
  end,
}
