-- Works on a desktop of its own, with its own screen, keyboard, clipboard and programs: yours stays as it is, and you
-- can go on working. Linux.
--   deskpilot run missions/cookbook/private_desktop.lua
local files = require "deskpilot.base.files"

local path = files.join(assert(files.own_temporary_folder()), "cookbook-desktop.txt")

---@type deskpilot.mission
return {
  desktop = { kind = "private", size = { 1600, 1000 }, apps = { { "galculator" } }, env = { LANG = "C.UTF-8" } },
  limits = { seconds = 60 },
  run = function(m)
    local desk = m.desk
    desk.wait_for_window { class = "galculator" }
    desk.clipboard.set "nobody else sees this"
    local size, titles = desk.screen.size(), {}
    for i, window in ipairs(desk.windows.list()) do titles[i] = window.title end
    assert(files.write(path, ("%d x %d: %s\n"):format(size.width, size.height, table.concat(titles, ", "))))
  end,
  verify = function(m) return m.checks.file { path = path, equals = "1600 x 1000: galculator\n" } end,
}
