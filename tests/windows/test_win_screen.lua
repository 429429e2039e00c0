-- Pictures of the screen, judged by the colours that the test application is known to paint.
local testapp = dofile "tests/windows/testapp.lua"
local files = require "deskpilot.base.files"
local harness = require "harness"
local native = require "native.image"

-- testapp_canvas.c: two rows of four blocks, then a field of single pixels.
local block_width, block_height, checker_x = 48, 64, 192
local colours = {
  { { 255, 0, 0 }, { 0, 255, 0 }, { 0, 0, 255 }, { 255, 255, 0 } },
  { { 0, 255, 255 }, { 255, 0, 255 }, { 0x12, 0x34, 0x56 }, { 0xfe, 0xdc, 0xba } },
}

local function painted(x, y)
  if x < checker_x then return colours[y // block_height + 1][x // block_width + 1] end
  local value = (x + y) % 2 == 0 and 255 or 0
  return { value, value, value }
end

-- How many pixels of the canvas, which begins at left, top of the shot, are wrong; and the first of them.
local function wrong_pixels(shot, left, top, canvas)
  local wrong, first = 0, nil
  for y = 0, canvas.height - 1 do
    for x = 0, canvas.width - 1 do
      local r, g, b = shot:pixel(left + x, top + y)
      local want = painted(x, y)
      if r ~= want[1] or g ~= want[2] or b ~= want[3] then
        wrong = wrong + 1
        first = first or ("%d,%d is %d,%d,%d, want %d,%d,%d"):format(x, y, r, g, b, table.unpack(want))
      end
    end
  end
  return wrong, first
end

-- Runs fn(desk, app, canvas) when the canvas has come to the screen.
local function with_canvas(options, fn)
  testapp.with(options, function(desk, app)
    local canvas = app:control "canvas"
    harness.ok(desk.mouse.move { 1200, 780 })
    local wrong, first
    harness.wait_until("the canvas on the screen", function()
      local shot = assert(desk.screen.shot { region = canvas, cursor = false })
      wrong, first = wrong_pixels(shot, 0, 0, canvas)
      return wrong == 0 or nil, first
    end)
    fn(desk, app, canvas)
  end)
end

local tests = {}

function tests.the_whole_screen()
  with_canvas(nil, function(desk, _, canvas)
    local size = harness.ok(desk.screen.size())
    local shot = harness.ok(desk.screen.shot { cursor = false })
    harness.eq({ shot.width, shot.height }, { size.width, size.height })
    local wrong, first = wrong_pixels(shot, canvas.x - size.x, canvas.y - size.y, canvas)
    harness.eq(wrong, 0, first)
    local again = harness.ok(desk.screen.shot { cursor = false })
    harness.ok(shot:equal(again) or wrong_pixels(again, canvas.x - size.x, canvas.y - size.y, canvas) == 0)
  end)
end

function tests.a_window_and_a_region_of_it()
  with_canvas({ at = "260,220", title = "Fenster — 窓" }, function(desk, app, canvas)
    local window = harness.ok(desk.windows.find { id = app.hwnd })
    local shot = harness.ok(desk.screen.shot { window = "Fenster — 窓", cursor = false })
    harness.eq(shot.frame, { x = window.x, y = window.y, width = window.width, height = window.height })
    harness.eq({ shot.width, shot.height }, { window.width, window.height })
    local wrong, first = wrong_pixels(shot, canvas.x - window.x, canvas.y - window.y, canvas)
    harness.eq(wrong, 0, first)
    local part = harness.ok(desk.screen.shot { window = window, cursor = false, region = {
      x = canvas.x - window.x, y = canvas.y - window.y, width = canvas.width, height = canvas.height } })
    harness.eq(part.frame, canvas)
    wrong, first = wrong_pixels(part, 0, 0, canvas)
    harness.eq(wrong, 0, first)
  end)
end

function tests.what_hangs_over_the_edge_is_cut_off()
  testapp.with({ at = "-50,-20" }, function(desk, app)
    local size = harness.ok(desk.screen.size())
    local window = harness.ok(desk.windows.find { id = app.hwnd })
    harness.eq({ window.x, window.y }, { -50, -20 })
    local shot = harness.ok(desk.screen.shot { window = window, on_screen = true })
    harness.eq({ shot.frame.x, shot.frame.y, shot.width, shot.height },
      { size.x, size.y, window.width - 50, window.height - 20 })
    local none, err = desk.screen.shot { region = { x = size.width, y = 0, width = 10, height = 10 } }
    harness.eq(none, nil)
    harness.eq(err.code, "invalid")
  end)
end

-- Wine draws no window of another program (PrintWindow); Windows does.
function tests.a_covered_window()
  with_canvas({ at = "260,220" }, function(desk, app, canvas)
    local cover = testapp.start { at = "300,200", size = "300x300", title = "Cover" }
    local stopping <close> = testapp.finally(function() cover:stop() end)
    harness.ok(desk.windows.focus { id = cover.hwnd })
    harness.wait_until("the cover", function()
      local shot = assert(desk.screen.shot { window = { id = app.hwnd }, on_screen = true, cursor = false })
      return wrong_pixels(shot, canvas.x - shot.frame.x, canvas.y - shot.frame.y, canvas) > 1000
    end)
    local shot, err = desk.screen.shot { window = { id = app.hwnd } }
    if shot then
      local wrong, first = wrong_pixels(shot, canvas.x - shot.frame.x, canvas.y - shot.frame.y, canvas)
      harness.eq(wrong, 0, first)
    else
      harness.eq(err.code, "unsupported")
      harness.has(tostring(err), "bring the window to the front")
    end
    harness.ok(desk.windows.minimize { id = app.hwnd })
    shot, err = desk.screen.shot { window = { id = app.hwnd } }
    harness.eq(shot, nil)
    harness.eq(err.code, "unavailable")
    return stopping
  end)
end

function tests.monitors()
  testapp.with(nil, function(desk)
    local size, list = harness.ok(desk.screen.size()), harness.ok(desk.screen.monitors())
    local primary = harness.ok(desk.screen.monitor "primary")
    harness.eq({ primary.x, primary.y, primary.scale > 0 }, { 0, 0, true })
    for _, monitor in ipairs(list) do
      harness.ok(monitor.x >= size.x and monitor.x + monitor.width <= size.x + size.width, harness.show(monitor))
      harness.ok(monitor.work.width <= monitor.width and monitor.work.x >= monitor.x, harness.show(monitor))
      local shot = harness.ok(desk.screen.shot { monitor = monitor })
      harness.eq({ shot.width, shot.height }, { monitor.width, monitor.height })
    end
  end)
end

function tests.scaled()
  with_canvas(nil, function(desk, _, canvas)
    local shot = harness.ok(desk.screen.shot { region = canvas, cursor = false })
    local half = harness.ok(shot:scale(canvas.width // 2, canvas.height // 2))
    harness.eq(half.frame, shot.frame)
    for row = 0, 1 do
      for column = 0, 3 do
        local x, y = column * block_width + block_width // 2, row * block_height + block_height // 2
        harness.eq({ half:pixel(x // 2, y // 2) }, painted(x, y), "a flat block stays as it is")
      end
    end
    local r, g, b = half:pixel(checker_x // 2 + 16, 32)
    harness.ok(r == g and g == b and r > 100 and r < 200, ("black and white become grey, got %d"):format(r))
  end)
end

function tests.saved_and_read_back()
  with_canvas(nil, function(desk, app, canvas)
    local path = files.join(app.folder, "größe 日本 😀.png")
    local shot = harness.ok(desk.screen.shot { region = canvas, cursor = false, path = path })
    local png = harness.ok(files.read(path))
    harness.eq(png:sub(1, 8), "\x89PNG\r\n\x1a\n")
    local image = harness.ok(native.load(png))
    local width, height = image:size()
    harness.eq({ width, height }, { canvas.width, canvas.height })
    harness.ok(image:equal(shot.native), "the file holds the same pixels")
  end)
end

function tests.the_pointer_is_drawn_if_wanted()
  with_canvas(nil, function(desk, _, canvas)
    harness.ok(desk.mouse.move { canvas.x + 20, canvas.y + 20 })
    local without = harness.ok(desk.screen.shot { region = canvas, cursor = false })
    harness.eq(wrong_pixels(without, 0, 0, canvas), 0, "no pointer")
    local with = harness.ok(desk.screen.shot { region = canvas })
    harness.ok(wrong_pixels(with, 0, 0, canvas) > 20, "a pointer")
  end)
end

function tests.changes_are_noticed()
  with_canvas(nil, function(desk, app)
    app:focus(desk, "notes")
    harness.ok(desk.settle { quiet = 0.5, cap = 20 })
    local none, err = desk.wait_for_change { timeout = 1.5 }
    harness.eq(none, nil, "a blinking caret is no change")
    harness.eq(err and err.code, "timed_out")
    harness.ok(desk.keyboard.type "A whole line of text that was not there before")
    local settled = harness.ok(desk.settle { cap = 20 })
    harness.eq(settled.reason, "quiet", "in spite of the caret")
    local name = app:control "name"
    local before = harness.ok(desk.screen.shot { region = name, cursor = false })
    harness.ok(desk.elements.set_text({ pid = app.pid, name = "Name:", role = "text" }, "something new"))
    app:wait_for { event = "text", target = "name", text = "something new" }
    harness.wait_until("the new text to show", function()
      return not before:equal(assert(desk.screen.shot { region = name, cursor = false }))
    end)
  end)
end

return tests
