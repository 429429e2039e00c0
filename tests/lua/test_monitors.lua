-- Several monitors as one space whose corner is not 0,0, over the null backend: where points fall, what
-- pictures show, and what an agent is shown and does there.
local desk_module = require "deskpilot.desk"
local harness = require "harness"
local native = require "native.image"
local observation = require "deskpilot.agent.observation"
local task = require "deskpilot.base.task"

local tests = {}

-- Two of 500x400, the left one and what is above 0,0 at negative places.
local function open()
  return assert(desk_module.open { backend = "null", x = -500, y = -100, width = 1000, height = 400, monitors = 2 })
end

local function last(desk)
  local log = desk.native:log()
  return log[#log]
end

function tests.the_list()
  local d = open()
  local list = harness.ok(d.screen.monitors())
  harness.eq(#list, 2)
  harness.eq(list[1], { index = 1, name = "null-1", x = -500, y = -100, width = 500, height = 400, scale = 1.0,
    primary = true, work = { x = -500, y = -100, width = 500, height = 400 } })
  harness.eq({ list[2].index, list[2].x, list[2].primary }, { 2, 0, false })
  harness.eq(d.screen.monitor(2), list[2])
  harness.eq(d.screen.monitor "NULL-2", list[2])
  harness.eq(d.screen.monitor "primary", list[1])
  harness.eq(d.screen.monitor(list[2]), list[2])
  local none, err = d.screen.monitor(3)
  harness.eq(none, nil)
  harness.eq(err.code, "not_found")
  harness.has(tostring(err), "no monitor 3; there are 1: null-1, 500x400 at -500,-100; 2: null-2, 500x400 at 0,-100")
  harness.raises("its index or its name as its first argument, not a boolean", d.screen.monitor, true)
  harness.raises("its index or its name", d.screen.monitor, { 1, 2 })
  d:close()
  local one = assert(desk_module.open { backend = "null", width = 30, height = 20 })
  harness.eq(#one.screen.monitors(), 1)
  one:close()
end

function tests.points()
  local d = open()
  local second = d.screen.monitor(2)
  for _, case in ipairs {
    { { x = 0, y = 0, frame = "norm" }, -500, -100 }, { { x = 1000, y = 1000, frame = "norm" }, 499, 299 },
    { { x = 500, y = 500, frame = "norm" }, 0, 100 },
    { { x = 0, y = 0, frame = "norm", monitor = 1 }, -500, -100 },
    { { x = 1000, y = 1000, frame = "norm", monitor = 1 }, -1, 299 },
    { { x = 0, y = 500, frame = "norm", monitor = second }, 0, 100 },
    { { x = 1000, y = 0, frame = "norm", monitor = "null-2" }, 499, -100 },
    { { -500, -100 }, -500, -100 }, { second, 250, 100 },
    { { x = 3, y = 4, frame = "window", window = { x = -450, y = -90, width = 50, height = 50 } }, -447, -86 },
  } do
    harness.ok(d.mouse.click(case[1]))
    harness.eq({ d.mouse.position() }, { case[2], case[3] }, harness.show(case[1]))
  end
  local ok, err = d.mouse.click { -501, 0 }
  harness.eq(ok, nil)
  harness.has(tostring(err), "-501, 0 lies outside the screen (-500, -100 to 499, 299)")
  ok, err = d.mouse.click { x = 1, y = 1, frame = "norm", monitor = 7 }
  harness.eq(ok, nil)
  harness.eq(err.code, "not_found")
  d:close()
end

function tests.pictures()
  local d = open()
  local whole = harness.ok(d.screen.shot { cursor = false })
  harness.eq(whole.frame, { x = -500, y = -100, width = 1000, height = 400 })
  local second = harness.ok(d.screen.shot { monitor = 2, cursor = false })
  harness.eq(second.frame, { x = 0, y = -100, width = 500, height = 400 })
  harness.ok(second:equal(whole:crop { x = 500, y = 0, width = 500, height = 400 }))
  harness.eq(last(d), "capture 0 -100 500 400")
  local part = harness.ok(d.screen.shot { monitor = "null-1", region = { 10, 20, 30, 40 } })
  harness.eq(part.frame, { x = -490, y = -80, width = 30, height = 40 })
  harness.eq(d.screen.shot({ region = { -490, -80, 30, 40 } }).frame, part.frame)
  harness.eq(d.screen.shot({ region = { -10, -20, 30, 40 }, monitor = 1 }).frame,
    { x = -500, y = -100, width = 20, height = 20 }, "what lies outside is cut off")
  -- Points of a scaled picture of a monitor.
  local small = harness.ok(second:scale(250, 200))
  harness.eq({ d.point { x = 0, y = 0, frame = "image", image = small } }, { 1, -99 })
  harness.eq({ d.point { x = 249, y = 199, frame = "image", image = small } }, { 499, 299 })
  harness.eq({ d.point { x = 1000, y = 1000, frame = "norm", image = small } }, { 499, 299 })
  harness.raises("not of both", d.screen.shot, { monitor = 1, window = "Nowhere" })
  d:close()
end

function tests.windows_own_pixels()
  local d = open()
  local window = harness.ok(d.windows.find { title = "nowhere" })
  local shot = harness.ok(d.screen.shot { window = window })
  harness.eq(last(d), "window_capture 1")
  harness.eq(shot.frame, { x = window.x, y = window.y, width = window.width, height = window.height })
  harness.eq(shot.incomplete, nil)
  harness.ok(d.screen.shot { window = "nowhere", on_screen = true })
  harness.eq(last(d), ("capture %d %d %d %d"):format(window.x, window.y, window.width, window.height))
  -- Over the edge: all of it, and on the screen what is to be seen there.
  harness.ok(d.native:place_window(window.id, -600, -150, 300, 200))
  shot = harness.ok(d.screen.shot { window = "nowhere" })
  harness.eq(shot.frame, { x = -600, y = -150, width = 300, height = 200 })
  harness.eq(d.screen.shot({ window = "nowhere", on_screen = true }).frame,
    { x = -500, y = -100, width = 200, height = 150 })
  harness.eq(d.screen.shot({ window = "nowhere", region = { 10, 20, 30, 40 } }).frame,
    { x = -590, y = -130, width = 30, height = 40 })
  harness.eq({ d.point { x = 150, y = 60, frame = "image", image = shot } }, { -450, -90 })
  local none, err = d.point { x = 5, y = 6, frame = "image", image = shot }
  harness.eq(none, nil)
  harness.has(tostring(err), "-595, -144 lies outside the screen")
  none, err = d.screen.shot { window = "nowhere", region = { 400, 0, 10, 10 } }
  harness.eq(none, nil)
  harness.has(tostring(err), "outside the window")
  harness.ok(d.native:window_state(window.id, "minimized"))
  none, err = d.screen.shot { window = "nowhere" }
  harness.eq(none, nil)
  harness.eq(err.code, "unavailable")
  harness.has(tostring(err), "restore it")
  harness.raises("windows are found by", d.screen.shot, { window = { x = 1, y = 2, width = 3, height = 4 } })
  none, err = d.screen.shot { window = "no such" }
  harness.eq(none, nil)
  harness.eq(err.code, "not_found")
  d:close()
end

-- A desk whose windows take their time, and whose native functions tell what is asked of them.
local function slow_desk(rounds)
  local calls = { ended = 0, taken = 0 }
  local fake = { pump = function() return true end, poll_every = function() return 0 end,
    fd = function() return -1 end }
  function fake.capture_window_end() calls.ended = calls.ended + 1 end
  function fake.capture_window(_, id)
    harness.ok(not calls.of or calls.of == id, "one window at a time")
    calls.of, calls.taken = id, calls.taken + 1
    if calls.taken < rounds then return false end
    calls.of, calls.taken = nil, 0
    return "picture of " .. id, { x = 1, y = 2, width = 3, height = 4 }, true
  end
  return { native = fake, event_pump = require("deskpilot.desk.wait.event_pump").new(fake) }, calls
end

function tests.windows_that_are_waited_for()
  local take = require("deskpilot.desk.picture.window_picture").take
  local d, calls = slow_desk(3)
  local results = {}
  for id = 1, 3 do
    task.start(function() results[id] = { take(d, id, false) } end)
  end
  harness.wait_until("all three", function() return #results == 3 end)
  for id = 1, 3 do
    harness.eq(results[id], { "picture of " .. id, { x = 1, y = 2, width = 3, height = 4 }, true })
  end
  harness.eq(calls.ended, 3)
  -- Cancelled half-way: the window is let go of, and the next one has its turn.
  d, calls = slow_desk(math.huge)
  local waiting = task.start(take, d, 1, false)
  task.sleep(0.03)
  harness.eq({ calls.ended, d.picturing }, { 0, true })
  waiting:cancel("the test wants it")
  harness.eq({ calls.ended, d.picturing }, { 1, false })
end

-- What an agent is shown is all of the space, and its positions are of that.
function tests.an_agent()
  local d = open()
  local values = { ["screen.image_width"] = 500, ["screen.image_height"] = 500, ["screen.image_format"] = "auto",
    ["screen.image_max_bytes"] = 0, ["screen.cursor"] = true, ["observe.elements"] = false }
  local config = { get = function(_, key) return values[key] end }
  local seen = harness.ok(observation.take(d, native.encoder(), config))
  harness.eq(seen.shot.frame, { x = -500, y = -100, width = 1000, height = 400 })
  harness.eq({ seen.shot.width, seen.shot.height, seen.format, seen.mime }, { 500, 200, "png", "image/png" })
  harness.eq({ seen.bytes:sub(2, 4), native.from_base64(seen.base64) }, { "PNG", seen.bytes })
  harness.ok(seen.shot:equal(assert(d.screen.shot { size = { 500, 500 } })), "the picture itself")
  local function element(x, y)
    return { x = x, y = y, width = 10, height = 10, role = "push button", name = "OK", states = { focusable = true } }
  end
  local picked = observation.pick({ element(-505, -105), element(490, 290), element(-511, 0) }, seen.shot, 10)
  harness.eq(#picked, 2, "what lies outside is left out")
  harness.eq({ picked[1].norm, picked[2].norm }, { { 0.0, 0.0 }, { 995.0, 988.0 } })
  local click = require("deskpilot.tools.click_element")
  local ctx = { desk = d, observation = seen }
  harness.ok(click.run(ctx, { label = "OK", position = picked[1].norm, justification = "" }))
  harness.eq({ d.mouse.position() }, { -500, -100 })
  -- As a JPEG, and for a server that takes small pictures only: the same positions are the same places.
  values["screen.image_format"] = "jpeg"
  seen = harness.ok(observation.take(d, native.encoder(), config))
  harness.eq({ seen.format, seen.mime, seen.bytes:sub(1, 3) }, { "jpeg", "image/jpeg", "\xff\xd8\xff" })
  values["screen.image_format"], values["screen.image_max_bytes"] = "auto", 1000
  seen = harness.ok(observation.take(d, native.encoder(), config))
  harness.ok(#seen.bytes <= 1000 and seen.format == "jpeg" and seen.shot.width < 500, seen.shot)
  ctx.observation = seen
  harness.ok(click.run(ctx, { label = "OK", position = { 1000, 500 }, justification = "" }))
  harness.eq({ d.mouse.position() }, { 499, 100 })
  local none, err = click.run({ desk = d }, { label = "OK", position = { 5, 5 }, justification = "" })
  harness.eq({ none, err.code }, { nil, "unavailable" }, "nothing was shown")
  d:close()
end

return tests
