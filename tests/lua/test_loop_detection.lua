-- The guard loop_detection: which actions are the same, what is a repetition in vain, and what follows from it.
local t = require "harness"
local configured = require "configured"
local native = require "native.image"
local loops = require "deskpilot.guards.loop_detection"
local shots = require "deskpilot.desk.picture.shot"

local tests = {}

local width, height = 800, 600
local because = "The button can be seen in the middle, and pressing it is what comes next."

-- What is seen: elements { name, value }, spots of the window's pixels { x, y, size }, the mouse pointer.
local function seen(how)
  local image = assert(native.new(width, height))
  image:fill(0, 0, width, height, 240, 240, 240)
  for _, spot in ipairs(how.spots or {}) do image:fill(spot[1], spot[2], spot[3], spot[4] or spot[3], 20, 40, 60) end
  if how.pointer then image:fill(how.pointer[1], how.pointer[2], 12, 20, 0, 0, 0) end
  local area = { x = 0, y = 0, width = width, height = height }
  local picture = shots.new(image, area)
  local bytes, encoded = picture:encode { format = "png" }
  local elements = {}
  for i, element in ipairs(how.elements or {}) do
    elements[i] = { role = "push button", name = element[1], text = element[2], pid = element.pid or 5,
      norm = { 500, 500 }, states = { enabled = true } }
  end
  return { window = { id = 1, title = how.title or "A window", pid = 5, x = 0, y = 40, width = width, height = 500 },
    elements = elements, shot = shots.encoded(assert(bytes), encoded, picture) }
end

-- Plays looks and actions to the guard; gives the run, and the requests that would follow each look.
local function play(looks, actions, flags)
  local pointer
  local run = { goal = { guards = {} }, config = assert(configured.resolve { flags = flags }), told = {},
    desk = { mouse = { position = function() return table.unpack(pointer or {}) end } } }
  function run:emit(name, event) table.insert(self.told, { name, event.message }) end
  local requests = {}
  for i, look in ipairs(looks) do
    pointer, run.observation = look.pointer, seen(look)
    loops.observed(run, {})
    local decision = loops.model_request(run, { acts = true, temperature = 0.5 })
    requests[i] = decision and decision.amend.temperature or false
    for _, action in ipairs(actions[i] or actions.all or {}) do
      loops.action_result(run, { tool = action[1], args = action[2], ok = action.ok ~= false })
      loops.settled(run, { reason = action.reason or "quiet" })
    end
  end
  return requests, run
end

local function times(count, make)
  local list = {}
  for i = 1, count do list[i] = make(i) end
  return list
end

local function click(x, y, label)
  return { "click_element", { position = { x, y }, label = label, justification = because .. x .. y } }
end

local quiet = { elements = { { "Start" } } }

-- --- which actions are the same -----------------------------------------------------------------------------

local function same(a, b, frame)
  return loops.same(loops.describe(a[1], a[2], frame), loops.describe(b[1], b[2], frame))
end

function tests.one_target_by_its_name()
  t.ok(same(click(500, 500, "Start"), click(501, 500, "Start")))
  t.ok(same(click(500, 500, "Start"), click(100, 900, " start ")))
  t.ok(not same(click(500, 500, "Start"), click(500, 500, "Stop")))
  t.ok(not same(click(500, 500, "Start"), { "double_click_element", click(500, 500, "Start")[2] }))
end

function tests.one_target_by_its_number()
  local function on(number, text) return { "browser_type", { index = number, text = text } } end
  t.ok(same(on(3, "a"), on(3, "a")))
  t.ok(not same(on(3, "a"), on(4, "a")))
  t.ok(not same(on(3, "a"), on(3, "b")))
  t.ok(same({ "click_element", { element = 3 } }, { "click_element", { element = 3, justification = "x" } }))
  t.ok(not same({ "click_element", { element = 3 } }, { "click_element", { element = 4 } }))
end

function tests.one_target_by_what_the_tool_says_that_it_has_hit()
  local function hit(args, element) return loops.describe("click_element", args, nil, element) end
  local start = { role = "push button", name = "Start" }
  t.ok(loops.same(hit({ element = 3 }, start), hit({ element = 4 }, start)), "its number has changed")
  t.ok(loops.same(hit({ element = 3 }, start), hit({ label = "start", position = { 1, 2 } })))
  t.ok(not loops.same(hit({ element = 3 }, start), hit({ element = 3 }, { role = "push button", name = "Stop" })))
  t.ok(loops.same(hit({ element = 3 }, { name = "" }), hit({ element = 3 }, { name = "" })), "one without a name")
end

function tests.one_target_by_its_place_in_a_radius_that_depends_on_the_picture()
  local small, large = { width = 800, height = 600 }, { width = 3840, height = 2160 }
  t.ok(same(click(500, 500), click(520, 520), small), "20 pixels")
  t.ok(not same(click(500, 500), click(520, 520), large), "88 pixels")
  t.ok(same(click(500, 500), click(503, 503), large))
  t.ok(not same(click(500, 500), click(540, 500), small))
  t.ok(not same(click(500, 500), { "click_element", { element = 3 } }))
end

function tests.a_drag_is_the_same_only_if_it_ends_at_the_same_place()
  local function drag(x, x2) return { "drag_element", { label = "Slider", start = { x, 1 }, ["end"] = { x2, 1 } } } end
  t.ok(same(drag(100, 500), drag(101, 501)))
  t.ok(not same(drag(100, 500), drag(100, 700)))
end

function tests.else_by_text_or_key()
  local function press(key, why) return { "press_key", { key = key, justification = why } } end
  t.ok(same(press("enter", "a"), press("enter", "b")))
  t.ok(not same(press("enter"), press "tab"))
  t.ok(same({ "report_completion", { evidence = "one" } }, { "report_completion", { evidence = "two" } }),
    "the same claim in other words")
  t.ok(same({ "x", {} }, { "x", {} }))
  t.ok(same({ "x", { position = "nonsense" } }, { "x", { position = "nonsense" } }))
end

-- --- what is in vain ----------------------------------------------------------------------------------------

function tests.five_clicks_on_start_one_norm_apart()
  local looks = times(6, function(i) return { elements = { { "Start" } }, pointer = { 398 + i, 300 } } end)
  local requests, run = play(looks, times(5, function(i) return { click(498 + i, 500, "Start") } end))
  t.eq(requests, { false, false, false, 0.75, 1.0, 1.2 }, "step by step, up to what a model bears")
  t.has(run.told[1][2], 'LOOP: click_element on "Start": the same action 3 times in the last 3')
  requests = play(looks, times(5, function(i) return { click(498 + i, 500) } end))
  t.eq(requests, { false, false, false, 0.75, 1.0, 1.2 }, "without a name as well")
end

function tests.a_page_that_scrolls_is_no_loop()
  local down = { "scroll_down", { justification = because } }
  local requests = play(times(6, function(i) return { elements = { { "Line " .. i } } } end), { all = { down } })
  t.eq(requests, times(6, function() return false end), "told by its elements")
  requests = play(times(6, function(i) return { spots = { { 100, 50 * i, 60 } } } end), { all = { down } })
  t.eq(requests, times(6, function() return false end), "told by its pixels alone")
  requests = play(times(6, function(i) return { elements = { { "Line " .. math.min(i, 3) } } } end), { all = { down } })
  t.eq(requests, { false, false, false, false, 0.75, 1.0 }, "at its end it is one")
end

function tests.a_value_that_grows_is_no_loop()
  local requests = play(times(6, function(i) return { elements = { { "Display", ("8"):rep(i) } } } end),
    { all = { click(500, 500, "8") } })
  t.eq(requests, times(6, function() return false end))
end

function tests.neither_the_pointer_nor_a_caret_nor_another_programs_clock_is_a_change()
  local loop = { false, false, false, 0.75, 1.0 }
  local function check(what, make)
    t.eq((play(times(5, make), { all = { click(500, 500, "Start") } })), loop, what)
  end
  check("the pointer", function(i) return { pointer = { 300 + 40 * i, 300 } } end)
  check("a caret", function(i) return { spots = i % 2 == 0 and { { 100, 100, 2, 18 } } or {} } end)
  check("a clock in the panel", function(i)
    return { elements = { { "Start" }, { "12:00:0" .. i, pid = 9 } }, spots = { { 700, 2, 10 * i, 8 } },
      pointer = { 5, 99 } }
  end)
end

function tests.something_that_has_gone_and_come_again_is_a_loop()
  local open, closed = { elements = { { "Menu" }, { "Item" } } }, { elements = { { "Menu" } } }
  local function toggled(i) return i % 2 == 0 and open or closed end
  local requests = play(times(5, toggled), { all = { click(1, 1, "Menu") } })
  t.eq(requests, { false, false, false, 0.75, 1.0 }, "a menu that is opened and closed")
  local function turns(i) return { i % 2 == 1 and click(1, 1, "Menu") or { "press_key", { key = "escape" } } } end
  local run
  requests, run = play(times(6, toggled), times(5, turns))
  t.eq(requests, { false, false, false, false, 0.75, 1.0 })
  t.has(run.told[1][2], "the same two actions in turns")
end

function tests.two_actions_in_turns_that_lead_on_are_no_loop()
  local function turns(i)
    return { i % 2 == 1 and { "press_key", { key = "tab" } } or { "type_text", { text = "x" } } }
  end
  local requests = play(times(8, function(i) return { elements = { { "Field " .. i } } } end), times(8, turns))
  t.eq(requests, times(8, function() return false end))
end

function tests.what_failed_is_in_vain_whatever_the_screen_does()
  local failing = click(500, 500, "Start")
  failing.ok = false
  local requests = play(times(4, function(i) return { elements = { { "Film " .. i } } } end), { all = { failing } })
  t.eq(requests, { false, false, false, 0.75 })
end

function tests.pixels_of_a_screen_that_never_rests_tell_nothing()
  local restless = click(500, 500, "Start")
  restless.reason = "cap"
  local requests = play(times(4, function(i) return { spots = { { 100, 60 * i, 40 } } } end), { all = { restless } })
  t.eq(requests, { false, false, false, 0.75 })
end

function tests.a_change_that_comes_late_ends_it()
  local late = { elements = { { "Start" }, { "It has started" } } }
  local start = { click(500, 500, "Start") }
  local requests = play({ quiet, quiet, quiet, quiet, late }, { start, start, start, {}, {} })
  t.eq(requests, { false, false, false, 0.75, false })
end

function tests.another_action_ends_it()
  local start, other = { click(500, 500, "Start") }, { { "press_key", { key = "enter" } } }
  local requests = play(times(7, function() return quiet end), { start, start, start, other, start, other, other })
  t.eq(requests, { false, false, false, 0.75, false, 0.75, 0.75 + 0.25 })
end

function tests.the_temperature_by_its_options()
  local function raised(flags, temperature)
    local run = { goal = { guards = { loop = { warning = "LOOP", level = 2 } } },
      config = assert(configured.resolve { flags = flags }) }
    return loops.model_request(run, { acts = true, temperature = temperature }).amend.temperature
  end
  t.eq(raised({}, 0.5), 1.0)
  t.eq(raised({ ["loop.temperature_factor"] = "1" }, 0.5), 0.5)
  t.eq(raised({ ["loop.temperature_factor"] = "3", ["loop.temperature_max"] = "2" }, 0.3), 1.5)
  t.eq(raised({}, 1.6), 1.6, "never lowered")
  t.eq(raised({}, nil), nil, "a request that leaves it to the server")
end

return tests
