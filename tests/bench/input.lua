--- Typing and clicking beside xdotool, on the same screen and into the same windows, with what went wrong
--- counted: an editor's and a terminal's files, and the clicks that a recorder of events (xev) saw.
--- Called by bench.lua.
local desk_module = require "deskpilot.desk"
local files = require "deskpilot.base.files"
local private = require "deskpilot.desk.private.session"
local spawn = require "spawn"
local statistics = require "bench.statistics"
local t = require "harness"
local task = require "deskpilot.base.task"

local input = {}

local rounds, clicks = 3, 500

-- As in tests/e2e/test_typing.lua.
local sample = "Pack my Box: ~!@#$%^&*()_+{}|\"<>?`-=[]\\;',./ 0123456789\n"
  .. "Füße, żółć ĝűñõ åþđ œuvre, Ærø, złoty €19, ¿qué? Ελλάς Привет שלום مرحبا\n"
  .. "漢字かな交じり日本語中文输入法한국어 😀🚀🎉👍🏽✓→∞“”—…½§©\n"

-- How many characters it takes to turn one text into the other.
local function errors_between(a, b)
  if not utf8.len(b) then return utf8.len(a) end
  local from, to = { utf8.codepoint(a, 1, -1) }, { utf8.codepoint(b, 1, -1) }
  local row = {}
  for j = 0, #to do row[j] = j end
  for i = 1, #from do
    local diagonal
    diagonal, row[0] = row[0], i
    for j = 1, #to do
      local change = diagonal + (from[i] == to[j] and 0 or 1)
      diagonal, row[j] = row[j], math.min(change, row[j] + 1, row[j - 1] + 1)
    end
  end
  return row[#to]
end

-- What a file holds once it has stopped growing.
local function final(path, wanted)
  local last, since = nil, task.now()
  while true do
    local now = files.read(path) or ""
    if now == wanted then return now end
    if now ~= last then last, since = now, task.now() end
    if task.now() - since > 1.5 then return now end
    task.sleep(0.02)
  end
end

-- The two that are compared: how each types, and presses a key.
local function typists(desk, env)
  local function xdotool(...)
    local child = spawn.run({ "xdotool", ... }, { env = env })
    assert(child.status == 0, child.stderr)
  end
  return {
    ours = { type = function(text) assert(desk.keyboard.type(text)) end,
      press = function(key) assert(desk.keyboard.press(key)) end },
    xdotool = { type = function(text) xdotool("type", "--", text) end,
      press = function(key) xdotool("key", (key:gsub("backspace", "BackSpace"))) end },
  }
end

-- Types the sample `rounds` times with each, by turns; gives the seconds of each time and all wrong characters.
local function compare(who, wanted, prepare, read)
  local result = {}
  for name in pairs(who) do result[name] = { seconds = {}, wrong = 0, count = utf8.len(wanted) } end
  for _ = 1, rounds do
    for name, typist in pairs(who) do
      prepare(typist)
      local began = task.now()
      typist.type(wanted)
      table.insert(result[name].seconds, task.now() - began)
      result[name].wrong = result[name].wrong + errors_between(wanted, read(typist))
    end
  end
  return result
end

local function start_all(desk, folder)
  assert(files.write(folder .. "/typed.txt", ""))
  local function shell(words) return { "sh", "-c", words, wait = 30 } end
  assert(desk.apps.start { "mousepad", "--disable-server", folder .. "/typed.txt", wait = 30 })
  local typed = ("sh -c 'stty -echo; exec cat >%s'"):format(folder .. "/terminal.txt")
  assert(desk.apps.start(shell("exec xterm -u8 -T typed -e " .. typed)))
  assert(desk.apps.start(shell("exec stdbuf -oL xev -event button -geometry 300x200 >" .. folder .. "/clicks.txt")))
end

local function focus(desk, window)
  t.wait_until("the window manager", function() return desk.windows.focus(window) end, 20)
  task.sleep(1)
end

local function into_editor(desk, who, folder)
  local path = folder .. "/typed.txt"
  focus(desk, { title = "typed.txt" })
  return compare(who, sample, function(typist)
    typist.press "ctrl+a"
    typist.press "backspace"
    task.sleep(0.3)
  end, function(typist)
    task.sleep(0.5) -- xdotool does not wait for the editor
    typist.press "ctrl+s"
    return final(path, sample)
  end)
end

local function into_terminal(desk, who, folder)
  local path = folder .. "/terminal.txt"
  focus(desk, { title = "typed", class = "xterm" })
  local before = 0
  return compare(who, sample, function() before = #(files.read(path) or "") end, function()
    local held = final(path, nil)
    return held:sub(before + 1)
  end)
end

-- Characters a second into a page of a browser, and wrong ones; the page tells what it holds.
local function into_browser(desk, folder)
  local path = folder .. "/page.html"
  assert(files.write(path, "<!doctype html><textarea id=t autofocus rows=20 cols=80></textarea>"))
  local browser = assert(desk.browser.start("file://" .. path))
  local tab = assert(browser:tab())
  t.wait_until("the page", function() return tab:evaluate "document.hasFocus() && document.activeElement.id == 't'" end,
    60)
  local seconds, wrong = 0, 0
  for _ = 1, rounds do
    assert(tab:evaluate "(t.value = '', true)")
    local began = task.now()
    assert(desk.keyboard.type(sample))
    seconds = seconds + task.now() - began
    local held, limit = tab:evaluate "t.value", task.now() + 3
    while held ~= sample and task.now() < limit do held = tab:evaluate "t.value" end
    wrong = wrong + errors_between(sample, held)
  end
  assert(browser:close())
  return rounds * utf8.len(sample) / seconds, wrong
end

local function presses(path)
  return select(2, (files.read(path) or ""):gsub("ButtonPress event", ""))
end

-- How many there are when no more come.
local function final_presses(path, wanted)
  local last, since = presses(path), task.now()
  while last < wanted and task.now() - since < 1.5 do
    task.sleep(0.05)
    local now = presses(path)
    if now ~= last then last, since = now, task.now() end
  end
  return last
end

-- The seconds of so many clicks, by turns, and how many did not arrive.
local function click_rates(desk, env, folder)
  local path, rates = folder .. "/clicks.txt", {}
  focus(desk, { title = "Event Tester" })
  local window = assert(desk.windows.find { title = "Event Tester" })
  local point = { x = window.x + window.width // 2, y = window.y + window.height // 2 }
  local ways = {
    ours = function() for _ = 1, clicks do assert(desk.mouse.click(point)) end end,
    xdotool = function()
      local child = spawn.run({ "xdotool", "mousemove", tostring(point.x), tostring(point.y), "click", "--repeat",
        tostring(clicks), "--delay", "0", "1" }, { env = env })
      assert(child.status == 0, child.stderr)
    end,
  }
  for name in pairs(ways) do rates[name] = { seconds = {}, wrong = 0, count = clicks } end
  for _ = 1, rounds do
    for name, way in pairs(ways) do
      local before, began = presses(path), task.now()
      way()
      table.insert(rates[name].seconds, task.now() - began)
      local arrived = final_presses(path, before + clicks) - before
      rates[name].wrong = rates[name].wrong + math.abs(arrived - clicks)
    end
  end
  return rates
end

--- Measures on a private desktop, and adds rows to the table. (A window manager with many keys of its own
--- grabs them anew after each change of the keyboard map, which takes seconds after texts like these and is
--- not what is measured here; a private desktop's has two.)
---@param row fun(name: string, value: number, unit: string, limit: number?, what: string?)
function input.measure(row)
  local session = assert(private.start { size = { 1280, 800 } })
  local closing <close> = setmetatable({}, { __close = function() session:abandon() end })
  assert(closing)
  local folder = files.absolute(spawn.folder())
  local desk = assert(desk_module.open { display = session.display, bus = session.bus_address, session = session })
  local env = { DISPLAY = session.display, XAUTHORITY = session.folder .. "/xauthority" }
  start_all(desk, folder)
  local who = typists(desk, env)
  local function add(what, unit, result, limit)
    local ours, theirs, ratios = result.ours, result.xdotool, {}
    for i, seconds in ipairs(ours.seconds) do ratios[i] = seconds / theirs.seconds[i] end
    row(what, ratios, "x xdotool", limit, ("%.0f and %.0f %s/s"):format(ours.count / statistics.median(ours.seconds),
      theirs.count / statistics.median(theirs.seconds), unit))
    row("  wrong of it", ours.wrong, "", 0, "xdotool: " .. theirs.wrong)
  end
  add("time to type into an editor", "char", into_editor(desk, who, folder), 1)
  add("time to type into a terminal", "char", into_terminal(desk, who, folder), 1)
  local rate, wrong = into_browser(desk, folder)
  row("time to type 600 characters into Chromium", 600 / rate, "s", 1, ("%.0f char/s"):format(rate))
  row("  wrong of it", wrong, "", 0)
  add("time for a click to arrive", "click", click_rates(desk, env, folder)) -- how fast is up to the manager
  desk:close()
  session:stop()
  files.remove(folder)
end

return input
