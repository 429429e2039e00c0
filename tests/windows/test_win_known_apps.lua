-- Profiles of applications for Windows against those of them that Wine has: opened by their profiles, one thing done
-- in each that can be seen from outside, and closed. The others are said not to be run.
local app_profile = require "deskpilot.desk.app.profile"
local app_profiles = require "deskpilot.desk.app.profiles"
local desk_module = require "deskpilot.desk"
local files = require "deskpilot.base.files"
local harness = require "harness"
local testapp = dofile "tests/windows/testapp.lua"
local uv = require "luv"

local tests = {}

local function open(desk, id, arguments)
  local window, how = desk.apps.open_app(id, { arguments = arguments })
  if not window then error(id .. ": " .. tostring(how)) end
  harness.eq({ id, how, window.active }, { id, "started", true })
  harness.eq((desk.apps.profile_of(window) or {}).id, id)
  return window
end

local function shortcut(desk, id, what)
  local profile = assert(desk.apps.profile(id))
  local keys = assert(profile.shortcuts[what], id .. " has a shortcut for " .. what)
  harness.ok(desk.keyboard.press(keys))
end

local function with_desk(fn)
  return function()
    local folder = testapp.folder()
    local removing <close> = testapp.finally(function() files.remove(folder) end)
    local desk = assert(desk_module.open { timing = { app_start = 60, app_ready = 60 } })
    local closing <close> = testapp.finally(function() desk:close() end)
    fn(desk, folder)
    return removing, closing
  end
end

local function close(desk, window)
  harness.ok(desk.windows.close(window.id, { wait = 20 }))
end

tests.notepad = with_desk(function(desk, folder)
  local path = files.join(folder, "note.txt")
  assert(files.write(path, ""))
  local window = open(desk, "notepad", { files.native(path) })
  harness.ok(desk.keyboard.type "as it was typed")
  shortcut(desk, "notepad", "save")
  -- Its size can be asked for at any time. While somebody reads it, Notepad cannot save it and says so.
  harness.wait_until("Notepad to save its file", function() return (uv.fs_stat(path) or { size = 0 }).size > 0 end)
  harness.wait_until("Notepad to close it", function() return files.read(path) end)
  harness.eq(files.read(path), "as it was typed")
  close(desk, window)
end)

-- The dialog that a shortcut brings up.
local function shows(id, what, title)
  return with_desk(function(desk)
    local window = open(desk, id)
    shortcut(desk, id, what)
    -- With the keyboard: what is pressed before that is the window's.
    local dialog = harness.ok(desk.wait_for_window { title = title, active = true, timeout = 20 })
    harness.ok(dialog and dialog.id ~= window.id, "a window of its own")
    harness.ok(desk.keyboard.press "escape")
    harness.ok(desk.wait_for_window { id = dialog.id, gone = true, timeout = 20 })
    close(desk, window)
  end)
end

tests.wordpad = shows("wordpad", "open", "Open")
tests.registry_editor = shows("registry_editor", "find", "Find")

-- By keys: Wine's console hears nothing of typed text.
tests.command_prompt = with_desk(function(desk)
  local window = open(desk, "command_prompt")
  for key in ("e x i t enter"):gmatch "%S+" do harness.ok(desk.keyboard.press(key)) end
  harness.ok(desk.wait_for_window { id = window.id, gone = true, timeout = 20 })
end)

tests.explorer = with_desk(function(desk, folder)
  local inner = files.join(folder, "shown here")
  assert(files.make_folder(inner))
  local window = open(desk, "explorer", { files.native(inner) })
  harness.ok(desk.wait_for_window { id = window.id, title = "shown here", timeout = 20 })
  close(desk, window)
end)

function tests.each_of_them_is_run_or_said_not_to_be()
  local count, left = 0, {}
  for _, profile in ipairs((app_profiles.load())) do
    count = count + 1
    local installed = app_profile.program(profile) ~= nil
    harness.eq(installed, tests[profile.id] ~= nil, profile.id .. " is run if it is installed")
    if not installed then left[#left + 1] = profile.id end
  end
  harness.ok(count >= 6, count .. " profiles for Windows")
  print("      not run, as Wine has none: " .. table.concat(left, ", "))
end

return tests
