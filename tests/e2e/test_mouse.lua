-- The mouse and held keys, judged by a program of the X server's own people that writes down every event
-- (xev), and by an editor's file.
local desktop = require "desktop"
local uv = require "luv"
local desk_module = require "deskpilot.desk"
local files = require "deskpilot.base.files"
local harness = require "harness"
local task = require "deskpilot.base.task"

local tests = {}

local function folder()
  return assert(uv.fs_mkdtemp(files.join(files.temporary_folder(), "deskpilot-test-XXXXXX")))
end

local function with_desktop(apps, fn)
  desktop.with({ apps = apps, timing = { focus = 10, window = 10, elements = 10, click_taken = 5 } }, fn)
end

-- --- the recorder -----------------------------------------------------------------------------------

local Recorder = {}
Recorder.__index = Recorder

-- Its events since the mark: { what = "ButtonPress", x, y (of the screen), state, button or keycode }.
function Recorder:events(what)
  local list = {}
  local data = (files.read(self.path) or ""):sub(self.from)
  for kind, body in data:gmatch "\n(%a+) event,([^\n]*\n[^\n]*\n[^\n]*)" do
    local x, y = body:match "root:%((%-?%d+),(%-?%d+)%)"
    if x and (not what or kind:find(what)) then
      list[#list + 1] = { what = kind, x = tonumber(x), y = tonumber(y), state = tonumber(body:match "state (0x%x+)"),
        button = tonumber(body:match "button (%d+)"), key = body:match "keysym 0x%x+, ([^)]+)" }
    end
  end
  return list
end

-- What has been written from here on is looked at; all that was done before is in it.
function Recorder:mark()
  harness.ok(self.desk.keyboard.press "f12")
  harness.wait_until("the mark", function()
    for _, event in ipairs(self:events "KeyRelease") do
      if event.key == "F12" then return true end
    end
  end, 20)
  self.from = #(files.read(self.path) or "") + 1
end

function Recorder:wait_for(what, count)
  harness.wait_until(("%d of %s; there are %s"):format(count, what, harness.show(self:events())), function()
    return #self:events(what) >= count
  end, 20)
  return self:events(what)
end

-- "ButtonPress 1, ButtonRelease 1"
function Recorder:words(what)
  local words = {}
  for i, event in ipairs(self:events(what)) do words[i] = event.what .. " " .. (event.button or event.key) end
  return table.concat(words, ", ")
end

-- Runs fn(desk, recorder) with the recorder's window at 200,200 to 800,600.
local function with_recorder(fn)
  local here = folder()
  local path = here .. "/events"
  with_desktop({}, function(desk, session)
    local recorder = setmetatable({ path = path, from = 1, desk = desk }, Recorder)
    harness.ok(desk.apps.start { "sh", "-c", "exec stdbuf -oL xev -geometry 600x400+200+200 >" .. path, wait = 30 })
    local window = harness.ok(desk.windows.place({ title = "Event Tester" }, { x = 150, y = 150 }))
    harness.ok(desk.windows.focus(window))
    harness.ok(desk.mouse.move { 500, 400 })
    recorder:wait_for("MotionNotify", 1)
    recorder:mark()
    fn(desk, recorder, session)
  end)
  files.remove(here)
end

function tests.every_button()
  with_recorder(function(desk, recorder)
    local numbers = { left = 1, middle = 2, right = 3, back = 8, forward = 9 }
    for _, name in ipairs { "left", "middle", "right", "back", "forward" } do
      recorder:mark()
      harness.ok(desk.mouse.click({ 300, 310 }, { button = name }))
      local release = recorder:wait_for("ButtonRelease", 1)[1]
      harness.eq({ release.x, release.y, release.button }, { 300, 310, numbers[name] })
      harness.eq(recorder:words "Button", ("ButtonPress %d, ButtonRelease %d"):format(numbers[name], numbers[name]))
    end
    recorder:mark()
    harness.ok(desk.mouse.triple_click({ 320, 330 }, { modifiers = "ctrl" }))
    local presses = recorder:wait_for("ButtonRelease", 3) and recorder:events "ButtonPress"
    harness.eq({ #presses, presses[3].state }, { 3, 4 }, "three clicks with ctrl down")
    recorder:mark()
    harness.ok(desk.mouse.press "right")
    harness.eq(#recorder:wait_for("ButtonPress", 1), 1)
    harness.ok(desk.mouse.move { 400, 400 })
    harness.eq(recorder:wait_for("MotionNotify", 1)[1].state, 0x400, "the right button is down on the way")
    harness.eq(#recorder:events "ButtonRelease", 0)
    harness.ok(desk.mouse.release "right")
    recorder:wait_for("ButtonRelease", 1)
  end)
end

-- The window manager looks at each click before the window gets it.
function tests.no_click_of_many_is_lost()
  with_recorder(function(desk, recorder)
    for _ = 1, 100 do harness.ok(desk.mouse.click { 400, 350 }) end
    recorder:wait_for("ButtonRelease", 100)
    harness.eq(#recorder:events "ButtonPress", 100)
  end)
end

function tests.two_acts_on_one_button_are_no_double_click()
  with_recorder(function(desk, recorder)
    local button = { role = "push button", name = "7", x = 300, y = 300, width = 80, height = 30 }
    local places = {}
    for act = 1, 3 do
      desk.act = act
      harness.ok(desk.mouse.click(button))
      places[act] = recorder:wait_for("ButtonPress", act)[act]
    end
    harness.eq({ places[1].x, places[1].y }, { 340, 315 }, "its middle")
    for i = 1, 2 do
      harness.ok(math.abs(places[i + 1].x - places[i].x) > 8, "further apart than a double click's presses")
      harness.ok(places[i + 1].x >= 300 and places[i + 1].x < 380 and places[i + 1].y == 315, "on the button")
    end
    local field, began = { role = "text", name = "Name", x = 300, y = 400, width = 80, height = 30 }, task.now()
    for act = 4, 5 do
      desk.act = act
      harness.ok(desk.mouse.click(field))
      local last = recorder:wait_for("ButtonPress", act)[act]
      harness.eq({ last.x, last.y }, { 340, 415 }, "where the caret goes")
    end
    harness.ok(task.now() - began >= desk.timing.click_apart, "the second press has waited")
  end)
end

function tests.the_wheel()
  with_recorder(function(desk, recorder)
    for _, case in ipairs {
      { { dy = 2 }, { 5, 5 } }, { { dy = -1 }, { 4 } }, { { dx = 1 }, { 7 } }, { { dx = -2 }, { 6, 6 } },
      { { dy = 310, pixels = true }, { 5, 5, 5 } }, { { dy = -5, pixels = true }, { 4 } },
    } do
      recorder:mark()
      harness.ok(desk.mouse.scroll(case[1]))
      local buttons = {}
      for i, event in ipairs(recorder:wait_for("ButtonPress", #case[2])) do buttons[i] = event.button end
      harness.eq(buttons, case[2])
    end
  end)
end

-- The moves go away from where they began with each, to the end, and there are that many.
local function check_way(recorder, from, to, least)
  local events
  harness.wait_until("the last move", function()
    events = recorder:events "MotionNotify"
    local last = events[#events]
    return last and last.x == to[1] and last.y == to[2]
  end)
  harness.ok(#events >= least, #events .. " moves")
  local before = 0
  for _, event in ipairs(events) do
    local way = math.abs(event.x - from[1]) + math.abs(event.y - from[2])
    harness.ok(way >= before, "forward")
    before = way
  end
end

function tests.a_move_that_takes_its_time()
  with_recorder(function(desk, recorder)
    harness.ok(desk.mouse.move { 250, 250 })
    recorder:mark()
    local began = task.now()
    harness.ok(desk.mouse.move({ 650, 500 }, { seconds = 0.4 }))
    harness.ok(task.now() - began >= 0.39)
    check_way(recorder, { 250, 250 }, { 650, 500 }, 38)
    recorder:mark()
    harness.ok(desk.mouse.hover({ 650, 500 }, 0.05))
    recorder:wait_for("MotionNotify", 2) -- also where the pointer was there before
  end)
end

function tests.a_drag_along_points()
  with_recorder(function(desk, recorder)
    local corners = { { 250, 250 }, { 600, 250 }, { 600, 500 }, { 300, 520 } }
    recorder:mark()
    local began = task.now()
    harness.ok(desk.mouse.drag(corners, { seconds = 0.5, modifiers = "shift" }))
    harness.ok(task.now() - began >= 0.49)
    local up = recorder:wait_for("ButtonRelease", 1)[1]
    local down, moves = recorder:events("ButtonPress")[1], {}
    harness.eq({ down.x, down.y, up.x, up.y }, { 250, 250, 300, 520 })
    for _, event in ipairs(recorder:events "MotionNotify") do
      if event.state == 0x101 then moves[#moves + 1] = event end
    end
    harness.ok(#moves >= 45, #moves .. " moves with the button and shift down")
    for _, corner in ipairs { corners[2], corners[3], corners[4] } do
      local passed = false
      for _, event in ipairs(moves) do passed = passed or event.x == corner[1] and event.y == corner[2] end
      harness.ok(passed, corner)
    end
  end)
end

function tests.what_went_down_comes_up()
  with_recorder(function(desk, recorder, session)
    local dragging = task.start(desk.mouse.drag, { 250, 250 }, { 600, 500 }, { seconds = 60, modifiers = "ctrl" })
    recorder:wait_for("ButtonPress", 1)
    dragging:cancel("the test wants it")
    recorder:wait_for("ButtonRelease", 1)
    recorder:wait_for("KeyRelease", 1)
    harness.eq(recorder:words "Key", "KeyPress Control_L, KeyRelease Control_L")
    recorder:mark()
    local holding = task.start(desk.keyboard.press, "alt+x", { hold = 60 })
    recorder:wait_for("KeyPress", 2)
    holding:cancel("the test wants it")
    recorder:wait_for("KeyRelease", 2)
    recorder:mark()
    local other = assert(desk_module.open { display = session.display, session = session })
    harness.ok(other.mouse.press "middle")
    harness.ok(other.keyboard.hold "shift")
    recorder:wait_for("KeyPress", 1)
    other:close()
    recorder:wait_for("ButtonRelease", 1)
    recorder:wait_for("KeyRelease", 1)
    recorder:mark()
    harness.ok(desk.keyboard.press("a", { times = 5 }))
    harness.eq(#recorder:wait_for("KeyRelease", 5), 5)
  end)
end

function tests.three_clicks_mark_a_line()
  local here = folder()
  local path = here .. "/note.txt"
  assert(files.write(path, "first line\nsecond line\nthird line\n"))
  with_desktop({ { "mousepad", "--disable-server", path } }, function(desk)
    harness.ok(desk.elements.find { app = "mousepad", role = "text", timeout = 20 })
    harness.ok(desk.windows.focus { class = "mousepad" })
    desk.settle()
    local area = harness.ok(desk.elements.find { app = "mousepad", role = "text" })
    harness.ok(desk.mouse.triple_click { area.x + 30, area.y + 5 })
    harness.ok(desk.keyboard.type("only this\n", { verify = true }))
    harness.ok(desk.keyboard.press "ctrl+s")
    local wanted = "only this\nsecond line\nthird line\n"
    harness.wait_until("the file", function() return (files.read(path) or ""):find "^only this.*third line\n$" end, 20)
    harness.eq(files.read(path):gsub("this\n+", "this\n"), wanted)
  end)
  files.remove(here)
end

return tests
