-- `deskpilot pick` on private desktops with real applications: xdotool is the person, another connection to the display
-- sees the frame, the lines that are told are run, and xclip pastes what was copied.
local t = require "harness"
local desktop = require "desktop"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local rects = require "deskpilot.desk.picture.rect"
local spawn = require "spawn"
local terminal = require "terminal"
local uv = require "luv"

local tests = {}

local FRAME, thick = "#FF2D95", 3

local calculator = { { "galculator" } }

local Person = {}
Person.__index = Person

-- Runs fn(self) with applications on a desktop of their own.
local function with(apps, fn)
  return function()
    desktop.with({ apps = apps, timing = { elements = 10 } }, function(desk, session, folder)
      local env = desktop.env(session)
      env.HOME, env.TMPDIR, env.LC_ALL = folder, folder, "C.UTF-8"
      fn(setmetatable({ desk = desk, env = env, folder = folder }, Person))
    end)
  end
end

function Person:does(...)
  local child = spawn.run({ "xdotool", ... }, { env = self.env })
  t.eq(child.status, 0, "xdotool: " .. child.stderr)
  return child.stdout
end

function Person:points_at(x, y)
  self:does("mousemove", tostring(x), tostring(y))
end

function Person:pastes()
  return spawn.run({ "xclip", "-o", "-selection", "clipboard" }, { env = self.env }).stdout
end

function Person:element(criteria)
  return assert(self.desk.wait_for_element(criteria))
end

local function middle(element)
  return element.x + element.width // 2, element.y + element.height // 2
end

-- Starts `deskpilot pick`, which prints objects.
function Person:picks(...)
  local child = spawn.start({ spawn.program, "pick", "--json", ... }, { env = self.env })
  child:wait_for_word "move the pointer"
  return child
end

-- Waits until it tells of what fits.
local function told(child, what, fits)
  return t.wait_until("to be told of " .. what, function()
    for line in child.stdout:gmatch "([^\n]+)\n" do
      local data = json.decode(line)
      if data and fits(data) then return data end
    end
  end, 20)
end

local function told_of(child, role, name)
  return told(child, name, function(data)
    return data.element and data.element.role == role and data.element.name == name
  end)
end

local function once(self, x, y, ...)
  local child = spawn.run({ spawn.program, "pick", "--at", ("%d,%d"):format(x, y), ... }, { env = self.env })
  t.eq(child.status, 0, child.stderr)
  return child.stdout
end

-- What a line of Lua finds.
local function run(self, line)
  return assert(load("return " .. line, line, "t", { desk = self.desk, assert = assert }))()
end

local function colour(self, x, y)
  local shot = assert(self.desk.screen.shot { region = { x, y, 1, 1 }, cursor = false })
  return ("#%02X%02X%02X"):format(shot:pixel(0, 0))
end

-- Whether a frame is on the screen around that place, and not on it.
local function framed(self, place)
  local x, y = middle(place)
  local right, bottom = place.x + place.width, place.y + place.height
  for _, point in ipairs { { place.x - 1, y }, { place.x - thick, y }, { right, y }, { right + thick - 1, y },
    { x, place.y - 1 }, { x, place.y - thick }, { x, bottom }, { place.x - thick, bottom + thick - 1 } } do
    if colour(self, point[1], point[2]) ~= FRAME then return false end
  end
  return colour(self, place.x, y) ~= FRAME and colour(self, place.x - thick - 1, y) ~= FRAME
end

-- Whether any pixel of the screen has the frame's colour.
local function is_shown(self)
  local shot = assert(self.desk.screen.shot { cursor = false })
  for y = 0, shot.height - 1 do
    for x = 0, shot.width - 1, thick do
      if ("#%02X%02X%02X"):format(shot:pixel(x, y)) == FRAME then return true end
    end
  end
  return false
end

tests.the_element_below_the_pointer = with(calculator, function(self)
  local seven, eight = self:element { role = "toggle button", name = "7" }, self:element { name = "8" }
  local child = self:picks()
  for _, button in ipairs { seven, eight, seven } do
    child.stdout = ""
    self:points_at(middle(button))
    local data = told_of(child, "toggle button", button.name)
    t.eq({ data.window.title, data.window.application }, { "galculator", "galculator" })
    t.eq(data.element.place, { x = button.x, y = button.y, width = button.width, height = button.height })
    t.wait_until("the frame", function() return framed(self, button) end, 20)
    local x, y = middle(button)
    t.eq(data.point, { x = x, y = y })
    t.ok(math.abs(data.norm[1] - x * 1000 / 1280) <= 1 and math.abs(data.norm[2] - y * 1000 / 800) <= 1)
    t.has(data.line, 'desk.elements.find { role = "toggle button", name = "' .. button.name .. '"')
    local found = run(self, data.line)
    t.eq({ found.handle, found.name }, { button.handle, button.name }, data.line)
  end
  self:points_at(2, 2)
  told(child, "no window", function(data) return not data.window and not data.element end)
  t.wait_until("the frame to be gone", function() return not is_shown(self) end, 20)
  child:kill "sigint"
  t.eq(child:wait().status, 0, child.stderr)
end)

-- The colour is the application's also where the frame lay a moment before.
tests.the_colour_without_the_frame = with(calculator, function(self)
  local five = self:element { role = "toggle button", name = "5" }
  local _, y = middle(five)
  local beside = five.x - 2 -- the frame's place
  self:points_at(beside, y) -- no button is lit then
  local plain = t.wait_until("the screen at rest", function()
    assert(self.desk.settle { quiet = 0.5 })
    return colour(self, beside, y)
  end)
  local child = self:picks()
  local function is_gap(data) return data.point.x == beside end
  told(child, "the gap", is_gap)
  for _ = 1, 5 do
    child.stdout = ""
    self:points_at(middle(five))
    told_of(child, "toggle button", "5")
    t.wait_until("the frame", function() return colour(self, beside, y) == FRAME end, 20)
    child.stdout = ""
    self:points_at(beside, y)
    t.eq(told(child, "the gap", is_gap).colour, plain)
  end
  child:kill "sigint"
  child:wait()
end)

-- It is stopped while its frame is there, so that it can be in the way, and then killed in each way.
tests.a_click_on_the_frame_is_the_applications = with(calculator, function(self)
  local file, edit = self:element { role = "menu", name = "File" }, self:element { role = "menu", name = "Edit" }
  local x, y = file.x + file.width + 1, edit.y + edit.height // 2
  t.ok(rects.contains(edit, x, y), "the frame lies on the next menu")
  self:points_at(x, y)
  local below = self:does("getmouselocation", "--shell"):match "WINDOW=(%d+)"
  for _, signal in ipairs { "sigint", "sigterm", "sighup", "sigkill" } do
    local child = self:picks()
    self:points_at(middle(file))
    told_of(child, "menu", "File")
    t.wait_until("the frame", function() return colour(self, x, y) == FRAME end, 20)
    child:kill "sigstop"
    self:points_at(x, y)
    t.eq(colour(self, x, y), FRAME)
    t.eq(self:does("getmouselocation", "--shell"):match "WINDOW=(%d+)", below)
    self:does("click", "1")
    self:element { role = "menu", name = "Edit", states = "selected" }
    self:does("key", "Escape")
    if signal ~= "sigkill" then child:kill "sigcont" end
    child:kill(signal)
    child:wait()
    t.eq(child.status, signal == "sigkill" and child.status or 0, child.stderr)
    t.wait_until("no frame after " .. signal, function() return not is_shown(self) end, 20)
  end
end)

-- While a menu is open it has the keyboard to itself.
tests.copied_from_an_open_menu = with(calculator, function(self)
  local child = self:picks()
  self:points_at(middle(self:element { role = "menu", name = "File" }))
  self:does("click", "1")
  self:points_at(middle(self:element { role = "menu item", name = "Quit", states = "showing" }))
  local data = told_of(child, "menu item", "Quit")
  self:does("key", "ctrl+alt+p")
  child:wait_for_word("copied: " .. data.line)
  t.eq(self:pastes(), data.line)
  t.eq(run(self, data.line).name, "Quit")
  t.ok(self.desk.elements.find { role = "menu item", name = "Quit", states = "showing" }, "the menu is open still")
  self:does("key", "Escape")
  self:points_at(middle(self:element { role = "toggle button", name = "3" }))
  data = told_of(child, "toggle button", "3")
  self:does("key", "ctrl+alt+p")
  child:wait_for_word("copied: " .. data.line)
  t.eq(self:pastes(), data.line)
  t.eq(select(2, child.stderr:gsub("copied: ", "")), 2, "once for each press")
  child:kill "sigterm"
  t.has(child:wait().stderr, "no longer in the clipboard")
end)

-- However wide it is, all of the line is to be seen.
local function block_at(self, columns, line)
  local term = terminal.start({ files.absolute(spawn.program), "pick" }, { env = self.env, columns = columns })
  local ok, err = xpcall(function()
    t.wait_until("all of the line in " .. columns .. " columns", function()
      local words, wanted = term:screen():gsub("%s+", ""), line:gsub("%s+", "")
      return words:sub(-#wanted) == wanted
    end, 20)
    term:press "C-c"
    term:wait_for "status 0"
    term:wait_for "terminal sane"
  end, debug.traceback)
  term:stop()
  if not ok then error(err, 0) end
end

tests.at_a_terminal = with(calculator, function(self)
  local x, y = middle(self:element { role = "toggle button", name = "4" })
  self:points_at(x, y)
  local line = json.decode(once(self, x, y, "--json")).line
  for _, columns in ipairs { 60, 9 + #line - 2, 9 + #line, 9 + #line + 1, 200 } do block_at(self, columns, line) end
  local term = terminal.start({ files.absolute(spawn.program), "pick" }, { env = self.env, columns = 70, rows = 24 })
  local ok, err = xpcall(function()
    local screen = term:wait_for 'element  toggle button "4"'
    t.has(screen, 'window   "galculator" (galculator)')
    self:points_at(middle(self:element { role = "toggle button", name = "6" }))
    screen = term:wait_for 'element  toggle button "6"'
    t.ok(not screen:find('"4"', 1, true), "drawn in place: " .. screen)
    term:press "Enter"
    term:wait_for 'desk.elements.find { role = "toggle button", name = "6"'
    t.wait_until("the clipboard", function() return self:pastes():find('name = "6"', 1, true) end, 20)
    self:points_at(middle(self:element { role = "toggle button", name = "9" }))
    screen = term:wait_for 'element  toggle button "9"'
    t.eq(select(2, screen:gsub("element  ", "")), 1, screen)
    t.eq(select(2, screen:gsub('name = "6"', "")), 1, "what was copied stays: " .. screen)
    term:press "q"
    term:wait_for "status 0"
    term:wait_for "terminal sane"
    t.wait_until("the frame to be gone", function() return not is_shown(self) end, 20)
  end, debug.traceback)
  term:stop()
  if not ok then error(err, 0) end
end)

-- Where programs tell nothing of their elements: a place in the window. Titles are anybody's words.
tests.a_window_without_elements = with({ { "galculator" }, { "xterm", "-T", "plain", "-geometry", "60x20+30+40" } },
  function(self)
    local window = assert(self.desk.wait_for_window { class = "xterm", timeout = 20 })
    spawn.run({ "xprop", "-id", tostring(window.id), "-f", "_NET_WM_NAME", "8u", "-set", "_NET_WM_NAME",
      "a\u{202E}b \u{9b}31m\u{200B}c" }, { env = self.env })
    assert(self.desk.wait_for_window { matching = "31m", timeout = 20 })
    local x, y = window.x + 100, window.y + 50
    local words = once(self, x, y)
    t.has(words, 'window   "ab 31mc" (xterm)')
    t.has(words, "no element here: its program tells of no elements")
    local data = json.decode(once(self, x, y, "--json"))
    t.eq(data.element, nil)
    t.has(data.missing, "deskpilot doctor")
    local found_x, found_y = run(self, data.line)
    t.ok(math.abs(found_x - x) <= 1 and math.abs(found_y - y) <= 1, data.line .. ": " .. found_x .. "," .. found_y)
    -- The calculator's button lies below it now, and is not what is there.
    local seven = self:element { role = "toggle button", name = "7" }
    assert(self.desk.windows.place(window, { x = seven.x - 40, y = seven.y - 40 }))
    assert(self.desk.windows.focus(window))
    t.wait_until("the terminal above the calculator", function()
      return json.decode(once(self, seven.x + 4, seven.y + 4, "--json")).window.class == "XTerm"
    end, 20)
    t.eq(json.decode(once(self, seven.x + 4, seven.y + 4, "--json")).element, nil)
    local child = self:picks()
    self:points_at(seven.x + 4, seven.y + 4)
    told(child, "the terminal", function(now) return now.window and now.window.class == "XTerm" and now.point.x > 9 end)
    local now = assert(self.desk.windows.find { id = window.id })
    t.wait_until("the frame around the window", function()
      return colour(self, now.x - 1, now.y + 9) == FRAME and colour(self, now.x + now.width, now.y + 9) == FRAME
    end, 20)
    child:kill "sigint"
    t.eq(child:wait().status, 0)
  end)

-- Two windows that nothing tells apart, and two that only their titles do.
tests.of_several_windows_the_right_one = with({ { "galculator" }, { "galculator" },
  { "zenity", "--entry", "--title", "One" }, { "zenity", "--entry", "--title", "Two" } }, function(self)
    local corners = { { x = 10, y = 40 }, { x = 600, y = 40 }, { x = 10, y = 560 }, { x = 600, y = 560 } }
    local windows = t.wait_until("all windows", function()
      local list = self.desk.windows.list()
      return list and #list == 4 and list
    end, 20)
    for i, window in ipairs(windows) do assert(self.desk.windows.place(window, corners[i])) end
    for role, name in pairs { ["toggle button"] = "7", ["push button"] = "Cancel" } do
      local alike = t.wait_until("two of " .. name, function()
        local list = self.desk.elements.list { role = role, name = name }
        return list and #list == 2 and list
      end, 20)
      for i = 1, 2 do
        local x, y = middle(assert(self.desk.elements.refresh(alike[i])))
        local line = json.decode(once(self, x, y, "--json")).line
        t.eq(run(self, line).handle, alike[i].handle, line)
        t.eq(line:find("title = ", 1, true) ~= nil, name == "Cancel", line)
      end
    end
  end)

-- One program that does not answer keeps the others' elements from nobody.
tests.an_application_that_hangs = with({ { "galculator" }, { "zenity", "--entry", "--title", "Hangs" } },
  function(self)
    local other = assert(self.desk.wait_for_window { title = "Hangs", timeout = 20 })
    self:element { role = "push button", name = "OK" }
    local seven = self:element { role = "toggle button", name = "7" }
    assert(self.desk.windows.place(other, { x = 20, y = 30 }))
    other = assert(self.desk.windows.find { id = other.id })
    assert(uv.kill(other.pid, "sigstop"))
    local going <close> = setmetatable({}, { __close = function() uv.kill(other.pid, "sigcont") end })
    assert(going)
    local x, y = middle(seven)
    t.eq(json.decode(once(self, x, y, "--json")).element.name, "7")
    t.has(once(self, other.x + 30, other.y + 30), "no element here: its program ")
  end)

-- A field's value is told, and a password's is not; of several alike it is told which one.
tests.fields = with({ { "zenity", "--forms", "--title", "Contact", "--text", "Contact", "--add-entry", "Name",
  "--add-entry", "Town", "--add-password", "Password" } }, function(self)
  for nth = 1, 2 do
    local field = self:element { role = "text", nth = nth }
    local data = json.decode(once(self, field.x + 5, field.y + 5, "--json"))
    t.eq(run(self, data.line).handle, field.handle, data.line)
    t.eq(data.on.nth, nth, "as a mission's step names it")
  end
  local field = self:element { role = "password text" }
  self:points_at(middle(field))
  self:does("click", "1")
  self:element { role = "password text", states = "focused" }
  self:does("type", "--delay", "40", "tr0ub4dor")
  self:element { role = "password text", text = ("\u{25CF}"):rep(9) }
  for _, words in ipairs { once(self, field.x + 5, field.y + 5), once(self, field.x + 5, field.y + 5, "--json") } do
    t.has(words, "password text")
    t.ok(not words:find("tr0ub", 1, true) and not words:find("\u{25CF}", 1, true), words)
  end
end)

tests.what_cannot_be_done_is_said = with(calculator, function(self)
  local function fails(status, words, env, ...)
    local child = spawn.run({ spawn.program, "pick", ... }, { env = env })
    t.eq({ child.status, child.stdout }, { status, "" }, child.stderr)
    t.has(child.stderr, words)
  end
  fails(1, "5000, 7 lies outside the screen (0, 0 to 1279, 799)", self.env, "--at", "5000,7")
  fails(2, "--at wants X,Y in pixels of the screen, not '5;7'", self.env, "--at", "5;7")
  fails(2, "--key is f9, but must be two keys or more", self.env, "--key", "f9")
  fails(2, "add --private APP", self.env, "--size", "800x600")
  fails(2, "--size wants WIDTHxHEIGHT, such as 1280x800, not 'big'", self.env, "--private", "xterm", "--size", "big")
  fails(2, "--at wants X,Y in pixels of the screen, not '99999999999999999999,7'", self.env, "--at",
    "99999999999999999999,7")
  fails(2, "--key wants", self.env, "--key", "")
  fails(2, "a quote is not closed in: a 'b", self.env, "--private", "a 'b")
  fails(3, "Use --private APP, or set DISPLAY", { DISPLAY = false }, "--at", "5,7")
  local env = {}
  for name, value in pairs(self.env) do env[name] = value end
  env.DBUS_SESSION_BUS_ADDRESS = "unix:path=/nowhere"
  local x, y = middle(self:element { role = "toggle button", name = "7" })
  local child = spawn.run({ spawn.program, "pick", "--at", ("%d,%d"):format(x, y) }, { env = env })
  t.eq(child.status, 0, child.stderr)
  t.has(child.stdout, "no element here: ")
  t.has(child.stdout, 'window   "galculator" (galculator)')
  t.has(child.stdout, "line     desk.point { ")
end)

tests.on_a_desktop_of_its_own = spawn.in_folder(function(folder)
  local child = spawn.start({ spawn.program, "pick", "--json", "--private", "sh -c 'exec galculator'", "--size",
    "1000x700" }, { env = { DISPLAY = false, TMPDIR = folder } })
  child:wait_for_word "move the pointer"
  local display, authority = child.stderr:match "display (:%d+), with XAUTHORITY=(%S+)"
  local self = setmetatable({ env = { DISPLAY = display, XAUTHORITY = authority } }, Person)
  local data = t.wait_until("the calculator below the pointer", function()
    self:points_at(500, 350 + #child.stdout % 7)
    local last = child.stdout:match "([^\n]+)\n$"
    local now = last and json.decode(last)
    return now and now.window and now.element and now
  end, 30)
  t.eq(data.window.application, "galculator")
  child:kill "sigint"
  t.eq(child:wait().status, 0, child.stderr)
end)

return tests
