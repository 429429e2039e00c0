-- What is on a page and acting on it, on Windows: a browser of the machine behind Wine (with_browser.sh), so without
-- a window of this desktop and by the browser's own input. Judged by the page's log.
local desk_module = require "deskpilot.desk"
local harness = require "harness"
local page_server = require "page_server"

local tests = {}

local port = assert(math.tointeger(tonumber(os.getenv "DESKPILOT_BROWSER_PORT")))

local html = [[<!doctype html><title>Form</title><script>var log = []</script>
<button onclick="log.push('pressed ' + event.isTrusted)">Press</button> <input aria-label="Name">
<select aria-label="Size"><option>Small<option>Large</select>
<input type="password" aria-label="Secret" value="hidden">]]

function tests.observe_and_act()
  local server = page_server.start { ["/form"] = html }
  local desk = assert(desk_module.open())
  local browser = harness.ok(desk.browser.attach { port = port })
  local tab = browser:tab()
  harness.ok(tab:navigate(server.url .. "/form"))
  local page = harness.ok(tab:observe())
  local names = {}
  for i, element in ipairs(page.elements) do names[i] = element.role .. " " .. element.name end
  harness.eq(names, { "button Press", "textbox Name", "combobox Size", "textbox Secret" })
  harness.eq({ page.viewport, page.elements[1].box }, {}, "no window of this desktop shows it")
  harness.ok(not harness.show(page):find("hidden", 1, true), "the password is told")
  local how = { input = "cdp" }
  harness.ok(tab:click(0, how))
  harness.eq(harness.ok(tab:type(1, "J\u{f6}rg \u{6f22}", how)).value, "J\u{f6}rg \u{6f22}")
  harness.ok(tab:select(2, "Large", how))
  harness.eq(tab:evaluate "[log, document.querySelector('input').value, document.querySelector('select').value]",
    { { "pressed true" }, "J\u{f6}rg \u{6f22}", "Large" })
  local ok, err = tab:click(0)
  harness.eq({ ok, err and err.code }, { nil, "not_found" }, tostring(err))
  harness.ok(tab:evaluate "document.querySelector('button').remove(), true")
  ok, err = tab:click(0, how)
  harness.eq({ ok, err and err.code }, { nil, "stale" }, tostring(err))
  browser:close()
  desk:close()
  server:stop()
end

return tests
