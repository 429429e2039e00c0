-- Profiles of applications: what one may hold, where they are found, which windows are theirs. Whether they are
-- true of the real applications is for e2e/test_known_apps.lua and windows/test_win_known_apps.lua.
local t = require "harness"
local app_profile = require "deskpilot.desk.app.profile"
local app_profiles = require "deskpilot.desk.app.profiles"
local configured = require "configured"
local desk_module = require "deskpilot.desk"
local files = require "deskpilot.base.files"
local lookup = require "deskpilot.base.lookup"
local spawn = require "spawn"
local uv = require "luv"

local tests = {}

local other = t.platform == "linux" and "windows" or "linux"

local function read(words)
  return app_profile.read("probe", words, "FILE")
end

-- A profile with everything that must be there, and this.
local function with(more)
  return read(([[{ name = "Probe", about = "a probe", binary = "probe", class = "Probe", %s }]]):format(more or ""))
end

local function refused(part, profile, err)
  t.eq(profile, nil)
  t.eq(err and err.code, "invalid")
  t.has(tostring(err), "FILE")
  t.has(tostring(err), part)
end

-- --- what one may hold ------------------------------------------------------------------------------

function tests.what_is_wrong_is_said()
  t.eq(t.ok(with()).name, "Probe")
  refused("'shortcuts'", with 'shortcut = { save = "ctrl+s" }')
  refused("timing.settle_quite is not known here; did you mean 'timing.settle_quiet'?",
    with "timing = { settle_quite = 1 }")
  refused("linux.clas is not known here; did you mean 'linux.class'?", with 'linux = { clas = "x" }')
  refused("timing.start is 'soon', but must be a number of seconds", with 'timing = { start = "soon" }')
  refused("timing.start is -1", with "timing = { start = -1 }")
  refused("timing is true, but must be a table", with "timing = true")
  refused("single is 'yes', but must be true or false", with 'single = "yes"')
  refused("binary is a table, but must be one text or a list of them", with "binary = {}")
  refused("main is '%', but must be a Lua pattern", with 'main = "%"')
  refused("'save' is not", with 'shortcuts = { save = "control+everything" }')
  refused("arguments is '-x', but must be a list of texts", with 'arguments = "-x"')
  refused("arguments is a table", with "arguments = { a = 'b' }")
  refused("hints is '', but must be a text", with 'hints = ""')
  refused("about is missing", read [[{ name = "Probe", binary = "probe", class = "Probe" }]])
  refused("class, executable or title is missing", read [[{ name = "Probe", about = "a probe", binary = "probe" }]])
  -- Data, never code.
  refused("is not a value", with "hints = os.getenv 'HOME'")
  -- Whatever its keys are.
  refused("1 is not known here", with '[1] = "x"')
  refused("ready.rol", with 'ready = { rol = "text" }')
  refused("shortcuts is a table", with 'shortcuts = { "ctrl+s" }')
end

function tests.each_system_has_its_own()
  local own = t.ok(with(([[%s = { class = "Own", arguments = { "-x" } }, %s = { class = "Other" }]]):format(t.platform,
    other)))
  t.eq({ own.class, own.arguments, own.linux, own.windows }, { "Own", { "-x" } })
  t.eq(read(([[{ name = "Probe", about = "a probe", %s = { binary = "probe", class = "Probe" } }]]):format(other)),
    false, "what this system does not have is no error")
end

-- --- which windows are its application's ------------------------------------------------------------

local function window(class, title, executable)
  return { class = class, title = title, executable = executable or "", id = 1, pid = 0 }
end

function tests.windows_are_told_by_all_that_is_given()
  local fit = app_profile.fit
  local one = t.ok(with 'executable = { "probe.exe", "probe" }, title = "^Probe"')
  t.eq(fit(one, window("PROBE", "Probe 1", [[C:\x\Probe.exe]])), 3, "whatever the case")
  t.eq(fit(one, window("Probe", "Probe 1", "/usr/bin/probe")), 3)
  t.eq(fit(one, window("Prober", "Probe 1", "/usr/bin/probe")), nil, "the whole class")
  t.eq(fit(one, window("Probe", "A Probe", "/usr/bin/probe")), nil)
  t.eq(fit(one, window("Probe", "Probe 1", "/usr/probe/other")), nil, "the file, and not its folder")
  t.eq(fit(t.ok(with()), window("probe", "anything")), 1)
  local main = t.ok(with 'main = { "^Probe$", "%- Probe$" }')
  t.eq(app_profile.is_main(main, window("Probe", "x - Probe")), true)
  t.eq(app_profile.is_main(main, window("Probe", "Probe Tools")), false)
  t.eq(app_profile.is_main(main, window("Other", "Probe")), false)
end

function tests.its_program_is_the_first_that_is_there()
  local here = files.native(uv.exepath())
  uv.os_setenv("PROBE_FOLDER", (files.split(here)))
  local name = select(2, files.split(here))
  local found = t.ok(with(([[binary = { "no-such-program", "%%NO_SUCH_VARIABLE%%/x", "%%PROBE_FOLDER%%/%s" }]]):format(
    name)))
  t.has(app_profile.program(found) or "", name)
  uv.os_unsetenv "PROBE_FOLDER"
  local none, err = app_profile.program(found)
  t.eq(none, nil)
  t.eq(err.code, "unavailable")
  t.has(tostring(err), "Probe is not installed here")
  local missing, why = app_profile.program(t.ok(with 'binary = "no-such-program", package = "probe-package"'))
  t.eq(missing, nil)
  t.has(tostring(why), "no-such-program")
  t.has(tostring(why), " install probe-package")
end

-- --- finding them -----------------------------------------------------------------------------------

local function write(folder, name, words)
  local path = files.join(folder, "deskpilot", "apps", name)
  assert(files.make_folder((files.split(path))))
  assert(files.write(path, words))
end

local function with_roots(fn)
  local base = spawn.folder()
  local mission, user = base .. "/mission", base .. "/user"
  lookup.set_roots { mission_folder = mission, user_folder = user }
  local guard <close> = setmetatable({}, { __close = function()
    lookup.set_roots {}
    files.remove(base)
    app_profiles.load()
  end })
  assert(guard)
  fn(mission, user)
end

local probe = [[return { name = "My %s", about = "a probe", binary = "no-such-probe", class = "Probe",
  timing = { settle_quiet = 2 } }]]

function tests.users_add_their_own()
  with_roots(function(mission, user)
    write(user, "probe.lua", probe:format "Probe")
    local desk = assert(desk_module.open { backend = "null" })
    t.eq(t.ok(desk.apps.profile "probe").name, "My Probe")
    t.eq(t.ok(desk.apps.profile "MY PROBE").id, "probe")
    t.eq(t.ok(desk.apps.profile "no-such-probe").id, "probe")
    t.eq(t.ok(desk.apps.profile_of(window("Probe", "x"))).id, "probe")
    write(mission, "probe.lua", probe:format "Better Probe")
    t.eq(t.ok(desk.apps.profile "probe").name, "My Better Probe", "the mission's folder wins, without a restart")
    write(mission, "probe.lua", "return { nam = 1 }")
    local none, err = desk.apps.profile "probe"
    t.eq(none, nil)
    t.eq(err.code, "invalid")
    t.has(tostring(err), "did you mean 'name'?")
    t.has(tostring(err), "probe.lua")
    write(mission, "probando.lua", probe:format "Probando")
    none, err = desk.apps.open_app "prob"
    t.eq(none, nil)
    t.eq(err.code, "not_found")
    t.has(tostring(err), "there is no profile of an application named 'prob'; did you mean 'probando'? There are ")
    err = select(2, desk.apps.open_app "spreadsheet of mine")
    t.has(tostring(err), "named 'spreadsheet of mine'. There are ", "nothing is like it")
    t.raises("desk.apps.open_app wants a text", desk.apps.open_app)
    t.eq(desk.apps.profile_of(window("Nobody", "x")), nil)
    t.eq(desk.apps.about(window("Nobody", "x")), "")
    desk:close()
  end)
end

function tests.a_run_with_a_wrong_profile_ends_before_it_began()
  local folder = spawn.folder()
  write(folder, "probe.lua", "return { name = 'Probe', shortcut = {} }")
  assert(files.write(folder .. "/m.lua", "return { run = function(m) print 'ran' end }"))
  local child = spawn.run({ spawn.program, "run", "m.lua" }, { cwd = folder })
  t.eq(child.status, 2)
  t.eq(child.stdout, "")
  t.has(child.stderr, "did you mean 'shortcuts'?")
  files.remove(folder)
end

function tests.one_that_ships_is_ejected_and_then_its_users()
  local folder = spawn.folder()
  local name = t.platform == "linux" and "mousepad" or "notepad"
  local child = spawn.run({ spawn.program, "eject", "apps/" .. name }, { cwd = folder })
  t.eq(child.status, 0, child.stderr)
  local path = files.join(folder, "deskpilot", "apps", name .. ".lua")
  local words = t.ok(files.read(path)) or ""
  assert(files.write(path, (words:gsub('name = "%w+"', 'name = "Mine"', 1))))
  child = spawn.run({ spawn.program, "eval", ([[print(desk.apps.profile(%q).name)]]):format(name), "--desktop",
    "private" }, { cwd = folder })
  t.has(child.stdout, "Mine", child.stderr)
  files.remove(folder)
end

-- --- those that ship --------------------------------------------------------------------------------

local wanted = { linux = 12, windows = 6 }

function tests.those_that_ship_are_sound()
  local profiles, problems = app_profiles.load()
  local sentences = {}
  for i, problem in ipairs(problems) do sentences[i] = tostring(problem) end
  t.eq(table.concat(sentences, "\n"), "")
  t.ok(#profiles >= wanted[t.platform], #profiles .. " profiles")
  local forbidden, names = {}, {}
  for _, keys in ipairs(configured.defaults():get "safety.forbidden_keys") do forbidden[keys] = true end
  for _, profile in ipairs(profiles) do
    t.ok(next(profile.shortcuts or {}), profile.id .. " has shortcuts")
    t.ok(profile.hints, profile.id .. " has hints")
    for what, keys in pairs(profile.shortcuts) do
      t.ok(not forbidden[keys], ("%s: %s is %s, which the safety guard forbids"):format(profile.id, what, keys))
    end
    t.eq(names[profile.name], nil, "two are named " .. profile.name)
    names[profile.name] = profile.id
    t.eq(t.ok(app_profiles.find(profile.name)).id, profile.id)
  end
end

function tests.the_one_that_is_explained_is_sound()
  local words = t.ok(files.read "docs/missions.md") or ""
  local example = t.ok(words:match '\n(return {\n  name = "Mousepad".-)```', "an example in docs/missions.md")
  local profile, err = app_profile.read("example", example, "docs/missions.md")
  t.eq(profile and profile.name, "Mousepad", tostring(err))
end

-- --- what they are for ------------------------------------------------------------------------------

local function settle_times(desk, how)
  local began = uv.hrtime()
  desk.settle(how)
  return (uv.hrtime() - began) / 1e9
end

function tests.settling_takes_what_the_active_application_needs()
  with_roots(function(_, user)
    write(user, "probe.lua", probe:format "Probe")
    local desk = assert(desk_module.open { backend = "null" })
    app_profiles.load()
    local active
    desk.windows.active = function() return active end
    t.ok(settle_times(desk) < 2, "nothing is known of what is active")
    active = window("Probe", "x")
    local took = settle_times(desk)
    t.ok(took >= 2, took .. " s with a profile that wants 2 s of quiet")
    took = settle_times(desk, { quiet = 0.1 })
    t.ok(took < 2, took .. " s though 0.1 was asked for")
    desk.timing.settle_quiet = 0.11
    took = settle_times(desk)
    t.ok(took < 2, took .. " s though the desk's own timing was set")
    desk:close()
  end)
end

return tests
