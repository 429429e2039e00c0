-- Each profile of an application for Linux against the real application: opened by it on a private desktop, its
-- window and that it is ready, one of its shortcuts by what the application does then, and quit. Those whose package
-- is not among ./dev's are not run, and said; DESKPILOT_ALL_APPS=1 runs all that are installed.
local app_profile = require "deskpilot.desk.app.profile"
local app_profiles = require "deskpilot.desk.app.profiles"
local desktop = require "desktop"
local files = require "deskpilot.base.files"
local harness = require "harness"
local known_apps = require "known_apps"

local tests = {}

-- One desktop each: what takes longest is split up.
local groups = {
  editors = { "mousepad", "l3afpad", "geany" },
  files_and_pictures = { "pcmanfm", "thunar", "mtpaint", "gpicview" },
  tools = { "galculator", "xterm", "lxterminal", "xpdf" },
  office = { "gnumeric" },
  browser = { "chromium" },
}

for name, ids in pairs(groups) do
  tests[name] = function() known_apps.check(ids) end
end

-- The packages that ./dev installs for the program and its tests.
local function packages_of_dev()
  local list = {}
  local script = assert(files.read "dev")
  local needed = harness.ok(script:match "\nneed_for_tests%(%) {\n(.-)\n}", "need_for_tests in ./dev") or ""
  for name in needed:gmatch "%$([%w_]+_packages)" do
    local words = harness.ok(script:match("\n" .. name .. '="([^"]*)"'), name .. " in ./dev") or ""
    for word in words:gmatch "%S+" do list[word] = true end
  end
  return list
end

function tests.each_of_them_is_run_or_said_not_to_be()
  local run, packages = {}, packages_of_dev()
  for _, ids in pairs(groups) do
    for _, id in ipairs(ids) do run[id] = true end
  end
  local left, count = {}, 0
  for _, profile in ipairs((app_profiles.load())) do
    count = count + 1
    harness.eq(run[profile.id] or false, packages[profile.package] or false,
      profile.id .. " is run if its package is one of ./dev's")
    if not run[profile.id] then left[#left + 1] = profile.id end
  end
  harness.ok(count >= 12, count .. " profiles for Linux")
  if not os.getenv "DESKPILOT_ALL_APPS" then
    print("      not run, as ./dev does not install them: " .. table.concat(left, ", "))
    return
  end
  for _, id in ipairs(left) do
    if not app_profile.program(app_profiles.find(id)) then print("      not installed: " .. id)
    else known_apps.check { id } end
  end
end

-- --- opening ----------------------------------------------------------------------------------------

local function with_desktop(fn)
  desktop.with({ size = { 1000, 700 }, timing = { app_start = 60, app_ready = 60, focus = 10, window = 10 } }, fn)
end

local function windows_of(desk, class)
  local count = 0
  for _, window in ipairs(desk.windows.list()) do
    if window.class == class then count = count + 1 end
  end
  return count
end

function tests.one_that_runs_only_once_gets_the_keyboard()
  with_desktop(function(desk)
    local first, how = desk.apps.open_app "Geany"
    harness.eq(how, "started")
    local xterm
    xterm, how = desk.apps.open_app "xterm"
    harness.eq(how, "started")
    harness.eq(desk.windows.active().id, xterm.id)
    harness.ok(desk.windows.minimize(first.id))
    local again
    again, how = desk.apps.open_app "geany"
    harness.eq({ how, again and again.id }, { "running", first.id })
    harness.eq(desk.windows.active().id, first.id)
    harness.eq(windows_of(desk, "Geany"), 1)
    xterm, how = desk.apps.open_app "XTerm"
    harness.eq(how, "started", "one that may run many times")
    harness.eq(desk.windows.active().id, xterm.id)
    harness.eq(windows_of(desk, "XTerm"), 2)
    -- What its shortcuts are is told of the window that is active.
    harness.has(desk.apps.about(desk.windows.active()), "paste shift+insert")
    harness.has(desk.apps.overview(), "Geany (an editor for programs)")
  end)
end

function tests.what_cannot_be_opened_is_said()
  with_desktop(function(desk)
    local none, err = desk.apps.open_app "mouspad"
    harness.eq({ none, err.code }, { nil, "not_found" })
    harness.has(tostring(err), "did you mean 'Mousepad'?")
    none, err = desk.apps.open_app("xterm", { arguments = { "--no-such-option" } })
    harness.eq({ none, err.code }, { nil, "io" })
    harness.has(tostring(err), "before it showed a window")
    -- One that shows its window, but never what it is to show.
    local profile = app_profiles.find "mousepad"
    local ready, timing = profile.ready, profile.timing
    profile.ready, profile.timing = { role = "spin button" }, { ready = 1 }
    none, err = desk.apps.open_app "mousepad"
    profile.ready, profile.timing = ready, timing
    harness.eq({ none, err.code }, { nil, "timed_out" })
    harness.has(tostring(err), "Mousepad shows its window, but is not ready: ")
  end)
end

return tests
