-- The reader's elements are those that are there, after every change: the same set as libatspi finds by
-- walking from node to node in a new process (tests/bench/atspi_walk.c), in GTK applications and in a
-- browser. Applications go on changing for a moment, so both look again until they agree; what
-- differs to the end is what fails.
local desk_module = require "deskpilot.desk"
local desktop = require "desktop"
local files = require "deskpilot.base.files"
local harness = require "harness"
local spawn = require "spawn"
local task = require "deskpilot.base.task"
local uv = require "luv"

local tests = {}

local walker = os.getenv "DESKPILOT_ATSPI_WALK" or uv.exepath():gsub("[^/]*$", "atspi_walk")

local times = { elements = 10, element_action = 10 }

local earlier = {} -- by session: a reader that reads only when places are compared

local function with_desktop(apps, fn)
  desktop.with({ size = { 1280, 900 }, apps = apps, env = { ACCESSIBILITY_ENABLED = "1" },
    timing = times }, function(desk, session)
    fn(desk, session)
    if earlier[session] then earlier[session]:close() end
  end)
end

-- handle -> whether it is showing ("1" or "0"), of each element that libatspi finds.
local function walked(session, app)
  local child = spawn.run({ walker, app, "--list" }, { env = {
    DBUS_SESSION_BUS_ADDRESS = session.bus_address, ASAN_OPTIONS = "detect_leaks=0" } })
  local found = {}
  for handle, showing in child.stdout:gmatch "(%S+)\t(%d)\n" do found[handle] = showing end
  return found
end

-- The same, of a whole read; and the handles of those that are showing and are in nothing that is not: they are what a
-- read of what is showing has to find. (The chosen option of a closed list in a browser says that it is showing.)
local function ours(desk, app)
  local found, showing, in_sight = {}, {}, {}
  local list = assert(desk.elements.list { app = app, all = true })
  for i, element in ipairs(list) do
    found[element.handle] = element.states.showing and "1" or "0"
    in_sight[i] = not element.parent or element.states.showing and in_sight[element.parent]
    if in_sight[i] then showing[element.handle] = true end
  end
  return found, showing
end

local function differences(desk, session, app)
  local theirs, lines, count = walked(session, app), {}, 0
  local mine, in_sight = ours(desk, app)
  for _, element in ipairs(assert(desk.elements.list { app = app })) do in_sight[element.handle] = nil end
  for handle in pairs(in_sight) do lines[#lines + 1] = handle .. ": is not among what is showing" end
  for handle, showing in pairs(theirs) do
    count = count + 1
    if mine[handle] ~= showing then
      lines[#lines + 1] = ("%s: showing %s, here %s"):format(handle, showing, tostring(mine[handle]))
    end
  end
  for handle in pairs(mine) do
    if not theirs[handle] then lines[#lines + 1] = handle .. ": is not there" end
  end
  return lines, count
end

-- handle -> where it is, of every element that a reader finds.
local function places(desk, app)
  local found = {}
  for _, element in ipairs(assert(desk.elements.list { app = app, all = true })) do
    found[element.handle] = ("%d, %d, %d x %d"):format(element.x, element.y, element.width, element.height)
  end
  return found
end

local function open_reader(session)
  return assert(desk_module.open { display = session.display, bus = session.bus_address, session = session,
    timing = times })
end

local function places_of_new_reader(session, app)
  local desk = open_reader(session)
  local found = places(desk, app)
  desk:close()
  return found
end

local function different_places(mine, theirs)
  local lines = {}
  for handle, place in pairs(theirs) do
    if mine[handle] ~= place then lines[#lines + 1] = ("%s: %s, here %s"):format(handle, place, mine[handle]) end
  end
  return lines
end

-- A reader asks for places by what it has read before. One whose last read was before the latest change finds what one
-- finds that has read nothing yet.
local function places_agree(session, app, when)
  local theirs = places_of_new_reader(session, app)
  harness.wait_until("elements that stay in their places", function()
    local before = theirs
    theirs = places_of_new_reader(session, app)
    return #different_places(before, theirs) == 0
  end)
  local lines = different_places(places(earlier[session], app), theirs)
  harness.eq(#lines, 0, ("%s %s: %s"):format(app, when, table.concat(lines, "\n    ", 1, math.min(#lines, 8))))
end

-- The number of elements both agree on.
local function agree(desk, session, app, when)
  local limit = task.now() + 30
  local lines, count = differences(desk, session, app)
  while (#lines > 0 or count <= 10) and task.now() < limit do
    task.sleep(0.2)
    lines, count = differences(desk, session, app)
  end
  harness.ok(count > 10, app .. " " .. when .. ": libatspi finds " .. count)
  harness.eq(#lines, 0, ("%s %s: %s"):format(app, when, table.concat(lines, "\n    ", 1, math.min(#lines, 8))))
  earlier[session] = earlier[session] or open_reader(session)
  places_agree(session, app, when)
  io.stdout:write(("      %s %s: %d elements\n"):format(app, when, count))
  return count
end

function tests.an_editor()
  with_desktop({ { "mousepad", "--disable-server" } }, function(desk, session)
    local elements = desk.elements
    harness.ok(elements.find { app = "mousepad", role = "text", timeout = 30 })
    local at_first = agree(desk, session, "mousepad", "at first")
    harness.ok(desk.keyboard.press "ctrl+f")
    harness.ok(elements.find { app = "mousepad", contains = "Match case", timeout = 20 })
    harness.ok(agree(desk, session, "mousepad", "with its search bar") > at_first, "the search bar is new")
    harness.ok(desk.keyboard.press "escape")
    -- The key comes by another way than the menu's opening, and would close the menu.
    harness.ok(desk.wait_for_element { app = "mousepad", contains = "Match case", gone = true, timeout = 20 })
    harness.ok(elements.expand { app = "mousepad", role = "menu", name = "Document" })
    agree(desk, session, "mousepad", "with a menu open")
    harness.ok(elements.expand { app = "mousepad", role = "menu", name = "Tab Size" })
    harness.ok(elements.find { app = "mousepad", role = "menu item", name = "8", timeout = 20 })
    agree(desk, session, "mousepad", "with a menu of that menu open")
    harness.ok(desk.keyboard.press "escape")
    harness.ok(desk.keyboard.press "escape")
    harness.ok(desk.wait_for_element { app = "mousepad", role = "menu", name = "Tab Size", gone = true, timeout = 20 })
    harness.ok(desk.keyboard.press "ctrl+n")
    harness.ok(elements.find { app = "mousepad", contains = "Untitled 2", timeout = 20 })
    agree(desk, session, "mousepad", "with two documents")
    harness.ok(desk.keyboard.press "ctrl+s")
    harness.ok(elements.find { app = "mousepad", role = "file chooser", timeout = 20 })
    agree(desk, session, "mousepad", "with a dialog")
    harness.ok(desk.keyboard.press "escape")
    harness.ok(desk.wait_for_element { app = "mousepad", role = "file chooser", gone = true, timeout = 20 })
    agree(desk, session, "mousepad", "without it")
  end)
end

function tests.a_calculator()
  with_desktop({ { "galculator" } }, function(desk, session)
    harness.ok(desk.elements.find { app = "galculator", name = "7", timeout = 30 })
    local basic = agree(desk, session, "galculator", "at first")
    for _, mode in ipairs { "Scientific Mode", "Paper Mode", "Basic Mode" } do
      harness.ok(desk.elements.press { app = "galculator", name = mode, all = true })
      harness.ok(desk.elements.find { app = "galculator", name = mode, all = true, states = "checked", timeout = 20 })
      desk.settle()
      local count = agree(desk, session, "galculator", "in " .. mode)
      if mode == "Scientific Mode" then harness.ok(count > basic + 20, "it has more buttons") end
    end
    local window = harness.ok(desk.windows.find { class = "galculator" })
    harness.ok(desk.windows.place(window, { x = window.x + 100, y = window.y + 50 }))
    agree(desk, session, "galculator", "elsewhere")
  end)
end

local function chromium(folder, url)
  return { "chromium", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--no-default-browser-check", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--force-renderer-accessibility", "--user-data-dir=" .. folder .. "/profile", url }
end

local function page(folder, name, body)
  assert(files.write(folder .. "/" .. name, "<!doctype html><title>" .. name .. "</title>" .. body))
  return "file://" .. folder .. "/" .. name
end

function tests.z_a_browser()
  local folder = files.absolute(spawn.folder())
  local rows = {}
  for i = 1, 80 do rows[i] = ("<p>Line %d <button>Button %d</button></p>"):format(i, i) end
  local second = page(folder, "second.html", table.concat(rows) .. "<label>Far <input id=far value=here></label>")
  local first = page(folder, "first.html", ([[
    <h1>First page</h1><a href="%s">To the second</a>
    <label><input type=checkbox id=c>Agree</label> <label>Loud <input type=range min=0 max=10 value=3></label>
    <label>Who <input value="somebody"></label>
    <label>Colour <select><option>Red<option>Green<option>Blue</select></label>
    <div role=menubar aria-label=Bar><div role=menu aria-label=Plain><div role=menuitem>Always there</div></div></div>
    <details><summary>More</summary><p>Hidden words</p></details><p id=o></p>
    <script>setInterval(() => { const now = [...document.querySelectorAll("input,select")].map(e =>
      e.type == "checkbox" ? e.checked : e.value).join("|") + "|" + document.querySelector("details").open
      if (o.textContent != now) o.textContent = now }, 50)
    </script>
    ]]):format(second))
  with_desktop({ chromium(folder, first) }, function(desk, session)
    local elements = desk.elements
    local function found(criteria)
      criteria.timeout = criteria.timeout or 30
      return harness.ok(elements.find(criteria)) or { states = {} }
    end
    found { role = "heading", name = "First page", timeout = 60 }
    agree(desk, session, "Chromium", "at first")
    -- What the page itself says that it holds.
    local function page_says(words) return found { contains = words } end
    page_says "false|3|somebody|Red|false"
    harness.ok(elements.toggle({ role = "check box", name = "Agree" }, true))
    page_says "true|3|somebody|Red|false"
    harness.eq(elements.set_value({ role = "slider", contains = "Loud" }, 7), 7.0)
    page_says "true|7|somebody|Red|false"
    harness.ok(elements.set_text({ role = "entry", contains = "Who" }, "Zoë 日本"))
    page_says "true|7|Zoë 日本|Red|false"
    harness.ok(elements.focus { role = "entry", contains = "Who" })
    harness.ok(elements.select_text({ role = "entry", contains = "Who" }, 1, 3))
    harness.eq(elements.selection { role = "entry", contains = "Who" }, { start = 1, stop = 3, text = "Zoë" })
    agree(desk, session, "Chromium", "with other values")
    harness.ok(elements.press { role = "link", name = "To the second" })
    found { role = "push button", name = "Button 1" }
    agree(desk, session, "Chromium", "on another page")
    local far = found { role = "push button", name = "Button 80", all = true }
    harness.ok(elements.scroll_into_view(far))
    local now = harness.ok(elements.refresh(far))
    local document = found { role = "document web" }
    harness.ok(now.y >= document.y and now.y + now.height <= document.y + document.height, now)
    local words, list = elements.outline { app = "Chromium", max = 1000 }
    harness.has(words, 'push button "Button 80"')
    harness.ok(not words:find('"Button 1"', 1, true), "what is scrolled away is left out")
    harness.ok(#list < 150, #list)
  end)
  files.remove(folder)
end

return tests
