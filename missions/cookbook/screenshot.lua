-- A picture of one window, also where others cover it, with a frame around a part of it. Linux (galculator).
--   deskpilot run missions/cookbook/screenshot.lua -- window.png
local files = require "deskpilot.base.files"

local function path_of(m)
  return files.absolute(m.args[1] or files.join(assert(files.own_temporary_folder()), "cookbook-window.png"))
end

---@type deskpilot.mission
return {
  desktop = { kind = "private", size = { 1024, 700 }, apps = { { "galculator" } } },
  limits = { seconds = 60 },
  run = function(m)
    local desk = m.desk
    local window = desk.wait_for_window { class = "galculator" }
    local button = desk.wait_for_element { app = "galculator", role = "toggle button", name = "sqrt" }
    desk.settle()
    local shot = desk.screen.shot { window = window }
    shot:rectangle({ x = button.x - shot.frame.x, y = button.y - shot.frame.y, width = button.width,
      height = button.height }, { color = "#ff0000", width = 2 })
    shot:save(path_of(m))
  end,
  verify = function(m)
    local picture, why = m.desk.screen.load(path_of(m))
    return picture and picture.width > 100, tostring(why)
  end,
}
