-- Does something each time that a part of the screen changes: here it keeps a picture, until the job says that it is
-- done. Linux (zenity).
--   deskpilot run missions/cookbook/on_change.lua
local files = require "deskpilot.base.files"

local folder = assert(files.own_temporary_folder())
local go = files.join(folder, "cookbook-go") -- the job waits for it, so that no change comes unwatched
local job = [[(until [ -e "$0" ]; do sleep 0.1; done; for i in 1 2 3 4 5; do echo "# Part $i"; sleep 0.4; done) |
  zenity --progress --title Job --text "Part 0"]]
local count = 0

---@type deskpilot.mission
return {
  desktop = { kind = "private", size = { 800, 600 } },
  limits = { seconds = 60 },
  run = function(m)
    local desk = m.desk
    os.remove(go)
    local _, window = desk.apps.start { "sh", "-c", job, go, wait = 15 }
    local before = desk.screen.shot { window = window }
    files.write(go, "")
    repeat
      desk.try.wait_for_change { window = window, timeout = 1 } -- that nothing changes is no failure
      local now = desk.screen.shot { window = window }
      if before:difference(now, { tolerance = 8 }) then
        count = count + 1
        now:save(files.join(folder, ("cookbook-change-%d.png"):format(count)))
        before = now
      end
    until desk.elements.find({ role = "push button", name = "OK", pid = window.pid }).states.enabled
    desk.elements.press { role = "push button", name = "OK", pid = window.pid }
  end,
  verify = function() return count >= 2, ("only %d changes were seen"):format(count) end,
}
