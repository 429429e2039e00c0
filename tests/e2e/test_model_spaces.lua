-- Every profile against a server that plays its models: it is told the target in pixels of the screen, and answers in
-- that model's space, order, grammar and protocol (conventions.lua). What counts is where the pointer is afterwards,
-- and what the desktop was given.
--
-- How near it has to be: within 1 pixel; but a number of the model's own is a step, and where that is several pixels of
-- the screen, nobody can point at those in between. There half a step is allowed, to the nearest whole pixel. A target
-- that the space can express exactly is hit within 1 pixel in any case. What lies behind the largest number that there
-- is (999 of 1000) is that number's place.
local t = require "harness"
local client = require "deskpilot.model.client"
local conventions = require "conventions"
local desktop = require "desktop"
local files = require "deskpilot.base.files"
local native = require "native.image"
local null_run = require "null_run"
local profiles = require "deskpilot.model.profile"
local viewpoint = require "deskpilot.agent.viewpoint"

local tests = {}

t.time_limit(360) -- 2,500 acts, each settled

local screens = { { width = 1920, height = 1080 }, { width = 2560, height = 1440 }, { width = 3440, height = 1440 },
  { width = 1080, height = 1920 } }

local tools = { click = { "click_element" },
  drag = { "click_element", "drag_element" }, scroll = { "click_element", "scroll_up", "scroll_down" },
  keys = { "click_element", "press_key" } }

local at_once = { ["model.calls_per_minute"] = 0, ["scroll.notches"] = 3, ["timing.pointer_rest"] = 0,
  ["timing.click_hold"] = 0, ["timing.click_pause"] = 0, ["timing.drag_step"] = 0, ["timing.key_hold"] = 0,
  ["timing.key_pause"] = 0 }

local function names()
  local list = {}
  for _, profile in ipairs(t.ok(profiles.all())) do
    if profile.name ~= "literal" then list[#list + 1] = profile.name end
  end
  return list
end

-- An empty picture of the size of one that was sent: a tenth of the work.
local function empty_of(picture)
  local bytes = assert(assert(native.new(picture.shot.width, picture.shot.height)):png())
  return { base64 = native.base64(bytes), mime = "image/png", shot = picture.shot }
end

-- The calls of an answer, or an error that says what came in their place. The first request has the real screenshot,
-- the others an empty one of the same size.
local function asking(run, server, name)
  local empty
  return function(wanted)
    server.wanted = wanted
    local images = empty and { empty }
    empty = empty or empty_of(assert(viewpoint.picture(run, "executor", run.observation)))
    local reply, err = run:ask { images = images, persona = "executor", system = "Point at it. {{positions}}",
      text = "Point.", tools = tools[wanted.act], acts = true }
    if not reply then error(("%s: %s"):format(name, tostring(err)), 0) end
    local first = reply.calls[1]
    if not first or not first.args then
      error(("%s: %s"):format(name, tostring(first and first.error or reply.calls_error or reply.content)), 0)
    end
    return reply.calls
  end
end

-- Looks at the screen anew where the latest picture is none as the run's model wants it.
local function look(run, screen)
  local width, height = viewpoint.size(run.config, run.model.profile)(screen.width, screen.height)
  local shot = run.observation.shot
  if shot.width ~= width or shot.height ~= height then assert(run:observe()) end
end

-- Calls `fn(run, server, ask, name)` for each of the profiles, in one run, whose model is each time another one;
-- `ask(wanted)` gives the calls of an answer. The screen is only imagined unless there is a desk.
local function with_models(list, screen, desk, fn)
  local problem
  local run = null_run.play({ task = "point at it" }, { screen = screen, desk = desk, flags = at_once,
    turn = function(run)
      for _, name in ipairs(list) do
        local server = conventions.start(name, screen)
        run.model = t.ok(client.new { endpoint = server.endpoint, model = server.model, api_key = server.key,
          retries = 0, wire = server.how.wire })
        look(run, screen)
        local ok, why = xpcall(fn, debug.traceback, run, server, asking(run, server, name), name)
        if not ok then problem = (problem or "") .. "\n" .. name .. ": " .. tostring(why) end
        t.eq(server.failures, {}, name .. ": what the server refused")
        server.stop()
      end
      run:stop("claimed", "done")
    end })
  t.eq(problem, nil)
  t.eq(run.outcome.reason, "done")
end

-- A generator of our own, so that the targets are the same every time.
local function dice(seed)
  return function(below)
    seed = (seed * 1103515245 + 12345) % 2147483648
    return seed // 65536 % below
  end
end

local function exact(number, size, far)
  return number * far % size == 0
end

-- How far off a click may be, of a target at `number` of `size` pixels.
local function allowed(number, size, far)
  if exact(number, size, far) then return 1 end
  return math.max(1, math.floor(size / far / 2 + 0.5))
end

-- A pixel whose place is a whole number of the space, if there are any besides the first.
local function exact_pixel(roll, size, far)
  local step = 1
  while step < size and not exact(step, size, far) do step = step + 1 end
  return roll((size - 1) // step + 1) * step
end

-- The corners, then any pixels, a third of them exact ones.
local function aim(i, roll, screen, far)
  if i == 1 then return 0, 0 end
  if i == 2 then return screen.width - 1, screen.height - 1 end
  if i % 3 == 0 then return exact_pixel(roll, screen.width, far[1]), exact_pixel(roll, screen.height, far[2]) end
  return roll(screen.width), roll(screen.height)
end

local function click(run, calls)
  t.eq(#calls, 1)
  t.eq(calls[1].name, "click_element")
  local result = run:act { tool = calls[1].name, args = calls[1].args }
  t.eq(result.ok, true, result.text)
  return run.desk.mouse.position()
end

local function near(name, screen, axis, got, wanted, server)
  local place = axis == "width" and 1 or 2
  local far, last = server.far[place], server.last[place]
  wanted = math.min(wanted, math.floor(last * screen[axis] / far + 0.5))
  local most = allowed(wanted, screen[axis], far)
  if math.abs(got - wanted) > most then
    t.ok(false, ("%s on %dx%d, %s: at %d and not at %d (%d at the most; the space has %g)"):format(name,
      screen.width, screen.height, axis, got, wanted, most, far))
  end
end

-- Fifty targets of each, shared among the screens.
function tests.every_profile_hits_its_targets()
  local clicked = {}
  for number, screen in ipairs(screens) do
    with_models(names(), screen, nil, function(run, server, ask, name)
      local roll = dice(number)
      for i = 1, number <= 2 and 13 or 12 do
        local x, y = aim(i, roll, screen, server.far)
        local got_x, got_y = click(run, ask { act = "click", x = x, y = y, number = i })
        near(name, screen, "width", got_x, x, server)
        near(name, screen, "height", got_y, y, server)
        clicked[name] = (clicked[name] or 0) + 1
      end
    end)
  end
  for _, name in ipairs(names()) do t.eq(clicked[name], 50, name) end
  t.eq(#names(), 31)
end

-- What the desktop was given by an act: the lines of its log.
local function given(run, calls)
  local before = #run.desk.native:log()
  for _, call in ipairs(calls) do
    local result = run:act { tool = call.name, args = call.args }
    t.eq(result.ok, true, result.text)
  end
  return table.concat(run.desk.native:log(), "\n", before + 1) .. "\n"
end

-- Signs, separators and drags are each maker's own.
function tests.scrolls_drags_and_hotkeys_go_the_right_way()
  local screen, done = screens[1], { scroll = 0, drag = 0, keys = 0 }
  with_models(names(), screen, nil, function(run, server, ask, name)
    local says = server.how.says
    for _, way in ipairs(says.scroll and { "up", "down" } or {}) do
      local log = given(run, ask { act = "scroll", x = 960, y = 540, way = way })
      local notches = tonumber(log:match "wheel 0 (%-?%d+)")
      t.ok(notches and (notches > 0) == (way == "down"), ("%s: %s: %s"):format(name, way, log))
      local x, y = run.desk.mouse.position()
      near(name, screen, "width", x, 960, server)
      near(name, screen, "height", y, 540, server)
      done.scroll = done.scroll + 1
    end
    if says.drag then
      local log = given(run, ask { act = "drag", x = 480, y = 270, x2 = 1440, y2 = 810 })
      local x, y = log:match "move (%d+) (%d+)\nbutton 1 down"
      local x2, y2 = log:match "move (%d+) (%d+)\nbutton 1 up"
      if t.ok(x and x2, name .. ": " .. log) then
        near(name, screen, "width", tonumber(x), 480, server)
        near(name, screen, "height", tonumber(y), 270, server)
        near(name, screen, "width", tonumber(x2), 1440, server)
        near(name, screen, "height", tonumber(y2), 810, server)
      end
      done.drag = done.drag + 1
    end
    if says.keys then
      local log = given(run, ask { act = "keys" })
      t.has(log, "key ctrl down\nkey s down\nkey s up\nkey ctrl up", name)
      done.keys = done.keys + 1
    end
  end)
  t.eq(done, { scroll = 46, drag = 21, keys = 22 }, "some models only point")
end

-- What a window has got of the mouse, in pixels of the screen: { press = true or false, button =, x =, y = }.
local function received(path)
  local events = {}
  local words = files.read(path) or ""
  for kind, x, y, button in words:gmatch "Button(%a+) event.-root:%((%d+),(%d+)%),\n[^\n]*button (%d+)" do
    events[#events + 1] = { press = kind == "Press", x = tonumber(x), y = tonumber(y), button = tonumber(button) }
  end
  return events
end

-- One profile of each kind of space, on a real desktop of each size, judged by the window that covers it.
function tests.a_window_gets_what_was_meant()
  for i, name in ipairs { "qwen2_5_vl", "mai_ui", "default", "computer_use_preview" } do
    local screen = screens[i]
    local size = ("%dx%d"):format(screen.width, screen.height)
    desktop.with({ size = { screen.width, screen.height } }, function(desk, _, folder)
      assert(desk.apps.start { "sh", "-c", ("exec xev -name recorder -event button -geometry %s+0+0 > %s/clicks")
        :format(size, folder) })
      assert(desk.wait_for_window { title = "recorder", timeout = 30 })
      local seen = 0
      local function next_ones(count)
        t.wait_until(name .. ": the window gets it", function()
          return #received(folder .. "/clicks") >= seen + count
        end)
        local events = { table.unpack(received(folder .. "/clicks"), seen + 1) }
        seen = seen + count
        t.eq(#events, count, name)
        return events
      end
      with_models({ name }, screen, desk, function(run, server, ask)
        local roll = dice(i)
        local function is_at(event, x, y)
          near(name, screen, "width", event.x, x, server)
          near(name, screen, "height", event.y, y, server)
        end
        local function act(wanted)
          for _, call in ipairs(ask(wanted)) do
            local result = run:act { tool = call.name, args = call.args }
            t.eq(result.ok, true, result.text)
          end
        end
        for target = 1, 5 do
          local x, y = 10 + roll(screen.width - 20), 40 + roll(screen.height - 50) -- below the window's title
          act { act = "click", x = x, y = y, number = target }
          local events = next_ones(2)
          t.eq({ events[1].press, events[1].button, events[2].press }, { true, 1, false })
          is_at(events[1], x, y)
        end
        if server.how.says.drag then
          act { act = "drag", x = 200, y = 300, x2 = 700, y2 = 500 }
          local events = next_ones(2)
          is_at(events[1], 200, 300)
          is_at(events[2], 700, 500)
          act { act = "scroll", x = 500, y = 400, way = "down" }
          events = next_ones(6)
          t.eq({ events[1].button, events[6].button }, { 5, 5 }, "three notches down")
          is_at(events[1], 500, 400)
        end
      end)
    end)
  end
end

return tests
