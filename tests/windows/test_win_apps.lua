-- Programs that are run, waited for, opened and ended on Windows, judged by the processes that there are and by
-- what they log.
local testapp = dofile "tests/windows/testapp.lua"
local uv = require "luv"
local desk_module = require "deskpilot.desk"
local files = require "deskpilot.base.files"
local harness = require "harness"
local private = require "deskpilot.desk.private.session"
local task = require "deskpilot.base.task"

local tests = {}

local runner = assert(uv.exepath()) -- runs a Lua file

local function alive(pid)
  return uv.kill(pid, 0) == 0
end

local function with_desk(fn)
  local folder = testapp.folder()
  local removing <close> = testapp.finally(function() files.remove(folder) end)
  local desk = assert(desk_module.open())
  local _ <close> = testapp.finally(function() desk:close() end)
  fn(desk, folder)
  return removing
end

local function script(folder, name, text)
  local path = files.join(folder, name)
  files.write(path, text)
  return path
end

local function check_run(desk, folder)
  local path = script(folder, "child.lua", [[
    local input = io.stdin:read "a"
    io.stdout:write(input:reverse(), os.getenv "GIVEN" or "none", "\n")
    io.stderr:write("no luck\n")
    io.stdout:flush() io.stderr:flush()
    os.exit(7, true)]])
  local bytes = {}
  for i = 0, 255 do bytes[#bytes + 1] = string.char(i) end
  local all = table.concat(bytes):rep(20)
  local result = harness.ok(desk.apps.run { runner, path, input = all, env = { GIVEN = "given ä" } })
  harness.eq({ result.status, result.stderr:gsub("\r", "") }, { 7, "no luck\n", 0 })
  harness.ok(result.stdout == all:reverse() .. "given ä\n", #result.stdout)
  local none, err = desk.apps.run { "no-such-program-anywhere" }
  harness.eq(none, nil)
  harness.eq(err.code, "not_found")
  harness.has(tostring(err), "PATH")
  none, err = desk.apps.run { "cmd.exe", "/c", "exit", cwd = folder .. "/nowhere" }
  harness.eq(none, nil)
  harness.has(tostring(err), "there is no folder")
end

-- A program that starts the test application and waits; both are to go.
local function check_ended_with_what_it_started(desk, folder)
  local log = files.join(folder, "family.jsonl")
  local path = script(folder, "family.lua", ([[
    local uv = require "luv"
    assert(uv.spawn(%q, { args = { "--log", %q } }, function() end))
    io.stdout:write "started\n"
    io.stdout:flush()
    require("deskpilot.base.task").sleep(200)]]):format(testapp.program, log))
  path = script(folder, "outer.lua", ("return { family = function() dofile %q end }"):format(path))
  local result
  local began = task.now()
  local waiter = task.start(function() result = { desk.apps.run { runner, path, timeout = 60 } } end)
  local app = testapp.attach(log)
  local starting = task.now() - began
  harness.ok(alive(app.pid))
  waiter:cancel "the test wants it"
  harness.eq(result, nil)
  harness.wait_until("its end", function() return not alive(app.pid) end, 20)
  files.remove(log)
  -- Time enough for both to have started, also when the machine gets busier meanwhile.
  waiter = task.start(function() result = { desk.apps.run { runner, path, timeout = 2 + 4 * starting } } end)
  app = testapp.attach(log)
  waiter:wait()
  local none, err = table.unpack(result, 1, 2)
  harness.eq(none, nil)
  harness.eq(err.code, "timed_out", tostring(err))
  harness.has(err.stdout, "started")
  harness.wait_until("its end at the time-out", function() return not alive(app.pid) end, 20)
end

function tests.a_program_is_run_to_its_end()
  with_desk(check_run)
end

function tests.nothing_is_left_of_one_that_is_not_waited_for()
  with_desk(check_ended_with_what_it_started)
end

function tests.run_on_a_private_desktop()
  local folder = testapp.folder()
  local _ <close> = testapp.finally(function() files.remove(folder) end)
  local session = assert(private.start {})
  local stopping <close> = testapp.finally(function() session:stop() end)
  local desk = assert(desk_module.open { display = session.display, session = session })
  local closing <close> = testapp.finally(function() desk:close() end)
  check_run(desk, folder)
  -- What it shows is there, not on the user's desktop.
  local log = files.join(folder, "there.jsonl")
  local waiter = task.start(desk.apps.run, { testapp.program, "--log", log, "--title", "There", timeout = 60 })
  local window = harness.ok(desk.wait_for_window { title = "There", timeout = 30 })
  local here = assert(desk_module.open())
  harness.eq(here.windows.find { title = "There" }, nil)
  here:close()
  harness.ok(desk.windows.close(window))
  local ok, result = waiter:wait()
  harness.eq(ok and result and result.status, 0, tostring(result))
  local none, err = desk.apps.open "https://example.org/" -- would reach the user's own browser
  harness.eq(none, nil)
  harness.eq(err and err.code, "unsupported")
  return stopping, closing
end

function tests.programs_end_and_are_ended()
  with_desk(function(desk, folder)
    local pid = harness.ok(desk.apps.start { "cmd.exe", "/c", "exit 5" })
    harness.eq(desk.apps.wait(pid, { timeout = 30 }), 5)
    local log = files.join(folder, "polite.jsonl")
    local window
    pid, window = desk.apps.start { testapp.program, "--log", log, "--title", "Polite", wait = 30 }
    if not harness.ok(pid, tostring(window)) then return end
    harness.eq({ window.pid, window.title }, { pid, "Polite" })
    local status, err = desk.apps.wait(pid, { timeout = 0.1 })
    harness.eq(status, nil)
    harness.eq(err.code, "timed_out")
    local app = testapp.attach(log)
    harness.eq(desk.apps.stop(pid, { timeout = 20 }), 0)
    harness.eq(#app:events { event = "closed" }, 1, "it was asked to close")
    pid = harness.ok(desk.apps.start { testapp.program, "--log", log .. "2", "--title", "Stubborn", "--hang" })
    harness.ok(desk.wait_for_window { title = "Stubborn", timeout = 30 })
    harness.ok(desk.apps.stop(pid, { timeout = 0.5 }))
    harness.eq(alive(pid), false)
  end)
end

function tests.files_are_opened_with_their_application()
  with_desk(function(desk, folder)
    -- The application for such files: the test application, which shows what it was given as its title.
    local log = files.native(files.join(folder, "opened.jsonl"))
    local class = "HKCR\\" -- Wine 8 does not look into the user's own classes
    local _ <close> = testapp.finally(function()
      for _, key in ipairs { ".deskpilot-test", "deskpilot-test-file" } do
        os.execute("reg delete " .. class .. key .. " /f >nul 2>nul")
      end
    end)
    for key, value in pairs { [".deskpilot-test"] = "deskpilot-test-file",
      ["deskpilot-test-file\\shell\\open\\command"] =
        ('"%s" --log "%s" --title "%%1"'):format(files.native(testapp.program), log) } do
      local added = harness.ok(desk.apps.run { "reg.exe", "add", class .. key, "/ve", "/d", value, "/f" })
      harness.eq(added.status, 0, added.stderr)
    end
    local path = script(folder, "to be opened ä.deskpilot-test", "text in it")
    local ok, window = desk.apps.open(path, { wait = 30 })
    if harness.ok(ok, tostring(window)) then
      harness.eq(window.id, testapp.attach(log).hwnd)
      harness.has(window.title, "to be opened ä.deskpilot-test")
      harness.eq(desk.windows.close(window, { wait = 20 }), true)
    end
    local unknown = script(folder, "thing.nothing-opens-this", "")
    local none, err = desk.apps.open(unknown)
    harness.eq(none, nil)
    harness.eq(err and err.code, "unavailable", tostring(err))
    for target, code in pairs { ["javascript:alert(1)"] = "refused", ["ms-settings:"] = "refused",
      ["C:\\nowhere\\nothing.txt"] = "not_found", ["file:///C:/nowhere"] = "not_found" } do
      none, err = desk.apps.open(target)
      harness.eq(none, nil, target)
      harness.eq(err and err.code, code, target)
    end
  end)
end

return tests
