-- Elements of real applications, found, changed without mouse and keyboard, and told in words. Judged by
-- what the applications hold elsewhere: a slider by the spin button that shows the same number, a tab by
-- its page, a selected text by what typing replaces.
local desktop = require "desktop"
local uv = require "luv"
local files = require "deskpilot.base.files"
local harness = require "harness"
local json = require "deskpilot.base.json"
local spawn = require "spawn"
local task = require "deskpilot.base.task"

local tests = {}

local factory = "gtk3-widget-factory"

-- Runs fn(elements, desk, session) on a private desktop with these applications.
local function with_desktop(apps, fn)
  desktop.with({ size = { 1400, 900 }, apps = apps, timing = { elements = 5, element_action = 10 } },
    function(desk, session) fn(desk.elements, desk, session) end)
end

local function with_factory(fn)
  with_desktop({ { factory } }, function(elements, desk, session)
    harness.ok(elements.find { app = factory, role = "slider", timeout = 30 })
    fn(elements, desk, session)
  end)
end

local fails = harness.fails

local function get(elements, criteria)
  criteria.app = criteria.app or factory
  return harness.ok(elements.find(criteria)) or { states = {} }
end

-- Until the application holds something; the last look is what fails.
local function becomes(what, want, look)
  local got
  pcall(harness.wait_until, what, function()
    got = look()
    return harness.show(got) == harness.show(want)
  end, 10)
  harness.eq(got, want, what)
end

-- A table of 10,000 rows is neither read nor waited for, and what was read says so.
function tests.a_wide_table()
  local rows = {}
  for i = 1, 10000 do rows[i] = ("'Row %05d' %d"):format(i, i * 7) end
  local folder = spawn.folder()
  local path = folder .. "/rows"
  assert(files.write(path, table.concat(rows, "\n")))
  with_desktop({ { "sh", "-c", ("xargs -x -s 1900000 -n 20000 -a '%s' zenity --list --title=Wide --column=Name "
    .. "--column=Value"):format(path) } }, function(elements)
    harness.ok(elements.find { app = "zenity", role = "table", timeout = 60 })
    for _, all in ipairs { false, true } do
      collectgarbage()
      local memory, began = uv.resident_set_memory(), task.now()
      local list = harness.ok(elements.list { all = all })
      local seconds, more = task.now() - began, (uv.resident_set_memory() - memory) / 2 ^ 20
      harness.ok(#list < 100, #list)
      harness.eq(list.truncated, true)
      harness.has(list.apps[1].note, "more than 1000 parts")
      for _ = 1, seconds < 2 and 0 or 4 do -- others may keep the machine busy during one of them
        began = task.now()
        harness.ok(elements.list { all = all })
        seconds = math.min(seconds, task.now() - began)
      end
      harness.ok(seconds < 2, seconds)
      harness.ok(more < 10, more)
    end
    fails("not_found", "zenity has an element with more than 1000 parts",
      elements.find { app = "zenity", name = "Row 09999" })
    harness.has(elements.outline(), "elements that were not read")
  end)
  files.remove(folder)
end

-- A button below 60 levels of a page is found, and what is nested deeper than 200 is left out with a note.
function tests.deep_trees()
  local function nested(depth, name)
    local parts = { "<!doctype html><meta charset=utf-8><title>Deep</title>" }
    for i = 1, depth do parts[#parts + 1] = ("<div role=group aria-label='level %d'>"):format(i) end
    return table.concat(parts) .. "<button>" .. name .. "</button>"
  end
  local folder = spawn.folder()
  assert(files.write(folder .. "/deep.html", nested(60, "sixty")))
  assert(files.write(folder .. "/deeper.html", nested(250, "too deep")))
  with_desktop({}, function(elements, desk)
    local browser = harness.ok(desk.browser.start { url = "file://" .. folder .. "/deep.html", accessibility = true })
    local button = harness.ok(elements.find { role = "push button", name = "sixty", timeout = 60 })
    harness.ok(button.depth > 60, button.depth)
    local began = task.now()
    local list = harness.ok(elements.list())
    harness.ok(task.now() - began < 5)
    harness.eq({ list.truncated, list.apps[1].note }, { false, nil })
    harness.ok(harness.ok(browser:tab()):navigate("file://" .. folder .. "/deeper.html"))
    harness.ok(elements.find { name = "level 100", timeout = 60 })
    list = harness.ok(elements.list())
    harness.eq(list.truncated, true)
    harness.has(list.apps[1].note, "more than 200 levels deep")
    for _, element in ipairs(list) do harness.ok(element.depth <= 200 and element.name ~= "too deep") end
    harness.ok(browser:close())
  end)
  files.remove(folder)
end

function tests.values()
  with_factory(function(elements)
    local slider, spin = get(elements, { role = "slider" }), get(elements, { role = "spin button" })
    harness.eq(elements.set_value(slider, 75), 75.0)
    becomes("the slider of the same number", 75.0, function()
      return get(elements, { role = "slider", nth = 4 }).value
    end)
    harness.eq(elements.set_value(spin, 12), 12.0)
    harness.ok(elements.set_text(spin, "33"))
    local now = harness.ok(elements.refresh(spin))
    harness.eq({ now.minimum, now.maximum, now.step, now.characters }, { 1.0, 1000.0, 1.0, 2 })
    harness.eq(elements.text(spin), "33")
    fails("invalid", "from 1 to 100", elements.set_value(slider, 101))
    fails("refused", "is disabled", elements.set_value({ app = factory, role = "slider",
      states = { enabled = false } }, 7))
    fails("unsupported", "no value to set", elements.set_value({ app = factory, role = "check box", nth = 4 }, 1))
    harness.ok(elements.select { app = factory, role = "radio button", name = "Page 2" })
    local second = harness.ok(elements.find { app = factory, role = "spin button", text = "12", timeout = 10 })
    harness.eq((second or {}).value, 12.0, "the spin button of the same number on another page")
    harness.raises("elements.set_value wants a number", elements.set_value, slider, "7")
    harness.raises("elements.press wants an element", elements.press, nil)
  end)
end

function tests.on_and_off()
  with_factory(function(elements)
    local box = get(elements, { role = "check box",
      states = { enabled = true, checked = false, indeterminate = false } })
    local function checked() return harness.ok(elements.list { app = factory })[box.index].states.checked or false end
    harness.ok(elements.toggle(box))
    becomes("the check box", true, checked)
    harness.ok(elements.toggle(box, true), "nothing to do")
    harness.eq(checked(), true)
    harness.ok(elements.toggle(box, false))
    becomes("the check box", false, checked)
    fails("refused", "is disabled", elements.toggle { app = factory, role = "toggle button", name = "togglebutton",
      states = { enabled = false } })
    fails("unsupported", "cannot be switched", elements.toggle { app = factory, role = "slider" })
    -- One that stays in between, whatever is pressed: the application never takes that back.
    fails("refused", "still indeterminate", elements.toggle({ app = factory, role = "check box",
      states = { indeterminate = true, enabled = true } }, true))
    harness.eq(elements.find { app = factory, role = "tree table" }, nil)
    harness.ok(elements.select { app = factory, role = "radio button", name = "Page 3" })
    harness.ok(elements.find { app = factory, role = "tree table", timeout = 10 }, "the third page is there")
  end)
end

function tests.choosing()
  with_factory(function(elements)
    harness.ok(elements.select { app = factory, all = true, role = "menu item", name = "Middle",
      within = { role = "combo box", name = "Left" } })
    becomes("the combo box", "Middle", function() return get(elements, { role = "combo box", nth = 3 }).name end)
    harness.ok(elements.select { app = factory, role = "page tab", name = "page 2", nth = 2 })
    becomes("the tabs", { true, true, true, true }, function()
      local selected = {}
      for i = 1, 4 do
        selected[i] = get(elements, { role = "page tab", nth = 3 * i - (i == 2 and 1 or 2) }).states.selected or false
      end
      return selected
    end)
    -- A row of a tree: its cells are selected, those of the others are not.
    harness.ok(elements.select { app = factory, role = "table cell", name = "Benjamin" })
    becomes("the rows", { true, false }, function()
      local selected = {}
      for i, name in ipairs { "Company", "Redenbacher" } do
        selected[i] = get(elements, { role = "table cell", name = name }).states.selected or false
      end
      return selected
    end)
  end)
end

function tests.opening()
  with_factory(function(elements, desk)
    local combo = { app = factory, role = "combo box", name = "Right" }
    harness.ok(elements.expand(combo))
    harness.ok(elements.find { app = factory, role = "menu item", name = "Middle", timeout = 5 }, "its list is open")
    harness.ok(elements.expand(combo), "nothing to do")
    harness.ok(elements.collapse(combo))
    becomes("its list", nil, function()
      return (elements.find { app = factory, role = "menu item", name = "Middle" })
    end)
    harness.ok(elements.select { app = factory, role = "radio button", name = "Page 3" })
    harness.ok(elements.find { app = factory, name = "Charles Martel", timeout = 10 })
    harness.ok(elements.collapse { app = factory, name = "Pepin the Short" })
    becomes("what was below", nil, function() return (elements.find { app = factory, name = "Charles Martel" }) end)
    harness.ok(elements.expand { app = factory, name = "Pepin the Short" })
    harness.ok(elements.find { app = factory, name = "Charles Martel", timeout = 5 })
    fails("unsupported", "cannot be opened", elements.expand { app = factory, name = "Data source: Wikipedia" })
    harness.ok(elements.select { app = factory, role = "radio button", name = "Page 2" })
    harness.ok(elements.find { app = factory, role = "menu", name = "File", timeout = 10 })
    harness.ok(elements.expand { app = factory, role = "menu", name = "File" })
    local item = harness.ok(elements.find { app = factory, role = "menu item", timeout = 5,
      within = { role = "menu", name = "File" } })
    harness.eq(harness.ok(elements.at(item)).handle, item.handle, "an open menu is above all")
    harness.ok(elements.collapse { app = factory, role = "menu", name = "File" })
    -- The mouse is free again.
    harness.ok(elements.collapse { app = factory, name = "Expander" })
    becomes("its buttons", nil, function() return (elements.find { app = factory, name = "Remove item" }) end)
    harness.ok(elements.expand { app = factory, name = "Expander" })
    harness.ok(elements.find { app = factory, name = "Remove item", timeout = 5 })
    harness.ok(desk.mouse.click(get(elements, { name = "Page 3" })))
    harness.ok(elements.find { app = factory, name = "Charles Martel", timeout = 5 })
    harness.ok(elements.press({ app = factory, name = "Pepin the Short" }, "expand or contract"))
    becomes("what was below", nil, function() return (elements.find { app = factory, name = "Charles Martel" }) end)
  end)
end

function tests.text_and_focus()
  with_factory(function(elements, desk)
    local entry = get(elements, { role = "text", text = "entry", states = "enabled" })
    harness.ok(elements.focus(entry))
    harness.eq(get(elements, { states = "focused" }).handle, entry.handle)
    harness.ok(elements.select_text(entry, 2, -2))
    harness.eq(elements.selection(entry), { start = 2, stop = 4, text = "ntr" })
    harness.ok(desk.keyboard.type "äß")
    becomes("what was selected is replaced", "eäßy", function() return elements.text(entry) end)
    harness.ok(elements.select_text(entry, 3, 2))
    harness.eq(elements.selection(entry), { start = 3, stop = 2, text = "" })
    harness.ok(desk.keyboard.type "-")
    becomes("typed where the caret was", "eä-ßy", function() return elements.text(entry) end)
    harness.ok(elements.select_text(entry))
    harness.eq(elements.selection(entry), { start = 1, stop = 5, text = "eä-ßy" })
    fails("unsupported", "what is selected", elements.selection { app = factory, role = "slider" })
    local ok, err = elements.focus { app = factory, role = "label" }
    harness.ok(not ok and (err.code == "refused" or err.code == "unsupported"), err)
    local names = {}
    for _, action in ipairs(harness.ok(elements.actions { app = factory, role = "table cell" })) do
      names[#names + 1] = action.name
    end
    harness.eq(names[1], "toggle")
    harness.ok(elements.actions { app = factory, role = "table cell" }[1].description, "it is described")
  end)
end

function tests.scrolling()
  with_desktop({ { "gtk3-demo" } }, function(elements)
    local function row(name)
      return harness.ok(elements.find { app = "gtk3-demo", role = "table cell", name = name, timeout = 30 })
    end
    local first = row "Application Class"
    -- Whether a row can be seen, by the places that the application gives it and its list.
    local function seen(name)
      local list = harness.ok(elements.list { app = "gtk3-demo" })
      for _, element in ipairs(list) do
        local pane = element
        while pane.role ~= "scroll pane" and pane.parent do pane = list[pane.parent] end
        if element.name == name and element.role == "table cell" then
          return element.height > 0 and element.y >= pane.y and element.y + element.height <= pane.y + pane.height
        end
      end
    end
    harness.eq({ first.height > 0, seen "Tree View" }, { true, false })
    harness.ok(elements.scroll_into_view(row "Tree View"))
    becomes("the rows", { false, true }, function() return { seen "Application Class", seen "Tree View" } end)
    harness.ok(elements.scroll_into_view { app = "gtk3-demo", name = "Application Class", role = "table cell" })
    becomes("the rows", { true, false }, function() return { seen "Application Class", seen "Tree View" } end)
  end)
end

function tests.finding()
  with_desktop({ { factory }, { "galculator" } }, function(elements, desk)
    harness.ok(elements.find { app = factory, role = "slider", timeout = 30 })
    harness.ok(elements.find { app = "galculator", name = "7", timeout = 30 })
    harness.eq(get(elements, { matching = "^Page %d$", nth = 2 }).name, "Page 2")
    harness.eq(get(elements, { matching = "^Page %d$", nth = -1 }).name, "Page 3")
    local list = get(elements, { role = "page tab list", nth = 2 })
    local tabs = harness.ok(elements.list { within = list, role = "page tab" })
    harness.eq({ #tabs, tabs[1].parent }, { 3, list.index })
    harness.eq(#elements.list { role = "page tab", within = { role = "page tab list", within = { app = factory,
      role = "frame" } } }, 12)
    local window = harness.ok(desk.windows.find { title = "galculator" })
    local frame = harness.ok(elements.find { window = window, role = "frame" })
    harness.eq(frame.app, "galculator")
    harness.eq(elements.find { window = window, role = "page tab" }, nil)
    fails("not_found", "there is: radio button, page tab", elements.find { app = factory, role = "push button",
      name = "page 2" })
    fails("not_found", "no application has that name, there are", elements.find { app = "gedit", name = "Save" })
    fails("not_found", "galculator", elements.find { app = "gedit", name = "Save" })
    fails("not_found", "there are only 12 elements", elements.find { role = "page tab", nth = 13 })
    fails("not_found", "the nearest names are 'togglebutton'", elements.find { app = factory, name = "togglebuton" })
    fails("not_found", "looked in", elements.find { within = { role = "dialog" }, name = "7" })
    harness.raises("not colour", elements.find, { within = { colour = "red" } })
    harness.raises("not a Lua pattern", elements.find, { matching = "[" })
    harness.raises("nth counts from 1", elements.find, { nth = 0 })
    -- The deepest element at a point, of the window that is in front there.
    for _, app in ipairs { "galculator", factory } do
      harness.ok(desk.windows.place({ executable = app }, { x = 0, y = 0 }))
      harness.ok(desk.windows.focus { executable = app })
      local target = app == factory and get(elements, { name = "Page 1" }) or get(elements, { name = "7", app = app })
      becomes("what is at the middle of it", target.handle, function() return (elements.at(target) or {}).handle end)
    end
    fails("invalid", "outside the screen", elements.at { x = 5000, y = 5 })
  end)
end

-- What a busy application does not tell of is not gone.
function tests.an_application_that_is_busy()
  desktop.with({ apps = { { "galculator" } }, timing = { elements = 0.5, element_action = 3 } }, function(desk, session)
    local seven = harness.ok(desk.elements.find { app = "galculator", name = "7", timeout = 30 }) or {}
    local pid = session.apps[1].pid
    assert(uv.kill(pid, "sigstop"))
    local going <close> = setmetatable({}, { __close = function() uv.kill(pid, "sigcont") end })
    assert(going)
    fails("timed_out", "'7' cannot be looked for: its application did not answer in time", desk.elements.locate(seven))
    task.start(function()
      task.sleep(1)
      uv.kill(pid, "sigcont")
    end)
    local now = harness.ok(desk.elements.locate(seven)) or {}
    harness.eq(now.name, "7")
  end)
end

function tests.outlines()
  with_factory(function(elements, desk)
    harness.ok(elements.find { app = factory, role = "frame", states = "active", timeout = 20 })
    local words, list, before
    harness.wait_until("the same text of the same screen", function()
      before, words, list = words, elements.outline { app = factory }
      return words ~= nil and words == before
    end)
    local count = 0
    for line in words:gmatch "[^\n]+" do
      local indent, index, role = line:match "^( *)(%d+) ([%l ]+)"
      if index then
        count = count + 1
        local element = list[tonumber(index)]
        harness.ok(element and element.index == count and #indent == 2 * element.depth
          and role:sub(1, #element.role) == element.role, line)
      end
    end
    harness.eq(count, #list)
    harness.has(words, 'radio button "Page 1" (checked)')
    harness.has(words, "slider = 50 (disabled)")
    harness.ok(not words:find("filler", 1, true), "what only holds others is left out")
    harness.ok(#words < 9000, "short: " .. #words)
    local tab = harness.ok(elements.outline { window = { executable = factory } }) and list[8]
    harness.eq(tab.name, "Page 3", words:sub(1, 600))
    harness.ok(elements.press(tab))
    harness.ok(elements.find { app = factory, role = "tree table", timeout = 10 }, "an element of the list can be used")
    local short, few = elements.outline { window = { executable = factory }, max = 5, depth = 1 }
    harness.eq(#few, 5)
    harness.has(short, "(left out: ")
    harness.has(short, "over the limit of 5")
    harness.eq(elements.outline { app = "gedit" }, nil)
    harness.raises("not colour", elements.outline, { colour = "red" })
    harness.raises("max must be", elements.outline, { max = 0 })
    fails("not_found", "no window with", elements.outline { window = { title = "Nowhere" } })
    harness.ok(desk)
  end)
end

function tests.the_command()
  with_desktop({ { "galculator" } }, function(elements, _, session)
    harness.ok(elements.find { app = "galculator", name = "7", timeout = 30 })
    local env = { DISPLAY = session.display, XAUTHORITY = session.folder .. "/xauthority",
      DBUS_SESSION_BUS_ADDRESS = session.bus_address }
    local function run(...)
      return spawn.run({ spawn.program, "elements", ... }, { env = env })
    end
    local plain = run()
    harness.eq(plain.status, 0, plain.stderr)
    harness.has(plain.stdout, 'toggle button "7"')
    harness.has(run("--window", "galculator").stdout, 'frame "galculator"')
    harness.has(run("--app", "galculator", "--all").stdout, 'menu item "Copy')
    local list = harness.ok(json.decode(run("--app", "galculator", "--json").stdout))
    local seven
    for _, element in ipairs(list) do if element.name == "7" then seven = element end end
    harness.ok(seven and seven.width > 0 and seven.states.showing, seven)
    local none = run("--app", "gedit")
    harness.eq(none.status, 1)
    harness.has(none.stderr, "no application has that name")
    harness.eq(run("galculator").status, 2)
    harness.eq(run("--window", "nothing like it").status, 1)
  end)
end

return tests
