-- Waiting for windows and changes, the order of windows, and closing them; judged by what the test applications
-- log and by what is in front when it is clicked.
local testapp = dofile "tests/windows/testapp.lua"
local harness = require "harness"
local task = require "deskpilot.base.task"

local tests = {}

-- Waits in a task of its own; a function that gives its results.
local function waiting(fn, ...)
  local waiter = task.start(fn, ...)
  return function()
    local ok, value, err = waiter:wait()
    harness.eq(ok, true, tostring(value))
    return value, err
  end
end

function tests.a_window_comes_and_goes()
  testapp.with({ title = "First" }, function(desk, first)
    local none, err = desk.wait_for_window { title = "Second", timeout = 0.2 }
    harness.eq(none, nil)
    harness.eq(err.code, "timed_out")
    harness.has(tostring(err), "First")
    local result = waiting(desk.wait_for_window, { matching = "^Second %d$", timeout = 30 })
    local second = testapp.start { title = "Second 2" }
    local _ <close> = testapp.finally(function() second:stop() end)
    local window = harness.ok(result())
    harness.eq(window and window.id, second.hwnd)
    result = waiting(desk.wait_for_window, { id = second.hwnd, gone = true, timeout = 30 })
    harness.eq(desk.windows.close(second.hwnd, { wait = 20 }), true)
    harness.eq(result(), true)
    harness.eq(second:wait(), 0)
    none, err = desk.wait_for_window { id = first.hwnd, gone = true, timeout = 0.1 }
    harness.eq(none, nil)
    harness.has(tostring(err), "'First' is still there")
  end)
end

function tests.elements_come_and_go()
  testapp.with(nil, function(desk, app)
    local none, err = desk.wait_for_element { pid = app.pid, text = "awaited", timeout = 0.1 }
    harness.eq(none, nil)
    harness.eq(err.code, "timed_out")
    app:focus(desk, "name")
    local result = waiting(desk.wait_for_element, { pid = app.pid, text = "awaited", timeout = 30 })
    harness.ok(desk.keyboard.type "awaited")
    app:wait_for { event = "text", target = "name", text = "awaited" }
    local element = harness.ok(result())
    harness.eq(element and element.text, "awaited")
    result = waiting(desk.wait_for_element, { pid = app.pid, text = "awaited", gone = true, timeout = 30 })
    harness.ok(desk.keyboard.type "!")
    harness.eq(result(), true)
  end)
end

function tests.one_that_does_not_close_says_so()
  testapp.with({ title = "Stays", hang = true }, function(desk, app)
    local ok, err = desk.windows.close(app.hwnd, { wait = 0.5 })
    harness.eq(ok, nil)
    harness.eq(err.code, "timed_out")
    app:release()
    harness.eq(app:wait(), 0, "it does when it can")
  end)
end

function tests.notepad_asks_before_it_closes()
  testapp.with({ title = "Beside", at = "700,400" }, function(desk)
    local pid, window = desk.apps.start { "notepad.exe", wait = 30 }
    if not harness.ok(pid, tostring(window)) then return end
    harness.eq(window.class, "Notepad")
    harness.ok(desk.windows.focus(window))
    harness.ok(desk.keyboard.type "not saved")
    harness.ok(desk.wait_until(function() return desk.elements.find { pid = window.pid, contains = "not saved" } end,
      { timeout = 20 }))
    local ok, err = desk.windows.close(window, { wait = 20 })
    harness.eq(ok, nil)
    harness.eq(err and err.code, "refused", tostring(err))
    harness.has(tostring(err), "came up")
    harness.ok(desk.apps.stop(pid, { timeout = 0.5 }))
    harness.eq(desk.wait_for_window { class = "Notepad", gone = true, timeout = 20 }, true)
  end)
end

-- Both cover the same place; a click there goes to the one in front.
function tests.raised_and_lowered()
  testapp.with({ title = "First", at = "60,60" }, function(desk, first)
    local second = testapp.start { title = "Second", at = "60,60" }
    local _ <close> = testapp.finally(function() second:stop() end)
    local function click_hits(app, other)
      local canvas = app:control "canvas"
      app:mark()
      other:mark()
      harness.ok(desk.mouse.click { canvas.x + 10, canvas.y + 10 })
      app:wait_for { event = "mouse", what = "up", button = "left" }
      harness.eq(#other:events { event = "mouse", what = "down" }, 0, "the one behind gets no click")
    end
    harness.eq(desk.windows.raise { title = "First" }, true)
    harness.eq(harness.ok(desk.windows.active()).id, second.hwnd, "the keyboard stays where it is")
    click_hits(first, second)
    harness.eq(desk.windows.lower(first.hwnd), true)
    click_hits(second, first)
    local topmost = 0
    for _ = 1, 50 do
      assert(desk.windows.raise(second.hwnd)) -- where it is already
      if desk.windows.find({ id = second.hwnd }).layer ~= 0 then topmost = topmost + 1 end
    end
    harness.eq(topmost, 0, "of 50 times it was raised to a topmost one")
    local ok, err = desk.windows.raise(0x7ffffffe)
    harness.eq(ok, nil)
    harness.eq(err.code, "not_found")
    for _, call in ipairs { function() return desk.windows.workspaces() end,
      function() return desk.windows.go_to_workspace(1) end,
      function() return desk.windows.move_to_workspace(first.hwnd, 2) end } do
      ok, err = call()
      harness.eq(ok, nil)
      harness.eq(err.code, "unsupported")
      harness.has(tostring(err), "virtual desktops")
    end
  end)
end

function tests.changes_of_a_region_only()
  testapp.with({ title = "Left", at = "20,20", size = "500x400" }, function(desk, left)
    local right = testapp.start { title = "Right", at = "660,20", size = "500x400" }
    local _ <close> = testapp.finally(function() right:stop() end)
    left:wait_for { event = "active", what = "lost" }
    desk.settle { quiet = 0.3, cap = 20 }
    local area = harness.ok(desk.windows.find { id = left.hwnd })
    local function move() harness.ok(desk.windows.place(right.hwnd, { y = 60 })) end
    local none, err = desk.wait_for_change { window = area, action = move, timeout = 1 }
    harness.eq(none, nil)
    harness.eq(err and err.code, "timed_out")
    harness.eq(desk.wait_for_change { region = { x = 660, y = 20, width = 100, height = 100 }, timeout = 20,
      action = function() harness.ok(desk.windows.place(right.hwnd, { y = 30 })) end }, true)
    harness.eq(desk.wait_for_change { timeout = 20, action = move }, true)
  end)
end

return tests
