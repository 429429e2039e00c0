-- Waits for a window that comes when it likes, answers it, and waits until it has gone. Linux (zenity).
--   deskpilot run missions/cookbook/wait_for_window.lua
local pid

---@type deskpilot.mission
return {
  desktop = { kind = "private", size = { 800, 600 } },
  limits = { seconds = 60 },
  run = function(m)
    local desk = m.desk
    pid = desk.apps.start { "sh", "-c", "sleep 0.3; exec zenity --question --title Backup --text 'Begin it now?'" }
    local window = desk.wait_for_window { title = "Backup", timeout = 15 }
    desk.elements.press { role = "push button", name = "Yes", pid = window.pid, timeout = 5 }
    desk.wait_for_window { id = window.id, gone = true }
  end,
  verify = function(m) -- the program's own exit status: "Yes" is 0
    local status = m.desk.apps.wait(pid, { timeout = 5 })
    return status == 0, "the question was not answered by Yes"
  end,
}
