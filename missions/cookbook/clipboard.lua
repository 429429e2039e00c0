-- Copies what an editor holds, changes it, and pastes it back. Linux (mousepad); the clipboard is the same on Windows.
--   deskpilot run missions/cookbook/clipboard.lua
local files = require "deskpilot.base.files"

local path = files.join(assert(files.own_temporary_folder()), "cookbook-names.txt")

---@type deskpilot.mission
return {
  desktop = { kind = "private", size = { 1024, 700 } },
  limits = { seconds = 60 },
  run = function(m)
    local desk = m.desk
    assert(files.write(path, "oslo\nrome\nbergen\n"))
    local _, window = desk.apps.start { "mousepad", "--disable-server", path, wait = 15 }
    desk.windows.focus(window)
    desk.wait_for_element { role = "text", app = "mousepad" }
    desk.keyboard.press "ctrl+a"
    desk.clipboard.wait_for_change { action = function() desk.keyboard.press "ctrl+c" end }
    local lines = {}
    for line in desk.clipboard.get():gmatch "[^\n]+" do lines[#lines + 1] = line:upper() end
    table.sort(lines)
    desk.clipboard.set(table.concat(lines, "\n") .. "\n")
    desk.keyboard.press "ctrl+v"
    desk.wait_for_element { role = "text", app = "mousepad", contains = "BERGEN" }
    desk.wait_for_window { title = "*", active = true } -- now it knows that there is something to save
    desk.keyboard.press "ctrl+s"
    desk.wait_until(function() return (files.read(path) or ""):find "BERGEN" end)
  end,
  verify = function(m) return m.checks.file { path = path, equals = "BERGEN\nOSLO\nROME\n" } end,
}
