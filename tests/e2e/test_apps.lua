-- Programs that are started, run, opened and ended on a private desktop, judged by the processes and the
-- windows that there are.
local desktop = require "desktop"
local uv = require "luv"
local desk_module = require "deskpilot.desk"
local files = require "deskpilot.base.files"
local harness = require "harness"
local platform = require "deskpilot.desk.platform"
local task = require "deskpilot.base.task"

local tests = {}

local function finally(fn) return setmetatable({}, { __close = fn }) end

local function with_desktop(fn)
  desktop.with({ size = { 1000, 700 } }, fn)
end

-- Runs fn(desk, folder, where) for programs of the private desktop's host and for our own.
local function on_both(fn)
  with_desktop(function(desk, session, folder)
    fn(desk, folder, "private")
    local here = assert(desk_module.open { display = session.display, bus = session.bus_address,
      session = { cookie = session.cookie } })
    here.session = nil -- as on the current desktop
    uv.os_setenv("XAUTHORITY", session.folder .. "/xauthority") -- as a session's programs have it
    local unset <close> = finally(function() uv.os_unsetenv "XAUTHORITY" end)
    assert(unset)
    fn(here, folder, "current")
    here:close()
  end)
end

-- The processes whose command line has that word.
local function running(word)
  local list = {}
  for _, name in ipairs(files.list "/proc") do
    local line = name:match "^%d+$" and files.read("/proc/" .. name .. "/cmdline") or ""
    if line:find(word, 1, true) then list[#list + 1] = math.tointeger(tonumber(name)) end
  end
  return list
end

local function script(folder, name, text)
  local path = files.join(folder, name)
  files.write(path, "#!/bin/sh\n" .. text .. "\n")
  assert(uv.fs_chmod(path, tonumber("755", 8)))
  return path
end

-- --- run --------------------------------------------------------------------------------------------

function tests.a_program_is_run_to_its_end()
  on_both(function(desk, folder)
    local result = harness.ok(desk.apps.run { "sort", "-u", input = "b\na\nb\n" })
    harness.eq({ result.status, result.stdout, result.stderr, result.truncated }, { 0, "a\nb\n", "", false })
    harness.ok(result.seconds > 0 and result.seconds < 20, result.seconds)
    local path = script(folder, "fails", 'printf "%s|%s|%s" "$PWD" "$1" "$GIVEN"; echo "no luck" >&2; exit 7')
    result = harness.ok(desk.apps.run { path, "a  $HOME;b'", cwd = folder, env = { GIVEN = "given" } })
    harness.eq({ result.status, result.stdout, result.stderr },
      { 7, folder .. "|a  $HOME;b'|given", "no luck\n" })
    -- Any bytes, both ways.
    local bytes = {}
    for i = 0, 255 do bytes[#bytes + 1] = string.char(i) end
    local all = table.concat(bytes):rep(40)
    result = harness.ok(desk.apps.run { "cat", input = all })
    harness.ok(result.stdout == all, #result.stdout .. " bytes came back of " .. #all)
    result = harness.ok(desk.apps.run { "sh", "-c", "kill -9 $$" })
    harness.eq(result.status, 137)
    -- One that reads nothing is no failure, whatever it was given.
    harness.eq(harness.ok(desk.apps.run { "true", input = ("x"):rep(1000000) }).status, 0)
    harness.eq(harness.ok(desk.apps.run { "sh", "-c", "echo $DISPLAY" }).stdout, desk.display .. "\n")
  end)
end

function tests.output_is_capped()
  on_both(function(desk)
    local result = harness.ok(desk.apps.run { "sh", "-c", "head -c 3000000 /dev/zero; echo done >&2",
      max_output = 1000 })
    harness.eq({ result.status, #result.stdout, result.stderr, result.truncated }, { 0, 1000, "done\n", true })
  end)
end

function tests.what_cannot_be_run_says_why()
  on_both(function(desk, folder)
    local none, err = desk.apps.run { "no-such-program-anywhere" }
    harness.eq(none, nil)
    harness.eq(err.code, "not_found")
    harness.has(tostring(err), "apt-get install no-such-program-anywhere")
    none, err = desk.apps.run { "true", cwd = folder .. "/nowhere" }
    harness.eq(none, nil)
    harness.eq(err.code, "not_found")
    harness.has(tostring(err), "there is no folder")
    files.write(folder .. "/plain", "text")
    none, err = desk.apps.run { folder .. "/plain" }
    harness.eq(none, nil)
    harness.eq(err.code, "refused", tostring(err))
    harness.raises("desk.apps.run wants a list", desk.apps.run, "ls -l")
    harness.raises("not colour", desk.apps.run, { "true", colour = 1 })
    harness.raises("timeout must be a number", desk.apps.run, { "true", timeout = "5" })
  end)
end

function tests.nothing_is_left_of_a_program_that_is_not_waited_for()
  on_both(function(desk, folder, where)
    local tag = "world" .. uv.os_getpid() .. where
    -- Children in its group, in a session of their own, and one that holds its output open.
    local path = script(folder, "family-" .. where, ([[
      echo started
      sh -c 'sleep 300; : %s' &
      setsid sh -c 'sleep 300; : %s' &
      sh -c 'trap "" TERM; while :; do sleep 1; done; : %s']]):format(tag, tag, tag))
    local began = task.now()
    local none, err = desk.apps.run { path, timeout = 3 } -- long enough for its first words
    harness.eq(none, nil)
    harness.eq(err.code, "timed_out")
    harness.eq(err.stdout, "started\n")
    harness.ok(task.now() - began < 30)
    harness.wait_until("the end of them all", function() return #running(tag) == 0 end, 10)
    local waiter = task.start(desk.apps.run, { path, timeout = 60 })
    harness.wait_until("the family", function() return #running(tag) >= 3 end, 20)
    waiter:cancel "the test wants it"
    harness.wait_until("the end of them all when cancelled", function() return #running(tag) == 0 end, 10)
  end)
end

function tests.what_a_program_leaves_running_does_not_hold_it()
  on_both(function(desk, _, where)
    local tag = "left" .. uv.os_getpid() .. where
    local result = harness.ok(desk.apps.run { "sh", "-c", "sh -c 'sleep 20; : " .. tag .. "' & echo ended",
      timeout = 15 })
    harness.eq({ result.status, result.stdout }, { 0, "ended\n" })
    harness.ok(result.seconds < 10, result.seconds)
    for _, pid in ipairs(running(tag)) do uv.kill(pid, "sigkill") end
  end)
end

-- --- start, wait, stop ------------------------------------------------------------------------------

function tests.the_new_window_is_the_programs()
  on_both(function(desk, folder)
    local pid, window = desk.apps.start { "mousepad", "--disable-server", wait = 20 }
    harness.ok(pid, tostring(window))
    harness.eq(window.pid, pid)
    harness.has(window.class:lower(), "mousepad")
    -- By a script that starts it: what comes from the program counts as the program's.
    local path = script(folder, "starts", "xterm -T 'Of the script' -e sleep 60\n:")
    local other, second = desk.apps.start { path, wait = 20 }
    harness.ok(other, tostring(second))
    harness.eq(second.title, "Of the script")
    harness.ok(second.id ~= window.id)
    for _, started in ipairs { pid, other } do harness.ok(desk.apps.stop(started)) end
    harness.eq(desk.wait_for_window { id = window.id, gone = true }, true)
  end)
end

-- A second mousepad asks the first to show the file, and ends.
function tests.a_program_that_hands_over()
  with_desktop(function(desk, _, folder)
    files.write(folder .. "/one.txt", "one")
    files.write(folder .. "/two.txt", "two")
    local first, window = desk.apps.start { "mousepad", folder .. "/one.txt", wait = 20 }
    harness.ok(first, tostring(window))
    local second, taken = desk.apps.start { "mousepad", "--opening-mode=window", folder .. "/two.txt", wait = 20 }
    harness.ok(second, tostring(taken))
    harness.ok(taken.id ~= window.id, "a new one")
    harness.eq(taken.pid, first, "of the process that was there")
    harness.ok(desk.wait_for_window { title = "two.txt" })
    harness.eq(desk.apps.wait(second, { timeout = 20 }), 0)
  end)
end

function tests.one_that_shows_no_window_says_so()
  on_both(function(desk)
    local pid, err = desk.apps.start { "sh", "-c", "echo 'it is broken' >&2; exit 3", wait = 20 }
    harness.eq(pid, nil)
    harness.eq(err.code, "io")
    harness.has(tostring(err), "status 3")
    if desk.session then harness.has(tostring(err), "it is broken") end
    pid, err = desk.apps.start { "sleep", "20", wait = 0.2 }
    harness.eq(pid, nil)
    harness.eq(err.code, "timed_out")
  end)
end

function tests.programs_end_and_are_ended()
  on_both(function(desk, folder, where)
    local tag = "stubborn" .. uv.os_getpid() .. where
    local pid = harness.ok(desk.apps.start { "sh", "-c", "exit 5" })
    harness.eq(desk.apps.wait(pid, { timeout = 20 }), 5)
    harness.eq(desk.apps.wait(pid), 5, "and again")
    harness.eq(desk.apps.stop(pid), 5)
    pid = harness.ok(desk.apps.start { "sleep", "60" })
    local status, err = desk.apps.wait(pid, { timeout = 0.1 })
    harness.eq(status, nil)
    harness.eq(err.code, "timed_out")
    harness.eq(desk.apps.stop(pid, { timeout = 20 }), 143, "it was asked")
    local set = files.join(folder, tag)
    pid = harness.ok(desk.apps.start { "sh", "-c", ("trap '' TERM; : > %s; while :; do sleep 1; done"):format(set) })
    harness.wait_until("the trap", function() return files.exists(set) end, 20)
    harness.ok(#running(tag) > 0, "it runs")
    harness.eq(desk.apps.stop(pid, { timeout = 0.3 }), 137, "it was made to")
    harness.wait_until("its children's end", function() return #running(tag) == 0 end, 10)
    -- Windows are closed as a user does: the application ends in its own way.
    local window
    pid, window = desk.apps.start { "galculator", wait = 20 }
    harness.ok(pid, tostring(window))
    harness.eq(desk.apps.stop(pid, { timeout = 20 }), 0)
    status, err = desk.apps.wait(1)
    harness.eq(status, nil)
    harness.eq(err.code, "not_found")
  end)
end

-- --- open -------------------------------------------------------------------------------------------

function tests.files_are_opened_with_their_application()
  with_desktop(function(desk, session, folder)
    local path = files.join(folder, "it's a note; $(x).txt")
    files.write(path, "to be opened")
    local config = session.folder .. "/home/.config"
    harness.ok(files.make_folder(config))
    files.write(config .. "/mimeapps.list", "[Default Applications]\ntext/plain=org.xfce.mousepad.desktop\n")
    local ok, window = desk.apps.open(path, { wait = 20 })
    harness.ok(ok, tostring(window))
    harness.ok(desk.wait_for_window { id = window.id, title = "it's a note", timeout = 20 })
    harness.ok(desk.wait_for_element { app = "mousepad", role = "text", states = "editable", text = "to be opened",
      timeout = 20 })
    local none, err = desk.apps.open(folder .. "/nothing.txt")
    harness.eq(none, nil)
    harness.eq(err.code, "not_found")
    for target, code in pairs { ["javascript:alert(1)"] = "refused", ["ssh://host"] = "refused",
      ["https://a.example/ b"] = "invalid", ["a\nb"] = "invalid", [""] = "invalid",
      ["file:///no/such/file"] = "not_found", ["file://elsewhere/etc/hosts"] = "not_found",
 ["--help"] = "not_found" } do
      none, err = desk.apps.open(target)
      harness.eq(none, nil, target)
      harness.eq(err and err.code, code, target)
    end
  end)
end

-- What the opener is given, by one of our own in its place: a program that writes down its words.
function tests.what_the_opener_is_given()
  with_desktop(function(desk, _, folder)
    local log = folder .. "/log"
    local opener = script(folder, "opener", ('printf "%%s\\n" "$@" >> %s; exit ${STATUS:-0}'):format(log))
    local real = platform.opener
    local guard <close> = finally(function() platform.opener = real end)
    assert(guard)
    function platform.opener(target) return { opener, target } end
    files.write(folder .. "/a b%.txt", "")
    harness.eq(desk.apps.open("https://example.org/?q=a%20b&c=$(d)"), true)
    harness.eq(desk.apps.open("file://" .. folder .. "/a%20b%25.txt"), true)
    harness.eq(files.read(log), "https://example.org/?q=a%20b&c=$(d)\n" .. folder .. "/a b%.txt\n")
    script(folder, "opener", "echo 'no application' >&2; exit 3")
    local ok, err = desk.apps.open(folder)
    harness.eq(ok, nil)
    harness.eq(err.code, "unavailable")
    harness.has(tostring(err), "no application")
    function platform.opener() return real("x") end
  end)
end

return tests
