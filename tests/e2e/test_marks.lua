-- Marks on the picture of a real application: each box where the application says that its element is, and
-- `deskpilot shot --marks` the same. Judged by the pixels of the files.
local desktop = require "desktop"
local harness = require "harness"
local marks = require "deskpilot.desk.picture.marks"
local shots = require "deskpilot.desk.picture.shot"
local spawn = require "spawn"

local tests = {}

local function with_calculator(fn)
  desktop.with({ apps = { { "galculator" } }, timing = { elements = 10 } }, function(desk, session)
    assert(desk.elements.find { name = "7", app = "galculator", timeout = 20 })
    assert(desk.mouse.move { x = 1270, y = 790 })
    assert(not assert(desk.screen.shot { window = "galculator" }).incomplete) -- it has drawn what it was to draw
    assert(desk.settle { quiet = 0.4 })
    fn(desk, session)
  end)
end

-- How many of the pixels of the edge of a rectangle of the screen are of that colour.
local function share_of_edge(shot, rect, colour)
  local count, same = 0, 0
  local function look(x, y)
    count = count + 1
    if ("#%02x%02x%02x"):format(shot:pixel(x, y)) == colour then same = same + 1 end
  end
  for x = rect.x, rect.x + rect.width - 1 do
    look(x, rect.y)
    look(x, rect.y + rect.height - 1)
  end
  for y = rect.y + 1, rect.y + rect.height - 2 do
    look(rect.x, y)
    look(rect.x + rect.width - 1, y)
  end
  return same / count
end

function tests.boxes_are_where_the_elements_are()
  with_calculator(function(desk)
    local shot = assert(desk.screen.shot { cursor = false })
    local list = assert(desk.elements.list {})
    local chosen = marks.choose(list, assert(desk.windows.list()))
    local marked = assert(shot:marks(chosen, { color = "#ff00ff" }))
    local buttons = 0
    for _, element in ipairs(chosen) do
      harness.eq(list[element.index], element)
      if element.role == "toggle button" then
        buttons = buttons + 1
        local share = share_of_edge(marked, element, "#ff00ff")
        harness.ok(share > 0.5, ("%d %s: %.2f of its edge"):format(element.index, element.name, share))
      end
    end
    harness.ok(buttons >= 20, buttons)
    harness.ok(shot:equal(assert(shot:copy())) and not shot:equal(marked), "painted on a copy")
  end)
end

-- The program numbers what it sees now; the application's list has not changed since.
function tests.shot_marks()
  with_calculator(function(desk, session)
    local seven = assert(desk.elements.find { name = "7", app = "galculator" })
    local path = os.tmpname()
    local env = { DISPLAY = session.display, DBUS_SESSION_BUS_ADDRESS = session.bus_address,
      XAUTHORITY = session.folder .. "/xauthority" }
    for _, window in ipairs { false, "galculator" } do
      local words = { spawn.program, "shot", "--marks", "--no-cursor", "-o", path }
      if window then words[#words + 1], words[#words + 2] = "--window", window end
      local child = spawn.run(words, { env = env })
      if not harness.eq(child.status, 0, child.stderr) and child.status ~= 0 then return end
      local file = assert(shots.load(path))
      local frame = { x = 0, y = 0 }
      if window then frame = assert(desk.windows.find { class = window }) end
      local box = { x = seven.x - frame.x, y = seven.y - frame.y, width = seven.width, height = seven.height }
      local colour = ("#%02x%02x%02x"):format(file:pixel(box.x, box.y + box.height // 2))
      harness.ok(share_of_edge(file, box, colour) > 0.5, { colour = colour, box = box })
      local plain = assert(desk.screen.shot { region = seven, cursor = false })
      local there = assert(file:crop(box))
      harness.ok(plain:difference(there).share < 0.5, "the button is still to be seen")
    end
    os.remove(path)
  end)
end

return tests
