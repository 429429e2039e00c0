-- Two monitors, the second one left of and above the primary one (wine.sh --two-monitors): judged by
-- the test application's log, which tells where the clicks arrived, and by the colours it paints.
local uv = require "luv"
local testapp = dofile "tests/windows/testapp.lua"
local harness = require "harness"

local left = { x = -800, y = -200, width = 800, height = 600 }
local primary = { x = 0, y = 0, width = 1024, height = 768 }

local function place(rect)
  return { x = rect.x, y = rect.y, width = rect.width, height = rect.height }
end

local tests = {}

function tests.both_are_there()
  testapp.with({}, function(desk)
    harness.eq(desk.screen.size(), { x = -800, y = -200, width = 1824, height = 968 })
    local list = harness.ok(desk.screen.monitors())
    harness.eq(#list, 2)
    harness.eq(place(list[1]), left)
    harness.eq(place(list[2]), primary)
    harness.eq({ list[1].primary, list[2].primary }, { false, true })
    for i, monitor in ipairs(list) do
      harness.eq(monitor.index, i)
      harness.eq(monitor.scale, 1.0)
      harness.ok(monitor.name:find("^DISPLAY%d$"), monitor.name)
      harness.eq(desk.screen.monitor(monitor.name), monitor)
    end
  end)
end

-- Where a click arrives, by the word of whoever got it.
local function clicked(desk, app, point)
  app:mark()
  harness.ok(desk.mouse.click(point))
  local up = app:wait_for { event = "mouse", what = "up" }
  return { up.x, up.y }
end

function tests.clicks_on_both()
  testapp.with({ fullscreen = true }, function(desk, app)
    for _, case in ipairs {
      { { x = 0, y = 0, frame = "norm", monitor = 1 }, -800, -200 },
      { { x = 1000, y = 1000, frame = "norm", monitor = 1 }, -1, 399 },
      { { x = 500, y = 500, frame = "norm", monitor = 1 }, -400, 100 },
      { { x = 0, y = 0, frame = "norm", monitor = "primary" }, 0, 0 },
      { { x = 1000, y = 1000, frame = "norm", monitor = 2 }, 1023, 767 },
      { { x = 0, y = 0, frame = "norm" }, -800, -200 }, { { x = 1000, y = 1000, frame = "norm" }, 1023, 767 },
      { { -1, 0 }, -1, 0 }, { { 0, 1 }, 0, 1 }, { { -799, 398 }, -799, 398 }, { desk.screen.monitor(1), -400, 100 },
    } do
      harness.eq(clicked(desk, app, case[1]), { case[2], case[3] }, harness.show(case[1]))
    end
    for _, monitor in ipairs { left, primary } do
      for i = 1, 40 do
        local x, y = monitor.x + i * 7919 % monitor.width, monitor.y + i * 104729 % monitor.height
        harness.eq(clicked(desk, app, { x, y }), { x, y })
      end
    end
    app:mark()
    harness.ok(desk.mouse.drag({ -300, 50 }, { 200, 300 }))
    local down, up = app:wait_for { event = "mouse", what = "down" }, app:wait_for { event = "mouse", what = "up" }
    harness.eq({ down.x, down.y, up.x, up.y }, { -300, 50, 200, 300 })
  end)
end

-- The first row of the canvas: red, green, blue and yellow, 48 pixels each.
local function check_canvas(shot, canvas)
  for i, colour in ipairs { { 255, 0, 0 }, { 0, 255, 0 }, { 0, 0, 255 }, { 255, 255, 0 } } do
    for _, x in ipairs { (i - 1) * 48, i * 48 - 1 } do
      local r, g, b = shot:pixel(canvas.x - shot.frame.x + x, canvas.y - shot.frame.y)
      if r ~= colour[1] or g ~= colour[2] or b ~= colour[3] then
        return false, ("%d,%d is %d,%d,%d"):format(canvas.x + x, canvas.y, r, g, b)
      end
    end
  end
  return true
end

local function wait_for_canvas(options, take, canvas)
  local shot
  harness.wait_until(options, function()
    shot = assert(take())
    return check_canvas(shot, canvas)
  end)
  return shot
end

function tests.pictures_of_each()
  for index, at in ipairs { "-700,-150", "300,250" } do
    testapp.with({ at = at }, function(desk, app)
      local canvas = app:control "canvas"
      harness.ok(desk.mouse.move { x = 990, y = 990, frame = "norm", monitor = 3 - index })
      local shot = wait_for_canvas("the canvas on monitor " .. index, function()
        return desk.screen.shot { monitor = index, cursor = false }
      end, canvas)
      harness.eq(shot.frame, index == 1 and left or primary)
      wait_for_canvas("the canvas on the whole", function() return desk.screen.shot { cursor = false } end, canvas)
      wait_for_canvas("the window", function() return desk.screen.shot { window = { id = app.hwnd } } end, canvas)
      -- A point found in a scaled picture of that monitor.
      local small = harness.ok(shot:scale(shot.width // 2, shot.height // 2))
      local middle = { (canvas.x - shot.frame.x + 24) // 2, (canvas.y - shot.frame.y + 24) // 2 }
      harness.eq({ small:pixel(middle[1], middle[2]) }, { 255, 0, 0 })
      local arrived = clicked(desk, app, { x = middle[1], y = middle[2], frame = "image", image = small })
      harness.ok(math.abs(arrived[1] - canvas.x - 24) <= 1 and math.abs(arrived[2] - canvas.y - 24) <= 1,
        harness.show(arrived))
    end)
  end
end

-- A window that lies on both.
function tests.across_the_border()
  testapp.with({ at = "-200,10" }, function(desk, app)
    local canvas = app:control "canvas"
    local window = harness.ok(desk.windows.find { id = app.hwnd })
    harness.eq({ window.x, window.y }, { -200, 10 })
    local shot = wait_for_canvas("the window", function()
      return desk.screen.shot { window = window }
    end, canvas)
    harness.eq(shot.frame, { x = -200, y = 10, width = window.width, height = window.height })
    local moved = harness.ok(desk.windows.place(window, { x = -790, y = -190 }))
    harness.eq({ moved.x, moved.y }, { -790, -190 })
    local button, was = harness.ok(desk.elements.find { pid = app.pid, name = "Alpha" }), app:control "alpha"
    harness.eq({ button.x - was.x, button.y - was.y }, { -590, -200 }, "elements are where the window is")
    app:mark()
    harness.ok(desk.mouse.click(button))
    app:wait_for { event = "clicked", target = "alpha" }
  end)
end

-- A program of the system below Wine.
local function run_below(command)
  local status
  local process, why = uv.spawn("C:/windows/system32/start.exe", { args = { "/unix", "/bin/sh", "-c", command } },
    function(code) status = code end)
  assert(process, why)
  harness.wait_until(command, function() return status end)
  process:close()
  harness.eq(status, 0, command)
end

local function wait_for_monitors(desk, count)
  harness.wait_until(count .. " monitors", function() return #assert(desk.screen.monitors()) == count end)
end

-- While the desk is open: the corner moves, and what was a place is none. What was seen before is clicked where it was
-- seen, or not at all.
function tests.one_is_unplugged()
  testapp.with({ fullscreen = true }, function(desk, app)
    local seen = harness.ok(desk.screen.shot { size = { 912, 484 } })
    harness.eq({ seen.width, seen.frame.width }, { 912, 1824 })
    local function at(x, y) return seen:norm_point(seen:to_norm(x, y)) end
    harness.eq(clicked(desk, app, at(-300, 50)), { -300, 50 })
    run_below "xrandr --output DUMMY1 --off --output DUMMY0 --pos 0x0"
    local back <close> = testapp.finally(function()
      run_below("xrandr --output DUMMY0 --pos 800x200 --output DUMMY1 --mode 800x600 --pos 0x0; xrandr >/dev/null")
      wait_for_monitors(desk, 2)
    end)
    wait_for_monitors(desk, 1)
    harness.eq(desk.screen.size(), primary)
    harness.eq(place(desk.screen.monitor(1)), primary)
    local shot = harness.ok(desk.screen.shot())
    harness.eq({ shot.width, shot.height }, { 1024, 768 })
    local none, err = desk.mouse.move { -1, 0 }
    harness.eq(none, nil)
    harness.eq(err.code, "invalid")
    harness.eq(clicked(desk, app, { x = 1000, y = 1000, frame = "norm" }), { 1023, 767 })
    app:mark()
    none, err = desk.mouse.click(at(-300, 50))
    harness.eq({ none, err.code }, { nil, "stale" })
    for _, place_seen in ipairs { { 0, 0 }, { 700, 500 }, { 1023, 767 } } do
      harness.eq(clicked(desk, app, at(place_seen[1], place_seen[2])), place_seen)
    end
    return back
  end)
  testapp.with({ fullscreen = true }, function(desk, app)
    harness.eq(desk.screen.shot().width, 1824)
    harness.eq(clicked(desk, app, { x = 0, y = 0, frame = "norm", monitor = 1 }), { -800, -200 })
  end)
end

return tests
