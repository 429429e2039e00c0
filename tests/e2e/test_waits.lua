-- Waiting for windows, elements and changes, with real applications on a private desktop. What is waited for
-- comes from outside: programs of their own make it happen at a time that they know.
local desktop = require "desktop"
local uv = require "luv"
local desk_module = require "deskpilot.desk"
local errors = require "deskpilot.base.errors"
local harness = require "harness"
local spawn = require "spawn"
local task = require "deskpilot.base.task"

local tests = {}

local function finally(fn) return setmetatable({}, { __close = fn }) end

-- Runs fn(desk, session, outside) on a private desktop; outside{...} runs a program there and gives its output.
local function with_desktop(apps, fn)
  desktop.with({ size = { 1000, 700 }, apps = apps, timing = { focus = 10, window = 10, window_close = 20,
    elements = 10 } }, function(desk, session)
    local env = desktop.env(session)
    fn(desk, session, function(argv)
      local child = spawn.run(argv, { env = env })
      harness.eq(child.status, 0, table.concat(argv, " ") .. ": " .. child.stderr)
      return child.stdout
    end)
  end)
end

local function ids(outside, class)
  local list = {}
  for id in outside { "xdotool", "search", "--onlyvisible", "--class", class }:gmatch "%d+" do
    list[#list + 1] = math.tointeger(id)
  end
  return list
end

local function xterm(title) return { "xterm", "-T", title, "-e", "sleep", "1000" } end

-- Waits in a task of its own; a function that gives its results and when it came back.
local function waiting(fn, ...)
  local came
  local waiter = task.start(function(...)
    local value, err = fn(...)
    came = task.now()
    return value, err
  end, ...)
  return function()
    local ok, value, err = waiter:wait()
    harness.eq(ok, true, tostring(value))
    return value, err, came
  end
end

function tests.a_window_comes_changes_its_title_and_goes()
  with_desktop({}, function(desk, session, outside)
    local none, err = desk.wait_for_window { title = "Later", timeout = 0.2 }
    harness.eq(none, nil)
    harness.eq(err.code, "timed_out")
    harness.has(tostring(err), "there are no windows")
    local result = waiting(desk.wait_for_window, { title = "later", class = "xterm", timeout = 20 })
    task.sleep(0.3)
    harness.ok(session:start_app(xterm "Later on"))
    local window = harness.ok(result())
    harness.eq(ids(outside, "XTerm"), { window.id })
    none, err = desk.wait_for_window { matching = "^Later$", timeout = 0.1 }
    harness.eq(none, nil)
    harness.has(tostring(err), "Later on")

    -- Its title, as somebody else changes it: told at once, not after a look that was due anyway.
    desk.timing.wait_look = 10
    result = waiting(desk.wait_for_window, { matching = "^Renamed %d+$", timeout = 20 })
    task.sleep(0.2)
    local changed = task.now()
    outside { "xdotool", "set_window", "--name", "Renamed 7", tostring(window.id) }
    local renamed, failure, came = result()
    harness.eq(renamed and renamed.title, "Renamed 7", tostring(failure))
    harness.ok(came - changed < 9, "told, not looked at: " .. came - changed)

    -- Going, and being there still.
    none, err = desk.wait_for_window { class = "xterm", gone = true, timeout = 0.2 }
    harness.eq(none, nil)
    harness.eq(err.code, "timed_out")
    harness.has(tostring(err), "'Renamed 7' is still there")
    result = waiting(desk.wait_for_window, { class = "xterm", gone = true, timeout = 20 })
    task.sleep(0.2)
    changed = task.now()
    outside { "xdotool", "windowkill", tostring(window.id) }
    harness.eq(result(), true)
    harness.ok(select(3, result()) - changed < 9)
    harness.eq(desk.wait_for_window { class = "xterm", gone = true, timeout = 0 }, true, "gone already")
    harness.raises("not a valid Lua pattern", desk.wait_for_window, { matching = "(" })
    harness.raises("not colour", desk.wait_for_window, { colour = "red" })
  end)
end

function tests.which_window_is_active_is_told()
  with_desktop({ xterm "First", xterm "Second" }, function(desk, _, outside)
    local first = harness.ok(desk.windows.find { title = "First" })
    harness.ok(desk.windows.focus { title = "Second" })
    desk.timing.wait_look = 10
    local result = waiting(desk.wait_for_window, { title = "First", active = true, timeout = 20 })
    task.sleep(0.2)
    local changed = task.now()
    outside { "xdotool", "windowactivate", tostring(first.id) }
    local window, _, came = result()
    harness.eq(window and window.id, first.id)
    harness.ok(came - changed < 9, came - changed)
  end)
end

function tests.without_a_window_manager()
  local server = spawn.start { "Xvfb", "-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp" }
  local guard <close> = finally(function() server:kill "sigkill" end)
  assert(guard)
  harness.wait_until("the server", function() return server.stdout:match "%d+\n" end, 20)
  local display = ":" .. server.stdout:match "%d+"
  local desk = assert(desk_module.open { display = display })
  desk.timing.wait_look = 10
  local result = waiting(desk.wait_for_window, { title = "Alone", timeout = 20 })
  task.sleep(0.2)
  local app = spawn.start(xterm "Alone", { env = { DISPLAY = display } })
  local killer <close> = finally(function() app:kill "sigkill" end)
  assert(killer)
  local began = task.now()
  harness.ok(result())
  harness.ok(select(3, result()) - began < 9)
  local workspaces, err = desk.windows.workspaces()
  harness.eq(workspaces, nil)
  harness.eq(err.code, "unsupported")
  desk:close()
end

function tests.changes_of_a_region_only()
  with_desktop({ xterm "Left", xterm "Right" }, function(desk, _, outside)
    local left = harness.ok(desk.windows.place({ title = "Left" }, { x = 40, y = 60, width = 300, height = 200 }))
    local right = harness.ok(desk.windows.place({ title = "Right" }, { x = 540, y = 60, width = 300, height = 200 }))
    desk.settle { quiet = 1 }
    local none, err = desk.wait_for_change { region = { 40, 60, 300, 200 }, timeout = 1,
      action = function() outside { "xdotool", "set_window", "--name", "Changed", tostring(right.id) } end }
    harness.eq(none, nil)
    harness.eq(err and err.code, "timed_out")
    harness.has(tostring(err), "in that part of the screen")
    harness.eq(desk.wait_for_change { timeout = 10, region = { x = 540, y = 30, width = 300, height = 30 },
      action = function() outside { "xdotool", "set_window", "--name", "Again", tostring(right.id) } end }, true,
      "its title bar")
    harness.eq(desk.wait_for_change { window = left, timeout = 10,
      action = function() harness.ok(desk.windows.place(left, { x = 45 })) end }, true)
    harness.eq(desk.wait_for_change { window = "Again", region = { 0, 0, 50, 50 }, timeout = 10,
      action = function() harness.ok(desk.windows.place(right, { x = 545 })) end }, true)
    harness.raises("whole number", desk.wait_for_change, { region = { 0.5, 0, 1, 1 } })
    none, err = desk.wait_for_change { window = { title = "Nobody" }, timeout = 1 }
    harness.eq(none, nil)
    harness.eq(err.code, "not_found")
    -- Regions are let go of, also when the task that waits is cancelled.
    for _ = 1, 40 do
      local waiter = task.start(desk.wait_for_change, { region = { 0, 0, 10, 10 }, timeout = 5 })
      waiter:cancel "the test wants it"
    end
    none, err = desk.wait_for_change { region = { 900, 600, 10, 10 }, timeout = 0.05 }
    harness.eq(none, nil)
    harness.eq(err.code, "timed_out", tostring(err))
  end)
end

function tests.elements_come_and_go()
  with_desktop({ { "galculator" } }, function(desk)
    harness.ok(desk.elements.find { name = "sqrt", app = "galculator", timeout = 30 })
    local none, err = desk.wait_for_element { name = "sqrtt", app = "galculator", timeout = 0.1 }
    harness.eq(none, nil)
    harness.eq(err.code, "timed_out")
    harness.has(tostring(err), "'sqrt'")
    local result = waiting(desk.wait_for_element, { app = "galculator", text = "5", role = "text", timeout = 20 })
    task.sleep(0.2)
    harness.ok(desk.keyboard.type "5")
    local display = harness.ok(result())
    harness.eq(display and display.text, "5")
    result = waiting(desk.wait_for_element, { app = "galculator", text = "5", role = "text", gone = true,
      timeout = 20 })
    task.sleep(0.2)
    harness.ok(desk.keyboard.type "6")
    harness.eq(result(), true)
    none, err = desk.wait_for_element { app = "galculator", text = "56", gone = true, timeout = 0.1 }
    harness.eq(none, nil)
    harness.eq(err.code, "timed_out")
    harness.has(tostring(err), "still there")
  end)
end

-- What find_text and find_image have to be like is theirs; that they are asked again when something was drawn,
-- and what is said at the end, is ours.
function tests.text_and_pictures_are_looked_for_again()
  with_desktop({ xterm "Reader" }, function(desk, _, outside)
    desk.settle { quiet = 1 }
    desk.timing.wait_look = 10
    local looks, there = 0, false
    local function find(wanted, options)
      looks = looks + 1
      harness.eq(options, { region = { 0, 0, 1000, 700 } })
      if there then return { text = wanted, x = 1, y = 2, width = 3, height = 4 } end
      return errors.fail("not_found", "the best score was 0.5")
    end
    desk.screen.find_text, desk.screen.find_image = find, find
    function desk.screen.load(path)
      if path == "wanted" then return path end
      return errors.fail("not_found", "there is no file")
    end
    for i, wait in ipairs { desk.wait_for_text, desk.wait_for_image } do
      there, looks = false, 0
      local result = waiting(wait, "wanted", { region = { 0, 0, 1000, 700 }, timeout = 20 })
      task.sleep(0.3)
      harness.eq(looks, 1, "nothing was drawn")
      there = true
      local changed = task.now()
      outside { "xdotool", "search", "--class", "XTerm", "windowmove", tostring(20 * i), "40" }
      local hit, _, came = result()
      harness.eq(hit and hit.text, "wanted")
      harness.ok(came - changed < 9, came - changed)
      desk.settle { quiet = 1 }
      local none, err = wait("wanted", { region = { 0, 0, 1000, 700 }, timeout = 0.1, gone = true })
      harness.eq(none, nil)
      harness.eq(err.code, "timed_out")
      harness.has(tostring(err), "still there")
      there = false
      harness.eq(wait("wanted", { region = { 0, 0, 1000, 700 }, timeout = 1, gone = true }), true)
      none, err = wait("wanted", { region = { 0, 0, 1000, 700 }, timeout = 0.1 })
      harness.eq(none, nil)
      harness.eq(err.code, "timed_out")
      harness.has(tostring(err), "the best score was 0.5")
    end
    function desk.screen.find_text() return errors.fail("unavailable", "no tesseract") end
    local began = uv.hrtime()
    local none, err = desk.wait_for_text("wanted", { timeout = 20 })
    harness.eq(none, nil)
    harness.eq(err.code, "unavailable", "there is nothing to wait for")
    none, err = desk.wait_for_image("nothing.png", { timeout = 20 })
    harness.eq(none, nil)
    harness.eq(err.code, "not_found", "nor here")
    harness.ok((uv.hrtime() - began) / 1e9 < 10)
  end)
end

-- --- the order of windows and their workspaces ------------------------------------------------------

local function stacking(outside)
  local list = {}
  for id in outside { "xprop", "-root", "_NET_CLIENT_LIST_STACKING" }:gmatch "0x%x+" do
    list[#list + 1] = math.tointeger(tonumber(id))
  end
  return list
end

function tests.windows_are_raised_and_lowered()
  with_desktop({ xterm "One", xterm "Two", xterm "Three" }, function(desk, _, outside)
    local one = harness.ok(desk.windows.find { title = "One" })
    harness.ok(desk.windows.focus { title = "Two" })
    local active = harness.ok(desk.windows.active())
    harness.ok(desk.windows.raise { title = "One" })
    local order = stacking(outside)
    harness.eq(order[#order], one.id)
    harness.eq(desk.windows.active().id, active.id, "the keyboard stays where it is")
    harness.ok(desk.windows.raise(one.id), "it is there already")
    harness.ok(desk.windows.lower(one))
    harness.eq(stacking(outside)[1], one.id)
    harness.ok(desk.windows.lower(one))
    -- One that its manager keeps above the rest is not in the way.
    outside { "wmctrl", "-i", "-r", tostring(active.id), "-b", "add,above" }
    harness.wait_until("the layer", function() return desk.windows.find({ id = active.id }).layer == 1 end)
    harness.ok(desk.windows.raise(one))
    order = stacking(outside)
    harness.eq({ order[#order], order[#order - 1] }, { active.id, one.id })
    local ok, err = desk.windows.raise(123456)
    harness.eq(ok, nil)
    harness.eq(err.code, "not_found")
    -- A manager that does not obey: the request goes nowhere.
    desk.timing.window = 0.1
    local native = desk.native
    desk.native = setmetatable({ stack_window = function() return true end }, { __index = function(_, name)
      return function(_, ...) return native[name](native, ...) end
    end })
    ok, err = desk.windows.lower(one)
    harness.eq(ok, nil)
    harness.eq(err and err.code, "refused")
    harness.has(tostring(err), "Three")
    desk.native = native
  end)
end

function tests.workspaces()
  with_desktop({ xterm "Traveller" }, function(desk, _, outside)
    harness.eq(harness.ok(desk.windows.workspaces()).count, 1)
    outside { "xdotool", "set_num_desktops", "3" }
    harness.wait_until("three workspaces", function() return desk.windows.workspaces().count == 3 end)
    local all = desk.windows.workspaces()
    harness.eq({ all.current, #all.names }, { 1, 3 })
    local window = harness.ok(desk.windows.find { title = "Traveller" })
    harness.eq(window.workspace, 1)
    harness.eq(desk.windows.move_to_workspace(window, 3), true)
    harness.eq(outside { "xdotool", "get_desktop_for_window", tostring(window.id) }:match "%d+", "2")
    harness.eq(outside { "xdotool", "get_desktop" }:match "%d+", "0")
    harness.wait_until("it is not shown", function() return not desk.windows.find({ id = window.id }).visible end)
    harness.eq(desk.windows.go_to_workspace(3), true)
    harness.eq(outside { "xdotool", "get_desktop" }:match "%d+", "2")
    harness.eq(harness.ok(desk.wait_for_window { title = "Traveller", visible = true, timeout = 20 }).id, window.id)
    local ok, err = desk.windows.go_to_workspace(4)
    harness.eq(ok, nil)
    harness.eq(err.code, "not_found")
    harness.has(tostring(err), "there are 3")
  end)
end

function tests.a_window_is_closed_or_asks()
  with_desktop({ { "mousepad", "--disable-server" } }, function(desk)
    local window = harness.ok(desk.windows.find { class = "mousepad" })
    harness.ok(desk.keyboard.type "not saved")
    harness.ok(desk.wait_for_window { title = "*", class = "mousepad", timeout = 20 },
      "its title says that it is changed")
    local ok, err = desk.windows.close(window, { wait = true })
    harness.eq(ok, nil)
    harness.eq(err and err.code, "refused", tostring(err))
    harness.has(tostring(err), "Save Changes")
    harness.ok(desk.elements.press(harness.ok(desk.elements.find { name = "Don't Save", app = "mousepad",
      timeout = 20 })))
    harness.eq(desk.wait_for_window { id = window.id, gone = true, timeout = 20 }, true)
    ok, err = desk.windows.close(window, { wait = 1 })
    harness.eq(ok, nil)
    harness.eq(err.code, "not_found")
    local pid, second = desk.apps.start { "mousepad", "--disable-server", wait = 30 }
    harness.ok(pid, second)
    harness.eq(desk.windows.close(second or {}, { wait = 20 }), true)
    harness.eq(desk.windows.find { class = "mousepad" }, nil)
  end)
end

return tests
