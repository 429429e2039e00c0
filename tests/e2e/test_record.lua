-- A person's work becomes a mission: xdotool is the person, real applications say what they were given, and what is
-- recorded is done again by the mission that comes of it.
local t = require "harness"
local desk_module = require "deskpilot.desk"
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

function Recording:person(...)
  local child = spawn.run({ "xdotool", ... }, { env = self.env })
  t.eq(child.status, 0, "xdotool: " .. child.stderr)
end

function Recording:element(criteria)
  return assert(self.desk.wait_for_element(criteria))
end

function Recording:click(criteria)
  local element = self:element(criteria)
  self:person("mousemove", tostring(element.x + element.width // 2), tostring(element.y + element.height // 2),
    "click", "1")
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
  self:type("Ada Lovelase", first)
  self:person("key", "BackSpace", "BackSpace")
  self:person("type", "--delay", "40", "ce, 1815")
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
  if os.getenv "SHOW" then print(source, self.child.stderr) os.execute("rm -rf /tmp/w/record-run; cp -r " .. self.run .. " /tmp/w/record-run") end
  t.ok(source:find('replay.secret "DESKPILOT_', 1, true), source)
  t.ok(source:find('role = "push button", name = "Send"', 1, true), source)
  t.ok(source:find('"Ada Lovelace, 1815"', 1, true), source)
  t.eq(holding(self.run, secret), {}, "nothing of the password is kept")
  t.eq(holding(folder, secret), { out }, "nor in the mission")
  local variable = source:match "DESKPILOT_[%u%d_]+"
  replayed(self, out, wanted, { [variable] = secret })
  local child = spawn.run({ spawn.program, "run", self.file, "--json", "--runs", files.join(folder, "again") })
  t.ok(child.stdout:find(variable, 1, true), "without it nothing is done: " .. child.stdout)
end)

return tests
