-- The desktop library against real applications on a private desktop; judged by what the applications
-- hold.
local desktop = require "desktop"
local uv = require "luv"
local files = require "deskpilot.base.files"
local harness = require "harness"
local task = require "deskpilot.base.task"

local tests = {}

-- Runs fn(desk, session) on a private desktop with these applications.
local function with_desktop(apps, fn)
  desktop.with({ apps = apps, timing = { elements = 10, focus = 10 } }, fn)
end

local function shown(desk)
  local display = desk.elements.find { app = "galculator", role = "text" }
  return display and display.text
end

local function median_ms(count, fn)
  local times = {}
  for i = 1, count do
    local began = uv.hrtime()
    fn()
    times[i] = (uv.hrtime() - began) / 1e6
  end
  table.sort(times)
  return times[count // 2 + 1]
end

function tests.calculates()
  with_desktop({ { "galculator" } }, function(desk)
    local seven = harness.ok(desk.elements.find { name = "7", app = "galculator", timeout = 20 })
    harness.eq(seven.states.enabled, true)
    for _, name in ipairs { "7", "*", "6", "=" } do
      harness.ok(desk.mouse.click(desk.elements.find { name = name, app = "galculator" }))
    end
    harness.ok(desk.wait_until(function() return shown(desk) == "42" end, { timeout = 20 }))
    harness.ok(desk.elements.find { app = "galculator", text = "42" }, "found by its text")
    -- The same without the mouse.
    for _, name in ipairs { "AC", "8", "*", "8", "=" } do
      local button = harness.ok(desk.elements.find { name = name, app = "galculator" })
      harness.ok(desk.elements.press(button))
      -- GTK shows the button pressed for 250 ms first, or longer where the application is slow.
      harness.wait_until(name, function() return not harness.ok(desk.elements.refresh(button)).states.checked end)
      desk.settle { quiet = 0.3 }
    end
    harness.ok(desk.wait_until(function() return shown(desk) == "64" end, { timeout = 20 }))
    local none, err = desk.elements.find { name = "sqrtt" }
    harness.eq(none, nil)
    harness.eq(err.code, "not_found")
    harness.has(tostring(err), "'sqrt'")
    local ok, why = desk.elements.press(seven, "no such action")
    harness.eq(ok, nil)
    harness.eq(why.code, "not_found")
    local count = #desk.elements.list()
    io.stdout:write(("      galculator: %d elements in %.1f ms\n"):format(count,
      median_ms(9, function() desk.elements.list() end)))
  end)
end

function tests.every_element_is_sound()
  with_desktop({ { "galculator" }, { "mousepad", "--disable-server" } }, function(desk)
    harness.ok(desk.elements.find { app = "mousepad", role = "text", timeout = 20 })
    harness.ok(desk.elements.find { app = "galculator", name = "7", timeout = 20 })
    local list = harness.ok(desk.elements.list { all = true })
    harness.eq(list.truncated, false)
    harness.eq(#list.apps, 2)
    local wrong, hidden = 0, 0
    for i, element in ipairs(list) do
      local parent = element.parent and list[element.parent]
      if element.index ~= i or (parent and (element.parent >= i or parent.depth ~= element.depth - 1))
        or (element.parent == nil) ~= (element.depth == 0) or not utf8.len(element.name) then wrong = wrong + 1 end
      if not element.states.showing then hidden = hidden + 1 end
    end
    harness.eq(wrong, 0)
    harness.ok(hidden > 50, "closed menus are in the full list")
    local visible = desk.elements.list()
    harness.ok(#visible < #list - 50, "and not in the usual one")
    io.stdout:write(("      galculator and mousepad: %d elements in %.1f ms, all %d in %.1f ms\n"):format(#visible,
      median_ms(9, function() desk.elements.list() end), #list,
      median_ms(5, function() desk.elements.list { all = true } end)))
    local few = desk.elements.list { max = 10 }
    harness.ok(#few <= 10 and few.truncated, "a cap is kept and told")
    -- A menu that opens is seen, though the cache does not know it yet.
    harness.eq(desk.elements.find { app = "mousepad", name = "Find..." }, nil)
    harness.ok(desk.elements.find { app = "mousepad", role = "menu", name = "Search" })
    harness.ok(desk.mouse.click(desk.elements.find { app = "mousepad", role = "menu", name = "Search" }))
    local item = harness.ok(desk.elements.find { app = "mousepad", role = "menu item", contains = "Find",
      timeout = 20 })
    harness.ok(item.width > 0, "it has a place")
    desk.keyboard.press "escape"
  end)
end

function tests.types_any_text()
  local text = "Grüße — naïve café\n日本語 עברית 😀\tEnde"
  with_desktop({ { "mousepad", "--disable-server" } }, function(desk)
    local area = harness.ok(desk.elements.find { app = "mousepad", role = "text", timeout = 20 })
    harness.ok(desk.windows.focus { class = "mousepad" })
    harness.ok(desk.mouse.click(area))
    harness.ok(desk.keyboard.type(text))
    desk.wait_until(function() return desk.elements.text(area) == text end, { timeout = 20 })
    harness.eq(desk.elements.text(area), text)
    harness.ok(desk.elements.set_text(area, "replaced"))
    desk.wait_until(function() return desk.elements.text(area) == "replaced" end, { timeout = 20 })
    harness.eq(desk.elements.text(area), "replaced")
    local settled = harness.ok(desk.settle())
    harness.eq(settled.reason, "quiet", settled.seconds)
  end)
end

function tests.enter_waits_for_its_text()
  local folder = assert(uv.fs_mkdtemp("/tmp/deskpilot-test-XXXXXX"))
  for _, name in ipairs { "with", "without" } do
    with_desktop({ { "mousepad", "--disable-server" } }, function(desk)
      local path = folder .. "/" .. name
      harness.ok(desk.keyboard.type "One line\n")
      harness.ok(desk.keyboard.press "ctrl+s")
      harness.ok(desk.wait_for_window { title = "Save As", active = true, timeout = 20 })
      desk.settle() -- the dialog empties its field once it has read the folder
      harness.ok(desk.keyboard.press "ctrl+a")
      harness.ok(desk.keyboard.type(path .. (name == "with" and "\n" or "")))
      if name == "without" then harness.ok(desk.keyboard.press "enter") end
      desk.wait_until(function() return files.read(path) == "One line\n" end, { timeout = 20 })
      harness.eq(files.read(path), "One line\n", name)
    end)
  end
  files.remove(folder)
end

function tests.typing_to_nobody_is_refused()
  with_desktop({}, function(desk)
    desk.timing.focus = 1 -- nobody will come
    local ok, err = desk.keyboard.type "hello"
    harness.eq(ok, nil)
    harness.eq(err.code, "not_found")
  end)
end

function tests.a_hung_application_costs_its_part_only()
  with_desktop({ { "galculator" }, { "mousepad", "--disable-server" } }, function(desk, session)
    harness.ok(desk.elements.find { app = "mousepad", role = "text", timeout = 20 })
    harness.ok(desk.elements.find { app = "galculator", name = "7", timeout = 20 })
    local pid = session.apps[2].pid
    uv.kill(pid, "sigstop")
    desk.timing.elements = 3
    local began = task.now()
    local list = harness.ok(desk.elements.list())
    local first = task.now() - began
    harness.ok(first < 10, "within the limit")
    local note
    for _, app in ipairs(list.apps) do note = note or (app.pid == pid and app.note) end
    harness.eq(note, "did not answer in time")
    harness.ok(#list > 20, "the other one is there")
    local best = math.huge -- others may keep the machine busy during one of them
    for _ = 1, 5 do
      began = task.now()
      harness.ok(desk.elements.find { app = "galculator", name = "7" })
      best = math.min(best, task.now() - began)
    end
    harness.ok(best < first / 2, "it is waited for less the next time", { first, best })
    local reading = task.start(desk.elements.list)
    task.sleep(0.01)
    reading:cancel("the test wants it")
    uv.kill(pid, "sigcont")
    harness.ok(desk.elements.find { app = "mousepad", role = "text", timeout = 20 }, "back again")
  end)
end

function tests.applications_that_come_and_go()
  with_desktop({ { "galculator" } }, function(desk)
    local seven = harness.ok(desk.elements.find { name = "7", timeout = 20 })
    local window = harness.ok(desk.windows.find { class = "galculator" })
    harness.ok(desk.windows.close(window))
    harness.ok(desk.wait_until(function() return #(desk.elements.list() or { 1 }) == 0 end, { timeout = 20 }))
    local ok, err = desk.elements.press(seven)
    harness.eq(ok, nil)
    harness.eq(err.code, "not_found")
    harness.ok(desk.apps.start { "galculator", wait = 30 })
    harness.ok(desk.elements.find { name = "7", timeout = 20 })
    ok, err = desk.apps.start { "no-such-program-anywhere" }
    harness.eq(ok, nil)
    harness.eq(err.code, "not_found")
  end)
end

function tests.a_screen_that_has_long_been_quiet_is_settled_at_once()
  with_desktop({ { "galculator" } }, function(desk)
    harness.ok(desk.settle { quiet = 0.4, past = true }, "nobody has watched it before: this is when it begins")
    local began = desk.watching
    local pump, waits = desk.event_pump, 0
    desk.event_pump = setmetatable({ wait = function(_, seconds) waits = waits + 1 return pump:wait(seconds) end },
      { __index = pump })
    harness.eq(harness.ok(desk.settle { quiet = 0.3, floor = 0, past = true }).reason, "quiet")
    harness.eq(waits, 0, "nothing is waited for")
    desk.event_pump = pump
    harness.eq(desk.watching, began)
    harness.ok(desk.settle { quiet = 0.3 }.seconds >= 0.3, "unless only what comes counts")
    harness.ok(desk.elements.press { app = "galculator", name = "7" })
    harness.ok(desk.wait_for_element { app = "galculator", text = "7", timeout = 20 })
    local now = harness.ok(desk.settle { quiet = 2, floor = 0, cap = 5, past = true })
    local since = task.now() - desk.native:last_change() / 1e9
    harness.ok(now.reason == "quiet" and since >= 2 and since < task.now() - began, "what was drawn after that is "
      .. "waited for", now)
  end)
end

function tests.pictures()
  with_desktop({ { "galculator" } }, function(desk)
    local shot = harness.ok(desk.screen.shot())
    harness.eq({ shot.width, shot.height }, { 1280, 800 })
    local window = desk.windows.find { class = "galculator" }
    local part = harness.ok(desk.screen.shot { window = "galculator", cursor = false })
    harness.eq({ part.frame.x, part.frame.y, part.width, part.height },
      { window.x, window.y, window.width, window.height })
    local path = os.tmpname()
    harness.ok(part:save(path))
    harness.eq(files.read(path):sub(1, 8), "\x89PNG\r\n\x1a\n")
    os.remove(path)
  end)
end

return tests
