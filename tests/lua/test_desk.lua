-- The desktop library over the null backend: what is asked for, in which order, and how it fails.
local desk_module = require "deskpilot.desk"
local harness = require "harness"
local task = require "deskpilot.base.task"

local tests = {}

local function open(timing)
  return assert(desk_module.open { backend = "null", width = 1001, height = 501, timing = timing })
end

-- The lines that were logged since the last call.
local function logged(desk)
  local log = desk.native:log()
  local fresh = { table.unpack(log, (desk.log_seen or 0) + 1) }
  desk.log_seen = #log
  return table.concat(fresh, "; ")
end

-- A native desk whose answers the test gives, over one that is not there.
local function with_native(d, replaced)
  local real = d.native
  d.native = setmetatable(replaced, { __index = function(_, name)
    return function(_, ...) return real[name](real, ...) end
  end })
  d.event_pump.native = d.native
  return d
end

function tests.clicks()
  local desk <close> = setmetatable({ open() }, { __close = function(t) t[1]:close() end })
  local d = desk[1]
  harness.ok(d.mouse.click { 10, 20 })
  harness.eq(logged(d), "move 10 20; button 1 down; button 1 up")
  harness.ok(d.mouse.click({ x = 500, y = 1000, frame = "norm" }, { button = "right" }))
  harness.eq(logged(d), "move 501 500; button 3 down; button 3 up")
  harness.ok(d.mouse.right_click { x = 0, y = 0, width = 21, height = 11, name = "an element" })
  harness.eq(logged(d), "move 10 5; button 3 down; button 3 up")
  harness.ok(d.mouse.click({ 1, 2 }, { modifiers = "ctrl+shift" }))
  harness.eq(logged(d), "move 1 2; key ctrl down; key shift down; button 1 down; button 1 up; "
    .. "key shift up; key ctrl up")
  local began = task.now()
  harness.ok(d.mouse.double_click { 3, 4 })
  harness.eq(logged(d), "move 3 4; button 1 down; button 1 up; button 1 down; button 1 up")
  harness.ok(task.now() - began >= 0.09, "an interval between the clicks")
  harness.ok(d.mouse.middle_click())
  harness.eq(logged(d), "button 2 down; button 2 up")
  harness.ok(d.mouse.triple_click({ 3, 4 }, { interval = 0.001, modifiers = "shift" }))
  harness.eq(logged(d), "move 3 4; key shift down" .. ("; button 1 down; button 1 up"):rep(3) .. "; key shift up")
  harness.ok(d.mouse.click({ 3, 4 }, { button = "back" }))
  harness.eq(logged(d), "move 3 4; button 4 down; button 4 up")
  harness.ok(d.mouse.press())
  harness.ok(d.mouse.release())
  harness.ok(d.mouse.press "forward")
  harness.ok(d.mouse.release "forward")
  harness.eq(logged(d), "button 1 down; button 1 up; button 5 down; button 5 up")
end

function tests.wheels()
  local d = open()
  harness.ok(d.mouse.scroll { dy = -3, at = { 7, 8 } })
  harness.eq(logged(d), "move 7 8; wheel 0 -3")
  harness.ok(d.mouse.scroll { dx = 50, dy = -225, pixels = true })
  harness.eq(logged(d), "wheel 0.5 -2.25")
  harness.raises("whole numbers", d.mouse.scroll, { dy = 0.5 })
  harness.raises("at, dx, dy, modifiers and pixels, not 1", d.mouse.scroll, { 7, 8 })
  d:close()
end

function tests.mistakes_with_options_raise()
  local d = open()
  harness.raises("mouse.click has the options button, count, interval and modifiers, not time", d.mouse.click,
    { 1, 2 }, { time = 3 })
  harness.raises("count must be a whole number from 1 on", d.mouse.click, { 1, 2 }, { count = 0 })
  harness.raises("not centre", d.mouse.click, { 1, 2 }, { button = "centre" })
  harness.raises("not 9", d.mouse.press, 9)
  harness.raises("wants a table of options", d.mouse.move, { 1, 2 }, 3)
  harness.raises("seconds must be a number", d.mouse.move, { 1, 2 }, { seconds = "3" })
  harness.raises("where to", d.mouse.drag, { 1, 2 })
  harness.raises("two points", d.mouse.drag, { { 1, 2 } })
  harness.raises("hold, interval and times, not time", d.keyboard.press, "a", { time = 3 })
  harness.raises("into, verify and window, not where", d.keyboard.type, "a", { where = 3 })
  harness.eq(logged(d), "", "nothing was touched")
  d:close()
end

function tests.points_that_are_wrong()
  local d = open()
  local ok, err = d.mouse.click { x = 1001, y = 5 }
  harness.eq(ok, nil)
  harness.eq(err.code, "invalid")
  ok, err = d.mouse.click { x = 1000.5, y = 5, frame = "norm" }
  harness.eq(ok, nil)
  harness.eq(err.code, "invalid")
  ok, err = d.mouse.click { x = 0, y = 0, width = 0, height = 0, role = "menu item", name = "Open" }
  harness.eq(ok, nil)
  harness.has(tostring(err), "menu item 'Open' has no place on the screen")
  harness.eq(logged(d), "", "nothing was touched")
  harness.raises("needs the numbers", d.mouse.click, { x = "1", y = 2 })
  harness.raises("a frame is", d.mouse.click, { x = 1, y = 2, frame = "moon" })
  harness.raises("a point or an element", d.mouse.click, 5)
  d:close()
end

function tests.frames_of_windows_and_images()
  local d = open()
  local window = { id = 1, x = 100, y = 50, width = 200, height = 100 }
  harness.eq({ d.point { x = 5, y = 6, frame = "window", window = window } }, { 105, 56 })
  harness.eq({ d.point { x = 0, y = 1000, frame = "norm", window = window } }, { 100, 149 })
  local shot = harness.ok(d.screen.shot { region = { x = 10, y = 20, width = 400, height = 200 } })
  local small = harness.ok(shot:scale(200, 100))
  harness.eq(small.frame, { x = 10, y = 20, width = 400, height = 200 })
  harness.eq({ d.point { x = 100, y = 50, frame = "image", image = small } }, { 211, 121 })
  harness.eq(small:crop { x = 50, y = 10, width = 20, height = 10 }.frame,
    { x = 110, y = 40, width = 40, height = 20 })
  local ok, err = d.screen.shot { region = { 5000, 0, 10, 10 } }
  harness.eq(ok, nil)
  harness.eq(err.code, "invalid")
  d:close()
end

function tests.drags()
  local d = open { drag_step = 0.001 }
  harness.ok(d.mouse.drag({ 0, 0 }, { 40, 20 }, { steps = 4 }))
  harness.eq(logged(d), "move 0 0; button 1 down; move 10 5; move 20 10; move 30 15; move 40 20; move 39 20; "
    .. "move 40 20; button 1 up", "at the end one step back and forth")
  harness.ok(d.mouse.drag({ { 0, 0 }, { 20, 0 }, { 20, 10 } }, { steps = 3, seconds = 0.01, button = "right" }))
  harness.eq(logged(d), "move 0 0; button 3 down; move 10 0; move 20 0; move 19 0; move 20 0; move 20 10; move 20 9; "
    .. "move 20 10; button 3 up", "and at each corner")
  d.timing.drag_step = 10
  local dragging = task.start(d.mouse.drag, { 0, 0 }, { 40, 20 })
  dragging:cancel("the test wants it")
  harness.eq(logged(d), "move 0 0; button 1 down; button 1 up", "the button came up")
  d:close()
end

-- The x of each move that was logged.
local function moves(log)
  local list = {}
  for x in log:gmatch "move (%d+) 7" do list[#list + 1] = tonumber(x) end
  return list
end

function tests.moves_that_take_time()
  local d = open()
  harness.ok(d.mouse.move { 100, 7 })
  logged(d)
  local began = task.now()
  harness.ok(d.mouse.move({ 500, 7 }, { seconds = 0.2 }))
  harness.ok(task.now() - began >= 0.17, "the time that was asked for") -- Wine counts by 16 ms
  local way = moves(logged(d))
  harness.eq({ #way, way[#way] }, { 20, 500 })
  for i = 2, #way do harness.ok(way[i] >= way[i - 1], "straight on") end
  local middle, start = way[11] - way[10], way[2] - way[1]
  harness.ok(middle > 3 * start, ("slow at first (%d) and quick in the middle (%d)"):format(start, middle))
  harness.ok(d.mouse.hover({ 500, 7 }, 0.01))
  harness.eq(logged(d), "move 499 7; move 500 7; watch_start", "a pointer that is there moves all the same")
  d:close()
end

function tests.keys_again_and_again()
  local d = open()
  harness.ok(d.keyboard.press("ctrl+z", { times = 2, interval = 0.001 }))
  harness.eq(logged(d), "key ctrl down; key z down; key z up; key ctrl up; key ctrl down; key z down; key z up; "
    .. "key ctrl up")
  local began = task.now()
  harness.ok(d.keyboard.press("left", { hold = 0.05 }))
  harness.ok(task.now() - began >= 0.03)
  harness.eq(logged(d), "key left down; key left up")
  local holding = task.start(d.keyboard.press, "shift+a", { hold = 60 })
  holding:cancel("the test wants it")
  harness.eq(logged(d), "key shift down; key a down; key a up; key shift up", "they came up")
  d:close()
end

function tests.what_was_typed_is_found_in_what_is_there()
  local is_insertion = require("deskpilot.desk.input.read_back").is_insertion
  for _, case in ipairs { { "", "abc", "abc" }, { "xyz", "abc", "xabcyz" }, { "xyz", "abc", "xyzabc" },
    { "xyz", "abc", "abc" }, { "xyz", "abc", "xabc" }, { "aa", "a", "aaa" }, { "abab", "ab", "ababab" } } do
    harness.ok(is_insertion(table.unpack(case)), case)
  end
  for _, case in ipairs { { "", "abc", "ab" }, { "xyz", "abc", "xyz" }, { "xyz", "abc", "qabcyz" },
    { "x", "abc", "abcxx" }, { "", "abc", "aabc" }, { "", "abc", "ABC" } } do
    harness.ok(not is_insertion(table.unpack(case)), case)
  end
end

function tests.keys()
  local d = open()
  harness.ok(d.keyboard.press "Ctrl+Shift+s")
  harness.eq(logged(d), "key ctrl down; key shift down; key s down; key s up; key shift up; key ctrl up")
  local ok, err = d.keyboard.press "ctrl+nonsense"
  harness.eq(ok, nil)
  harness.eq(err.code, "invalid")
  harness.eq(logged(d), "")
  harness.ok(d.keyboard.hold "alt")
  harness.ok(d.keyboard.release "alt")
  harness.eq(logged(d), "key alt down; key alt up")
  harness.ok(d.keyboard.type "Grüße\n")
  harness.eq(logged(d), "text Grüße; text \\n; text_end")
  ok, err = d.keyboard.type "bad \xff"
  harness.eq(ok, nil)
  harness.eq(err.code, "invalid")
  harness.raises("wants a text", d.keyboard.type, 5)
  d:close()
end

function tests.windows_and_elements()
  local d = open()
  local window = harness.ok(d.windows.find { title = "nowh" })
  harness.eq(d.windows.active().id, window.id)
  local ok, err = d.windows.find { title = "elsewhere" }
  harness.eq(ok, nil)
  harness.eq(err.code, "not_found")
  harness.has(tostring(err), "Nowhere")
  harness.raises("not colour", d.windows.find, { colour = "red" })
  ok, err = d.elements.list()
  harness.eq(ok, nil)
  harness.eq(err.code, "unsupported")
  harness.raises("not colour", d.elements.list, { colour = "red" })
  d:close()
end

function tests.places_and_states_of_windows()
  local d = open()
  local window = harness.ok(d.windows.find { executable = "NOTHING" })
  local placed = harness.ok(d.windows.place(window, { x = 11, width = 300 }))
  harness.eq(logged(d), "place_window 1 11 125 300 251")
  harness.eq({ placed.x, placed.y, placed.width, placed.height }, { 11, 125, 300, 251 })
  harness.eq(d.windows.maximize(window), true)
  harness.eq(d.windows.minimize { title = "Nowhere" }, true)
  harness.eq(d.windows.find({ id = 1 }).minimized, true)
  harness.eq(d.windows.restore(1), true)
  harness.eq(logged(d), "window_state 1 maximized; window_state 1 minimized; window_state 1 normal")
  harness.ok(d.windows.maximize(window))
  placed = harness.ok(d.windows.place(window, { y = 7.0 }), "what is not said stays as it is when not maximized")
  harness.eq({ placed.x, placed.y, placed.width, placed.height }, { 11, 7, 300, 251 })
  harness.eq(placed.maximized, false)
  harness.raises("not colour", d.windows.place, window, { colour = 1 })
  harness.raises("whole number", d.windows.place, window, { x = 1.5 })
  local ok, err = d.windows.minimize(99)
  harness.eq(ok, nil)
  harness.eq(err.code, "not_found")
  d:close()
end

function tests.order_and_workspaces()
  local d = open()
  harness.eq(d.windows.raise(1), true)
  harness.eq(d.windows.lower { title = "Nowhere" }, true)
  harness.eq(d.windows.go_to_workspace(2), true)
  harness.eq(d.windows.move_to_workspace(1, 2), true)
  harness.eq(logged(d), "window_stack 1 above; window_stack 1 below; workspace_go 2; window_workspace 1 2")
  harness.eq(d.windows.workspaces(), { count = 2, current = 2, names = { "One", "Two" } })
  harness.eq(d.windows.find({ id = 1 }).workspace, 2)
  local ok, err = d.windows.go_to_workspace(3)
  harness.eq(ok, nil)
  harness.eq(err.code, "not_found")
  harness.eq(d.windows.close(1, { wait = true }), true)
  d:close()
end

-- Above, a program's own dialog, a panel and what is hidden are not in the way; another program's window is.
function tests.what_is_in_the_way_of_a_raised_window()
  local function window(id, more)
    local w = { id = id, pid = id, visible = true, layer = 0, title = "W" .. id, class = "", executable = "" }
    for key, value in pairs(more or {}) do w[key] = value end
    return w
  end
  local list
  local d = with_native(open { window = 0.02 }, { stack_window = function() return true end,
    windows = function() return list end })
  list = { window(1), window(2, { pid = 1 }), window(3, { layer = 1 }), window(4, { visible = false }) }
  harness.eq(d.windows.raise(1), true)
  list = { window(3, { layer = -1 }), window(2, { pid = 1 }), window(1) }
  harness.eq(d.windows.lower(1), true)
  list = { window(1), window(2) }
  local ok, err = d.windows.raise(1)
  harness.eq(ok, nil)
  harness.eq(err.code, "refused")
  harness.has(tostring(err), "did not put the window above 'W2'")
  list = { window(1, { pid = 0 }), window(2, { pid = 0 }) }
  harness.eq(d.windows.raise(1), nil, "no process is not the same process")
  list = { window(1, { layer = 1 }), window(2) }
  harness.eq(d.windows.lower(1), true)
  d:close()
end

function tests.windows_are_found_by_patterns()
  local d = open { wait_every = 0.01 }
  harness.eq(harness.ok(d.windows.find { matching = "^No%w+$" }).id, 1)
  local ok, err = d.windows.find { matching = "^no" }
  harness.eq(ok, nil, "with its case")
  harness.has(tostring(err), "matching ^no")
  harness.eq(d.windows.find { title = "No.*" }, nil, "a title is no pattern")
  harness.raises("not a valid Lua pattern", d.windows.find, { matching = "%" })
  harness.eq(d.wait_for_window({ title = "nowhere" }).id, 1)
  ok, err = d.wait_for_window { title = "elsewhere", timeout = 0.02 }
  harness.eq(ok, nil)
  harness.eq(err.code, "timed_out")
  harness.has(tostring(err), "there are: Nowhere (after 0.02 s)")
  local closing = task.start(function() task.sleep(0.05) return d.windows.close(1) end)
  harness.eq(d.wait_for_window { id = 1, gone = true, timeout = 10 }, true)
  harness.eq({ closing:wait() }, { true, true })
  d:close()
end

function tests.regions_of_the_screen_that_change()
  local d = open()
  local change = task.start(d.wait_for_change, { region = { 10, 10, 20, 20 }, timeout = 5 })
  d.mouse.click { 500, 300 } -- everything changes on this desktop
  d.event_pump:wait(0.01)
  harness.eq(d.wait_for_change { region = { 0, 0, 5, 5 }, timeout = 5, action = function() d.mouse.click() end }, true)
  change:cancel "over"
  local none, err = d.wait_for_change { region = { 0, 0, 5, 5 }, timeout = 0.01 }
  harness.eq(none, nil)
  harness.eq(err.code, "timed_out")
  for i = 1, 16 do harness.ok(d.native:watch_region(i, i, 5, 5)) end
  none, err = d.wait_for_change { region = { 0, 0, 5, 5 }, timeout = 0.01 }
  harness.eq(none, nil)
  harness.eq(err.code, "refused")
  d:close()
end

function tests.pictures_in_the_clipboard()
  local d = open()
  local none, err = d.clipboard.get_image()
  harness.eq(none, nil)
  harness.eq(err.code, "not_found")
  local shot = harness.ok(d.screen.shot { region = { 0, 0, 30, 20 } })
  harness.eq(d.clipboard.wait_for_change { action = function() d.clipboard.set_image(shot) end }, true)
  harness.ok(d.clipboard.get_image().native:equal(shot.native))
  harness.eq(d.clipboard.get(), "")
  harness.raises("a screenshot or a path", d.clipboard.set_image, {})
  d:close()
end

function tests.windows_that_do_not_obey()
  local d = with_native(open { window = 0.05, window_quiet = 0.02 }, { window_state = function() return true end })
  local ok, err = d.windows.minimize(1)
  harness.eq(ok, nil)
  harness.eq(err.code, "timed_out")
  harness.has(tostring(err), "did not become minimized within 0.05 s")
  function d.native.place_window() return true end
  local began = task.now()
  local before = d.windows.find { id = 1 }
  harness.eq(d.windows.place(1, { x = before.x + 100 }), before, "as it is")
  harness.ok(task.now() - began < 10)
  d:close()
end

function tests.clipboard()
  local d = open { clipboard = 30 }
  harness.eq(d.clipboard.get(), "")
  harness.eq(d.clipboard.set("text\n"), true)
  harness.eq(d.clipboard.get(), "text\n")
  harness.raises("wants a text", d.clipboard.set, 5)
  local ok, err = d.clipboard.set("\xff")
  harness.eq(ok, nil)
  harness.eq(err.code, "invalid")
  local asked = 0
  with_native(d, { clipboard_get = function() asked = asked + 1 return asked == 3 and "late" end,
    clipboard_set = function() return false end })
  harness.eq(d.clipboard.get(), "late")
  harness.eq(asked, 3)
  d.timing.clipboard = 0.1
  ok, err = d.clipboard.set("text")
  harness.eq(ok, nil)
  harness.eq(err.code, "timed_out")
  function d.native.clipboard_get() return false end
  ok, err = d.clipboard.get { timeout = 0.01 }
  harness.eq(ok, nil)
  harness.eq(err.code, "timed_out")
  harness.has(tostring(err), "within 0.01 s")
  d:close()
end

function tests.changes_are_looked_for_where_nothing_tells()
  local began = task.now()
  local d = with_native(open(), { poll_every = function() return 10 end,
    last_change = function() return task.now() - began > 0.1 and task.now() * 1e9 // 1 or 0 end })
  harness.eq(d.wait_for_change { timeout = 30 }, true)
  harness.ok(task.now() - began < 15, "long before the timeout")
  d:close()
end

function tests.waiting()
  local d = open { settle_quiet = 0.05 }
  local settled = harness.ok(d.settle())
  harness.eq(settled.reason, "quiet")
  harness.ok(settled.seconds >= 0.05 and settled.seconds < 5, settled)
  local pump, waits = d.event_pump, 0
  d.event_pump = setmetatable({ wait = function(_, seconds) waits = waits + 1 return pump:wait(seconds) end },
    { __index = pump })
  harness.eq(d.settle({ past = true, floor = 0 }).reason, "quiet")
  harness.eq(waits, 0, "it was quiet before")
  d.settle { floor = 0 }
  harness.ok(waits > 0, "unless only what comes counts")
  d.event_pump = pump
  local changed, none = d.wait_for_change { timeout = 0.01 }
  harness.eq(changed, nil)
  harness.eq(none.code, "timed_out")
  local count = 0
  harness.eq(d.wait_until(function() count = count + 1 return count == 3 and "there" end, { every = 0.001 }),
    "there")
  local ok, err = d.wait_until(function() return nil, "not yet" end, { timeout = 0.01 })
  harness.eq(ok, nil)
  harness.eq(err.code, "timed_out")
  harness.has(tostring(err), "not yet")
  harness.raises("no timing", open, { nonsense = 1 })
  d:close()
  d:close()
end

function tests.the_current_desk()
  local d = open()
  harness.eq(desk_module.current(), d)
  local proxy = require "desk"
  harness.eq(proxy.mouse, d.mouse)
  local other = open()
  harness.eq(proxy.mouse, other.mouse)
  other:close()
  harness.eq(desk_module.current(), d)
  d:close()
  harness.eq(desk_module.current(), nil)
end

if harness.platform == "linux" then -- Windows always has both
function tests.no_display_and_no_bus_say_how_to_mend_it()
  local d, err = desk_module.open { display = ":4242" }
  harness.eq(d, nil)
  harness.eq(err.code, "unavailable")
  local reader = require "native.elements".open { bus = "unix:path=/nowhere/bus" }
  local list, why = task.await(function(done) return reader:read({}, done) end)
  harness.eq(list, nil)
  harness.eq(why.code, "unavailable")
  harness.has(tostring(why), "at-spi2-core")
  local ok, failure = task.await(function(done) return reader:act("no handle", 0, {}, done) end)
  harness.eq(ok, nil)
  harness.eq(failure.code, "unavailable")
  reader:close()
  harness.raises("closed", reader.read, reader, {}, print)
end
end

return tests
