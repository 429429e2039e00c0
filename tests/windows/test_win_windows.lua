-- Windows of applications, judged by what the test applications log of themselves.
local testapp = dofile "tests/windows/testapp.lua"
local uv = require "luv"
local files = require "deskpilot.base.files"
local harness = require "harness"

-- Runs fn(desk, first, second) with two of them.
local function with_two(fn)
  testapp.with({ title = "First window — 一", at = "60,60" }, function(desk, first)
    local second = testapp.start { title = "Second", at = "420,300" }
    local _ <close> = testapp.finally(function() second:stop() end)
    fn(desk, first, second)
  end)
end

local function rect(window)
  return { window.x, window.y, window.width, window.height }
end

local function window_of(desk, app)
  return harness.ok(desk.windows.find { id = app.hwnd })
end

local tests = {}

function tests.listed()
  with_two(function(desk, first, second)
    local list = harness.ok(desk.windows.list())
    local places = {}
    for i, window in ipairs(list) do
      if window.id == first.hwnd or window.id == second.hwnd then places[window.id] = i end
    end
    harness.ok(places[first.hwnd] and places[second.hwnd], list)
    harness.ok((places[first.hwnd] or 0) < (places[second.hwnd] or 0), "the one started last is on top")
    local window = window_of(desk, first)
    harness.eq(window.title, "First window — 一")
    harness.eq(window.class, "DeskpilotTest")
    harness.eq(window.pid, first.pid)
    harness.eq(rect(window), first.ready.window)
    harness.eq({ window.visible, window.minimized, window.maximized }, { true, false, false })
    harness.eq(window.executable:match("[^/\\]+$"), "testapp.exe")
    harness.eq(harness.ok(desk.windows.find { title = "first WINDOW", executable = "testapp" }).id, first.hwnd)
    harness.eq(harness.ok(desk.windows.find { class = "deskpilottest" }).id, second.hwnd, "the topmost one")
    local none, err = desk.windows.find { title = "no such window" }
    harness.eq(none, nil)
    harness.eq(err.code, "not_found")
    harness.has(tostring(err), "First window")
  end)
end

function tests.focused()
  with_two(function(desk, first, second)
    harness.ok(desk.windows.focus(second.hwnd)) -- a window that opens later need not have become the active one
    harness.wait_until("the second one in front", function()
      local active = desk.windows.active()
      return active ~= nil and active.id == second.hwnd
    end)
    for _ = 1, 2 do
      for _, app in ipairs { first, second } do
        app:mark()
        harness.ok(desk.windows.focus(app.hwnd))
        app:wait_for { event = "active", what = "got" }
        harness.eq(harness.ok(desk.windows.active()).id, app.hwnd)
        harness.ok(desk.keyboard.type "x")
        app:wait_for { event = "text", target = "notes" }
      end
    end
    local ok, err = desk.windows.focus(0x7ffffffe)
    harness.eq(ok, nil)
    harness.eq(err.code, "not_found")
  end)
end

function tests.the_focused_one_is_in_front()
  with_two(function(desk, first, second)
    local canvas = second:control "canvas" -- the first window reaches under it
    harness.ok(desk.windows.place(first.hwnd, { x = 400, y = 280 }))
    first:wait_for { event = "placed" }
    harness.ok(desk.windows.focus(first.hwnd))
    first:mark()
    harness.ok(desk.mouse.click { canvas.x + 10, canvas.y + 10 })
    first:wait_for { event = "mouse", what = "up", button = "left" }
    harness.eq(#second:events { event = "mouse", what = "down" }, 0, "the one behind gets no click")
  end)
end

function tests.placed()
  with_two(function(desk, first)
    local window = harness.ok(desk.windows.place(first.hwnd, { x = 150, y = 90, width = 700, height = 450 }))
    harness.eq(rect(window), { 150, 90, 700, 450 })
    harness.eq(first:wait_for({ event = "placed" }).target, "window")
    harness.wait_until("the place", function()
      local placed = first:events { event = "placed" }
      return harness.show(placed[#placed].window) == harness.show { 150, 90, 700, 450 }
    end)
    window = harness.ok(desk.windows.place(first.hwnd, { y = 10 }))
    harness.eq(rect(window), { 150, 10, 700, 450 }, "what is not said stays")
    harness.eq(rect(window_of(desk, first)), { 150, 10, 700, 450 })
    harness.raises("a place has", desk.windows.place, first.hwnd, { left = 1 })
  end)
end

function tests.minimized_and_maximized()
  with_two(function(desk, first)
    local before = rect(window_of(desk, first))
    local screen = harness.ok(desk.screen.size())
    harness.ok(desk.windows.maximize(first.hwnd))
    local placed = first:wait_for { event = "placed", maximized = 1 }
    harness.ok(placed.window[3] >= screen.width and placed.window[4] > screen.height / 2, placed)
    harness.eq(window_of(desk, first).maximized, true)
    harness.ok(desk.windows.restore(first.hwnd))
    first:wait_for { event = "placed", maximized = 0, minimized = 0 }
    harness.eq(rect(window_of(desk, first)), before)
    harness.ok(desk.windows.minimize(first.hwnd))
    first:wait_for { event = "placed", minimized = 1 }
    harness.eq(window_of(desk, first).minimized, true)
    harness.ok(desk.windows.focus(first.hwnd), "a minimized window comes back when it is focused")
    harness.eq(window_of(desk, first).minimized, false)
    harness.eq(rect(window_of(desk, first)), before)
    harness.ok(desk.windows.minimize(first.hwnd))
    local window = harness.ok(desk.windows.place(first.hwnd, { x = 30, y = 40 }), "and when it is placed")
    harness.eq(rect(window), { 30, 40, before[3], before[4] })
    harness.eq(window_of(desk, first).minimized, false)
  end)
end

function tests.closed()
  with_two(function(desk, first, second)
    harness.ok(desk.windows.close { title = "First window" })
    harness.eq(first:wait(), 0, "it ended by itself")
    harness.eq(#first:events { event = "closed" }, 1)
    harness.eq(desk.windows.find { id = first.hwnd }, nil)
    local ok, err = desk.windows.close(first.hwnd)
    harness.eq(ok, nil)
    harness.eq(err.code, "not_found")
    window_of(desk, second)
  end)
end

function tests.a_program_is_started_and_waited_for()
  testapp.with({ title = "Elsewhere" }, function(desk, app)
    local path = app.folder .. "/second.jsonl"
    local pid = harness.ok(desk.apps.start { testapp.program, "--log", path, "--title", "Started — 二", wait = 20 })
    local window = harness.ok(desk.windows.find { title = "Started — 二" })
    harness.eq(window.pid, pid)
    harness.ok(desk.windows.close(window))
    harness.ok(desk.wait_until(function() return not desk.windows.find { id = window.id } end, { timeout = 20 }))
    local none, err = desk.apps.start { "no-such-program-anywhere" }
    harness.eq(none, nil)
    harness.eq(err.code, "not_found")
  end)
end

function tests.a_program_of_the_current_folder_is_not_found_by_its_name()
  testapp.with(nil, function(desk, app)
    local before = uv.cwd()
    local _ <close> = testapp.finally(function() assert(uv.chdir(before)) end)
    assert(uv.fs_copyfile(testapp.program, app.folder .. "/only-here.exe"))
    assert(uv.chdir(app.folder))
    local none, err = desk.apps.start { "only-here.exe" }
    harness.eq(none, nil)
    harness.eq(err.code, "not_found")
    harness.eq(uv.os_getenv "NoDefaultCurrentDirectoryInExePath", nil, "for no longer than that")
    harness.ok(desk.apps.start { "./only-here.exe", "--log", "here.jsonl", "--title", "Here", wait = 20 })
    harness.ok(desk.windows.close { title = "Here" })
    harness.ok(desk.wait_until(function() return not desk.windows.find { title = "Here" } end, { timeout = 20 }))
  end)
end

function tests.a_variable_is_the_same_in_any_case()
  testapp.with(nil, function(desk, app)
    local path = app.folder .. "/variables"
    local pid = harness.ok(desk.apps.start { "cmd.exe", "/c", "set>" .. files.native(path),
      env = { pAtH = uv.os_getenv "PATH" .. ";Z:\\extra", new_Key = "5", some_token = "given" } })
    harness.eq(desk.apps.wait(pid, { timeout = 30 }), 0) -- all of them are written then
    local found = {}
    for name, value in files.read(path):gmatch "([^\r\n=]+)=([^\r\n]*)" do
      local key = name:lower()
      found[key] = found[key] or {}
      table.insert(found[key], value)
    end
    harness.eq(#found.path, 1, "one PATH")
    harness.has(found.path[1], ";Z:\\extra")
    harness.eq(found.new_key, { "5" })
    harness.eq(found.some_token, { "given" })
  end)
end

return tests
