-- Every kind of input, judged by the messages that the test application got.
local testapp = dofile "tests/windows/testapp.lua"
local uv = require "luv"
local harness = require "harness"
local task = require "deskpilot.base.task"

local tests = {}

local MK_SHIFT, MK_CONTROL = 4, 8

-- Runs fn(desk, app, canvas) with the keyboard focus on the canvas.
local function with_canvas(fn)
  testapp.with(nil, function(desk, app)
    app:focus(desk, "canvas")
    fn(desk, app, app:control "canvas")
  end)
end

-- "down left", "double left", ... without the moves.
local function button_words(events)
  local words = {}
  for _, event in ipairs(events) do
    if event.what ~= "move" then words[#words + 1] = event.what .. " " .. event.button end
  end
  return words
end

function tests.clicks_of_all_buttons()
  with_canvas(function(desk, app, canvas)
    for i, button in ipairs { "left", "middle", "right", "back", "forward" } do
      app:mark()
      local x, y = canvas.x + 7 + 31 * i, canvas.y + 5 + 17 * i
      harness.ok(desk.mouse.click({ x, y }, { button = button }))
      local up = app:wait_for { event = "mouse", what = "up", button = button }
      local down = app:wait_for { event = "mouse", what = "down" }
      harness.eq({ down.target, down.button, down.x, down.y }, { "canvas", button, x, y })
      harness.eq({ up.x, up.y }, { x, y })
      harness.wait_until("the pointer to be there", function()
        return harness.show { desk.mouse.position() } == harness.show { x, y }
      end)
      harness.eq(button_words(app:events { event = "mouse" }), { "down " .. button, "up " .. button })
    end
    app:mark()
    harness.ok(desk.mouse.right_click { canvas.x + 3, canvas.y + 3 })
    harness.ok(desk.mouse.middle_click { canvas.x + 3, canvas.y + 3 })
    app:wait_for { event = "mouse", what = "up", button = "middle" }
    harness.eq(button_words(app:events { event = "mouse" }), { "down right", "up right", "down middle", "up middle" })
  end)
end

function tests.double_clicks()
  with_canvas(function(desk, app, canvas)
    local words = { "down left", "up left", "double left", "up left" }
    for i = 1, 5 do
      app:mark()
      harness.ok(desk.mouse.double_click { canvas.x + 40 * i, canvas.y + 20 * i })
      app:wait_for({ event = "mouse", what = "up" }, 2)
      harness.eq(button_words(app:events { event = "mouse" }), words)
    end
    app:focus(desk, "name")
    harness.ok(desk.keyboard.type "alpha beta")
    app:wait_for { event = "text", target = "name", text = "alpha beta" }
    local name = app:control "name"
    harness.ok(desk.mouse.double_click { name.x + 14, name.y + 12 })
    app:wait_for { event = "mouse", what = "double", target = "name" }
    harness.ok(desk.keyboard.type "gamma ")
    app:wait_for { event = "text", target = "name", text = "gamma beta" }
  end)
end

function tests.drags()
  with_canvas(function(desk, app, canvas)
    local from, to = { canvas.x + 5, canvas.y + 100 }, { canvas.x + 240, canvas.y + 9 }
    for _, button in ipairs { "left", "right" } do
      app:mark()
      harness.ok(desk.mouse.drag(from, to, { button = button }))
      local up = app:wait_for { event = "mouse", what = "up", button = button }
      local down = app:wait_for { event = "mouse", what = "down", button = button }
      harness.eq({ down.x, down.y, up.x, up.y }, { from[1], from[2], to[1], to[2] })
      local held = 0
      for _, move in ipairs(app:events { event = "mouse", what = "move" }) do
        if move.keys & (button == "left" and 1 or 2) ~= 0 then held = held + 1 end
      end
      harness.ok(held >= 5, held .. " moves with the button held")
      app:wait_for { event = "capture", target = "canvas" }
    end
    app:mark()
    local slider = app:control "volume"
    harness.ok(desk.mouse.drag({ slider.x + 13, slider.y + 11 }, { slider.x + 124, slider.y + 11 }))
    app:wait_for { event = "mouse", what = "up", target = "volume" }
    local values = app:wait_for({ event = "value", target = "volume" }, 3)
    local value = values[#values].value
    harness.ok(value >= 40 and value <= 60, "dragged to the middle, the slider is at " .. value)
  end)
end

function tests.presses_and_releases_apart()
  with_canvas(function(desk, app, canvas)
    for _, button in ipairs { "left", "middle", "right", "back", "forward" } do
      app:mark()
      harness.ok(desk.mouse.move { canvas.x + 20, canvas.y + 20 })
      harness.ok(desk.mouse.press(button))
      app:wait_for { event = "mouse", what = "down", button = button }
      harness.eq(#app:events { event = "mouse", what = "up" }, 0)
      harness.ok(desk.mouse.release(button))
      app:wait_for { event = "mouse", what = "up", button = button }
    end
    app:mark()
    local other = assert(require("deskpilot.desk").open())
    harness.ok(other.mouse.press "right")
    app:wait_for { event = "mouse", what = "down", button = "right" }
    other:close()
    app:wait_for { event = "mouse", what = "up", button = "right" }
  end)
end

function tests.moves_in_a_given_time()
  with_canvas(function(desk, app, canvas)
    harness.ok(desk.mouse.move { canvas.x + 2, canvas.y + 3 })
    app:mark()
    local began = uv.hrtime()
    harness.ok(desk.mouse.move({ canvas.x + 202, canvas.y + 103 }, { seconds = 0.5 }))
    harness.ok(uv.hrtime() - began >= 0.45e9)
    app:wait_for { event = "mouse", what = "move", x = canvas.x + 202, y = canvas.y + 103 }
    local count = #app:events { event = "mouse", what = "move", target = "canvas" }
    harness.ok(count >= 10, count .. " moves on the way")
  end)
end

function tests.a_drag_along_points()
  with_canvas(function(desk, app, canvas)
    local function at(x, y) return { canvas.x + x, canvas.y + y } end
    app:mark()
    harness.ok(desk.mouse.drag({ at(5, 5), at(200, 10), at(200, 90), at(20, 80) }, { seconds = 0.6 }))
    local up = app:wait_for { event = "mouse", what = "up", button = "left" }
    harness.eq({ up.x, up.y }, at(20, 80))
    for _, corner in ipairs { at(200, 10), at(200, 90) } do
      local near = false
      for _, move in ipairs(app:events { event = "mouse", what = "move" }) do
        near = near or move.keys & 1 == 1 and math.abs(move.x - corner[1]) + math.abs(move.y - corner[2]) < 12
      end
      harness.ok(near, corner)
    end
  end)
end

local function sum(events)
  local total = 0
  for _, event in ipairs(events) do total = total + event.delta end
  return total
end

function tests.both_wheels()
  with_canvas(function(desk, app, canvas)
    local at = { canvas.x + 30, canvas.y + 40 }
    for _, case in ipairs { { "wheel", dy = 3, want = -360 }, { "wheel", dy = -2, want = 240 },
      { "hwheel", dx = 2, want = 240 }, { "hwheel", dx = -1, want = -120 } } do
      app:mark()
      harness.ok(desk.mouse.scroll { dx = case.dx, dy = case.dy, at = at })
      harness.wait_until(case[1] .. " by " .. case.want, function()
        return math.abs(sum(app:events { event = "mouse", what = case[1] })) >= math.abs(case.want)
      end)
      local events = app:events { event = "mouse", what = case[1] }
      harness.eq(sum(events), case.want)
      harness.eq(events[1].target, "canvas")
      -- Wine gives the other wheel's place as one within the window, Windows as one of the screen.
      if case[1] == "wheel" then harness.eq({ events[1].x, events[1].y }, at) end
    end
    app:mark()
    harness.ok(desk.mouse.scroll { dy = 125, pixels = true, at = at }) -- a notch and a quarter
    harness.eq(sum(app:wait_for({ event = "mouse", what = "wheel" }, 2)), -150)
    app:mark()
    harness.ok(desk.mouse.scroll { dy = 1, at = at, modifiers = "ctrl" })
    local event = app:wait_for { event = "mouse", what = "wheel" }
    harness.eq(event.keys & MK_CONTROL, MK_CONTROL)
  end)
end

-- "+17 +65 -65 -17": what went down and up, in order.
local function key_words(app)
  local words = {}
  for _, event in ipairs(app:events { event = "key", target = "canvas" }) do
    words[#words + 1] = (event.what == "down" and "+" or "-") .. event.vk .. (event.extended == 1 and "e" or "")
  end
  return table.concat(words, " ")
end

function tests.keys_and_combinations()
  with_canvas(function(desk, app)
    for _, case in ipairs {
      { "a", "+65 -65" }, { "ctrl+a", "+17 +65 -65 -17" }, { "shift+home", "+16 +36e -36e -16" },
      { "ctrl+shift+t", "+17 +16 +84 -84 -16 -17" }, { "f5", "+116 -116" }, { "f12", "+123 -123" },
      { "escape", "+27 -27" }, { "enter", "+13 -13" }, { "numpad_enter", "+13e -13e" }, { "tab", "+9 -9" },
      { "space", "+32 -32" }, { "backspace", "+8 -8" }, { "delete", "+46e -46e" }, { "insert", "+45e -45e" },
      { "end", "+35e -35e" }, { "page_up", "+33e -33e" }, { "page_down", "+34e -34e" }, { "left", "+37e -37e" },
      { "up", "+38e -38e" }, { "right", "+39e -39e" }, { "down", "+40e -40e" }, { "numpad_add", "+107 -107" },
      { "numpad_divide", "+111e -111e" }, { "right_ctrl+c", "+17e +67 -67 -17e" }, { "pause", "+19 -19" },
    } do
      app:mark()
      harness.ok(desk.keyboard.press(case[1]))
      local _, count = case[2]:gsub("%S+", "")
      app:wait_for({ event = "key", target = "canvas" }, count)
      harness.eq(key_words(app), case[2], case[1])
    end
  end)
end

function tests.keys_again_and_held()
  with_canvas(function(desk, app)
    app:mark()
    harness.ok(desk.keyboard.press("ctrl+f6", { times = 3 }))
    app:wait_for({ event = "key", target = "canvas" }, 12)
    harness.eq(key_words(app), ("+17 +117 -117 -17 "):rep(3):sub(1, -2))
    app:mark()
    local holding = task.start(desk.keyboard.press, "shift+f7", { hold = 60 })
    app:wait_for({ event = "key", what = "down" }, 2)
    harness.eq(#app:events { event = "key", what = "up" }, 0)
    holding:cancel("the test wants it")
    app:wait_for({ event = "key", what = "up" }, 2)
  end)
end

function tests.a_menu_by_its_keys()
  testapp.with(nil, function(desk, app)
    -- Wine may forget a held key when it hears of the pointer's place in between, as it does of a window that has just
    -- come up under it: then the f is none of a menu (its `system` is 0), and the combination is pressed again.
    local tries, key = 0
    repeat
      tries = tries + 1
      app:mark()
      harness.ok(desk.keyboard.press "alt+f")
      key = app:wait_for { event = "key", what = "down", vk = 70 }
    until key.system == 1 or tries == 5
    harness.eq(key.system, 1, "alt was held when f went down")
    harness.ok(desk.keyboard.press "n")
    app:wait_for { event = "menu", text = "&New" }
  end)
end

function tests.held_and_released()
  with_canvas(function(desk, app, canvas)
    harness.ok(desk.keyboard.hold "shift")
    app:wait_for { event = "key", what = "down", vk = 16 }
    harness.ok(desk.mouse.click()) -- where it is: Wine may forget a held key when the pointer moves
    harness.eq(app:wait_for({ event = "mouse", what = "down" }).keys & MK_SHIFT, MK_SHIFT)
    harness.eq(#app:events { event = "key", what = "up" }, 0)
    harness.ok(desk.keyboard.release "shift")
    app:wait_for { event = "key", what = "up", vk = 16 }
    app:mark()
    harness.ok(desk.mouse.click({ canvas.x + 9, canvas.y + 9 }, { modifiers = { "ctrl", "shift" } }))
    app:wait_for { event = "key", what = "up", vk = 17 }
    harness.eq(app:wait_for({ event = "mouse", what = "down" }).keys & ~1, MK_SHIFT | MK_CONTROL)
    app:mark()
    local other = assert(require("deskpilot.desk").open())
    harness.ok(other.keyboard.hold "ctrl")
    app:wait_for { event = "key", what = "down", vk = 17 }
    other:close()
    app:wait_for { event = "key", what = "up", vk = 17 }
  end)
end

local text = "héllo — 日本 😀 𝄞\nzweite\tZeile: ß€ עברית"

function tests.text_into_a_field()
  testapp.with(nil, function(desk, app)
    app:focus(desk, "notes")
    harness.ok(desk.keyboard.type(text))
    app:wait_for { event = "text", target = "notes", text = text:gsub("\n", "\r\n") }
  end)
end

function tests.text_into_an_element_read_back()
  testapp.with(nil, function(desk, app)
    app:focus(desk, "canvas")
    local field = harness.ok(desk.elements.find { pid = app.pid, role = "text", name = "Name:" }
      or desk.elements.find { pid = app.pid, role = "entry" } or desk.elements.find { pid = app.pid, role = "text" })
    harness.ok(desk.keyboard.type("Zoë 日本", { into = field, verify = true }))
    harness.has(desk.elements.text(field), "Zoë 日本")
  end)
end

function tests.typing_stops_when_another_window_comes_up()
  testapp.with({ title = "The one" }, function(desk, app)
    app:focus(desk, "notes")
    local ok, err
    local typing = task.start(function() ok, err = desk.keyboard.type(("0123456789"):rep(10000)) end)
    app:wait_for { event = "text", target = "notes" }
    testapp.with({ title = "The other", at = "20,20" }, function(_, other)
      typing:wait()
      harness.eq({ ok, err and err.code }, { nil, "refused" })
      harness.has(tostring(err), "'The other' came up instead of 'The one'")
      harness.ok(#other:events { event = "char" } <= 64, "what was on its way at most")
    end)
  end)
end

local function units_of(utf8_text)
  local units = {}
  for _, code in utf8.codes(utf8_text) do
    if code == 10 then code = 13 end -- Enter
    if code > 0xffff then
      units[#units + 1] = 0xd800 + (code - 0x10000 >> 10)
      code = 0xdc00 + (code & 0x3ff)
    end
    units[#units + 1] = code
  end
  return units
end

function tests.a_thousand_characters_unit_by_unit()
  with_canvas(function(desk, app)
    local long = text .. "\n" .. ("Zeile 日本 — 0123456789\n"):rep(45)
    harness.ok(desk.keyboard.type(long))
    local want, got = units_of(long), {}
    for i, event in ipairs(app:wait_for({ event = "char", target = "canvas" }, #want)) do got[i] = event.unit end
    harness.ok(#want > 1000)
    harness.ok(table.concat(got, " ") == table.concat(want, " "), "every unit in its order")
  end)
end

function tests.two_hundred_clicks_are_where_they_should_be()
  testapp.with({ fullscreen = true }, function(desk, app)
    local size = harness.ok(desk.screen.size())
    harness.eq(app.ready.window, { size.x, size.y, size.width, size.height })
    math.randomseed(20)
    local points = {}
    for i = 1, 200 do
      points[i] = { size.x + math.random(0, size.width - 1), size.y + math.random(0, size.height - 1) }
      harness.ok(desk.mouse.click(points[i], { button = i % 2 == 0 and "right" or "left" }))
    end
    local exact, wrong, worst = 0, 0, nil
    local downs = {}
    app:wait_for({ event = "mouse", what = "up" }, 200)
    for _, event in ipairs(app:events { event = "mouse" }) do
      if event.what == "down" or event.what == "double" then downs[#downs + 1] = event end
    end
    harness.eq(#downs, 200)
    for i, down in ipairs(downs) do
      local dx, dy = down.x - points[i][1], down.y - points[i][2]
      if dx == 0 and dy == 0 then exact = exact + 1
      elseif math.abs(dx) > 1 or math.abs(dy) > 1 then
        wrong = wrong + 1
        worst = worst or ("click %d: %d,%d instead of %d,%d"):format(i, down.x, down.y, table.unpack(points[i]))
      end
    end
    harness.eq(wrong, 0, worst)
    io.stdout:write(("      %d of 200 clicks to the pixel, the others within one\n"):format(exact))
  end)
end

function tests.frames_of_points()
  testapp.with({ fullscreen = true }, function(desk, app)
    local size = harness.ok(desk.screen.size())
    local right, bottom = size.x + size.width - 1, size.y + size.height - 1
    for _, case in ipairs {
      { { x = 0, y = 0, frame = "norm" }, size.x, size.y }, { { x = 1000, y = 1000, frame = "norm" }, right, bottom },
      { { x = 1000, y = 0, frame = "norm" }, right, size.y }, { { x = 0, y = 1000, frame = "norm" }, size.x, bottom },
      { { x = 17, y = 23, frame = "window", window = { x = 30, y = 40, width = 100, height = 100 } }, 47, 63 },
      { { right, bottom }, right, bottom },
    } do
      app:mark()
      harness.ok(desk.mouse.click(case[1]))
      local up = app:wait_for { event = "mouse", what = "up" }
      harness.eq({ up.x, up.y }, { case[2], case[3] }, harness.show(case[1]))
    end
    local none, err = desk.mouse.click { right + 1, bottom }
    harness.eq(none, nil)
    harness.eq(err.code, "invalid")
  end)
end

return tests
