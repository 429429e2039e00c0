--- The times of pointer, keys and typing, judged by a program that writes down when each event reached it (xev); and
--- the times of a policy's phases, judged by the journal.
local t = require "harness"
local files = require "deskpilot.base.files"
local odev_play = require "odev_play"
local play = require "script_play"

local tests = {}

-- What xev has written: { what, time } of each press and release, in seconds of the server's.
local function events_of(path)
  local list = {}
  for kind, body in ((files.read(path) or ""):gsub("\r", "")):gmatch "\n(%a+) event,([^\n]*\n[^\n]*\n[^\n]*)" do
    local time = tonumber(body:match "time (%d+)")
    local what = body:match "button (%d+)" or body:match "keysym 0x%x+, ([^)]+)"
    if time and what then list[#list + 1] = { what = kind .. " " .. what, time = time / 1000 } end
  end
  return list
end

-- The seconds between two of them: the nth `from` and the first `to` behind it.
local function between(list, from, to, nth)
  nth = nth or 1
  local began
  for _, event in ipairs(list) do
    if began and event.what == to then return event.time - began end
    if not began and event.what == from then
      nth = nth - 1
      if nth == 0 then began = event.time end
    end
  end
  error(("no %s after %s in %s"):format(to, from, t.show(list)), 2)
end

local function at_least(seconds, list, ...)
  local took = between(list, ...)
  t.ok(took >= seconds - 0.005, ("%s took %g s, not %g"):format(t.show { ... }, took, seconds))
end

-- The least of them all counts where there are several: others may keep the machine busy during one of them.
local function less_than(seconds, list, from, to)
  local least, count = math.huge, 0
  for _, event in ipairs(list) do
    if event.what == from then
      count = count + 1
      least = math.min(least, between(list, from, to, count))
    end
  end
  t.ok(least < seconds, ("%s to %s took %g s, not less than %g"):format(from, to, least, seconds))
end

local recorder = [[
desktop = { kind = "private", size = { 900, 600 } },
before_run = function(m)
  assert(m.desk.apps.start { "sh", "-c", "exec stdbuf -oL xev -geometry 500x400+100+100 > " .. FOLDER .. "/events.txt",
    wait = 30 })
  assert(m.desk.wait_for_window { title = "Event Tester", active = true, timeout = 30 })
end,
]]

-- Whatever comes before it has been written down when it has.
local function has_seen(what)
  return ([[ assert(m.desk.wait_until(function()
    local file = io.open(FOLDER .. "/events.txt")
    local words = file:read "a"
    file:close()
    return words:find(%q)
  end, { timeout = 20 })) ]]):format(what)
end

local script = [[
    local window = assert(m.desk.windows.find { title = "Event Tester" })
    assert(m.desk.mouse.move { window.x + 20, window.y + 20 })
    assert(m.desk.mouse.click { window.x + 250, window.y + 200 })
    assert(m.desk.keyboard.press "f1")
    assert(m.desk.mouse.double_click())
    assert(m.desk.keyboard.type "abc")
    for _ = 1, TIMES do
      assert(m.desk.mouse.click { window.x + 250, window.y + 200 })
      assert(m.desk.keyboard.press "f1")
      assert(m.desk.keyboard.type "abc")
    end
    assert(m.desk.keyboard.press "f12") ]] .. has_seen "KeyRelease event[^\n]*\n[^\n]*\n[^\n]*F12"

-- The script, with so many more clicks, keys and words.
local function more(times) return (script:gsub("TIMES", times)) end

local function profile(words)
  return function(folder)
    assert(files.make_folder(folder .. "/deskpilot/apps"))
    assert(files.write(folder .. "/deskpilot/apps/recorder.lua", ([[return { name = "Recorder", about = "a recorder",
      binary = "xev", title = "^Event Tester$", timing = { %s } }]]):format(words)))
  end
end

function tests.an_application_gets_the_times_of_its_profile()
  local played = play.succeeds(recorder .. "run = function(m)" .. more(0) .. "end",
    profile [[pointer_rest = 0.2, click_hold = 0.15, click_pause = 0.3, double_click = 0.25, key_hold = 0.12,
      key_pause = 0.2, type_interval = 0.1]])
  local list = events_of(played.folder .. "/events.txt")
  at_least(0.15, list, "ButtonPress 1", "ButtonRelease 1")
  at_least(0.3, list, "ButtonRelease 1", "KeyPress F1")
  at_least(0.12, list, "KeyPress F1", "KeyRelease F1")
  at_least(0.4, list, "KeyRelease F1", "ButtonPress 1") -- the pause after the key, and the pointer's rest
  at_least(0.25, list, "ButtonRelease 1", "ButtonPress 1", 2)
  at_least(0.1, list, "KeyPress a", "KeyPress b")
  at_least(0.1, list, "KeyPress b", "KeyPress c")
  played:close()
end

function tests.without_one_all_goes_as_fast_as_ever()
  local played = play.succeeds(recorder .. "run = function(m)" .. more(5) .. "end")
  local list = events_of(played.folder .. "/events.txt")
  less_than(0.1, list, "ButtonPress 1", "ButtonRelease 1")
  less_than(0.1, list, "KeyPress F1", "KeyRelease F1")
  less_than(0.1, list, "KeyPress a", "KeyPress b")
  played:close()
end

function tests.what_the_mission_says_goes_before_the_profile()
  local played = play.succeeds(recorder .. "timing = { key_hold = 0.3, type_interval = 0 }, run = function(m)"
    .. more(0) .. "end", profile "key_hold = 0.01, type_interval = 5, click_hold = 0.2")
  local list = events_of(played.folder .. "/events.txt")
  at_least(0.3, list, "KeyPress F1", "KeyRelease F1")
  less_than(5, list, "KeyPress a", "KeyPress b")
  at_least(0.2, list, "ButtonPress 1", "ButtonRelease 1")
  played:close()
end

-- A policy that goes through two phases, and does the same in each.
local policy = [[return {
  turn = function(run)
    local phase = ({ "FAST", "SLOW_DRAWING", "FAST" })[run.turn]
    if not phase then return run:stop("succeeded", "all three") end
    run:emit("phase_change", { from = run.phase or "INIT", to = phase })
    local result = run:act { tool = "press_key", args = { key = "f" .. run.turn, justification = "x" } }
    assert(result.ok, result.text)
  end }]]

function tests.each_phase_has_its_own()
  local played = play.succeeds(recorder .. [[task = "Press.", policy = "phases",
    timing = { turn_delay = 0, key_hold = 0, settle_floor = 0.03,
      phases = { SLOW = { turn_delay = 3, key_hold = 0.6, settle_floor = 0.6 } } },
    after_run = function(m) ]] .. has_seen "KeyRelease event[^\n]*\n[^\n]*\n[^\n]*F3" .. " end", function(folder)
    assert(files.make_folder(folder .. "/deskpilot/policies"))
    assert(files.write(folder .. "/deskpilot/policies/phases.lua", policy))
  end)
  local list = events_of(played.folder .. "/events.txt")
  less_than(0.6, list, "KeyPress F1", "KeyRelease F1")
  at_least(0.6, list, "KeyPress F2", "KeyRelease F2") -- a key repeats by itself after 0.66 s
  less_than(0.6, list, "KeyPress F3", "KeyRelease F3")
  local settled, ended, waited = {}, nil, {}
  for _, event in ipairs(played.events) do
    if event.event == "settled" then settled[event.turn] = event.seconds end
    if event.event == "turn_start" and ended then waited[event.turn - 1] = event.at - ended end
    if event.event == "turn_end" then ended = event.at end
  end
  t.ok(settled[2] and settled[2] >= 0.59, t.show(settled))
  t.ok(waited[2] and waited[2] >= 2.99, t.show(waited))
  t.ok(waited[1] and waited[1] < 3 and waited[3] < 3, t.show(waited))
  played:close()
end

-- What is done in odev's state EXECUTE settles by the times of that phase; its turns end in OBSERVE.
function tests.odevs_states_are_phases()
  local played = odev_play.play { mission = odev_play.question .. [[
    timing = { phases = { EXECUTE = { settle_floor = 0.7 }, OBSERVE = { turn_delay = 0.5 } } },]],
    planner = function(_, n)
      return odev_play.plan { completes_goal = n == 2, actions = { { tool = "press_key", args = { key = "shift" } } } }
    end }
  t.eq(played.result.status, "claimed", played.result.reason)
  local ended
  for _, event in ipairs(played.events) do
    if event.event == "settled" then t.ok(event.seconds >= 0.69, event.seconds) end
    if event.event == "turn_start" and ended then t.ok(event.at - ended >= 0.49, event.at - ended) end
    if event.event == "turn_end" then ended = event.at end
  end
  t.ok(ended, "there were turns")
  played:close()
end

return tests
