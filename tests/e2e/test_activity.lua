-- People at the desktop: told apart from ourselves, heard by their hotkeys, and given way to.
local t = require "harness"
local desk_module = require "deskpilot.desk"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local people = require "people"
local spawn = require "spawn"
local task = require "deskpilot.base.task"
local uv = require "luv"

local start_run, with_display = people.start_run, people.with_display
local xdotool = people.xdotool
local current = people.current

local tests = {}

-- --- noticing people ----------------------------------------------------------------------------------

local function threads()
  local count = 0
  local scan = uv.fs_scandir("/proc/self/task")
  while uv.fs_scandir_next(scan) do count = count + 1 end
  return count
end

tests.people_are_told_apart_from_ourselves = with_display(function(desk, display)
  local before = threads()
  t.ok(desk.activity.idle())
  t.ok(threads() > before, "the watch has a thread")
  local input = 0
  local handle = t.ok(desk.activity.on_input(function() input = input + 1 end))
  -- Everything that we do ourselves, by another desk too.
  local other = assert(desk_module.open { display = display })
  for i = 1, 20 do assert(desk.mouse.move { 10 * i, 5 * i }) end
  assert(desk.mouse.click { 100, 100 })
  assert(desk.mouse.drag({ 10, 10 }, { 200, 200 }))
  assert(desk.mouse.scroll { dy = 3 })
  assert(desk.keyboard.press "ctrl+shift+a")
  assert(other.keyboard.press "F5")
  assert(other.mouse.move { 300, 300 })
  other:close()
  task.sleep(0.3)
  t.eq(input, 0, "input by ourselves")
  local idle = desk.activity.idle()
  t.ok(idle > 0.3, "idle " .. tostring(idle))
  for _, words in ipairs { { "mousemove_relative", "5", "6" }, { "click", "1" }, { "key", "a" } } do
    local had = input
    task.sleep(0.15)
    xdotool(display, table.unpack(words))
    t.wait_until(words[1] .. " to be noticed", function() return input > had end)
    t.ok(desk.activity.idle() < 5)
  end
  task.sleep(0.15)
  handle:remove()
  handle:remove()
  local had, began = input, task.now()
  xdotool(display, "key", "b")
  t.wait_until("the key", function() return desk.activity.idle() < task.now() - began end)
  task.sleep(0.1)
  t.eq(input, had, "after remove")
  desk:close()
  -- A thread that has been joined is in /proc for a moment more.
  t.wait_until("the end of the watch's thread", function() return threads() == before end)
end)

tests.hotkeys = with_display(function(desk, display)
  local pressed = { a = 0, b = 0 }
  local handle = t.ok(desk.hotkeys.on("ctrl+shift+f9", function()
    task.sleep(0.01) -- it may wait
    pressed.a = pressed.a + 1
  end))
  t.ok(desk.hotkeys.on("shift+f8", function() pressed.b = pressed.b + 1 end))
  local function press(combo, field, count)
    xdotool(display, "key", combo)
    t.wait_until(("%s to be heard (%s %d)"):format(combo, field, pressed[field]),
      function() return pressed[field] == count end)
  end
  press("ctrl+shift+F9", "a", 1)
  press("shift+F8", "b", 1)
  for _, lock in ipairs { "Num_Lock", "Caps_Lock" } do
    xdotool(display, "key", lock)
    press("ctrl+shift+F9", "a", pressed.a + 1)
  end
  xdotool(display, "key", "ctrl+F9", "key", "F8", "key", "ctrl+F9")
  -- Held, it is one press.
  xdotool(display, "keydown", "shift", "keydown", "F8", "sleep", "1", "keyup", "F8", "keyup", "shift")
  t.wait_until("the one that is held", function() return pressed.b == 2 end)
  t.eq(pressed, { a = 3, b = 2 })

  local other = assert(desk_module.open { display = display })
  local none, err = other.hotkeys.on("ctrl+shift+f9", print)
  t.eq({ none, err and err.code }, { nil, "refused" }, tostring(err))
  t.has(tostring(err), "has taken this hotkey")
  handle:remove()
  t.ok(other.hotkeys.on("ctrl+shift+f9", function() pressed.c = true end))
  xdotool(display, "key", "ctrl+shift+F9")
  t.wait_until("the other's", function() return pressed.c end)
  t.eq(pressed.a, 3)
  other:close()

  for combo, code in pairs { ["ctrl+alt+f9"] = "refused", ["ctrl+alt"] = "invalid", ["a+b"] = "invalid",
    ["ctrl+nosuchkey"] = "invalid" } do
    none, err = desk.hotkeys.on(combo, print)
    t.eq({ none, err and err.code }, { nil, code }, combo)
  end
end)

-- The letter is on another key then.
tests.hotkeys_follow_the_layout = with_display(function(desk, display)
  local pressed, marks = 0, 0
  t.ok(desk.hotkeys.on("ctrl+alt+y", function() pressed = pressed + 1 end))
  t.ok(desk.hotkeys.on("shift+f8", function() marks = marks + 1 end)) -- on the same key in every layout
  xdotool(display, "key", "ctrl+alt+y")
  t.wait_until("the first", function() return pressed == 1 end)
  t.eq(spawn.run({ "setxkbmap", "de" }, { env = { DISPLAY = display } }).status, 0)
  t.wait_until("the key in its new place", function()
    xdotool(display, "key", "ctrl+alt+y")
    return pressed >= 2
  end)
  -- All that was pressed has been heard when what was pressed after it is.
  local function hear_all()
    local before = marks
    xdotool(display, "key", "shift+F8")
    t.wait_until("the last key", function() return marks > before end)
  end
  hear_all()
  local had = pressed
  xdotool(display, "key", "ctrl+alt+z")
  hear_all()
  t.eq(pressed, had, "where it was before")
end)

-- --- giving way ---------------------------------------------------------------------------------------

tests.a_run_pauses_while_a_person_is_there = with_display(function(desk, display, folder)
  local quiet = 3 -- long enough for a look at the mouse, however busy the machine is
  local child = start_run(display, folder, current .. [[run = function(m)
    m:note("begun")
    for i = 1, 1000 do
      assert(m.desk.mouse.move { 100 + i % 100, 100 })
      m.desk.wait_until(function() return true end)
      require("deskpilot.base.task").sleep(0.02)
      if io.open("stop") then return end
    end
  end]], "--set", "safety.pause_on_activity=true", "--set", "safety.activity_quiet=" .. quiet)
  child:wait_for_word("begun")
  local function moves()
    local x, y = desk.mouse.position()
    task.sleep(0.1)
    local x2, y2 = desk.mouse.position()
    return x ~= x2 or y ~= y2
  end
  t.wait_until("the run to move the mouse", moves)
  local began = task.now()
  xdotool(display, "key", "a")
  child:wait_for_word("a person is at the desktop: paused")
  t.ok(not moves(), "the mouse rests during the pause")
  child:wait_for_word("going on after")
  t.ok(task.now() - began > quiet - 0.05, ("it went on after %.2f s"):format(task.now() - began))
  t.wait_until("the run to go on", moves)
  assert(files.write(folder .. "/stop", ""))
  child:wait()
  t.eq(child.status, 0, child.stderr)
  local paused = 0
  for _, event in ipairs(journal.read((json.decode(child.stdout) or {}).run_dir)) do
    if event.event == "guard" and event.name == "pause_on_activity" then paused = paused + 1 end
  end
  t.eq(paused, 2, "pause and resume are in the journal")
end)

-- What the agent thought of before the person came is not done after: while they are there, and when they have left.
tests.an_agent_looks_again_after_a_person_came = with_display(function(_, display, folder)
  for _, left in ipairs { false, true } do
    local asked = 0
    local child = start_run(display, folder, current .. ([[task = 'press f5; press f6', limits = { turns = 3 },
      model_reply = function(m)
        if not done then
          done = true
          local task = require "deskpilot.base.task"
          local began = task.now()
          os.execute("DISPLAY=%s xdotool key a")
          while m.desk.activity.idle() > task.now() - began do task.sleep(0.01) end -- until the watch has heard it
          while %s and m.desk.activity.idle() < 0.4 do task.sleep(0.01) end -- until the person has left
        end
      end]]):format(display, left), "--model", "literal", "--set", "safety.pause_on_activity=true", "--set",
      "safety.activity_quiet=0.3"):wait()
    local result = json.decode(child.stdout) or {}
    local first
    for _, event in ipairs(journal.read(result.run_dir or "") or {}) do
      if event.event == "model_request" then asked = asked + 1 end
      if event.event == "action_result" then first = first or event end
    end
    t.ok(first, "an action: " .. child.stderr)
    t.has(first and first.text, "a person has used the desktop", left and "left" or "there")
    t.ok(asked > 1, "asked again")
  end
end)

return tests
