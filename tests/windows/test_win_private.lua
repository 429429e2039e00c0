-- Private desktops on Windows: applications on a desktop of their own, judged by their logs and by what
-- the system says of processes and windows; and nothing of it reaches the user's desktop.
local testapp = dofile "tests/windows/testapp.lua"
local uv = require "luv"
local desk_module = require "deskpilot.desk"
local files = require "deskpilot.base.files"
local harness = require "harness"
local json = require "deskpilot.base.json"
local native = require "native.desk"
local private = require "deskpilot.desk.private.session"
local spawn = require "spawn"
local task = require "deskpilot.base.task"

local tests = {}

local function alive(pid)
  return uv.kill(pid, 0) == 0
end

local with_folder = testapp.with_folder

-- A private desktop with the test application on it: fn(desk, app, session).
local function with_private(fn, ...)
  local words = { testapp.program, "--title", "Private", ... }
  with_folder(function(folder)
    local path = files.join(folder, "log.jsonl")
    words[#words + 1] = "--log"
    words[#words + 1] = path
    local session, err = private.start { apps = { words } }
    if not harness.ok(session, err) then return end
    local stopping <close> = testapp.finally(function() session:stop() end)
    local desk = assert(desk_module.open { display = session.display, session = session, timing = testapp.timing })
    local _ <close> = testapp.finally(function() desk:close() end)
    fn(desk, testapp.attach(path), session)
    return stopping
  end)
end

local function has_window(desk, hwnd)
  for _, window in ipairs(assert(desk:windows())) do
    if window.id == hwnd then return true end
  end
  return false
end

function tests.windows_are_on_their_own_desktop()
  local here <close> = assert(native.open {})
  with_private(function(desk, app)
    local window = harness.ok(desk.windows.find { title = "Private" })
    harness.eq({ window.id, window.pid, window.active }, { app.hwnd, app.pid, true })
    harness.eq({ window.x, window.y, window.width, window.height }, app.ready.window)
    harness.eq(has_window(here, app.hwnd), false, "not on the user's")
    harness.ok(desk.windows.place(window, { x = 40, y = 50, width = 500, height = 300 }))
    app:wait_for { event = "placed", window = nil }
    harness.wait_until("the place", function()
      local now = desk.windows.find { id = app.hwnd }
      return now and now.x == 40 and now.y == 50 and now.width == 500 and now.height == 300
    end)
    harness.ok(desk.windows.focus(window))
    harness.ok(desk.windows.close(window))
    app:wait_for { event = "closed" }
  end)
end

function tests.a_desktop_that_is_not_there_is_named()
  for _, open in ipairs { native.open, require("native.elements").open } do
    local none, err = open { display = "deskpilot-nowhere" }
    harness.eq(none, nil)
    harness.eq(err.code, "unavailable")
    harness.has(tostring(err), "desktop cannot be opened")
  end
end

function tests.elements_are_read_and_used()
  with_private(function(desk, app)
    for control, words in pairs { alpha = { "push button", "Alpha" }, agree = { "check box", "I agree" },
      volume = { "slider", "Volume:" } } do
      local element = harness.ok(desk.elements.find { role = words[1], name = words[2], timeout = 20 }) or {}
      local place = app:control(control)
      harness.eq({ element.x, element.y, element.width, element.height, element.pid },
        { place.x, place.y, place.width, place.height, app.pid }, control)
    end
    harness.ok(desk.elements.press { name = "Alpha" })
    app:wait_for { event = "clicked", target = "alpha" }
    harness.ok(desk.elements.press { name = "I agree" })
    app:wait_for { event = "clicked", target = "agree", checked = 1 }
    harness.ok(desk.elements.press { role = "list item", name = "Banana" })
    app:wait_for { event = "selected", target = "fruits", index = 1 }
    local text = "héllo — 日本 😀"
    harness.ok(desk.elements.set_text({ role = "text", name = "Name:" }, text))
    app:wait_for { event = "text", target = "name", text = text }
    harness.eq(desk.elements.text { role = "text", name = "Name:" }, text)
  end)
end

-- What must not happen is waited for by something that comes after it.
local function input_events(app)
  local found = {}
  for _, event in ipairs(app:events {}) do
    local kind = event.event
    if kind == "key" or kind == "char" or (kind == "mouse" and event.what ~= "move") then found[#found + 1] = event end
  end
  return found
end

function tests.input_is_refused_and_reaches_nobody()
  local here = testapp.start { title = "The user's own", at = "20,20" }
  local ending <close> = testapp.finally(function() here:stop() end)
  local user = assert(desk_module.open())
  local _ <close> = testapp.finally(function() user:close() end)
  harness.wait_until("the user's window", function() return user.windows.find { id = here.hwnd, active = true } end)
  harness.ok(user.clipboard.set "the user's own")
  here:focus(user, "notes")
  local x, y = user.mouse.position()
  with_private(function(desk, there)
    there:mark()
    local place = here:control "alpha"
    for name, act in pairs {
      move = function() return desk.mouse.move(place) end,
      click = function() return desk.mouse.click(place) end,
      drag = function() return desk.mouse.drag(place, { 400, 400 }) end,
      scroll = function() return desk.mouse.scroll { dy = 3, at = place } end,
      type = function() return desk.keyboard.type "typed by mistake" end,
      press = function() return desk.keyboard.press "ctrl+a" end,
      copy = function() return desk.clipboard.get() end,
      paste = function() return desk.clipboard.set "not this" end,
      position = function() return desk.mouse.position() end,
    } do
      local ok, err = act()
      harness.eq({ ok, err and err.code }, { nil, "unsupported" }, name)
      harness.has(tostring(err), "elements", name)
    end
    harness.ok(user.elements.press { pid = here.pid, name = "Beta" })
    here:wait_for { event = "clicked", target = "beta" }
    harness.eq(#here:events { event = "key" } + #here:events { event = "char" } + #here:events { event = "text" }, 0)
    harness.eq(here:events { event = "clicked", target = "alpha" }, {})
    harness.eq(input_events(there), {}, "nor on the private one")
    harness.eq({ user.mouse.position() }, { x, y }, "the pointer stays")
    harness.eq(user.clipboard.get(), "the user's own")
  end)
  return ending
end

-- Wine's PrintWindow draws nothing of other processes' windows, so only sizes are judged here; pixels are
-- in c/test_win32_compose.c.
function tests.pictures_can_be_taken()
  with_private(function(desk)
    local size = desk.screen.size()
    local shot = harness.ok(desk.screen.shot())
    local width, height = shot.native:size()
    harness.eq({ width, height }, { size.width, size.height })
    harness.ok(desk:watch())
    harness.ok(desk.settle { cap = 5 })
  end)
end

function tests.a_hung_application_does_not_hang_us()
  with_private(function(desk, app)
    app:wait_for { event = "hung" }
    local began = task.now()
    harness.ok(desk.screen.shot())
    harness.ok(task.now() - began < 10, "a picture without it")
    harness.eq(#harness.ok(desk.windows.list()), 1)
  end, "--hang")
end

function tests.nothing_is_left_and_nothing_secret_gets_in()
  uv.os_setenv("DESKPILOT_API_KEY", "secret-value")
  with_private(function(desk, app, session)
    uv.os_unsetenv("DESKPILOT_API_KEY")
    -- A program that hands over to another one, which does not answer when it is asked to close.
    with_folder(function(folder)
      local log, list = files.join(folder, "log.jsonl"), files.native(files.join(folder, "env.txt"))
      local shell = { "cmd.exe", "/c", "set > " .. list .. " & start " .. testapp.program .. " --hang --log " .. log }
      harness.ok(session:start_app(shell, { FROM_MISSION = "yes" }))
      local second = testapp.attach(log)
      second:wait_for { event = "hung" }
      harness.eq(#harness.ok(desk.windows.list()), 2)
      local env = files.read(list)
      harness.has(env, "FROM_MISSION=yes")
      harness.eq(env:find("secret-value", 1, true), nil)
      harness.ok(alive(app.pid) and alive(second.pid) and files.exists(session.folder))
      harness.ok(session:stop())
      harness.eq({ alive(app.pid), alive(second.pid), alive(session.pids.host) }, { false, false, false })
      harness.eq(files.exists(session.folder), false, "its folder")
      harness.ok(session:stop(), "a second stop is no error")
    end)
  end)
end

function tests.an_application_that_is_missing_or_fails_is_named()
  local session, err = private.start { apps = { { "no-such-program-anywhere" } } }
  harness.eq(session, nil)
  harness.eq(err.code, "not_found")
  harness.has(tostring(err), "no-such-program-anywhere")
  session, err = private.start { apps = { { testapp.program, "--no-such-option" } } }
  harness.eq(session, nil)
  harness.has(tostring(err), "ended (status ")
end

local killed_mission = [[
local task = require "deskpilot.base.task"
return {
  desktop = { kind = "private", apps = { { %q, "--log", %q } } },
  run = function(m)
    io.stdout:write("host ", m.desk.session.pids.host, "\n")
    io.stdout:flush()
    task.sleep(100)
  end,
}]]

function tests.a_killed_program_leaves_nothing()
  with_folder(function(folder)
    local mission, log = files.join(folder, "mission.lua"), files.join(folder, "log.jsonl")
    assert(files.write(mission, killed_mission:format(testapp.program, log)))
    local child = spawn.start { spawn.program, "run", mission, "--runs", files.join(folder, "runs") }
    local host = harness.wait_until("its words", function() return child.stdout:match "host (%d+)\r?\n" end, 30)
    host = math.tointeger(tonumber(host))
    local app = testapp.attach(log)
    harness.ok(alive(child.pid) and alive(host) and alive(app.pid))
    uv.kill(child.pid, "sigkill")
    harness.wait_until("the application's end", function() return not alive(app.pid) end, 30)
    harness.wait_until("the host's end", function() return not alive(host) end, 30)
  end)
end

function tests.a_killed_host_leaves_nothing()
  with_private(function(_, app, session)
    uv.kill(session.pids.host, "sigkill")
    harness.wait_until("the application's end", function() return not alive(app.pid) end, 30)
    harness.ok(session:stop())
  end)
end

local mission_format = [[
local files = require "deskpilot.base.files"
return {
  desktop = { kind = "private", apps = { { %q, "--log", %q } } },
  run = function(m)
    local field = assert(m.desk.elements.find { role = "text", name = "Name:", timeout = 20 })
    assert(m.desk.elements.set_text(field, "by a mission"))
    assert(m.desk.elements.press { name = "Alpha" })
    assert(m.desk.wait_until(function()
      return (files.read(%q) or ""):find('"clicked","target":"alpha"', 1, true)
    end, { timeout = 20 }))
  end,
}]]

function tests.a_mission_works_there()
  with_folder(function(folder)
    local mission, log = files.join(folder, "mission.lua"), files.join(folder, "log.jsonl")
    assert(files.write(mission, mission_format:format(testapp.program, log, log)))
    local child = spawn.run { spawn.program, "run", mission, "--json", "--runs", files.join(folder, "runs") }
    harness.eq(child.status, 0, child.stderr)
    harness.eq((json.decode(child.stdout) or {}).status, "succeeded", child.stdout)
    local app = testapp.attach(log)
    app:wait_for { event = "text", target = "name", text = "by a mission" }
    harness.eq(alive(app.pid), false)
  end)
end

function tests.an_agent_is_told_at_once_that_it_cannot_work_there()
  local child = spawn.run { spawn.program, "run", "copy", "--model", "literal", "--desktop", "private" }
  harness.eq(child.status, 2)
  harness.has(child.stderr, "an agent cannot work on a private desktop here")
end

return tests
