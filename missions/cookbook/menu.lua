-- Opens a menu by its name and chooses an item of it. Linux (mousepad).
--   deskpilot run missions/cookbook/menu.lua
---@type deskpilot.mission
return {
  desktop = { kind = "private", size = { 1024, 700 }, apps = { { "mousepad", "--disable-server" } } },
  limits = { seconds = 60 },
  run = function(m)
    local desk = m.desk
    desk.wait_for_element { app = "mousepad", role = "text" }
    desk.mouse.click(desk.wait_for_element { app = "mousepad", role = "menu", name = "Search" })
    desk.settle()
    desk.mouse.click(desk.wait_for_element { app = "mousepad", role = "menu item", contains = "Go to" })
    desk.wait_for_window { title = "Go To" }
  end,
  verify = function(m) return m.checks.window { title = "Go To" } end,
}
