-- How long settling takes after an act, and whether anything changes afterwards: real applications on a private
-- desktop. Those of Windows are in settling_windows.lua.
--
--   deskpilot-test tests/bench/settling.lua          all applications
--   ROUNDS=20 APPS=xterm,mousepad deskpilot-test tests/bench/settling.lua
local acts = require "bench.settling_acts"
local desk_module = require "deskpilot.desk"
local files = require "deskpilot.base.files"
local harness = require "harness"
local private = require "deskpilot.desk.private.session"

local press, write, click, scroll = acts.press, acts.write, acts.click, acts.scroll

-- There and back again, by turns.
local function to_and_fro(there, back)
  local count = 0
  return function(desk)
    count = count + 1
    return (count % 2 == 1 and there or back)(desk)
  end
end

-- In the middle of an element of the page, whatever it is called in the end.
local function element(name)
  local place
  return function(desk)
    if not place then
      for _, each in ipairs(assert(desk.browser.current():tab():observe()).elements) do
        if each.name:find(name, 1, true) then place = each.box break end
      end
    end
    assert(desk.mouse.click { x = place.x + place.width // 2, y = place.y + place.height // 2 })
  end
end

local applications = {
  { name = "xterm", argv = { "xterm", "-fa", "DejaVuSansMono", "-e", "cat" },
    acts = { { "type", write "word " }, { "key", press "Return" } } },
  { name = "galculator", argv = { "galculator" }, acts = { { "key", press "7" }, { "click", click(0.5, 0.7) } } },
  { name = "mousepad", argv = { "mousepad", "--disable-server" },
    acts = { { "type", write "word " }, { "menu", press "alt+f" }, { "close menu", press "Escape" },
      { "dialog", press "ctrl+f" }, { "close", press "Escape" } } },
  { name = "gnumeric", argv = { "gnumeric" }, acts = { { "type", write "12" }, { "key", press "Return" },
    { "click", click(0.5, 0.5) } } },
  { name = "pcmanfm", argv = { "pcmanfm", "/usr" }, acts = { { "key", press "Down" }, { "click", click(0.6, 0.6) },
    { "reload", press "F5" } } },
  { name = "mtpaint", argv = { "mtpaint" }, acts = { { "click", click(0.4, 0.4) }, { "menu", press "alt+f" },
    { "close menu", press "Escape" } } },
  { name = "zenity", argv = { "zenity", "--entry", "--text=Words" }, acts = { { "type", write "a" },
    { "key", press "BackSpace" } } },
  { name = "gtk3-demo", argv = { "gtk3-demo" }, acts = { { "key", press "Down" }, { "click", click(0.2, 0.6) } } },
  { name = "chromium", browser = true, acts = { { "focus", element "Field" }, { "type", write "a" },
    { "click", element "At once" }, { "timer 200", element "Later" },
    { "Tab in the page", to_and_fro(press "Tab", press "shift+Tab") },
      { "scroll", to_and_fro(scroll(3), scroll(-3)) }, { "Tab", press "Tab" } } },
  { name = "scrollend", browser = true, query = "?scrolls",
    acts = { { "scroll", to_and_fro(scroll(3), scroll(-3)) } } },
}

local function open_application(desk, session, application)
  local page = "file://" .. files.absolute "tests/pages/settling.html" .. (application.query or "")
  if application.browser then return assert(desk.browser.start { url = page }) end
  assert(session:start_app(application.argv))
  assert(session:wait_for_windows())
end

if ... == nil then harness.time_limit(10 * 3600) end -- 200 rounds of all applications take hours

local tests = {}

function tests.settling()
  for _, application in ipairs(applications) do
    if acts.wanted(application.name) then
      local session = assert(private.start { size = { 1280, 800 } })
      local desk = assert(desk_module.open { display = session.display, bus = session.bus_address, session = session })
      open_application(desk, session, application)
      acts.measure(desk, application.name, application.acts)
      desk:close()
      session:stop()
    end
  end
end

return tests
