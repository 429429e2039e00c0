-- Clicks where a picture shows, wherever the window is now. Here the picture is taken from the button itself; for your
-- own programs cut it out of a screenshot once and keep it beside the mission. Linux (zenity).
--   deskpilot run missions/cookbook/click_picture.lua
local files = require "deskpilot.base.files"

local picture = files.join(assert(files.own_temporary_folder()), "cookbook-button.png")
local pid

---@type deskpilot.mission
return {
  desktop = { kind = "private", size = { 800, 600 } },
  limits = { seconds = 60 },
  run = function(m)
    local desk = m.desk
    local window
    pid, window = desk.apps.start { "zenity", "--question", "--text", "Shall it be so?", wait = 15 }
    local button = desk.wait_for_element { role = "push button", name = "No", pid = window.pid }
    desk.settle() -- until it is painted
    desk.screen.shot { region = { button.x, button.y, button.width, button.height }, path = picture, cursor = false }
    desk.windows.place(window, { x = 40, y = 300 })
    desk.mouse.click(desk.wait_for_image(picture, { min_score = 0.9 }))
    desk.wait_for_window { id = window.id, gone = true }
  end,
  verify = function(m) -- "No" is the exit status 1
    local status = m.desk.apps.wait(pid, { timeout = 5 })
    return status == 1, "the program ended with the status " .. tostring(status)
  end,
}
