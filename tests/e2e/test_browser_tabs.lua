-- The tabs of a real browser, which one is in sight, and the files that they fetch. Judged by the windows and files
-- that there are, and by what pages know.
local uv = require "luv"
local browsing = require "browsing"
local files = require "deskpilot.base.files"
local harness = require "harness"
local task = require "deskpilot.base.task"

local tests = {}

local page = browsing.page

-- --- tabs -------------------------------------------------------------------------------------------------

local opener = page("Opener", [[<a href="/second" target="_blank">second</a>
  <button onclick="window.open('/small', '', 'width=300,height=300')">small</button>]])

function tests.the_tab_in_sight()
  browsing.with({ ["/"] = opener, ["/second"] = page("Second"), ["/small"] = page("Small") },
    function(browser, server, desk)
      local function title() return harness.ok(browser:tab()):info().title end
      local first = browser:tab()
      harness.ok(first:navigate(server.url .. "/"))
      local function click(selector)
        harness.ok(first:evaluate(("document.querySelector('%s').click(), true"):format(selector), { gesture = true }))
      end
      -- A link that opens a tab: it is the one in sight at once.
      click "a"
      harness.wait_until("the second tab", function() return #browser:tabs() == 2 end)
      harness.wait_until("the second tab in sight", function() return title() == "Second" end)
      local second = browser:tab()
      harness.wait_until("it to know that it is", function()
        return second:evaluate("document.visibilityState") == "visible"
      end)
      harness.eq(first:activate(), true)
      harness.eq({ title(), first:evaluate("document.visibilityState") }, { "Opener", "visible" })
      -- By its user, with the keyboard.
      harness.ok(desk.windows.focus(first:window()))
      harness.ok(desk.keyboard.press "ctrl+tab")
      harness.wait_until("the next tab in sight", function() return title() == "Second" end)
      -- A window of its own; and the one before, brought to the front by its user.
      harness.eq(first:activate(), true)
      click "button"
      local small = harness.ok(desk.wait_for_window { title = "Small", pid = browser.pid })
      harness.wait_until("the small one in sight", function() return title() == "Small" end)
      local third = browser:tab()
      harness.eq(harness.ok(third:window()).id, small.id)
      harness.ok(harness.ok(first:window()).id ~= small.id)
      harness.ok(desk.windows.focus(first:window()))
      harness.wait_until("the first in sight", function() return title() == "Opener" end)
      harness.eq(third:activate(), true)
      harness.eq(title(), "Small")
      harness.ok(harness.ok(desk.windows.active()).id == small.id, "its window came to the front")
      -- Closed by us, by itself.
      harness.eq(third:close(), true)
      harness.eq(title(), "Opener")
      harness.fails("not_found", "the tab has been closed", third:evaluate("1"))
      harness.fails("not_found", "the tab has been closed", third:navigate("about:blank"))
      harness.eq(third:close(), true)
      task.start(second.call, second, "Page.close")
      harness.wait_until("its end", function() return second.closed end)
      harness.eq(#browser:tabs(), 1)
      -- One that crashes says so at once, and can be loaded again.
      local waiting = task.start(first.evaluate, first, "new Promise(() => {})", { timeout = 60 })
      task.start(first.call, first, "Page.crash", nil, 5)
      local _, none, err = waiting:wait()
      harness.fails("unavailable", "has crashed", none, err)
      harness.fails("unavailable", "has crashed", first:evaluate("1"))
      harness.eq(harness.ok(first:reload()).title, "Opener")
      harness.eq(first:evaluate("document.title"), "Opener")
      -- The last one.
      harness.eq(first:close(), true)
      local nothing, why = browser:tab()
      harness.eq(nothing, nil)
      harness.ok(why.code == "not_found" or why.code == "unavailable", tostring(why))
    end)
end

-- Where that is wanted, desk.elements sees the page and the browser around it; else neither.
function tests.elements_of_the_browser()
  local routes = { ["/"] = page("Field", "<input aria-label=\"A field\">") }
  browsing.with(routes, function(browser, server, desk)
    harness.ok(harness.ok(browser:tab()):navigate(server.url .. "/"))
    harness.ok(desk.elements.find { app = "chromium", role = "entry", name = "A field", timeout = 20 })
    harness.ok(desk.elements.find { app = "chromium", role = "push button", name = "Reload", timeout = 20 })
  end, { accessibility = true })
  browsing.with(routes, function(browser, server, desk)
    harness.ok(harness.ok(browser:tab()):navigate(server.url .. "/"))
    harness.eq(#harness.ok(desk.elements.list { all = true }), 0)
    local found, err = desk.elements.find { role = "entry", name = "A field" }
    harness.eq(found, nil)
    harness.has(tostring(err), "desk.browser.start has accessibility = true")
  end)
end

-- Not to the field of the address, from where they would go to a search engine.
function tests.keys_go_to_the_page()
  browsing.with({ ["/"] = page("Field", "<input id=field aria-label=\"A field\">") }, function(browser, server, desk)
    local function check(what, tab)
      harness.ok(tab:navigate(server.url .. "/"))
      harness.ok(tab:evaluate("document.getElementById('field').focus(), true"))
      harness.ok(desk.keyboard.type "keys")
      local shown = task.limit(20, function()
        while tab:evaluate("document.getElementById('field').value") ~= "keys" do task.sleep(0.02) end
      end)
      harness.ok(shown, what)
    end
    local first = browser:tab()
    check("in the first tab", first)
    local second = harness.ok(browser:new_tab())
    check("in a new one", second)
    harness.ok(desk.keyboard.press "ctrl+l") -- its user goes to the field
    harness.wait_until("the page without the keys", function()
      return second:evaluate("document.hasFocus()") == false
    end)
    harness.ok(second:activate())
    check("in one that is activated", second)
    harness.ok(second:close())
    check("when that has been closed", first)
    uv.kill(browser.pid, "sigkill")
    harness.ok(browser:reconnect())
    check("after a new start", first)
  end)
end

-- --- files --------------------------------------------------------------------------------------------------

local bytes = {}
for i = 0, 255 do bytes[#bytes + 1] = string.char(i) end
bytes = table.concat(bytes):rep(2000)

local function as_file(name, more)
  local answer = { type = "application/octet-stream", body = bytes,
    headers = { ["Content-Disposition"] = "attachment; filename=\"" .. name .. "\"" } }
  for key, value in pairs(more or {}) do answer[key] = value end
  return answer
end

local links = {}
for _, name in ipairs { "plain", "path", "device", "cut", "held", "blank" } do
  local target = name == "blank" and "target=_blank" or ""
  links[#links + 1] = ('<a id=%s href="/%s" %s>%s</a>'):format(name, name, target, name)
end

function tests.files_are_followed()
  browsing.with({ ["/"] = page("Files", table.concat(links)), ["/plain"] = as_file "report.bin",
    ["/path"] = as_file "../../.bashrc", ["/device"] = as_file "NUL.txt", ["/cut"] = as_file("cut.bin", { cut = 1000 }),
    ["/held"] = as_file("held.bin", { hold = true }), ["/blank"] = as_file "blank.bin" }, function(browser, server)
      local tab = browser:tab()
      harness.ok(tab:navigate(server.url .. "/"))
      local function fetch(name, timeout)
        return tab:wait_for_download { timeout = timeout or 60, action = function()
          return tab:evaluate(("document.getElementById('%s').click(), true"):format(name), { gesture = true })
        end }
      end
      local path, download = fetch "plain"
      harness.ok(path, tostring(download))
      harness.eq(path, browser.download_folder .. "/report.bin")
      harness.ok(files.read(path) == bytes, "all of its bytes")
      harness.eq({ download.state, download.received, download.url }, { "complete", #bytes, server.url .. "/plain" })
      harness.eq(harness.ok(fetch "plain"), browser.download_folder .. "/report (1).bin")
      -- Names that the page would like: whatever they are, the file is one in the folder.
      for _, name in ipairs { "path", "device" } do
        path = harness.ok(fetch(name))
        harness.eq(files.split(path), browser.download_folder, name)
        harness.ok(not path:match("[^/]*$"):find("^%.") and not path:find("/NUL%."), path)
        harness.ok(files.read(path) == bytes, name)
      end
      path = harness.ok(fetch "blank")
      harness.has(path, "blank.bin")
      harness.fails("cancelled", "was interrupted after", fetch "cut")
      harness.fails("timed_out", "did not start a download in time", tab:wait_for_download { timeout = 0.3 })
      harness.fails("invalid", "nothing there", tab:wait_for_download { action = function()
        return tab:evaluate("throw Error('nothing there')")
      end })
      harness.fails("timed_out", "", fetch("held", 1))
      server:release()
      harness.wait_until("the last", function() return tab.downloads[#tab.downloads].name == "held.bin" end)
      harness.ok(tab.downloads[#tab.downloads]:wait())
      local names
      local function six() -- what came of the one that was cut is removed a moment later
        names = {}
        for _, name in ipairs(files.list(browser.download_folder)) do names[#names + 1] = name end
        return #names == 6
      end
      harness.ok(pcall(harness.wait_until, "six files", six), table.concat(names, ", "))
      harness.eq(#browser.downloads, 7)
    end)
end

function tests.names_of_files()
  local safe = require("deskpilot.desk.browser.downloads").safe_name
  for wish, name in pairs { ["a.txt"] = "a.txt", ["../../etc/passwd"] = "passwd", ["C:\\x\\y.exe"] = "y.exe",
    [""] = "download", [".."] = "download", [".bashrc"] = "bashrc", ["a\nb\0c.txt"] = "a_b_c.txt",
    ["NUL"] = "_NUL", ["com1.txt"] = "_com1.txt", ["aux .tar.gz"] = "_aux .tar.gz", ["a. . "] = "a",
    ["a<b>:\"|?*.txt"] = "a_b______.txt", ["\u{4f60}\u{597d}.pdf"] = "\u{4f60}\u{597d}.pdf",
    ["\xff\xfe.txt"] = "__.txt",
    [("\u{e9}"):rep(200) .. ".pdf"] = ("\u{e9}"):rep(73) .. ".pdf", [("x"):rep(300)] = ("x"):rep(150),
    ["conin$"] = "_conin$", ["common.txt"] = "common.txt" } do
    harness.eq(safe(wish), name, wish)
  end
  harness.eq({ safe(nil), safe(7), safe({}) }, { "download", "download", "download" })
end

return tests
