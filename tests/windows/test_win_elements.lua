-- Elements of the test application, judged by its own list of controls and by its log.
local testapp = dofile "tests/windows/testapp.lua"
local harness = require "harness"
local json = require "deskpilot.base.json"
local spawn = require "spawn"
local task = require "deskpilot.base.task"

local tests = {}

-- What each control is to the reader of elements; the labels before them name those without a caption.
local expected = {
  notes = { "text", "Notes:" }, name = { "text", "Name:" }, alpha = { "push button", "Alpha" },
  beta = { "push button", "Beta" }, gamma = { "push button", "Gamma" }, fruits = { "list" },
  agree = { "check box", "I agree" }, small = { "radio button", "Small" }, medium = { "radio button", "Medium" },
  large = { "radio button", "Large" }, volume = { "slider", "Volume:" }, colour = { "combo box", "Colour:" },
}

local function find(desk, app, role, name, all)
  local element, err = desk.elements.find { pid = app.pid, role = role, name = name, all = all, timeout = 20 }
  harness.ok(element, ("%s %s: %s"):format(role, tostring(name), tostring(err)))
  return element or { states = {} }
end

-- Wine 8 shows no process another one's menus.
local function can_read_menus(desk, app)
  if desk.elements.find { pid = app.pid, role = "menu bar" } then return true end
  io.stdout:write("      menus of other programs cannot be read here: not tested\n")
  return false
end

function tests.the_tree()
  testapp.with({ title = "Fenster — 窓" }, function(desk, app)
    for control, words in pairs(expected) do
      local element = find(desk, app, words[1], words[2])
      local place = app:control(control)
      harness.eq({ element.x, element.y, element.width, element.height },
        { place.x, place.y, place.width, place.height }, control)
      harness.eq(element.app, "testapp")
      harness.eq({ element.states.enabled, element.states.showing }, { true, true }, control)
    end
    local list = harness.ok(desk.elements.list { pid = app.pid })
    harness.eq(list.truncated, false)
    harness.eq({ list[1].role, list[1].name }, { "application", "testapp" })
    for i, element in ipairs(list) do
      local parent = element.parent and list[element.parent]
      harness.ok(element.index == i and (not parent or (element.parent < i and parent.depth == element.depth - 1)),
        "parents come first: " .. element.name)
      harness.ok(utf8.len(element.name), "valid UTF-8")
    end
    local frame = find(desk, app, "frame", "Fenster — 窓")
    harness.eq({ frame.x, frame.y, frame.width, frame.height }, app.ready.window)
    for _, name in ipairs { "Apple", "Banana", "Cherry", "Date" } do find(desk, app, "list item", name) end
    if can_read_menus(desk, app) then
      local bar = find(desk, app, "menu bar")
      harness.eq(bar.y + bar.height <= app.ready.client[2], true, "above the client area")
      find(desk, app, "menu", "File")
    end
    local none, err = desk.elements.find { pid = app.pid, name = "Alfa" }
    harness.eq(none, nil)
    harness.eq(err.code, "not_found")
    harness.has(tostring(err), "'Alpha'")
  end)
end

function tests.the_focus_is_told()
  testapp.with(nil, function(desk, app)
    harness.eq(find(desk, app, "text", "Notes:").states.focused, true)
    app:focus(desk, "name")
    harness.eq(find(desk, app, "text", "Name:").states.focused, true)
    harness.eq(find(desk, app, "text", "Notes:").states.focused, nil)
  end)
end

-- What was seen is clicked where it is by then, and not at all where it is no more, or under another window.
function tests.found_again()
  local locate = require "deskpilot.desk.elements.locate"
  testapp.with(nil, function(desk, app)
    local list, alpha = harness.ok(desk.elements.list { pid = app.pid }), nil
    for _, element in ipairs(list) do
      if element.name == "Alpha" then alpha = element end
      element.path = locate.path(list, element)
      local now, err = desk.elements.locate(element)
      harness.ok(now or tostring(err):find("no longer in view", 1, true), tostring(err))
    end
    local window = harness.ok(desk.windows.find { pid = app.pid })
    harness.ok(desk.windows.place(window, { x = window.x + 60, y = window.y + 40 }))
    local now = harness.ok(desk.elements.locate(alpha))
    harness.eq({ now.x - alpha.x, now.y - alpha.y }, { 60, 40 })
    harness.ok(desk.mouse.click(now))
    app:wait_for { event = "clicked", target = "alpha" }
    local was = alpha.name
    alpha.name = "Omega"
    harness.fails("stale", "is now the push button 'Alpha'", desk.elements.locate(alpha))
    alpha.name = was
    testapp.with({ title = "In front" }, function(_, other)
      local above = harness.ok(desk.windows.find { pid = other.pid })
      harness.ok(desk.windows.place(above, { x = now.x - 100, y = now.y - 100 }))
      harness.ok(desk.windows.raise(above))
      harness.fails("refused", "covered by the window 'In front'", desk.elements.locate(alpha))
    end)
    app:stop()
    harness.fails("stale", "is gone", desk.elements.locate(alpha))
  end)
end

function tests.clicked_where_they_are()
  testapp.with(nil, function(desk, app)
    for _, control in ipairs { "alpha", "gamma", "agree", "medium" } do
      harness.ok(desk.mouse.click(find(desk, app, table.unpack(expected[control]))))
      app:wait_for { event = "clicked", target = control }
    end
    harness.ok(desk.mouse.click(find(desk, app, "list item", "Cherry")))
    app:wait_for { event = "selected", target = "fruits", index = 2, text = "Cherry" }
    if can_read_menus(desk, app) then
      harness.ok(desk.mouse.click(find(desk, app, "menu", "Edit")))
      harness.ok(desk.mouse.click(find(desk, app, "menu item", "Clear")))
      app:wait_for { event = "menu", text = "&Clear" }
    end
  end)
end

function tests.pressed_without_the_mouse()
  testapp.with(nil, function(desk, app)
    harness.ok(desk.elements.press { pid = app.pid, name = "Beta" })
    app:wait_for { event = "clicked", target = "beta" }
    harness.eq(find(desk, app, "check box", "I agree").states.checked, nil)
    harness.ok(desk.elements.press { pid = app.pid, name = "I agree" })
    app:wait_for { event = "clicked", target = "agree", checked = 1 }
    harness.eq(find(desk, app, "check box", "I agree").states.checked, true)
    harness.ok(desk.elements.press { pid = app.pid, name = "Large" })
    app:wait_for { event = "clicked", target = "large", checked = 1 }
    harness.eq(find(desk, app, "radio button", "Large").states.checked, true)
    harness.eq(find(desk, app, "radio button", "Small").states.checked, nil)
    local ok, err = desk.elements.press({ pid = app.pid, name = "Beta" }, "no such action")
    harness.eq(ok, nil)
    harness.eq(err.code, "not_found")
  end)
end

function tests.items_are_selected()
  testapp.with(nil, function(desk, app)
    harness.ok(desk.elements.press(find(desk, app, "list item", "Banana")))
    app:wait_for { event = "selected", target = "fruits", index = 1, text = "Banana" }
    harness.eq(find(desk, app, "list item", "Banana").states.selected, true)
    harness.ok(desk.elements.press(find(desk, app, "list item", "Green", true)))
    app:wait_for { event = "selected", target = "colour", index = 1, text = "Green" }
    harness.wait_until("the combo box's text", function()
      return find(desk, app, "combo box", "Colour:").text == "Green"
    end)
  end)
end

function tests.texts_are_replaced()
  testapp.with(nil, function(desk, app)
    local text = "héllo — 日本 😀\n\tzweite Zeile"
    local notes = find(desk, app, "text", "Notes:")
    harness.eq(notes.states.editable, true)
    harness.ok(desk.elements.set_text(notes, text))
    app:wait_for { event = "text", target = "notes", text = text:gsub("\n", "\r\n") }
    harness.eq(desk.elements.text(notes), text)
    local name = find(desk, app, "text", "Name:")
    harness.ok(desk.elements.set_text(name, "Zoë 窓"))
    app:wait_for { event = "text", target = "name", text = "Zoë 窓" }
    harness.eq(find(desk, app, "text", "Name:").text, "Zoë 窓")
    local ok, err = desk.elements.set_text({ pid = app.pid, name = "Alpha" }, "x")
    harness.eq(ok, nil)
    harness.eq(err.code, "unsupported")
  end)
end

function tests.a_slider_tells_its_value()
  testapp.with(nil, function(desk, app)
    harness.ok(find(desk, app, "slider", "Volume:").value == 0)
    app:focus(desk, "volume")
    harness.ok(desk.keyboard.press "end")
    app:wait_for { event = "value", target = "volume", value = 100 }
    harness.ok(find(desk, app, "slider", "Volume:").value == 100)
  end)
end

local fails = harness.fails

function tests.values_are_set()
  testapp.with(nil, function(desk, app)
    local volume = find(desk, app, "slider", "Volume:")
    harness.eq(desk.elements.set_value(volume, 42), 42.0)
    app:wait_for { event = "value", target = "volume", value = 42 }
    local now = harness.ok(desk.elements.refresh(volume))
    harness.eq({ now.value, now.minimum, now.maximum, now.name }, { 42.0, 0.0, 100.0, "Volume:" })
    fails("invalid", "from 0 to 100", desk.elements.set_value(volume, 101))
    fails("unsupported", "no value to set", desk.elements.set_value({ pid = app.pid, name = "Alpha" }, 1))
  end)
end

function tests.switched_and_selected()
  testapp.with(nil, function(desk, app)
    local agree = find(desk, app, "check box", "I agree")
    harness.ok(desk.elements.toggle(agree, true))
    harness.ok(desk.elements.toggle(agree, true), "nothing to do")
    harness.ok(desk.elements.toggle(agree))
    app:wait_for({ event = "clicked", target = "agree" }, 2)
    harness.eq(#app:events { event = "clicked", target = "agree" }, 2)
    harness.eq(find(desk, app, "check box", "I agree").states.checked, nil)
    harness.ok(desk.elements.select { pid = app.pid, role = "radio button", name = "Medium" })
    app:wait_for { event = "clicked", target = "medium", checked = 1 }
    harness.ok(desk.elements.select(find(desk, app, "list item", "Cherry")))
    app:wait_for { event = "selected", target = "fruits", index = 2, text = "Cherry" }
    harness.ok(desk.elements.select(find(desk, app, "list item", "Blue", true)))
    app:wait_for { event = "selected", target = "colour", index = 2, text = "Blue" }
    fails("unsupported", "cannot be switched", desk.elements.toggle { pid = app.pid, name = "Alpha" })
    harness.ok(desk.elements.scroll_into_view(find(desk, app, "list item", "Apple")))
    local actions = harness.ok(desk.elements.actions(find(desk, app, "list item", "Banana")))
    harness.eq({ #actions, actions[1].name }, { 1, "select" })
  end)
end

function tests.a_list_is_opened_and_closed()
  testapp.with(nil, function(desk, app)
    desk.timing.elements, desk.timing.element_action = 10, 10 -- on a busy machine it answers late
    local colour = find(desk, app, "combo box", "Colour:")
    harness.ok(desk.elements.expand(colour))
    harness.eq(find(desk, app, "combo box", "Colour:").states.expanded, true)
    harness.ok(desk.elements.collapse(colour))
    harness.eq(find(desk, app, "combo box", "Colour:").states.expanded, nil)
    fails("unsupported", "elements.press does its action", desk.elements.expand { pid = app.pid, name = "Alpha" })
  end)
end

function tests.focus_and_selected_text()
  testapp.with(nil, function(desk, app)
    local name, notes = find(desk, app, "text", "Name:"), find(desk, app, "text", "Notes:")
    harness.ok(desk.elements.set_text(name, "héllo😀xy"))
    app:mark()
    harness.ok(desk.elements.focus(name))
    app:wait_for { event = "focus", target = "name", what = "got" }
    harness.ok(desk.elements.select_text(name, 6, -2))
    harness.eq(desk.elements.selection(name), { start = 6, stop = 7, text = "😀x" })
    harness.ok(desk.keyboard.type "Z")
    app:wait_for { event = "text", target = "name", text = "hélloZy" }
    harness.ok(desk.elements.set_text(notes, "one\ntwo"))
    harness.ok(desk.elements.select_text(notes, 4, 5))
    harness.eq(desk.elements.selection(notes), { start = 4, stop = 5, text = "\nt" })
    harness.ok(desk.elements.select_text(notes, 1, 0))
    harness.eq(desk.elements.selection(notes), { start = 1, stop = 0, text = "" })
    harness.ok(desk.elements.focus(notes))
    harness.ok(desk.keyboard.type "> ")
    app:wait_for { event = "text", target = "notes", text = "> one\r\ntwo" }
    fails("unsupported", "what is selected", desk.elements.selection(find(desk, app, "push button", "Alpha")))
  end)
end

function tests.found_by_more()
  testapp.with({ title = "Found" }, function(desk, app)
    local window = harness.ok(desk.windows.find { id = app.hwnd })
    local alpha = find(desk, app, "push button", "Alpha")
    harness.eq(harness.ok(desk.elements.find { window = window, matching = "^Al.ha$" }).handle, alpha.handle)
    harness.eq(harness.ok(desk.elements.find { pid = app.pid, role = "push button", nth = -1 }).name, "Gamma")
    harness.eq(harness.ok(desk.elements.find { name = "Alpha", within = { role = "frame", name = "Found" } }).handle,
      alpha.handle)
    harness.eq(harness.ok(desk.elements.at(alpha)).handle, alpha.handle)
    fails("not_found", "with that name there is: push button", desk.elements.find { pid = app.pid, role = "text",
      name = "Alpha" })
    fails("not_found", "looked in testapp", desk.elements.find { pid = app.pid, role = "text", name = "Alpha" })
  end)
end

function tests.told_in_words()
  testapp.with({ title = "Told in\27 words" }, function(desk, app)
    local words, list = desk.elements.outline { pid = app.pid }
    harness.ok(words, list)
    for _, line in ipairs { 'frame "Told in words"', 'push button "Alpha"', 'check box "I agree"',
      'slider "Volume:" = 0' } do
      harness.has(words, line)
    end
    local index = tonumber(words:match '(%d+) push button "Beta"')
    harness.ok(desk.elements.press(list[index]))
    app:wait_for { event = "clicked", target = "beta" }
    local printed
    local listed = desk.wait_until(function() -- on a busy machine an application answers late, and is told of in part
      printed = spawn.run { spawn.program, "elements", "--window", "Told", "--json" }
      harness.eq(printed.status, 0, printed.stderr)
      local names = {}
      for _, element in ipairs(json.decode(printed.stdout) or {}) do names[element.name] = element.role end
      return names.Alpha == "push button" and names["I agree"] == "check box"
    end, { timeout = 60 })
    harness.ok(listed, printed)
  end)
end

local function note_of(list, pid)
  for _, known in ipairs(list.apps) do
    if known.pid == pid then return known.note end
  end
end

function tests.a_hung_application_costs_its_part_only()
  testapp.with({ title = "Well" }, function(desk, well)
    local hung = testapp.start { title = "Hung", at = "300,420", hang = true }
    local _ <close> = testapp.finally(function() hung:stop() end)
    hung:wait_for { event = "hung" }
    desk.timing.elements = 1 -- each question may take a fifth of it
    local list, quickest = nil, 60 -- of three: the machine may be busy
    for _ = 1, 3 do
      local began = task.now()
      list = harness.ok(desk.elements.list())
      quickest = math.min(quickest, task.now() - began)
    end
    harness.ok(quickest < 1.5, ("read in %.2f s at best"):format(quickest))
    harness.ok(note_of(list, hung.pid), "the hung one has a note")
    harness.eq(note_of(list, well.pid), nil)
    harness.ok(desk.elements.find { pid = hung.pid, name = "Hung" }, "its window is there all the same")
    find(desk, well, "push button", "Alpha")
    hung:release()
    hung:wait_for { event = "released" }
    find(desk, hung, "push button", "Alpha")
    harness.eq(note_of(harness.ok(desk.elements.list()), hung.pid), nil)
  end)
end

function tests.what_hangs_later_is_told_of_too()
  testapp.with(nil, function(desk, app)
    local alpha = find(desk, app, "push button", "Alpha")
    local name = find(desk, app, "text", "Name:")
    harness.ok(desk.keyboard.press "alt+e")
    harness.ok(desk.keyboard.press "h")
    app:wait_for { event = "hung" }
    for _, act in ipairs { function() return desk.elements.press(alpha) end,
      function() return desk.elements.set_text(name, "x") end } do
      local began = task.now()
      local ok, err = act()
      harness.eq(ok, nil)
      harness.eq(err and err.code, "timed_out")
      harness.ok(task.now() - began < 10, "not for as long as it hangs")
    end
    app:release()
    app:wait_for { event = "released" }
    harness.ok(desk.elements.press(alpha))
    app:wait_for { event = "clicked", target = "alpha" }
  end)
end

function tests.what_is_gone_is_not_found()
  testapp.with(nil, function(desk, app)
    local alpha = find(desk, app, "push button", "Alpha")
    harness.ok(desk.windows.close(app.hwnd))
    app:wait()
    local ok, err = desk.elements.press(alpha)
    harness.eq(ok, nil)
    harness.eq(err.code, "not_found")
    harness.eq(desk.elements.find { pid = app.pid }, nil)
  end)
end

return tests
