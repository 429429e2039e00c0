-- A script: watches the window of a long job, writes down each step it shows, and confirms it when the job is
-- through. Whether it is done is said by the job itself. Another file for that: deskpilot run watch -- PATH
local files = require "deskpilot.base.files"

local function path_of(m) -- deskpilot run watch -- PATH
  return files.absolute(m.args[1] or files.join(assert(files.own_temporary_folder()), "deskpilot-watch.txt"))
end

-- A job that takes its time and asks at its end, as a copy or an installation does.
local job = [[
for percent in 20 40 60 80 100; do sleep 0.5; echo "# Step $percent"; echo $percent; done |
zenity --progress --title "A long job" --text "Beginning" && echo confirmed > "$1"
]]

---@type deskpilot.mission
return {
  desktop = { kind = "private", size = { 800, 600 } },
  limits = { seconds = 120 },
  run = function(m)
    local desk = m.desk
    local path = path_of(m)
    files.remove(path)
    local _, window = desk.apps.start { "sh", "-c", job, "job", path, wait = 10 }
    local button = { role = "push button", name = "OK", pid = window.pid }
    local said
    repeat
      local label = desk.elements.find { role = "label", pid = window.pid }
      if label.text ~= said then
        said = label.text
        m:note("the job says: " .. said)
      end
      local through = desk.elements.find(button).states.enabled
      -- A second at most: what changes between looking and waiting is not missed. That nothing changes is no failure.
      if not through then desk.try.wait_for_change { window = window, timeout = 1 } end
    until through
    desk.elements.press(button)
    desk.wait_for_window { id = window.id, gone = true }
    desk.wait_until(function() return files.exists(path), "the job has written nothing" end)
  end,
  verify = function(m)
    return m.checks.file { path = path_of(m), equals = "confirmed\n" }
  end,
}
