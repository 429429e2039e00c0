-- Positions of 0..1000 on a very wide screen and on one that stands upright, by the tool and the observation of a
-- run: judged by a terminal that fills the screen and writes down the pixel of each click, and by a calculator.
local configured = require "configured"
local desktop = require "desktop"
local files = require "deskpilot.base.files"
local harness = require "harness"
local native = require "native.image"
local observation = require "deskpilot.agent.observation"
local click_element = require "deskpilot.tools.click_element"

local sizes = { { 3440, 1440 }, { 1080, 1920 } }

local tests = {}

local function with_each(apps, fn)
  for _, size in ipairs(sizes) do
    desktop.with({ size = size, apps = apps, timing = { window = 10, focus = 10, elements = 10 } },
      function(desk, session, folder) fn(desk, size[1], size[2], session, folder) end)
  end
end

local function look(desk)
  local seen = harness.ok(observation.take(desk, native.encoder(), (configured.defaults())))
  harness.ok(seen.shot.width <= 1536 and seen.shot.height <= 864, "it was made smaller")
  return seen
end

local function click(desk, seen, x, y)
  harness.ok(click_element.run({ desk = desk, observation = seen },
    { label = "it", justification = "", position = { x, y } }))
end

-- A terminal over all of the screen. Gives a function that waits for the next click and tells its pixel.
local function terminal(desk, width, height, session, folder)
  local path = folder .. "/clicks"
  assert(session:start_app { "xterm", "-fullscreen", "-b", "0", "-bw", "0", "+sb", "-T", "terminal", "-e", "sh", "-c",
    ([[stty raw -echo; printf '\033[?1000h\033[?1006h\033[?1016h'; exec cat >'%s']]):format(path) })
  harness.wait_until("the terminal on all of the screen", function()
    local window = desk.windows.find { title = "terminal" }
    return window and window.x == 0 and window.y == 0 and window.width == width and window.height == height
      and files.exists(path)
  end, 30)
  desk.settle()
  local from = 1
  return function()
    local x, y, stop
    harness.wait_until("a click", function()
      x, y, stop = (files.read(path) or ""):match("\27%[<0;(%d+);(%d+)M\27%[<0;%d+;%d+m()", from)
      return x
    end, 20)
    from = stop
    return tonumber(x) - 1, tonumber(y) - 1
  end
end

-- Where the middle of a square is, in the whole numbers that models write.
local function said(corner, side, size)
  return math.floor((corner + side / 2) * 1000 / size + 0.5)
end

local SIDE = 6 -- pixels: on the wide screen a position counts 3.4

function tests.clicks_at_the_ends_and_on_small_targets()
  with_each({}, function(desk, width, height, session, folder)
    local clicked = terminal(desk, width, height, session, folder)
    local seen = look(desk)
    for _, case in ipairs { { 0, 0, 0, 0 }, { 1000, 1000, width - 1, height - 1 }, { 0, 1000, 0, height - 1 },
      { 1000, 0, width - 1, 0 }, { 500, 500, width // 2, height // 2 } } do
      click(desk, seen, case[1], case[2])
      harness.eq({ clicked() }, { case[3], case[4] })
    end
    for i = 1, 40 do
      local x, y = i * 7919 % (width - SIDE), i * 104729 % (height - SIDE)
      click(desk, seen, said(x, SIDE, width), said(y, SIDE, height))
      local px, py = clicked()
      harness.ok(px >= x and py >= y and px < x + SIDE and py < y + SIDE,
        ("the square at %d,%d: the click arrived at %d,%d"):format(x, y, px, py))
    end
  end)
end

function tests.elements_are_clicked_where_the_observation_says()
  with_each({ { "galculator" } }, function(desk, width, height)
    harness.ok(desk.wait_for_element { app = "galculator", name = "7", timeout = 30 })
    local window = harness.ok(desk.windows.find { class = "galculator" })
    harness.ok(desk.windows.place(window, { x = width - window.width - 2, y = height - window.height - 2 }))
    desk.settle()
    for i, key in ipairs { "7", "8", "9" } do
      local seen = look(desk)
      for _, element in ipairs(seen.elements) do
        if element.name == key and element.role == "toggle button" then
          click(desk, seen, element.norm[1], element.norm[2])
        end
      end
      harness.ok(desk.wait_for_element { app = "galculator", text = ("789"):sub(1, i), timeout = 20 })
    end
  end)
end

-- The pointer where nobody has moved it yet, on the last pixel, is in no picture: an edge that is bare stays bare.
function tests.a_pointer_that_nobody_has_moved()
  with_each({}, function(desk, width, height)
    local bare = assert(desk.screen.shot { cursor = false })
    local seen = look(desk)
    harness.eq({ desk.mouse.position() }, { width - 1, height - 1 })
    harness.eq(seen.pointer, nil)
    harness.eq(native.load(seen.bytes):content(), nil, "there is nothing in the picture")
    assert(desk.mouse.move { x = width // 2, y = height // 2 })
    harness.ok(not assert(desk.screen.shot()):equal(bare), "the pointer can be seen")
    seen = look(desk)
    harness.eq(seen.pointer, { x = width // 2, y = height // 2 })
    harness.ok(native.load(seen.bytes):content(), "and is in the picture")
  end)
end

-- What is on the screen decides whether a look makes a picture, and not what the look before has seen elsewhere.
function tests.a_look_at_what_has_not_changed()
  desktop.with({ size = { 1280, 800 }, apps = { { "galculator" } }, timing = { elements = 10 } }, function(desk)
    harness.ok(desk.wait_for_element { app = "galculator", name = "7", timeout = 30 })
    harness.ok(desk.mouse.move { x = 5, y = 5 })
    desk.settle { quiet = 0.4 }
    local config, encoder = configured.defaults(), native.encoder()
    local function after(before, options)
      options = options or {}
      options.before = before
      return harness.ok(observation.take(desk, encoder, config, options))
    end
    local first = after(nil)
    local second = after(first)
    harness.ok(second.shot == first.shot and second.bytes == first.bytes, "made once")
    harness.eq({ second.screen, second.shot.frame, second.base64, #second.elements },
      { first.screen, first.shot.frame, first.base64, #first.elements })
    harness.eq(desk.screen.shot { since = assert(desk.screen.shot {}).drawn }, false)
    local whole_screen = { 0, 0, 1280, 800 }
    harness.ok(desk.screen.shot { cursor = false }:equal(desk.screen.shot { cursor = false, region = whole_screen }))
    for _, other in ipairs { { region = { 0, 0, 300, 300 } }, { size = { 200, 200 } }, { format = "jpeg" } } do
      local seen = after(second, other)
      harness.ok(seen.shot ~= second.shot and seen.bytes ~= second.bytes, other)
    end
    local third = after(after(second, { region = { 0, 0, 300, 300 } }))
    harness.eq(third.shot.frame, first.shot.frame, "a part that was looked at in between is not all there is")
    harness.ok(desk.mouse.move { x = 640, y = 790 })
    local moved = after(third)
    harness.ok(moved.bytes ~= third.bytes, "the pointer is elsewhere")
    local before = after(moved)
    harness.ok(desk.elements.press { app = "galculator", name = "7" })
    harness.ok(desk.wait_for_element { app = "galculator", text = "7", timeout = 20 })
    desk.settle()
    local changed = after(before)
    harness.ok(changed.bytes ~= before.bytes and changed.drawn ~= before.drawn, "something was drawn")
    harness.ok(config:set("screen.trim", false))
    local whole = after(changed)
    harness.eq({ whole.screen, whole.shot.frame.width, whole.shot.frame.height }, { nil, 1280, 800 })
  end)
end

return tests
