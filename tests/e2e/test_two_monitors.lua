-- Two monitors of different sizes on a private desktop, the primary one to the right of the other and
-- lower; judged by xev, which tells where the clicks arrived, and by colours that are known. And
-- windows' own pixels, of real applications that others cover.
local desktop = require "desktop"
local files = require "deskpilot.base.files"
local harness = require "harness"
local native = require "native.image"
local task = require "deskpilot.base.task"

local program = os.getenv "DESKPILOT_BIN" or "build/deskpilot"
local left = { x = 0, y = 0, width = 700, height = 500 }
local right = { x = 700, y = 120, width = 900, height = 680 }

local tests = {}

-- Runs fn(desk, session, folder) on a private desktop.
local function with_desktop(apps, fn)
  desktop.with({ size = { 1600, 800 }, apps = apps, timing = { window = 10, focus = 10, elements = 10 } }, fn)
end

-- A command on the desktop, waited for.
local function run(session, folder, command)
  local done = folder .. "/done"
  files.remove(done)
  assert(session:start_app { "sh", "-c", ("{ %s ; } >'%s/out' 2>&1; echo $? >'%s.new'; mv '%s.new' '%s'"):format(
    command, folder, done, done, done) })
  local status = harness.wait_until(command, function() return files.read(done) end, 60)
  harness.eq(status, "0\n", files.read(folder .. "/out") or command)
end

local function split(session, folder)
  run(session, folder, "xrandr --setmonitor '*right' 900/300x680/200+700+120 screen && "
    .. "xrandr --setmonitor left 700/250x500/150+0+0 none")
end

-- A window that writes down what it gets, at that place.
local function recorder(desk, session, folder, name, place)
  local path = folder .. "/" .. name
  assert(session:start_app { "sh", "-c", ("exec xev -name %s -event button >'%s'"):format(name, path) })
  harness.wait_until(name, function() return desk.windows.find { title = name } end, 30)
  local window = harness.ok(desk.windows.place({ title = name }, place))
  harness.eq({ window.x, window.y, window.width, window.height }, { place.x, place.y, place.width, place.height })
  return path
end

-- Where a click arrived, by the word of the window that got it: {x, y}.
local function clicked(desk, path, point)
  local before = #(files.read(path) or "")
  harness.ok(desk.mouse.click(point))
  local x, y
  harness.wait_until("the click", function()
    x, y = (files.read(path) or ""):sub(before + 1):match "ButtonRelease event.-root:%((%-?%d+),(%-?%d+)%)"
    return x
  end)
  return { tonumber(x), tonumber(y) }
end

local function place_of(monitor)
  return { x = monitor.x, y = monitor.y, width = monitor.width, height = monitor.height }
end

function tests.the_list_follows()
  with_desktop({}, function(desk, session, folder)
    local one = harness.ok(desk.screen.monitors())
    harness.eq({ #one, one[1].width, one[1].height, one[1].primary }, { 1, 1600, 800, true })
    split(session, folder)
    local two = harness.ok(desk.screen.monitors())
    harness.eq(#two, 2)
    harness.eq({ two[1].name, two[2].name, two[1].primary, two[2].primary }, { "left", "right", false, true })
    harness.eq({ place_of(two[1]), place_of(two[2]) }, { left, right })
    harness.eq(desk.screen.monitor("right").index, 2)
    harness.eq(desk.screen.monitor("primary").name, "right")
    run(session, folder, "xrandr --delmonitor left && xrandr --delmonitor right")
    harness.eq(#desk.screen.monitors(), 1)
  end)
end

function tests.clicks_on_both()
  with_desktop({}, function(desk, session, folder)
    split(session, folder)
    local on_left = recorder(desk, session, folder, "first", { x = 30, y = 40, width = 600, height = 400 })
    local on_right = recorder(desk, session, folder, "second", { x = 740, y = 180, width = 800, height = 580 })
    for _, case in ipairs {
      { on_left, { x = 500, y = 500, frame = "norm", monitor = 1 }, 350, 250 },
      { on_left, { x = 100, y = 200, frame = "norm", monitor = "left" }, 70, 100 },
      { on_left, desk.screen.monitor "left", 350, 250 },
      { on_right, { x = 500, y = 500, frame = "norm", monitor = 2 }, 1150, 460 },
      { on_right, { x = 900, y = 900, frame = "norm", monitor = "right" }, 1510, 732 },
      { on_right, { x = 500, y = 500, frame = "norm" }, 800, 400 },
      { on_right, { 741, 181 }, 741, 181 }, { on_left, { 31, 41 }, 31, 41 },
    } do
      harness.eq(clicked(desk, case[1], case[2]), { case[3], case[4] }, harness.show(case[2]))
    end
    for i = 1, 10 do
      local x, y = 31 + i * 7919 % 598, 41 + i * 104729 % 398
      harness.eq(clicked(desk, on_left, { x, y }), { x, y })
      x, y = 741 + i * 7919 % 798, 181 + i * 104729 % 578
      harness.eq(clicked(desk, on_right, { x, y }), { x, y })
    end
  end)
end

local function solid(desk, session, title, colour, place)
  assert(session:start_app { "xterm", "-T", title, "-bg", colour, "-cr", colour, "-b", "0", "+sb", "-e", "sleep 1000" })
  harness.wait_until(title, function() return desk.windows.find { title = title } end, 30)
  return harness.ok(desk.windows.place({ title = title }, place))
end

function tests.pictures_of_each()
  with_desktop({}, function(desk, session, folder)
    split(session, folder)
    solid(desk, session, "one", "#204060", { x = 100, y = 100, width = 300, height = 200 })
    solid(desk, session, "two", "#a06030", { x = 900, y = 300, width = 300, height = 200 })
    local shots = {}
    harness.wait_until("the colours", function()
      shots = { assert(desk.screen.shot { monitor = 1 }), assert(desk.screen.shot { monitor = "right" }) }
      local r1, g1, b1 = shots[1]:pixel(200, 150)
      local r2, g2, b2 = shots[2]:pixel(900 - 700 + 100, 300 - 120 + 50)
      return harness.show { r1, g1, b1, r2, g2, b2 } == harness.show { 0x20, 0x40, 0x60, 0xa0, 0x60, 0x30 }
    end)
    harness.eq({ shots[1].frame, shots[2].frame }, { left, right })
    harness.eq({ shots[2].width, shots[2].height }, { 900, 680 })
    -- A point found in a scaled part of the second monitor's picture clicks the right pixel.
    local path = recorder(desk, session, folder, "third", { x = 1000, y = 520, width = 400, height = 200 })
    local half = harness.ok(harness.ok(desk.screen.shot { monitor = 2 }):scale(450, 340))
    local part = harness.ok(half:crop { x = 150, y = 200, width = 200, height = 100 })
    harness.eq(clicked(desk, path, { x = 20, y = 30, frame = "image", image = part }), { 700 + 341, 120 + 461 },
      "the middle of the two by two pixels that it shows")
  end)
end

-- The command line's, in a file.
function tests.the_command_line()
  with_desktop({}, function(desk, session, folder)
    split(session, folder)
    solid(desk, session, "two", "#a06030", { x = 900, y = 300, width = 300, height = 200 })
    harness.wait_until("the colour", function()
      local r, g, b = assert(desk.screen.shot { monitor = 2, cursor = false }):pixel(300, 230)
      return harness.show { r, g, b } == harness.show { 0xa0, 0x60, 0x30 }
    end)
    for _, word in ipairs { "2", "Right", "primary" } do
      run(session, folder, ("%s shot --monitor %s --no-cursor -o '%s/shot.png'"):format(program, word, folder))
      local image = harness.ok(native.load(files.read(folder .. "/shot.png")))
      harness.eq({ image:size() }, { 900, 680 })
      harness.eq({ image:pixel(300, 230) }, { 0xa0, 0x60, 0x30 })
    end
    run(session, folder, ("%s shot -m 2 --region 200,180,10,20 -o '%s/shot.png'"):format(program, folder))
    local image = harness.ok(native.load(files.read(folder .. "/shot.png")))
    harness.eq({ image:size() }, { 10, 20 })
    harness.eq({ image:pixel(9, 19) }, { 0xa0, 0x60, 0x30 })
    -- A JPEG by its name, and a file that is to be small.
    run(session, folder, ("%s shot -m 2 -o '%s/shot.jpg'"):format(program, folder))
    image = harness.ok(native.load(files.read(folder .. "/shot.jpg")))
    harness.eq({ image:size() }, { 900, 680 })
    local red, green, blue = image:pixel(300, 230)
    harness.ok(math.abs(red - 0xa0) + math.abs(green - 0x60) + math.abs(blue - 0x30) < 12, { red, green, blue })
    run(session, folder, ("cd '%s' && '%s' shot --max-bytes 1200"):format(folder, files.absolute(program)))
    local name = files.read(folder .. "/out"):match "^(shot%-%w+%.jpg)\n$"
    local bytes = files.read(folder .. "/" .. harness.ok(name, files.read(folder .. "/out")))
    harness.ok(#bytes <= 1200 and native.load(bytes), #bytes)
    run(session, folder, ("! %s shot --max-bytes 50 -o '%s/none.png'"):format(program, folder))
    harness.has(files.read(folder .. "/out"), "50 bytes")
    run(session, folder, ("! %s shot -m 3 -o '%s/none.png'"):format(program, folder))
    harness.has(files.read(folder .. "/out"), "no monitor 3; there are 1: left, 700x500 at 0,0; 2: right, 900x680")
    run(session, folder, program .. " doctor; true") -- there is no model server
    harness.has(files.read(folder .. "/out"), "1: left, 700x500 at 0,0, scale 1; 2: right, 900x680 at 700,120")
  end)
end

-- How many pixels differ, and where one does.
local function difference(a, b)
  local count, where = 0, nil
  for y = 0, math.min(a.height, b.height) - 1 do
    for x = 0, math.min(a.width, b.width) - 1 do
      local r, g, bl = a:pixel(x, y)
      local r2, g2, bl2 = b:pixel(x, y)
      if r ~= r2 or g ~= g2 or bl ~= bl2 then
        count, where = count + 1, where or ("%d,%d"):format(x, y)
      end
    end
  end
  return count, where
end

local function check_same(one, other, what)
  harness.eq({ other.width, other.height }, { one.width, one.height }, what)
  local count, where = difference(one, other)
  harness.ok(count <= 20, ("%s: %d of %d pixels differ, the first at %s"):format(what, count,
    one.width * one.height, where))
end

-- Real applications, covered by another window, then over the screen's edge.
function tests.windows_own_pixels()
  with_desktop({ { "galculator" }, { "xterm", "-T", "cover" } }, function(desk)
    local cover = harness.ok(desk.windows.find { title = "cover" })
    local calculator = harness.ok(desk.windows.find { class = "galculator" })
    harness.ok(desk.windows.place(calculator, { x = 100, y = 100 }))
    harness.ok(desk.windows.place(cover, { x = 900, y = 300, width = 500, height = 400 }))
    harness.ok(desk.windows.focus(cover))
    -- It looks another way without the keyboard, which it hears of when it likes.
    local active = { app = "galculator", role = "frame", states = "active" }
    harness.wait_until("the calculator in the background", function() return not desk.elements.find(active) end)
    desk.settle { quiet = 0.5 }
    calculator = harness.ok(desk.windows.find { class = "galculator" })
    local alone = harness.ok(desk.screen.shot { window = calculator })
    harness.eq(alone.frame, place_of(calculator))
    check_same(alone, harness.ok(desk.screen.shot { window = calculator, on_screen = true, cursor = false }), "alone")
    harness.ok(desk.windows.place(cover, { x = 150, y = 150 }))
    desk.settle()
    local covered = harness.ok(desk.screen.shot { window = "galculator", on_screen = true, cursor = false })
    harness.ok(difference(alone, covered) > 10000, "it is covered")
    local began = task.now()
    local own = harness.ok(desk.screen.shot { window = calculator })
    io.stdout:write(("      a covered window's pixels in %.0f ms\n"):format((task.now() - began) * 1000))
    harness.eq(own.incomplete, nil)
    check_same(alone, own, "covered")
    harness.ok(desk.mouse.move { calculator.x + 5, calculator.y + 5 })
    local pointed = harness.ok(desk.screen.shot { window = calculator, cursor = true })
    harness.ok(difference(own, pointed) > 20, "the pointer, if it is wanted")
    harness.ok(desk.mouse.move { 1300, 50 })
    harness.ok(desk.windows.place(calculator, { x = 1500, y = 700 }))
    desk.settle()
    own = harness.ok(desk.screen.shot { window = "galculator" })
    harness.eq({ own.frame.x, own.frame.y, own.incomplete }, { 1500, 700 })
    check_same(alone, own, "over the edge")
    local none, err = desk.mouse.click { x = own.width - 1, y = 5, frame = "image", image = own }
    harness.eq(none, nil)
    harness.has(tostring(err), "outside the screen")
    harness.ok(desk.windows.minimize(calculator))
    none, err = desk.screen.shot { window = calculator }
    harness.eq(none, nil)
    harness.eq(err.code, "unavailable")
  end)
end

return tests
