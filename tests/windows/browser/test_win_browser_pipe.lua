-- A browser that desk.browser.start starts on Windows, over pipes: a stand-in that treats them as Chromium does and has
-- a browser of the machine behind Wine do the work (pipe_browser.c). Judged by that browser's pages and by processes.
local uv = require "luv"
local desk_module = require "deskpilot.desk"
local files = require "deskpilot.base.files"
local harness = require "harness"
local page_server = require "page_server"
local private = require "deskpilot.desk.private.session"
local task = require "deskpilot.base.task"

local tests = {}

local standin = assert(os.getenv "DESKPILOT_PIPE_BROWSER")

local function started(desk)
  local browser, err = desk.browser.start { binary = standin, args = { "--headless",
    "--bridge-program=" .. files.native(os.getenv "DESKPILOT_BIN"), "--bridge-script=tests/windows/browser/bridge.lua",
    "--bridge-port=" .. os.getenv "DESKPILOT_BROWSER_PORT" } }
  return assert(browser, tostring(err))
end

local function check(desk)
  local server = page_server.start { ["/one"] = "<title>One</title>first", ["/two"] = "<title>Two</title>second" }
  local browser = started(desk)
  harness.eq(browser.port, nil)
  local tab = browser:tab()
  harness.eq(harness.ok(tab:navigate(server.url .. "/one")).title, "One")
  local long = tab:evaluate "'0123456789'.repeat(300000)"
  harness.ok(long == ("0123456789"):rep(300000), "three megabytes from it")
  harness.eq(tab:evaluate(("'%s'.length"):format(long)), #long, "and to it")
  local other = harness.ok(browser:new_tab(server.url .. "/two"))
  harness.eq({ tab:info().title, other:info().title, #browser:tabs() }, { "One", "Two", 2 })
  harness.ok(other:close())
  local pid, folder = browser.process.pid, browser.process.folder
  local waiting = task.start(tab.evaluate, tab, "new Promise(() => {})", { timeout = 60 })
  uv.kill(pid, "sigkill")
  local _, none, err = waiting:wait()
  harness.fails("unavailable", "connection to the browser is lost", none, err)
  harness.wait_until("its end", function() return browser.process:ended() end)
  harness.fails("unavailable", "browser:reconnect() starts it again", browser:tab())
  -- Another one, which is without its pipes from one moment to the next.
  browser:abandon()
  browser = started(desk)
  pid = browser.process.pid
  browser.connection:close()
  harness.wait_until("its end without pipes", function() return browser.process:ended() end)
  browser:abandon()
  harness.ok(uv.kill(pid, 0) ~= 0, "it has ended")
  harness.ok(not files.exists(folder), folder)
  server:stop()
end

function tests.on_the_current_desktop()
  local desk = assert(desk_module.open { timing = { browser_start = 60, browser_answer = 20, focus = 1 } })
  check(desk)
  desk:close()
end

function tests.on_a_private_desktop()
  local session = assert(private.start {})
  local stopping <close> = setmetatable({}, { __close = function() session:stop() end })
  assert(stopping)
  local desk = assert(desk_module.open { display = session.display, session = session,
    timing = { browser_start = 60, browser_answer = 20, focus = 1 } })
  check(desk)
  desk:close()
end

return tests
