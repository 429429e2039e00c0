-- How long settling takes after an act on Windows, and whether anything changes afterwards: Notepad and the application
-- of the tests, on the current desktop. `./dev bench settling --windows` runs it under Wine.
local acts = require "bench.settling_acts"
local harness = require "harness"
local testapp = dofile "tests/windows/testapp.lua"

local press, write, click, scroll = acts.press, acts.write, acts.click, acts.scroll

harness.time_limit(10 * 3600)

local tests = {}

local function control(app, name)
  local place = app:control(name)
  return function(desk)
    assert(desk.mouse.click { x = place.x + place.width // 2, y = place.y + place.height // 2 })
  end
end

function tests.the_application_of_the_tests()
  if not acts.wanted "testapp" then return end
  testapp.with(nil, function(desk, app)
    acts.measure(desk, "testapp", { { "click into a field", control(app, "name") }, { "text", write "word " },
      { "key", press "BackSpace" }, { "button", control(app, "alpha") }, { "list", control(app, "fruits") } })
  end)
end

function tests.notepad()
  if not acts.wanted "notepad" then return end
  local desk = assert(require("deskpilot.desk").open { timing = testapp.timing })
  local closing <close> = testapp.finally(function() desk:close() end)
  local window = assert(desk.apps.open_app "notepad")
  assert(desk.windows.focus(window))
  acts.measure(desk, "notepad", { { "text", write "word " }, { "Return", press "Return" }, { "menu", press "alt+f" },
    { "menu closed", press "Escape" }, { "click", click(0.5, 0.5) }, { "wheel", scroll(3) } })
  return closing
end

return tests
