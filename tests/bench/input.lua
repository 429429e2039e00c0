--- Typing and clicking beside xdotool, on the same screen and into the same windows, with what went wrong
--- counted: an editor's and a terminal's files, and the clicks that a recorder of events (xev) saw.
--- Called by bench.lua.
local desk_module = require "deskpilot.desk"
local files = require "deskpilot.base.files"
local spawn = require "spawn"
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

-- Types the sample `rounds` times with each; gives characters a second and wrong characters of each.
local function compare(who, wanted, prepare, read)
  local result = {}
  for name, typist in pairs(who) do
    local seconds, wrong = 0, 0
    for _ = 1, rounds do
      prepare(typist)
      local began = task.now()
      typist.type(wanted)
      seconds = seconds + task.now() - began
      wrong = wrong + errors_between(wanted, read(typist))
    end
    result[name] = { rate = rounds * utf8.len(wanted) / seconds, wrong = wrong }
  end
  return result
end

local function into_editor(desk, who, folder)
  local path = folder .. "/typed.txt"
  assert(files.write(path, ""))
  assert(desk.apps.start { "mousepad", "--disable-server", path, wait = 20 })
  assert(desk.windows.focus { title = "typed.txt" })
  task.sleep(1)
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
  local argv = { "xterm", "-u8", "-T", "typed", "-e", "sh", "-c", "stty -echo; exec cat >" .. path, wait = 20 }
  assert(desk.apps.start(argv))
  assert(desk.windows.focus { title = "typed", class = "xterm" })
  task.sleep(1)
  local before = 0
  return compare(who, sample, function() before = #(files.read(path) or "") end, function()
    local held = final(path, nil)
    return held:sub(before + 1)
  end)
end

local function presses(path)
  return select(2, (files.read(path) or ""):gsub("ButtonPress event", ""))
end

local function click_rates(desk, env, folder)
  local path, rates = folder .. "/clicks.txt", {}
  assert(desk.apps.start { "sh", "-c", "exec stdbuf -oL xev -event button -geometry 300x200 >" .. path, wait = 20 })
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
  for name, way in pairs(ways) do
    local before, began = presses(path), task.now()
    way()
    local seconds = task.now() - began
    t.wait_until("the recorder's clicks", function() return presses(path) - before >= clicks end, 20)
    task.sleep(0.2)
    rates[name] = { rate = clicks / seconds, wrong = math.abs(presses(path) - before - clicks) }
  end
  return rates
end

--- Measures on a desktop that is there, and adds rows to the table.
---@param desktop { display: string, folder: string }
---@param row fun(name: string, value: number, unit: string, limit: number?, what: string?)
function input.measure(desktop, row)
  local desk = assert(desk_module.open { display = desktop.display })
  local closing <close> = setmetatable({}, { __close = function() desk:close() end })
  assert(closing)
  local env = { DISPLAY = desktop.display }
  local who = typists(desk, env)
  local function add(what, unit, result, limit)
    local ours, theirs = result.ours, result.xdotool
    row(what, theirs.rate / ours.rate, "x xdotool", limit, ("%.0f and %.0f %s/s"):format(ours.rate, theirs.rate, unit))
    row("  wrong of it (xdotool: " .. theirs.wrong .. ")", ours.wrong, "", 0)
  end
  add("time to type into an editor", "char", into_editor(desk, who, desktop.folder), 1)
  add("time to type into a terminal", "char", into_terminal(desk, who, desktop.folder), 1.5)
  add("time to click", "click", click_rates(desk, env, desktop.folder), 2)
end

return input
