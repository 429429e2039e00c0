-- Clicks elements by role and name, which holds whatever the theme, the size or the place of a window. Linux
-- (galculator).
--   deskpilot run missions/cookbook/click_element.lua
---@type deskpilot.mission
return {
  desktop = { kind = "private", size = { 800, 600 }, apps = { { "galculator" } } },
  limits = { seconds = 60 },
  run = function(m)
    for _, name in ipairs { "7", "*", "6", "=" } do
      -- `press` would do it without the mouse: desk.elements.press { app = ..., role = ..., name = ... }
      m.desk.mouse.click(m.desk.wait_for_element { app = "galculator", role = "toggle button", name = name })
    end
    m.desk.wait_for_element { app = "galculator", role = "text", text = "42" }
  end,
  verify = function(m) return m.checks.element { app = "galculator", role = "text", shows = "42" } end,
}
