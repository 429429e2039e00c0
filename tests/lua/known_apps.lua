--- Applications that are opened by their profiles on a private desktop, and what each of them is asked to do there:
--- for the tests of the profiles. Judged by files that applications write, by the windows they show (as xprop sees
--- them), and by what they tell of themselves.
local desktop = require "desktop"
local files = require "deskpilot.base.files"
local harness = require "harness"

local known_apps = {}

---@class known_app
---@field desk deskpilot.desk
---@field profile deskpilot.app_profile
---@field window deskpilot.window
---@field folder string of this application alone
local App = {}
App.__index = App

--- Presses one of the profile's shortcuts.
function App:shortcut(what)
  local keys = harness.ok(self.profile.shortcuts[what], self.profile.id .. " has a shortcut for " .. what)
  harness.ok(self.desk.keyboard.press(keys))
end

--- Opens it by its profile, with these arguments.
function App:open(arguments)
  local how
  self.window, how = self.desk.apps.open_app(self.profile.id, { arguments = arguments })
  if not self.window then error(self.profile.id .. ": " .. tostring(how)) end
  harness.eq(how, "started", self.profile.id)
end

--- Waits until a window of the application that was not there before shows a part of a title.
function App:comes(title)
  local found
  harness.wait_until(("%s: a window with the title %s"):format(self.profile.id, title), function()
    for _, window in ipairs(self.desk.windows.list() or {}) do
      if not self.before[window.id] and window.title:find(title, 1, true) then found = window end
    end
    return found
  end, 20)
  return found
end

--- Remembers which windows are there.
function App:look()
  self.before = {}
  for _, window in ipairs(self.desk.windows.list() or {}) do self.before[window.id] = true end
end

-- --- what each of them is asked to do ---------------------------------------------------------------

-- A file is opened, written into and saved: its bytes.
local function saves(app)
  local path = files.join(app.folder, "text.txt")
  assert(files.write(path, ""))
  app:open { path }
  harness.ok(app.desk.keyboard.type("as it was typed"))
  app:shortcut "save"
  harness.wait_until(app.profile.id .. " to save its file", function()
    return (files.read(path) or ""):find("as it was typed", 1, true)
  end, 20)
end

-- One of its shortcuts makes a window of that title come up.
local function shows(what, title)
  return function(app)
    app:open()
    app:look()
    app:shortcut(what)
    app:comes(title)
  end
end

-- The folder above the one that is shown.
local function goes_up(app)
  local inner = files.join(app.folder, "inner")
  assert(files.make_folder(inner))
  app:open { inner }
  harness.ok(app.desk.wait_for_window { id = app.window.id, title = "inner", timeout = 20 })
  app:shortcut "up"
  harness.ok(app.desk.wait_for_window { id = app.window.id, title = select(2, files.split(app.folder)), timeout = 20 })
end

-- What a program in the terminal is told by ctrl+d: the end of its input.
local function reads_to_the_end(app)
  app:open()
  local path = files.join(app.folder, "out.txt")
  -- sh, which ctrl+d ends afterwards, has no editor of lines: nothing that comes while one starts is lost on it.
  harness.ok(app.desk.keyboard.type(("cat > %s; echo ended >> %s; exec sh\n"):format(path, path)))
  -- Before the program reads, the keys are the shell's, to which ctrl+d in a line that is not empty means nothing.
  harness.wait_until(app.profile.id .. " to run what was typed", function() return files.exists(path) end, 20)
  harness.ok(app.desk.keyboard.type "typed\n")
  app:shortcut "quit"
  harness.wait_until(app.profile.id .. " to end what reads", function()
    return files.read(path) == "typed\nended\n"
  end, 20)
end

local function opens_a_tab(app)
  app:open()
  local second = { role = "page tab", nth = 2, window = app.window.id, timeout = 20 }
  app:shortcut "new_tab"
  harness.ok(app.desk.wait_for_element(second))
  app:shortcut "close_tab" -- or it would ask whether to quit
  second.gone = true
  harness.ok(app.desk.wait_for_element(second))
end

local function calculates(app)
  app:open()
  harness.ok(app.desk.keyboard.type "6*7")
  app:shortcut "equals"
  harness.ok(app.desk.wait_for_element { role = "text", contains = "42", window = app.window.id, timeout = 20 })
  app:shortcut "copy"
  harness.wait_until("the result in the clipboard", function() return app.desk.clipboard.get() == "42" end, 20)
end

local function goes_to_the_next_picture(app)
  for _, name in ipairs { "one.png", "two.png" } do
    harness.ok(app.desk.screen.shot { path = files.join(app.folder, name), region = { 0, 0, 60, 40 } })
  end
  app:open { files.join(app.folder, "one.png") }
  harness.ok(app.desk.wait_for_window { id = app.window.id, title = "one.png", timeout = 20 })
  app:shortcut "next"
  harness.ok(app.desk.wait_for_window { id = app.window.id, title = "two.png", timeout = 20 })
end

local function browses(app)
  app:open()
  local browser = assert(app.desk.browser.of_window(app.window))
  app:shortcut "new_tab"
  harness.wait_until("a second tab", function() return #browser:tabs() == 2 end, 20)
end

local function has_a_second_document(app)
  app:open()
  app.desk.settle { quiet = 2, cap = 10 } -- the tip of the day comes late
  if app.desk.windows.active().id ~= app.window.id then app.desk.keyboard.press "escape" end
  harness.ok(app.desk.windows.focus(app.window.id))
  app:look()
  app:shortcut "new"
  app:comes "Untitled 2"
end

known_apps.tasks = {
  mousepad = saves, l3afpad = saves, geany = saves, galculator = calculates, pcmanfm = goes_up, thunar = goes_up,
  xterm = reads_to_the_end, lxterminal = opens_a_tab, xfce4_terminal = opens_a_tab, mtpaint = shows("open", "Load"),
  gpicview = goes_to_the_next_picture, xpdf = shows("open", "Open"), evince = shows("open", "Open Document"),
  gnumeric = shows("new", "Book2"), abiword = shows("new", "Untitled2"), chromium = browses,
  firefox = shows("new_window", "Mozilla Firefox"), gimp = shows("new", "New Image"),
  libreoffice_calc = has_a_second_document, libreoffice_writer = has_a_second_document,
}

-- --- and afterwards ---------------------------------------------------------------------------------

-- Quits it: by its shortcut until its window has gone, and everything that is left by its close button.
local function quit(app)
  local way = app.profile.shortcuts.quit and "quit" or app.profile.shortcuts.close and "close"
  harness.ok(way, app.profile.id .. " can be quit by a shortcut")
  for _, window in ipairs(app.desk.windows.list() or {}) do -- what was opened beside it
    if window.id ~= app.window.id then app.desk.windows.close(window.id, { wait = 5 }) end
  end
  harness.ok(app.desk.windows.focus(app.window.id))
  app:shortcut(way)
  local gone, err = app.desk.wait_for_window { id = app.window.id, gone = true, timeout = 2 }
  if not gone then -- asked whether it is sure
    app.desk.keyboard.press "enter"
    gone, err = app.desk.wait_for_window { id = app.window.id, gone = true, timeout = 20 }
  end
  harness.ok(gone, ("%s: %s quits it, but %s"):format(app.profile.id, app.profile.shortcuts[way], tostring(err)))
end

local function class_of(app)
  local result = harness.ok(app.desk.apps.run { "xprop", "-id", tostring(app.window.id), "WM_CLASS" })
  return result and result.stdout:match ', "([^"]*)"' or "none"
end

local function is_one_of(value, wanted)
  for _, word in ipairs(type(wanted) == "table" and wanted or { wanted }) do
    if word:lower() == value:lower() then return true end
  end
  return false
end

-- Opens one, sees that it is what its profile says, has it do something, quits it.
local function check(desk, id, folder)
  local profile = harness.ok(desk.apps.profile(id), id)
  local app = setmetatable({ desk = desk, profile = profile, folder = files.join(folder, id) }, App)
  assert(files.make_folder(app.folder))
  known_apps.tasks[id](app)
  local class = class_of(app)
  harness.ok(is_one_of(class, profile.class), ("%s: its window's class is %s"):format(id, class))
  harness.eq((desk.apps.profile_of(app.window) or {}).id, id, "the profile of its window")
  harness.has(desk.apps.about(app.window), profile.hints:match "^[^\n]*")
  quit(app)
end

--- Opens these one after the other on a private desktop.
---@param ids string[] names of profiles
function known_apps.check(ids)
  local timing = { app_start = 60, app_ready = 60, elements = 5, focus = 10, window = 10 }
  desktop.with({ timing = timing }, function(desk, _, folder)
    for _, id in ipairs(ids) do check(desk, id, folder) end
  end)
end

return known_apps
