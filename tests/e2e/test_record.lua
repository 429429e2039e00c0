-- A person's work becomes a mission: xdotool is the person, real applications say what they were given, and what is
-- recorded is done again by the mission that comes of it.
local t = require "harness"
local desk_module = require "deskpilot.desk"
local desktop = require "desktop"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local spawn = require "spawn"
local text = require "deskpilot.base.text"

local tests = {}

-- How often each recording is done again: twice in the suite, more where somebody counts (DESKPILOT_REPLAYS=20).
local times = tonumber(os.getenv "DESKPILOT_REPLAYS") or 2

local Recording = {}
Recording.__index = Recording

-- The private desktop of a recording, by what it says of it: for xdotool, and for reading its elements.
local function meet(self)
  local said = self.child.stderr
  local display, authority = said:match "display (:%d+), with XAUTHORITY=(%S+)"
  local folder = files.split(authority)
  local cookie = text.hex(assert(files.read(authority)):sub(-16))
  self.env = { DISPLAY = display, XAUTHORITY = authority }
  self.desk = assert(desk_module.open { display = display, bus = "unix:path=" .. files.join(folder, "run/bus"),
    session = { cookie = cookie, folder = folder, apps = {} } })
end

-- Starts `deskpilot record` on a private desktop.
local function record(folder, app, ...)
  local self = setmetatable({ folder = folder, file = files.join(folder, "mission.lua") }, Recording)
  self.child = spawn.start({ spawn.program, "record", "--private", app, "-o", self.file, "--runs",
    files.join(folder, "runs"), ... }, { env = { DISPLAY = false, TMPDIR = folder } })
  self.child:wait_for_word "recording;"
  meet(self)
  return self
end

local function middle(element)
  return element.x + element.width // 2, element.y + element.height // 2
end

function Recording:person(...)
  local child = spawn.run({ "xdotool", ... }, { env = self.env })
  t.eq(child.status, 0, "xdotool: " .. child.stderr)
end

function Recording:element(criteria)
  return assert(self.desk.wait_for_element(criteria))
end

function Recording:click(criteria)
  local x, y = middle(self:element(criteria))
  self:person("mousemove", tostring(x), tostring(y), "click", "1")
end

-- Types, and waits until the field holds it, or as many signs.
function Recording:type(words, field, shown)
  self:person("type", "--delay", "40", words)
  local criteria = { role = field.role, nth = field.nth, text = shown or words }
  if field.nth then
    t.wait_until(words .. " to be in its field", function()
      local element = self.desk.elements.find { role = field.role, nth = field.nth, timeout = 0 }
      return element and element.text == criteria.text
    end, 20)
  else
    self:element(criteria)
  end
end

-- The acts that are in the journal by now.
function Recording:acts()
  local runs = files.join(self.folder, "runs")
  self.run = files.join(runs, files.list(runs)[1]:match "^[^/]+")
  local list = {}
  for _, event in ipairs(journal.read(self.run) or {}) do
    if event.event == "settled" then list[#list + 1] = event end
  end
  return list
end

-- A person goes on when they have seen what came of it, and so does this one.
function Recording:until_acts(count)
  t.wait_until(count .. " acts in the journal", function() return #self:acts() >= count end, 30)
end

function Recording:stop(signal)
  self.desk:close()
  self.child:kill(signal or "sigint")
  self.child:wait()
  t.eq(self.child.status, 0, self.child.stderr)
  t.eq(self.child.stdout, self.file .. "\n")
  return assert(files.read(self.file))
end

-- The form writes what it was given into a file.
local function form(out)
  return ("sh -c 'zenity --forms --title Contact --text Contact --separator \"|\" --add-entry Name --add-entry Town "
    .. "--add-password Password --ok-label Send >%s'"):format(out)
end

local secret = "tr0ub4dor"

-- All files below a folder that have those bytes in them.
local function holding(folder, words)
  local found = {}
  for _, name in ipairs(files.list(folder)) do
    local path = files.join(folder, name)
    local bytes = not files.is_folder(path) and files.read(path)
    if bytes and bytes:find(words, 1, true) then found[#found + 1] = path end
  end
  return found
end

local function replayed(self, out, wanted, env)
  local good = 0
  for _ = 1, times do
    files.remove(out)
    local child = spawn.run({ spawn.program, "run", self.file, "--json", "--runs", files.join(self.folder, "again") },
      { env = env })
    local result = json.decode(child.stdout) or {}
    local given = files.read(out)
    t.eq({ result.status, given }, { "succeeded", wanted }, tostring(result.reason) .. child.stderr)
    if result.status == "succeeded" and given == wanted then good = good + 1 end
  end
  if times > 2 then print(("%d of %d"):format(good, times)) end
end

tests.a_form_is_recorded_and_replayed = spawn.in_folder(function(folder)
  local out = files.join(folder, "given.txt")
  local self = record(folder, form(out))
  local first, second, hidden = { role = "text", nth = 2 }, { role = "text", nth = 1 }, { role = "password text" }
  self:click(first)
  self:until_acts(1)
  -- In one go: a text ends where its person pauses.
  self:person("type", "--delay", "40", "--args", "1", "Ada Lovelase", "key", "BackSpace", "BackSpace",
    "type", "--delay", "40", "ce, 1815")
  self:until_acts(2)
  self:person("key", "Tab")
  self:until_acts(3)
  self:type("Oslo & Rome, #7", second)
  self:until_acts(4)
  self:click { role = "password text" }
  self:until_acts(5)
  self:type(secret, hidden, ("\u{25CF}"):rep(#secret))
  self:until_acts(6)
  self:click { role = "push button", name = "Send" }
  t.wait_until("the form to be sent", function() return (files.read(out) or "") ~= "" end, 20)
  local wanted = "Ada Lovelace, 1815|Oslo & Rome, #7|" .. secret .. "\n"
  t.eq(files.read(out), wanted)
  self:until_acts(7)
  local source = self:stop()
  t.ok(source:find('replay.secret "DESKPILOT_', 1, true), source)
  t.ok(source:find('role = "push button", name = "Send"', 1, true), source)
  t.ok(source:find('"Ada Lovelace, 1815"', 1, true), source)
  t.ok(source:find("expect = { value = given.text }", 1, true), "what was typed is expected: " .. source)
  t.ok(not source:find("\u{25CF}", 1, true), "not even how long the password is")
  t.eq(holding(self.run, secret), {}, "nothing of the password is kept")
  t.eq(holding(folder, secret), { out }, "nor in the mission")
  local variable = source:match "DESKPILOT_[%u%d_]+"
  replayed(self, out, wanted, { [variable] = secret })
  local child = spawn.run({ spawn.program, "run", self.file, "--json", "--runs", files.join(folder, "again") })
  t.ok(child.stdout:find(variable, 1, true), "without it nothing is done: " .. child.stdout)
end)

-- A person who types faster than anybody can look: what went where cannot be known, so nothing is kept.
tests.what_is_typed_too_fast_to_be_seen_is_not_kept = spawn.in_folder(function(folder)
  local out = files.join(folder, "given.txt")
  local self = record(folder, form(out))
  self:click { role = "text", nth = 2 }
  self:until_acts(1)
  local send = self:element { role = "push button", name = "Send" }
  self:person("type", "--delay", "4", "--args", "1", "Ada", "key", "Tab", "type", "--delay", "4", "--args", "1",
    "Oslo", "key", "Tab", "type", "--delay", "4", "--args", "1", secret, "mousemove", tostring(send.x + 9),
    tostring(send.y + 9), "click", "1")
  t.wait_until("the form to be sent", function() return (files.read(out) or "") ~= "" end, 20)
  t.eq(files.read(out), "Ada|Oslo|" .. secret .. "\n")
  self:until_acts(7)
  local source = self:stop "sigterm"
  t.eq(holding(self.run, secret), {})
  t.eq(holding(folder, secret), { out })
  t.ok(source:find("not kept, since it could not be seen", 1, true), source)
  t.eq(select(2, source:gsub("act = \"press_key\"", "")), 2, source)
end)

-- As a hand does it: down, over in steps, up.
function Recording:drag(from, to)
  local x, y = middle(from)
  local dx, dy = middle(to)
  local words = { "mousemove", tostring(x), tostring(y), "mousedown", "1" }
  for i = 1, 8 do
    for _, word in ipairs { "sleep", "0.05", "mousemove", tostring(x + (dx - x) * i // 8),
      tostring(y + (dy - y) * i // 8) } do words[#words + 1] = word end
  end
  self:person(table.unpack(words))
  self:person("sleep", "0.2", "mouseup", "1")
end

tests.a_drag_is_recorded_and_replayed = spawn.in_folder(function(folder)
  local place = files.join(folder, "place")
  local app = "sh -c 'rm -rf %s; mkdir -p %s/inbox; echo Dear >%s/letter.txt; exec thunar %s'"
  local self = record(folder, app:format(place, place, place, place))
  self:person("key", "ctrl+2") -- as a list: its lines are elements
  self:until_acts(1)
  self:drag(self:element { role = "table cell", name = "letter.txt" }, self:element { role = "table cell",
    name = "inbox" })
  local moved = files.join(place, "inbox/letter.txt")
  t.wait_until("the file to be moved", function() return files.exists(moved) end, 20)
  self:until_acts(2)
  local source = self:stop()
  t.ok(source:find('act = "drag_element"', 1, true), source)
  t.ok(source:find('on = {[^\n]*role = "table cell", name = "letter.txt"'), source)
  t.ok(source:find('to = {[^\n]*role = "table cell", name = "inbox"'), source)
  replayed(self, moved, "Dear\n")
end)

-- A list is turned by the wheel and a line of it double-clicked; before that the person marks what is to be checked.
tests.the_mouse_and_a_check_are_recorded = spawn.in_folder(function(folder)
  local out = files.join(folder, "given.txt")
  local self = record(folder, ("sh -c 'seq 100 199 | zenity --list --title Numbers --column Number --height 300 >%s'")
    :format(out))
  local cell = self:element { role = "table cell", name = "105" }
  local x, y = tostring(cell.x + 20), tostring(cell.y + cell.height // 2)
  self:person("mousemove", x, y, "click", "--repeat", "3", "--delay", "60", "5")
  self:until_acts(1)
  local seen = self:element { role = "push button", name = "OK" }
  self:person("mousemove", tostring(seen.x + 9), tostring(seen.y + 9), "key", "ctrl+alt+m")
  self:until_acts(2)
  local turned = t.wait_until("another line to be there", function()
    for _, element in ipairs(self.desk.elements.list { role = "table cell" } or {}) do
      local inside = tonumber(y) >= element.y and tonumber(y) < element.y + element.height
      if inside and element.name ~= "105" and element.x <= tonumber(x) then return element.name end
    end
  end, 20)
  self:person("mousemove", x, y, "click", "--repeat", "2", "--delay", "80", "1")
  t.wait_until("the choice", function() return (files.read(out) or "") ~= "" end, 20)
  t.eq(files.read(out), turned .. "\n")
  self:until_acts(3)
  self:person("key", "ctrl+alt+Escape") -- the emergency-stop hotkey
  self.child:wait()
  self.desk:close()
  t.eq(self.child.status, 0, self.child.stderr)
  local source = assert(files.read(self.file))
  t.ok(source:find('act = "scroll_down", with = { notches = 3', 1, true), source)
  t.ok(source:find("with = { clicks = 2, label", 1, true), "no key is held any more: " .. source)
  t.ok(source:find('02 check', 1, true), source)
  t.eq(select(2, source:gsub("step {", "")), 3, "the chords are no steps: " .. source)
  replayed(self, out, turned .. "\n")
end)

-- Characters of another layout, of its third level, and one that is put together by a dead key.
tests.a_text_is_what_the_keyboard_map_makes_of_keys = spawn.in_folder(function(folder)
  local out = files.join(folder, "given.txt")
  local self = record(folder, ("sh -c 'zenity --entry --title Town --text Town >%s'"):format(out))
  t.eq(spawn.run({ "setxkbmap", "de" }, { env = self.env }).status, 0)
  local field = { role = "text", nth = 1 }
  self:type("Yzß?/5€", field)
  self:until_acts(1)
  self:person("key", "Right")
  self:until_acts(2)
  self:person("key", "dead_acute", "e")
  self:until_acts(3)
  self:click { role = "push button", name = "OK" }
  t.wait_until("the answer", function() return (files.read(out) or "") ~= "" end, 20)
  t.eq(files.read(out), "Yzß?/5€é\n")
  self:until_acts(4)
  local source = self:stop()
  t.ok(source:find('"Yzß?/5€"', 1, true), source)
  t.ok(source:find('"é"', 1, true), source)
  replayed(self, out, "Yzß?/5€é\n")
end)

-- The command in a terminal on the desktop that it records: the Ctrl+C that ends it is no step of the mission.
function tests.ctrl_c_ends_a_recording_of_the_current_desktop()
  desktop.with({}, function(desk, session, folder)
    local file = files.join(folder, "mission.lua")
    local self = setmetatable({ folder = folder, desk = desk, env = desktop.env(session) }, Recording)
    local terminal = spawn.start({ "xterm", "-geometry", "100x20+0+400", "-e", spawn.program, "record", "-o", file,
      "--runs", files.join(folder, "runs") }, { env = self.env })
    local entry = spawn.start({ "zenity", "--entry", "--title", "Town", "--text", "Town" }, { env = self.env })
    assert(desk.wait_for_window { class = "XTerm" })
    self:element { role = "text" }
    t.wait_until("the recording", function()
      local name = (files.list(files.join(folder, "runs"))[1] or ""):match "^[^/]+"
      local words = name and files.read(files.join(folder, "runs/" .. name .. "/journal.jsonl")) or ""
      return words:find('"event":"observed"', 1, true)
    end, 30)
    self:click { role = "text" }
    self:until_acts(1)
    self:person("type", "--delay", "40", "Bergen")
    self:until_acts(2)
    desk.windows.focus(assert(desk.wait_for_window { class = "XTerm" }))
    self:person("key", "ctrl+c")
    terminal:wait()
    local source = assert(files.read(file), "the file is written")
    t.ok(source:find('"Bergen"', 1, true), source)
    t.ok(not source:find("ctrl+c", 1, true), source)
    t.ok(source:find('desktop = { kind = "current" }', 1, true), source)
    entry:kill "sigterm"
    entry:wait()
  end)
end

function tests.what_cannot_be_recorded_says_so()
  for words, part in pairs { ["--private "] = "wants a command", ["--private='a"] = "a quote is not closed",
    ["--size=800x600"] = "add --private", ["--check=nokey+x"] = "nokey", ["-o tests"] = "not overwritten" } do
    local argv = { spawn.program, "record" }
    for word in (words .. "\0"):gmatch "([^ %z]*)[ %z]" do argv[#argv + 1] = word end
    local child = spawn.run(argv, { env = { DISPLAY = false } })
    t.eq(child.status, 2, child.stderr)
    t.ok(child.stderr:find(part, 1, true), child.stderr)
  end
end

return tests
