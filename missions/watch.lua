-- A script: watches the window of a long job, writes down each step it shows, and confirms it when the job is
-- through. Whether it is done is said by the job itself.
local files = require "deskpilot.base.files"

local path = files.join(files.temporary_folder(), "deskpilot-watch.txt")
-- A job that takes its time and asks at its end, as a copy or an installation does.
local job = [[
for percent in 20 40 60 80 100; do sleep 0.5; echo "# Step $percent"; echo $percent; done |
zenity --progress --title "A long job" --text "Beginning" && echo confirmed > "$1"
]]

return {
  desktop = { kind = "private", size = { 800, 600 } },
  limits = { seconds = 120 },
  run = function(m)
    local desk = m.desk
    files.remove(path)
    assert(desk.apps.start { "sh", "-c", job, "job", path, wait = 10 })
    local window = assert(desk.windows.find { title = "A long job" })
    local said
    repeat
      local label = desk.elements.find { role = "label", pid = window.pid }
      if label and label.text ~= said then
        said = label.text
        m:note("the job says: " .. said)
      end
      local ok = desk.elements.find { role = "push button", name = "OK", pid = window.pid, states = "enabled" }
      if not ok then assert(desk.wait_for_change { timeout = 30 }) end
    until ok
    assert(desk.elements.press { role = "push button", name = "OK", pid = window.pid })
    assert(desk.wait_until(function() return files.exists(path) end, { timeout = 10 }))
  end,
  verify = function()
    return files.read(path) == "confirmed\n", "the job was not confirmed"
  end,
}
