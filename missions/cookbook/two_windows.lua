-- Puts two windows side by side and carries a text from one into the other. Linux (mousepad, galculator).
--   deskpilot run missions/cookbook/two_windows.lua
local files = require "deskpilot.base.files"

local path = files.join(assert(files.own_temporary_folder()), "cookbook-result.txt")

---@type deskpilot.mission
return {
  desktop = { kind = "private", size = { 1200, 700 } },
  limits = { seconds = 60 },
  run = function(m)
    local desk = m.desk
    assert(files.write(path, ""))
    local _, calculator = desk.apps.start { "galculator", wait = 15 }
    local _, editor = desk.apps.start { "mousepad", "--disable-server", path, wait = 15 }
    desk.windows.place(calculator, { x = 0, y = 0 })
    desk.windows.place(editor, { x = 600, y = 0, width = 560, height = 400 })
    desk.windows.focus(calculator)
    desk.keyboard.type("1/8=", { window = calculator })
    local shown = desk.wait_for_element { app = "galculator", role = "text", text = "0.125" }
    desk.windows.focus(editor)
    desk.keyboard.type(shown.text, { window = editor })
    desk.wait_for_window { title = "*", active = true } -- now it knows that there is something to save
    desk.keyboard.press "ctrl+s"
    desk.wait_until(function() return (files.read(path) or "") ~= "" end)
  end,
  verify = function(m) return m.checks.file { path = path, equals = "0.125" } end,
}
