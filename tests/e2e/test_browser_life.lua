-- Browsers that are started, attached to, killed and started again. Judged by the processes, windows and files that
-- there are, and by what pages know.
local uv = require "luv"
local browsing = require "browsing"
local desk_module = require "deskpilot.desk"
local files = require "deskpilot.base.files"
local harness = require "harness"
local page_server = require "page_server"
local private = require "deskpilot.desk.private.session"
local program = require "deskpilot.desk.app.program"
local spawn = require "spawn"
local task = require "deskpilot.base.task"

local tests = {}

local function finally(fn) return setmetatable({}, { __close = fn }) end

local page = browsing.page

-- The processes whose command line has that word.
local function running(word)
  local list = {}
  for _, name in ipairs(files.list "/proc") do
    local line = name:match "^%d+$" and files.read("/proc/" .. name .. "/cmdline") or ""
    if line:find(word, 1, true) then list[#list + 1] = math.tointeger(tonumber(name)) end
  end
  return list
end

local function has_gone(folder)
  harness.wait_until("the end of all its processes", function() return #running(folder) == 0 end, 20)
  harness.ok(not files.exists(folder), folder .. " is gone")
end

-- A browser that is none of ours, as its user would start it.
local function start_other(desk, folder, flags)
  files.remove(folder .. "/DevToolsActivePort") -- of the one before on that profile
  local argv = { "chromium", "--user-data-dir=" .. folder, "--no-sandbox", "--test-type", "--disable-gpu",
    "--no-first-run", "--password-store=basic", wait = 60 }
  for _, flag in ipairs(flags) do argv[#argv + 1] = flag end
  argv[#argv + 1] = "about:blank"
  local pid, window = desk.apps.start(argv)
  harness.ok(pid, tostring(window))
  if #flags > 0 then
    harness.wait_until("its port", function()
      return (files.read(folder .. "/DevToolsActivePort") or ""):find "^%d+\n/devtools"
    end, 30)
  end
  return pid, window
end

-- --- life -----------------------------------------------------------------------------------------------

function tests.a_browser_of_our_own_leaves_nothing()
  browsing.on_desktop(function(desk)
    local server = page_server.start { ["/"] = page("Start") }
    local stop <close> = finally(function() server:stop() end)
    assert(stop)
    local browser = harness.ok(desk.browser.start { url = server.url .. "/", window = { 700, 500 } })
    harness.ok(desk.browser.current() == browser)
    harness.eq(server:count "/", 1)
    local folder = browser.process.folder
    harness.ok(#running(folder) > 0, "it runs")
    local window = harness.ok(desk.wait_for_window { title = "Start", pid = browser.pid })
    harness.eq({ window.width, window.height }, { 700, 500 })
    harness.eq(harness.ok(browser:tab():window()).id, window.id)
    harness.ok(desk.browser.of_window(window) == browser)
    harness.eq(browser:close(), true)
    has_gone(folder)
    harness.eq(desk.browser.current(), nil)
    harness.eq(browser:close(), true, "a second time")
    harness.fails("unavailable", "has been closed", browser:tab())
    -- With a profile that is kept, and one that goes with the desk.
    local kept = spawn.folder()
    local first = harness.ok(desk.browser.start { profile = kept, url = server.url .. "/" })
    harness.ok(first:tab():evaluate("localStorage.setItem('kept', 'yes'), true"))
    harness.ok(first:close())
    harness.ok(files.exists(kept .. "/Default"))
    local second = harness.ok(desk.browser.start { profile = kept, url = server.url .. "/" })
    harness.eq(second:tab():evaluate("localStorage.getItem('kept')"), "yes")
    harness.fails("refused", "another browser runs with the profile", desk.browser.start { profile = kept })
    harness.eq(second:tab():evaluate "6 * 7", 42, "which goes on")
    folder = second.process.folder
    local third = harness.ok(desk.browser.start())
    harness.ok(desk.browser.current() == third)
    local other = third.process.folder
    desk:close()
    has_gone(folder)
    has_gone(other)
    harness.wait_until("the end", function() return #running(kept) == 0 end, 20)
    files.remove(kept)
  end)
end

-- The sockets that those processes have open, by their inodes.
local function sockets_of(pids)
  local found = {}
  for _, pid in ipairs(pids) do
    for _, name in ipairs(files.list(("/proc/%d/fd"):format(pid)) or {}) do
      local inode = (uv.fs_readlink(("/proc/%d/fd/%s"):format(pid, name)) or ""):match "^socket:%[(%d+)%]$"
      if inode then found[inode] = true end
    end
  end
  return found
end

-- The TCP addresses on which those processes listen, as the kernel has them.
local function listening(pids)
  local own, list = sockets_of(pids), {}
  harness.ok(next(own), "its sockets can be seen")
  for _, name in ipairs { "tcp", "tcp6" } do
    for line in files.read("/proc/net/" .. name):gmatch "[^\n]+" do
      local fields = {}
      for field in line:gmatch "%S+" do fields[#fields + 1] = field end
      if fields[4] == "0A" and own[fields[10]] then list[#list + 1] = fields[2] end
    end
  end
  return list
end

function tests.nobody_else_can_speak_to_a_browser_of_our_own()
  browsing.on_desktop(function(desk, session)
    local browser = harness.ok(desk.browser.start { url = "data:text/html,<title>Ours</title>" })
    local family = running(browser.process.folder)
    harness.ok(#family > 1, #family)
    harness.eq(listening(family), {}, "addresses where the browser listens")
    harness.eq(listening { uv.os_getpid(), session.pids.host }, {}, "addresses where we listen")
    harness.ok(not files.exists(browser.profile .. "/DevToolsActivePort"), "no file with a port")
    for _, name in ipairs(files.list(session.folder)) do
      harness.ok((uv.fs_lstat(session.folder .. "/" .. name) or {}).type ~= "socket", name .. " is a socket")
    end
    if uv.getuid() ~= 0 then return end
    local seen = harness.ok(program.run { timeout = 30,
      argv = { "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "ls", session.folder } })
    harness.ok(seen.status ~= 0 and seen.stdout == "", "another user cannot look into its folder: " .. seen.stdout)
  end)
end

-- On a desktop that is not ours there is no host that ends it.
function tests.on_its_users_desktop()
  browsing.on_desktop(function(_, session)
    local desk = assert(desk_module.open { display = session.display, bus = session.bus_address,
      session = { cookie = session.cookie }, timing = { browser_start = 60, browser_answer = 20 } })
    desk.session = nil
    uv.os_setenv("XAUTHORITY", session.folder .. "/xauthority") -- as a session's programs have it
    local unset <close> = finally(function() uv.os_unsetenv "XAUTHORITY" end)
    assert(unset)
    local browser = harness.ok(desk.browser.start { url = "data:text/html,<title>Here</title>" })
    local folder = browser.process.folder
    harness.ok(desk.wait_for_window { title = "Here", pid = browser.pid, timeout = 30 })
    uv.kill(browser.pid, "sigkill")
    harness.eq(browser:reconnect(), true)
    harness.eq(browser:tab():info().title, "Here")
    local second = harness.ok(desk.browser.start())
    harness.eq(second:close(), true)
    has_gone(second.process.folder)
    desk:close()
    has_gone(folder)
  end)
end

-- Nobody is left who could end it: it ends by itself when its pipes are closed.
function tests.it_goes_with_a_deskpilot_that_was_killed()
  browsing.on_desktop(function(_, session)
    local process = spawn.start({ spawn.program, "eval", [[
      local browser = assert(desk.browser.start { url = "data:text/html,<title>Ours</title>" })
      io.stderr:write("folder=", browser.process.folder, "\n")
      require("deskpilot.base.task").sleep(60)]] },
      { env = { DISPLAY = session.display, XAUTHORITY = session.folder .. "/xauthority",
        DBUS_SESSION_BUS_ADDRESS = session.bus_address } })
    process:wait_for_word("\n", 60)
    local folder = process.stderr:match "folder=([^\n]+)"
    harness.ok(#running(folder) > 1, process.stderr)
    process:kill "sigkill"
    process:wait()
    harness.wait_until("the end of all its processes", function() return #running(folder) == 0 end, 20)
    files.remove(folder)
  end)
end

function tests.what_cannot_be_started_says_why()
  browsing.on_desktop(function(desk, session)
    harness.fails("not_found", "no program 'no-such-browser'", desk.browser.start { binary = "no-such-browser" })
    local folder = spawn.folder()
    files.write(folder .. "/broken", "#!/bin/sh\necho 'cannot find my engine' >&2\nexit 7\n")
    uv.fs_chmod(folder .. "/broken", tonumber("755", 8))
    harness.fails("unavailable", "status 7 before it could be reached: cannot find my engine",
      desk.browser.start { binary = folder .. "/broken" })
    local began = task.now()
    files.write(folder .. "/idle", "#!/bin/sh\nexec sleep 60\n")
    uv.fs_chmod(folder .. "/idle", tonumber("755", 8))
    harness.fails("timed_out", "did not answer", desk.browser.start { binary = folder .. "/idle", wait = 1 })
    files.write(folder .. "/deaf", "#!/bin/sh\nexec sleep 60 3<&- 4>&-\n")
    uv.fs_chmod(folder .. "/deaf", tonumber("755", 8))
    harness.fails("unavailable", "connection to the browser is lost",
      desk.browser.start { binary = folder .. "/deaf", wait = 10 })
    files.write(folder .. "/liar", "#!/bin/sh\nhead -c 1000000 /dev/zero | tr '\\0' x >&4\nprintf '\\0' >&4\n"
      .. "exec sleep 60\n")
    uv.fs_chmod(folder .. "/liar", tonumber("755", 8))
    harness.fails("protocol", "malformed message", desk.browser.start { binary = folder .. "/liar", wait = 10 })
    harness.ok(task.now() - began < 30, "bounded")
    local nobody, socket = page_server.nobody()
    harness.fails("unavailable", "nothing listens there", desk.browser.start { url = nobody })
    socket:close()
    harness.eq(desk.browser.current(), nil)
    for _, name in ipairs(files.list(session.folder)) do
      harness.ok(not name:find "^browser", name .. " is left")
    end
    harness.raises("args are flags", desk.browser.start, { args = { "http://a/" } })
    harness.raises("not colour", desk.browser.start, { colour = "red" })
    files.remove(folder)
  end)
end

function tests.a_desktop_that_vanishes_while_it_starts()
  local session = assert(private.start { size = { 800, 600 } })
  local guard <close> = finally(function() session:abandon() end)
  assert(guard)
  local desk = assert(desk_module.open { display = session.display, bus = session.bus_address, session = session })
  local began = task.now()
  local starting = task.start(function() return desk.browser.start { wait = 60 } end)
  harness.wait_until("its process", function() return #running(session.folder .. "/browser-") > 0 end)
  uv.kill(session.pids.server, "sigkill")
  local ok, browser, err = starting:wait()
  harness.ok(ok, tostring(browser))
  harness.eq(browser, nil)
  harness.ok(harness.ok(err).code ~= "timed_out" and task.now() - began < 30, tostring(err))
  harness.ok(tostring(err):find "%a+ %a+" and not tostring(err):find("traceback", 1, true), tostring(err))
  desk:close()
  session:stop()
  has_gone(session.folder)
end

-- --- attaching --------------------------------------------------------------------------------------------

function tests.browsers_that_run_are_attached_to()
  browsing.on_desktop(function(desk)
    local base, plain, folder = spawn.folder(), spawn.folder(), spawn.folder()
    local profile = base .. "/a profile"
    local pid, window = start_other(desk, profile, { "--remote-debugging-port=0" })
    local browser = harness.ok(desk.browser.attach { profile = profile })
    harness.eq({ browser.pid, browser.port }, { pid,
      math.tointeger(tonumber(files.read(profile .. "/DevToolsActivePort"):match "^%d+")) })
    harness.eq(browser:tab():evaluate("6 * 7"), 42)
    harness.ok(browser:close())
    -- By its window, which is looked for, and by its port.
    local same = harness.ok(desk.browser.attach { window = { pid = pid } })
    harness.ok(same:tab():navigate("data:text/html,<title>Mine</title>"))
    local by_window = harness.ok(desk.browser.of_window(window))
    harness.ok(by_window == desk.browser.current(), "which is known by now")
    -- Its connection is made anew without a word.
    by_window.connection:close()
    harness.eq(by_window:tab():info().title, "Mine")
    local by_port = harness.ok(desk.browser.attach { port = by_window.port, downloads = folder })
    harness.eq(by_port:tab():info().title, "Mine", "two connections to one browser")
    -- Its user closes the tab and opens others; another browser comes on the same profile.
    harness.ok(by_port:new_tab("data:text/html,<title>Second</title>"))
    harness.wait_until("the other to be told", function() return #by_window:tabs() == 2 end)
    uv.kill(pid, "sigterm")
    harness.wait_until("its end", function() return desk.apps.ended(pid) end, 30)
    harness.wait_until("the loss to be known", function() return by_window.connection.closed end)
    harness.fails("unavailable", "", by_window:tabs())
    local again = start_other(desk, profile, { "--remote-debugging-port=0" })
    local third = harness.ok(desk.browser.attach { profile = profile })
    harness.ok(third:tab())
    uv.kill(again, "sigkill")
    harness.wait_until("its end", function() return desk.apps.ended(again) end, 30)
    again = start_other(desk, profile, { "--remote-debugging-port=0" })
    harness.wait_until("the loss to be known", function() return third.connection.closed end)
    harness.ok(third:tab(), "found again by its profile")
    harness.eq(third:tab():wait_for { url = "about:blank" }, true)
    harness.eq(third.pid, again)
    -- Those that cannot be attached to.
    local _, mute = start_other(desk, plain, {})
    harness.fails("not_found", "--remote-debugging-port=0", desk.browser.of_window(mute))
    harness.fails("not_found", "--remote-debugging-port=0", desk.browser.attach { profile = plain })
    harness.fails("not_found", "", desk.browser.attach { window = { title = "no such window" } })
    harness.fails("unavailable", "no browser answers on port", desk.browser.attach { port = by_port.port })
    harness.raises("one of port, profile and window", desk.browser.attach, {})
    desk:close()
    harness.ok(#running(profile) > 0, "what we did not start goes on")
    for _, one in ipairs { base, plain, folder } do
      for _, number in ipairs(running(one)) do uv.kill(number, "sigkill") end
      harness.wait_until("their end", function() return #running(one) == 0 end, 20)
      files.remove(one)
    end
  end)
end

-- What listens may be anything.
function tests.hostile_endpoints()
  local desk = harness.ok(require("deskpilot.desk").open { backend = "null", width = 100, height = 100 })
  local function answers(words)
    local server = page_server.start { ["/json/version"] = words }
    local began = task.now()
    local browser, err = desk.browser.attach { port = server.port }
    server:stop()
    harness.ok(task.now() - began < 30, "bounded")
    return browser, err
  end
  local function socket(url) return ('{"webSocketDebuggerUrl":"%s"}'):format(url) end
  harness.fails("protocol", "not a browser", answers "")
  harness.fails("protocol", "not a browser", answers "[[[[")
  harness.fails("protocol", "not a browser", answers(("["):rep(60000)))
  harness.fails("protocol", "not a browser", answers "{\"webSocketDebuggerUrl\":{}}")
  harness.fails("protocol", "not a browser", answers(socket "ws://127.0.0.1/other/place"))
  harness.fails("protocol", "not a browser", answers(socket "file:///devtools/browser/x"))
  harness.fails("protocol", "not a browser", answers { status = 302, headers = { Location = "http://example.org/" } })
  harness.fails("protocol", "no browser answers", answers(("x"):rep(200000)))
  harness.fails("io", "no browser answers", answers { drop = true })
  -- The host that it names is not gone to: it is this machine's port, which knows nothing of WebSockets.
  harness.fails("unavailable", "cannot be reached", answers(socket "ws://example.org:1/devtools/browser/abc"))
  for _, words in ipairs { "x", "0\n/devtools/browser/a", "99999\n/devtools/browser/a", "80\n/../etc", "80" } do
    local folder = spawn.folder()
    files.write(folder .. "/DevToolsActivePort", words)
    harness.fails("protocol", "does not hold a browser's port", desk.browser.attach { profile = folder })
    files.remove(folder)
  end
  desk:close()
end

-- --- killed, hanging ----------------------------------------------------------------------------------------

function tests.a_killed_browser_is_started_again()
  browsing.with({ ["/one"] = page("One"), ["/two"] = page("Two") }, function(browser, server, desk)
    local one = browser:tab()
    harness.ok(one:navigate(server.url .. "/one"))
    local two = harness.ok(browser:new_tab(server.url .. "/two"))
    local before = browser.pid
    local began = task.now()
    local waiting = task.start(two.evaluate, two, "new Promise(() => {})", { timeout = 60 })
    uv.kill(before, "sigkill")
    local _, none, err = waiting:wait()
    harness.fails("unavailable", "connection to the browser is lost", none, err)
    harness.ok(task.now() - began < 30, "at once: not when the script's time is over")
    harness.wait_until("its end", function() return browser.process:ended() end, 30)
    harness.fails("unavailable", "browser:reconnect() starts it again", one:evaluate("1"))
    harness.fails("unavailable", "status 137", browser:tab())
    harness.ok(desk.browser.current() == browser, "it can be mended")
    harness.eq(browser:reconnect(), true)
    harness.ok(browser.pid ~= before and #running("--user-data-dir=" .. browser.profile) > 0)
    harness.eq({ one:info().title, two:info().title, #browser:tabs() }, { "One", "Two", 2 },
      "the same tabs, where they were")
    harness.eq(server:count "/two", 2)
    harness.eq(browser:reconnect(), true, "nothing to do")
    harness.eq(server:count "/two", 2)
    -- Nobody else has its pipes: without them it ends, and does not stay behind.
    before = browser.pid
    browser.connection:close()
    harness.fails("unavailable", "browser:reconnect() starts it again", two:evaluate("document.title"))
    harness.wait_until("its end", function() return browser.process:ended() end, 30)
    harness.eq(browser:reconnect(), true)
    harness.ok(browser.pid ~= before, browser.pid)
    harness.eq(two:evaluate("document.title"), "Two")
    -- With an empty tab; then it cannot be started any more.
    uv.kill(browser.pid, "sigkill")
    harness.eq(browser:reconnect { urls = false }, true)
    harness.eq({ #browser:tabs(), browser:tab():info().url, two.closed }, { 1, "about:blank", true })
    uv.kill(browser.pid, "sigkill")
    browser.process.binary = "no-such-browser"
    harness.fails("not_found", "no program", browser:reconnect())
  end)
end

-- Stops the processes that draw a browser's pages as they start, until cont() is called.
local function stop_renderers(browser)
  local stopped, over = {}, false
  local watching = task.start(function()
    while not over do
      for _, pid in ipairs(running("--user-data-dir=" .. browser.profile)) do
        local line = files.read(("/proc/%d/cmdline"):format(pid)) or ""
        if not stopped[pid] and line:find("--type=renderer", 1, true) and line:find(browser.profile, 1, true) then
          uv.kill(pid, "sigstop")
          stopped[pid] = true
        end
      end
      task.sleep(0.005)
    end
  end)
  return stopped, function()
    over = true
    watching:wait()
    for pid in pairs(stopped) do uv.kill(pid, "sigcont") end
  end
end

-- On a machine that is busy for so long that a tab does not answer in time when it is attached.
function tests.a_browser_that_is_slow_to_start_gets_its_page_back()
  browsing.with({ ["/one"] = page("One") }, function(browser, server, desk)
    desk.timing.browser_answer = 1
    harness.ok(browser:tab():navigate(server.url .. "/one"))
    local stopped, cont = stop_renderers(browser)
    uv.kill(browser.pid, "sigkill")
    local reconnecting = task.start(browser.reconnect, browser)
    harness.wait_until("a renderer that was stopped", function() return next(stopped) end, 60)
    task.sleep(6) -- longer than all that is asked of a tab when it is attached may take
    cont()
    local _, ok, err = reconnecting:wait()
    harness.eq({ ok, err }, { true })
    harness.eq({ browser:tab():info().title, server:count "/one" }, { "One", 2 })
    -- What cannot be loaded again is told.
    local nobody, socket = page_server.nobody()
    harness.fails("unavailable", "nothing listens there", browser:tab():navigate(nobody))
    uv.kill(browser.pid, "sigkill")
    local again, _, missing = browser:reconnect()
    harness.eq({ again, #missing }, { true, 1 })
    harness.has(missing[1], "nothing listens there")
    socket:close()
  end)
end

function tests.a_browser_that_hangs_holds_nobody_up()
  browsing.with({}, function(browser)
    local tab = browser:tab()
    harness.eq(tab:info().ready, "complete")
    local family = running(browser.process.folder)
    uv.kill(browser.pid, "sigstop")
    local began = task.now()
    harness.fails("timed_out", "did not answer", tab:call("Runtime.evaluate", { expression = "1" }, 1))
    harness.fails("timed_out", "", tab:navigate("data:text/html,x", { timeout = 1 }))
    harness.ok(task.now() - began < 15, "bounded")
    uv.kill(browser.pid, "sigcont")
    -- What it was told meanwhile it does now.
    harness.eq(tab:wait_for { url = "data:text/html,x", idle = true, timeout = 60 }, true)
    harness.eq(tab:evaluate("6 * 7", { timeout = 60 }), 42)
    harness.ok(#family > 1, #family)
  end)
end

return tests
