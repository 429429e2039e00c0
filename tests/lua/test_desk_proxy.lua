--- The desktop as a mission's functions see it, over the null desk: what is raised and what is returned, what the
--- journal is told, and what it costs.
local t = require "harness"
local desk_journal = require "deskpilot.agent.desk_journal"
local desk_module = require "deskpilot.desk"
local desk_proxy = require "deskpilot.agent.desk_proxy"
local desk_words = require "deskpilot.agent.desk_words"
local errors = require "deskpilot.base.errors"
local task = require "deskpilot.base.task"
local types = require "deskpilot.cli.types"

local tests = {}

-- Runs fn(view, events, proxy) with a desk that is not there; events are those that the journal was told.
local function with(strict, fn)
  local desk = assert(desk_module.open { backend = "null", width = 640, height = 480 })
  local closing <close> = setmetatable({}, { __close = function() desk:close() end })
  assert(closing)
  local events = {}
  local run = { emit = function(_, name, event)
    event.event = name
    events[#events + 1] = event
  end }
  local proxy = desk_proxy.new(desk, { strict = strict, journal = desk_journal.new(run) })
  fn(proxy.view, events, proxy, desk)
end

-- The line that calls it, as errors name it.
local function here(by)
  local info = debug.getinfo(2, "Sl")
  return ("%s:%d"):format(info.short_src, info.currentline + (by or 0))
end

function tests.what_fails_is_raised_with_the_line_of_the_call()
  with(true, function(desk)
    local where
    local ok, err = pcall(function()
      where = here(1)
      desk.windows.focus { title = "Elsewhere" }
      error "it went on"
    end)
    t.eq(ok, false)
    t.eq(err.code, "not_found")
    t.eq(err.where, where)
    t.has(tostring(err), "there are: Nowhere")
    t.has(errors.words(err), where .. ": no window with title Elsewhere")
  end)
end

function tests.try_and_a_mission_that_is_not_strict_return_it()
  with(true, function(desk)
    local none, err = desk.try.windows.find "Elsewhere"
    t.eq(none, nil)
    t.eq(err.code, "not_found")
    t.has(err.where, "test_desk_proxy.lua:")
    t.eq(desk.try.windows.find("Nowhere").id, 1)
    t.ok(desk.try.settle { quiet = 0, floor = 0 })
  end)
  with(false, function(desk)
    local none, err = desk.windows.find "Elsewhere"
    t.eq(none, nil)
    t.has(err.where, "test_desk_proxy.lua:")
    t.fails("not_found", "Elsewhere", desk.try.windows.find "Elsewhere")
  end)
end

function tests.nil_and_false_without_an_error_are_answers()
  with(true, function(desk)
    t.eq(desk.browser.current(), nil)
    t.eq(desk.activity.give_way(), false)
    t.eq(desk.apps.profile_of { class = "x", title = "x", executable = "" }, nil)
    t.eq(select("#", desk.mouse.position()), 2)
    local shot = desk.screen.shot()
    t.eq(shot:difference(shot), nil)
    t.eq(select("#", desk.elements.stop()), 0)
  end)
end

function tests.what_asks_gets_nil_and_the_error()
  with(true, function(desk, events)
    local asked = 0
    local found = desk.wait_until(function()
      asked = asked + 1
      local none, err = desk.windows.find "Elsewhere"
      t.eq(none, nil)
      t.eq(err.code, "not_found")
      return asked == 3 and "there"
    end, { every = 0.001 })
    t.eq({ found, asked }, { "there", 3 })
    t.eq(pcall(desk.windows.find, "Elsewhere"), false, "and afterwards it raises again")
    t.eq(pcall(desk.wait_until, function() error "a mistake" end), false)
    t.eq(pcall(desk.windows.find, "Elsewhere"), false, "also after an error")
    local ok, err = pcall(desk.wait_until, function() return desk.windows.find "Elsewhere" end, { timeout = 0.01 })
    t.eq(ok, false)
    t.eq(err.code, "timed_out")
    t.has(tostring(err), "no window with title Elsewhere")
    local waiting = task.start(desk.wait_until, function() return desk.windows.find "Elsewhere" end)
    t.eq(pcall(desk.windows.find, "Elsewhere"), false, "while another task asks, too")
    waiting:cancel "the test wants it"
    t.eq(events[1].call, "windows.find")
    t.eq(events[1].ok, false)
    t.eq(events[1].raised, nil)
  end)
end

function tests.entering_silently_tells_the_journal_nothing()
  with(true, function(desk, events, proxy)
    do
      local scope <close> = proxy:enter(true)
      t.ok(scope)
      t.fails("not_found", "Elsewhere", desk.windows.find "Elsewhere")
    end
    t.eq(#events, 0)
    t.eq(pcall(desk.windows.find, "Elsewhere"), false)
    t.eq(#events, 1)
  end)
end

function tests.mistakes_are_raised_by_try_too_with_the_line_of_the_call()
  with(true, function(desk)
    for _, view in ipairs { desk, desk.try } do
      local where = here(1)
      local ok, message = pcall(function() view.windows.find { colour = "red" } end)
      t.eq(ok, false)
      t.has(message, where .. ": windows are found by")
      where = here(1)
      ok, message = pcall(function() view.wait_until(function() local x = nil; return x.y end) end)
      t.eq(ok, false)
      t.has(message, where .. ": attempt to index a nil value")
      t.ok(not message:find("deskpilot/agent/", 1, true), message)
    end
  end)
end

function tests.objects_are_like_the_desk_that_gave_them()
  with(true, function(desk, events, _, raw)
    local shot = desk.screen.shot { region = { 0, 0, 40, 30 } }
    t.eq({ shot.width, shot.height }, { 40, 30 })
    local where = here(1)
    local ok, err = pcall(function() shot:save "/no/such/folder/x.png" end)
    t.eq(ok, false)
    t.eq({ err.code, err.where }, { "not_found", where })
    t.fails("not_found", "/no/such/folder", shot.try:save "/no/such/folder/x.png")
    t.eq(pcall(shot.crop, shot, { 0, 0, 99, 99 }), false)
    t.eq(pcall(desk.try.screen.shot().save, desk.screen.shot(), "/no/such/folder/x.png"), false, "try is for one call")
    -- It goes in and out as itself.
    t.eq({ desk.point(shot:point(3, 4)) }, { 3, 4 })
    t.eq({ desk.point { x = 3, y = 4, frame = "image", image = shot } }, { 3, 4 })
    t.ok(shot:equal(desk.screen.shot { region = { 0, 0, 40, 30 } }))
    local small = shot:scale(20, 15)
    t.eq({ small.width, small.frame }, { 20, { x = 0, y = 0, width = 40, height = 30 } })
    t.eq({ small:pixel(0, 0) }, { raw.screen.shot():pixel(0, 0) })
    t.ok(rawequal(shot:rectangle { x = 1, y = 1, width = 5, height = 5 }, shot), "a method gives itself back")
    t.ok(shot.try == shot, "two views of one thing")
    t.ok(desk.clipboard.set_image(shot))
    t.eq(desk.clipboard.get_image().width, 40)
    local named = {}
    for _, event in ipairs(events) do named[event.call] = event end
    t.eq(named["shot:save"].ok, false)
    t.eq(named["screen.shot"].text, "a picture of 40 x 30")
    t.eq(named["clipboard.set_image"].target, "a picture of 40 x 30")
    t.eq(named["shot:pixel"], nil)
  end)
end

function tests.the_view_is_what_the_prompt_and_editors_know()
  with(true, function(desk, _, _, raw)
    for name, part in pairs(raw) do
      if type(part) == "function" then
        t.eq(types.of_function(desk[name]), types.of_function(part), name)
      elseif type(part) == "table" and types.of_value(part) and not getmetatable(part) then
        t.eq(types.of_value(desk[name]), types.of_value(part), name)
        for key, fn in pairs(part) do
          t.ok(rawget(desk[name], key), ("m.desk.%s.%s is there"):format(name, key))
          t.eq(types.of_function(desk[name][key]), types.of_function(fn), key)
        end
      end
    end
    t.ok(desk.try.mouse.click ~= desk.mouse.click)
    desk.timing.focus = 7
    t.eq(raw.timing.focus, 7)
  end)
end

function tests.typed_texts_are_kept_as_their_length()
  with(true, function(desk, events)
    local secret = "correct horse ü"
    desk.keyboard.type(secret)
    desk.clipboard.set(secret)
    desk.clipboard.get()
    pcall(desk.elements.set_text, { role = "text", name = "Password" }, secret)
    pcall(desk.apps.run, { "no-such-program", "word", input = secret, env = { PASSWORD = secret } })
    t.eq(events[1].target, "15 characters")
    t.eq(events[4].target, "name 'Password', role 'text', 15 characters")
    t.eq(events[5].target, "no-such-program word, env ..., input ...")
    for _, event in ipairs(events) do
      for key, value in pairs(event) do
        t.ok(not tostring(value):find("horse", 1, true), ("%s of %s: %s"):format(key, event.call, tostring(value)))
      end
    end
  end)
  t.eq(desk_words.target("tab:type", table.pack(3, "hunter2")), "3, 7 characters")
  t.eq(desk_words.target("tab:navigate", table.pack "https://me:pw@example.org/a?token=x#y"),
    "'https://example.org/a?...'")
  t.eq(desk_words.target("tab:call", table.pack("Input.insertText", { text = "hunter2" })), "'Input.insertText'")
end

function tests.a_call_is_told_in_a_line()
  with(true, function(desk, events)
    desk.mouse.click({ 10, 20 }, { button = "right" })
    desk.mouse.move { x = 500, y = 500, frame = "norm" }
    desk.keyboard.press "ctrl+s"
    desk.windows.find { title = "Nowhere" }
    desk.windows.focus(desk.windows.active())
    local where = here(1)
    pcall(function() desk.windows.find "Elsewhere" end)
    local told = {}
    for i, event in ipairs(events) do
      told[i] = ("%s(%s) %s %s"):format(event.call, event.target or "", event.ok, event.text or "-")
      t.ok(event.seconds >= 0 and event.where, "how long and where")
    end
    t.eq(told, { "mouse.click(10, 20, button 'right') true -", "mouse.move(500, 500 (norm)) true -",
      "keyboard.press('ctrl+s') true -", "windows.find(title 'Nowhere') true the window 'Nowhere'",
      "windows.active() true the window 'Nowhere'", "windows.focus(the window 'Nowhere') true -",
      "windows.find('Elsewhere') false no window with title Elsewhere; there are: Nowhere" })
    t.eq({ events[7].where, events[7].code, events[7].raised, events[7].acts }, { where, "not_found", true, false })
    t.eq(events[1].acts, true)
  end)
end

function tests.many_calls_become_few_events()
  with(true, function(desk, events, proxy)
    local began = task.now()
    for i = 1, 3000 do desk.mouse.move { i % 600, 5 } end
    desk.keyboard.press "a"
    local seconds = task.now() - began
    t.eq(events[1].target, "1, 5")
    local times, last = 0, nil
    for _, event in ipairs(events) do
      if event.call == "mouse.move" then times, last = times + (event.times or 1), event end
    end
    t.eq(times, 3000, "none is lost")
    t.eq(last.target, "0, 5", "the last one is told")
    t.ok(#events <= 13 + 11 * seconds, #events .. " events")
    t.eq(events[#events].call, "keyboard.press", "and they stand before what came later")
    for i = 1, 1000 do
      pcall(desk.windows.find, "Elsewhere " .. i)
      desk.mouse.move { 5, 5 }
    end
    proxy.journal:flush()
    local failed = 0
    for _, event in ipairs(events) do
      if event.call == "windows.find" then failed = failed + (event.failed or not event.ok and 1 or 0) end
    end
    t.eq(failed, 1000)
    t.ok(#events <= 60 + 40 * (task.now() - began), #events .. " events, also by turns")
  end)
end

-- What the view costs for each call, measured against the desk itself; a real one takes longer for the move than both.
function tests.a_call_costs_little()
  with(true, function(desk, _, _, raw)
    local function seconds(move)
      local best = math.huge
      for _ = 1, 5 do
        local began = task.now()
        for i = 1, 2000 do move { i % 600, 5 } end
        best = math.min(best, task.now() - began)
      end
      return best / 2000
    end
    local extra = seconds(desk.mouse.move) - seconds(raw.mouse.move)
    t.ok(extra < 100e-6, ("%.1f us for each call"):format(extra * 1e6))
  end)
end

function tests.an_interruption_passes_through()
  with(true, function(desk)
    local went_on = false
    local work = task.start(function()
      pcall(desk.wait_until, function() return false end, { timeout = 60 })
      went_on = true
    end)
    work:cancel "the test wants it"
    local ok, err = work:wait()
    t.eq({ ok, err.code, went_on }, { false, "cancelled", false })
  end)
end

return tests
