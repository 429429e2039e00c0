-- The checks of what a desktop shows (m.checks), each with yes, no and unknown, on private desktops with real
-- applications.
local t = require "harness"
local browsing = require "browsing"
local checks = require "deskpilot.agent.checks"
local desktop = require "desktop"
local files = require "deskpilot.base.files"

local function says(said, answer, words)
  t.eq(said.answer, answer, said.evidence)
  t.has(said.evidence, words)
end

local tests = {}

function tests.elements_windows_and_pixels()
  desktop.with({ apps = { { "galculator" } } }, function(desk, session, folder)
    local check = checks.new { desk = desk }
    assert(desk.wait_for_element { app = "galculator", name = "7", timeout = 30 })
    local display = { app = "galculator", role = "text" }
    local function shows(words) return check.element { app = display.app, role = display.role, shows = words } end
    assert(desk.windows.focus { class = "galculator" })
    assert(desk.keyboard.type "7*6=")
    assert(desk.wait_for_element { app = "galculator", text = "42" })
    says(shows "42", "yes", 'is "42"')
    says(shows "43", "no", 'is "42", not "43"')
    local seven = { app = "galculator", name = "7", role = "toggle button" }
    says(check.element(seven), "yes", 'the toggle button "7" is there')
    seven.gone = true
    says(check.element(seven), "no", "is there")
    says(check.element { app = "galculator", name = "seven" }, "no", "seven")
    says(check.element { app = "galculator", name = "seven", gone = true }, "yes", "seven")
    seven.gone, seven.value = nil, 3
    says(check.element(seven), "unknown", "tells no value")

    says(check.window { class = "galculator" }, "yes", "there is the window")
    says(check.window { class = "galculator", gone = true }, "no", "there is the window")
    says(check.window { title = "Save As" }, "no", "Save As")
    says(check.window { title = "Save As", gone = true }, "yes", "Save As")

    local window = assert(desk.windows.find { class = "galculator" })
    local shot = assert(desk.screen.shot { window = window })
    local part = { x = 10, y = 10, width = 40, height = 20 }
    assert(shot:crop(part):save(files.join(folder, "part.png")))
    says(check.pixels { window = window, region = part, equals = files.join(folder, "part.png") }, "yes",
      "100 % of the 40 x 20 pixels are as in the picture")
    says(check.pixels { window = window, region = part, color = "#123456" }, "no",
      "0 % of the 40 x 20 pixels are #123456, not 100 %")
    says(check.pixels { window = window, region = part, color = "#808080", tolerance = 128 }, "yes", "are #808080")
    says(check.pixels { window = window, equals = files.join(folder, "no.png") }, "unknown", "no.png")
    assert(desk.windows.minimize(window))
    assert(desk.wait_until(function() return desk.windows.find { class = "galculator" }.minimized end))
    says(check.pixels { window = window, color = "#ffffff" }, "unknown", "the pixels could not be read")
    says(check.page { url = "x" }, "unknown", "")

    session:stop()
    says(check.window { class = "galculator" }, "unknown", "the windows could not be read")
    says(check.element { app = "galculator", name = "7" }, "unknown", "the elements could not be read")
  end)
end

-- An application that is there and does not answer is not known to lack anything.
function tests.an_application_that_does_not_answer()
  desktop.with({ apps = { { "galculator" } } }, function(desk)
    local check = checks.new { desk = desk }
    local seven = assert(desk.wait_for_element { app = "galculator", name = "7", timeout = 30 })
    require "luv".kill(seven.pid, "sigstop")
    local said = check.element { app = "galculator", name = "no such button" }
    require "luv".kill(seven.pid, "sigcont")
    says(said, "unknown", "galculator")
  end)
end

function tests.pages()
  browsing.with({ ["/"] = browsing.page("The cart", "<p>Total: 42 EUR</p><p>Thank you, Ada</p>") },
    function(browser, server, desk)
      local check = checks.new { desk = desk }
      local tab = assert(browser:tab())
      assert(tab:navigate(server.url .. "/"))
      says(check.page { contains = "42 EUR", url = server.url, title = "cart" }, "yes", 'contains "42 EUR"')
      says(check.page { matching = "Total: %d+ EUR" }, "yes", "matches")
      says(check.page { contains = "43 EUR" }, "no", 'which does not contain "43 EUR"')
      says(check.page { url = "/orders" }, "no", "the page's address is")
      says(check.page { tab = tab, title = "orders" }, "no", 'the page\'s title is "The cart"')
      browser:close()
      says(check.page { tab = tab, contains = "42 EUR" }, "unknown", "the page could not be read")
    end)
end

return tests
