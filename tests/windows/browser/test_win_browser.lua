-- desk.browser on Windows, driving a browser of the machine behind Wine (with_browser.sh): all that is no window,
-- process or real input. Judged by the pages and by the server that they come from.
local desk_module = require "deskpilot.desk"
local files = require "deskpilot.base.files"
local harness = require "harness"
local page_server = require "page_server"
local spawn = require "spawn"
local system = require "native.system"
local task = require "deskpilot.base.task"

local tests = {}

local port = assert(math.tointeger(tonumber(os.getenv "DESKPILOT_BROWSER_PORT")))

local bytes = ("\0\1\r\n\26\xff"):rep(30000)

local function with_tab(fn)
  local server = page_server.start {
    ["/one"] = "<title>One</title><body>first <button aria-label='Send it'>x</button><a id=file href=/file>f</a>",
    ["/two"] = "<title>Two</title><body>second",
    ["/file"] = { type = "application/octet-stream", body = bytes,
      headers = { ["Content-Disposition"] = "attachment; filename=data.bin" } },
  }
  local desk = assert(desk_module.open())
  local browser = harness.ok(desk.browser.attach { port = port })
  fn(browser:tab(), server, browser)
  browser:close()
  desk:close()
  server:stop()
end

function tests.pages()
  with_tab(function(tab, server, browser)
    local visit = harness.ok(tab:navigate(server.url .. "/one"))
    harness.eq({ visit.title, visit.status, server:count "/one" }, { "One", 200, 1 })
    harness.eq(tab:evaluate("({ a: [1, 'x'], b: document.title })"), { a = { 1, "x" }, b = "One" })
    harness.eq(tab:wait_for { text = "FIRST", element = { role = "button", name = "send" }, idle = true }, true)
    harness.eq(harness.ok(tab:navigate(server.url .. "/two")).title, "Two")
    harness.eq(harness.ok(tab:back()).title, "One")
    harness.fails("timed_out", "within 0.5 s", tab:evaluate("for (;;) {}", { timeout = 0.5 }))
    harness.fails("not_found", "no such file", tab:navigate "file:///no/such/file")
    local other = harness.ok(browser:new_tab(server.url .. "/two"))
    harness.eq(#browser:tabs(), 2)
    harness.eq(other:close(), true)
    harness.eq(#browser:tabs(), 1)
  end)
end

function tests.dialogs()
  with_tab(function(tab, server)
    harness.ok(tab:navigate(server.url .. "/one"))
    harness.ok(tab:evaluate("setTimeout(() => window.said = prompt('Name?', 'you'), 1), true"))
    harness.eq(harness.wait_until("the dialog", function() return tab:dialog() end).default, "you")
    harness.fails("refused", "prompt: \"Name?\"", tab:evaluate "1")
    harness.eq(tab:accept_dialog "J\u{f6}rg", true)
    harness.eq(tab:evaluate "said", "J\u{f6}rg")
  end)
end

function tests.files_pictures_and_paper()
  with_tab(function(tab, server)
    local folder = spawn.folder()
    harness.ok(tab:navigate(server.url .. "/one"))
    local path, download = tab:wait_for_download { action = function()
      return tab:evaluate("document.getElementById('file').click(), true", { gesture = true })
    end }
    harness.ok(path, tostring(download))
    harness.ok(files.read(path or "") == bytes, "all of its bytes")
    harness.eq((path or ""):match "[^/]*$", "data.bin")
    local shot = harness.ok(tab:screenshot { path = folder .. "/view.png" })
    harness.eq({ shot.width, shot.height }, tab:evaluate "[innerWidth, innerHeight]")
    harness.eq({ shot:pixel(shot.width - 1, shot.height - 1) }, { 255, 255, 255 })
    harness.eq(tab:pdf(folder .. "/page.pdf"), true)
    harness.eq((files.read(folder .. "/page.pdf") or ""):sub(1, 5), "%PDF-")
    files.remove(folder)
  end)
end

function tests.a_lost_connection_is_made_anew()
  with_tab(function(tab, server, browser)
    harness.ok(tab:navigate(server.url .. "/one"))
    local waiting = task.start(tab.evaluate, tab, "new Promise(() => {})", { timeout = 60 })
    browser.connection:close()
    local _, none, err = waiting:wait()
    harness.fails("unavailable", "has been closed", none, err)
    harness.eq(tab:evaluate "document.title", "One")
  end)
end

function tests.what_is_not_here_says_so()
  local desk = assert(desk_module.open())
  harness.fails("unavailable", "there is no browser here that can be started: install Edge", desk.browser.start())
  harness.fails("not_found", "no browser with a debugging port runs with the profile", desk.browser.attach {
    profile = files.temporary_folder() })
  desk:close()
end

-- The words of a process, by which a browser is found from its window.
function tests.command_lines()
  local process = spawn.start { spawn.program, "eval", "require('deskpilot.base.task').sleep(60)", "a b", "\"\u{e9}\"" }
  local words = harness.wait_until("its words", function() return system.command_line(process.pid) end)
  harness.eq({ table.unpack(words, 2) }, { "eval", "require('deskpilot.base.task').sleep(60)", "a b", "\"\u{e9}\"" })
  process:kill "sigkill"
  process:wait()
  harness.eq(system.command_line(0x7ffffff0), nil)
end

return tests
