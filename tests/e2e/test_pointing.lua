--- Tools that point at elements by their numbers: real applications on a private desktop, judged by their state.
local t = require "harness"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local play = require "script_play"
local odev_play = require "odev_play"

local tests = {}

local calculator = [[
screen = { trim = false },
desktop = { kind = "private", size = { 1000, 700 }, apps = { { "galculator" } } },
before_run = function(m) assert(m.desk.wait_for_element { app = "galculator", name = "7", timeout = 30 }) end,
]]

function tests.an_element_is_clicked_where_it_is_by_then()
  local played = play.succeeds(calculator .. [[
  run = function(m)
    assert(m:observe())
    local seven, seen = number(m, { name = "7" })
    local window = assert(m.desk.windows.find { title = "galculator" })
    assert(m.desk.windows.place(window, { x = window.x > 300 and 20 or 600, y = window.y > 200 and 30 or 260 }))
    assert(m.desk.wait_until(function()
      local now = m.desk.elements.find { app = "galculator", name = "7" }
      return now and math.abs(now.x - seen.x) > 100
    end, { timeout = 10 }))
    local result = act(m, "click_element", { label = "seven", element = seven })
    assert(result.ok, result.text)
    assert(m.desk.wait_for_element { app = "galculator", text = "7", timeout = 10 })
    result = act(m, "double_click_element", { element = seven, })
    assert(result.ok, result.text)
    assert(m.desk.wait_for_element { app = "galculator", text = "777", timeout = 10 })
  end]])
  local result = played:actions()[1] or {}
  t.eq((result.element or {}).name, "7")
  t.has(tostring((result.element or {}).role), "button")
  t.eq(type(result.point), "table")
  t.has(tostring(result.text), 'clicked "seven" at [')
  t.has(tostring(result.text), 'button "7"')
  local trajectory = json.decode(files.read(played.result.run_dir .. "/trajectory.json") or "") or {}
  t.ok(trajectory.steps, "there is a trajectory")
  played:close()
end

function tests.one_of_the_two_is_wanted()
  local played = play.succeeds(calculator .. [[
  run = function(m)
    assert(m:observe())
    local seven = number(m, { name = "7" })
    local function fails(part, tool, args)
      local result = act(m, tool, args)
      assert(not result.ok and result.text:find(part, 1, true), tool .. " said: " .. result.text)
    end
    fails("element (a number in ELEMENTS) or position ([x, y]), one of the two", "click_element", {})
    fails("and not both", "click_element", { element = seven, position = { 5, 5 } })
    fails("there is no element [9999] in ELEMENTS: [0] to [", "click_element", { element = 9999 })
    fails("end_element (a number in ELEMENTS) or end ([x, y])", "drag_element", { start_element = seven })
    fails("start_element (a number in ELEMENTS) or start ([x, y])", "drag_element", { ["end"] = { 5, 5 } })
    fails("and not both", "scroll_down", { element = seven, position = { 5, 5 } })
    fails("there is no element [9999]", "type_text", { element = 9999, text = "7" })
    assert(not m.desk.elements.find { app = "galculator", text = "7" }, "nothing was clicked or typed")
  end]])
  played:close()
end

-- Nobody's elements change their identity between two reads, those of lists and tables as little as others.
function tests.whatever_is_seen_is_found_again()
  play.succeeds([[
  desktop = { kind = "private", size = { 1200, 900 } },
  run = function(m)
    local desk = m.desk
    for _, app in ipairs { { "thunar", "/usr/share" }, { "gnumeric" },
      { "zenity", "--list", "--column=Name", "--column=Town", "Ada", "London", "Zoe", "Paris" } } do
      app.wait = 60
      assert(desk.apps.start(app))
      assert(desk.settle { quiet = 1, cap = 10 })
      assert(m:observe())
      local found, top = 0, desk.windows.active().pid
      for _, element in ipairs(m.observation.elements) do
        local now, err = desk.elements.locate(element)
        assert(now or err.code == "refused" and element.pid ~= top, app[1] .. ": " .. tostring(err))
        found = found + (now and 1 or 0)
      end
      assert(found > 9, ("of %s only %d elements are there"):format(app[1], found))
    end
  end]]):close()
end

local question = [[
desktop = { kind = "private", size = { 900, 600 }, apps = { { "mousepad", "--disable-server" } } },
before_run = function(m) assert(m.desk.wait_for_window { title = "Mousepad", timeout = 30 }) end,
]]

function tests.an_element_that_is_gone_or_was_replaced_is_stale()
  local played = play.succeeds(question .. [[
  run = function(m)
    local desk = m.desk
    local function ask()
      local app = assert(desk.apps.start { "zenity", "--question", "--title", "Really", "--text", "Go on?", wait = 20 })
      assert(desk.wait_for_window { title = "Really", active = true, timeout = 20 })
      assert(desk.wait_for_element { name = "Yes", timeout = 20 })
      return app
    end
    ask()
    assert(m:observe())
    local yes = number(m, { name = "Yes" })
    assert(desk.windows.close({ title = "Really" }, { wait = 10 }))
    local result = act(m, "click_element", { element = yes })
    assert(not result.ok and result.code == "stale", tostring(result.code) .. result.text)
    assert(result.text:find("push button 'Yes' is gone", 1, true), result.text)
    local second = ask()
    result = act(m, "click_element", { element = yes })
    assert(result.code == "stale", "the same button of another dialog is not what was seen: " .. result.text)
    assert(desk.windows.find { title = "Really" }, "the second dialog was not answered")
    assert(m:observe())
    result = act(m, "click_element", { element = number(m, { name = "Yes" }) })
    assert(result.ok, result.text)
    return desk.apps.wait(second) == 0, "the answer was not Yes"
  end]])
  played:close()
end

function tests.what_lies_under_another_window_is_not_clicked_through_it()
  local played = play.succeeds([[
  desktop = { kind = "private", size = { 900, 600 }, apps = { { "galculator" } } },
  run = function(m)
    local desk = m.desk
    assert(desk.wait_for_element { app = "galculator", name = "7", timeout = 30 })
    assert(desk.apps.start { "xterm", "-T", "in front", "-geometry", "140x40+0+0", wait = 20 })
    assert(desk.wait_for_window { title = "in front", active = true, timeout = 20 })
    assert(desk.windows.place({ title = "galculator" }, { x = 40, y = 40 }))
    assert(desk.windows.raise { title = "in front" })
    assert(m:observe())
    local seven = number(m, { name = "7" })
    local result = act(m, "click_element", { element = seven })
    assert(result.code == "refused" and result.text:find("covered by the window 'in front'", 1, true), result.text)
    assert(desk.windows.focus { title = "galculator" })
    result = act(m, "click_element", { element = seven })
    assert(result.ok, result.text)
    return desk.wait_for_element { app = "galculator", text = "7", timeout = 10 }
  end]])
  played:close()
end

function tests.a_text_goes_into_the_field_of_that_number()
  local played = play.succeeds([[
  desktop = { kind = "private", size = { 900, 600 } },
  run = function(m)
    local form = assert(m.desk.apps.start { "sh", "-c", "zenity --forms --title Form --text Say --add-entry One "
      .. "--add-entry Two > " .. FOLDER .. "/form.txt", wait = 20 })
    assert(m.desk.wait_for_window { title = "Form", active = true, timeout = 20 })
    assert(m.desk.wait_for_element { name = "OK", timeout = 20 })
    assert(m:observe())
    local second, element = number(m, { role = "text" }, 2)
    local result = act(m, "type_text", { element = second, text = "listed second" })
    assert(result.ok and result.text:find("typed 13 characters into [", 1, true), result.text)
    assert(m.desk.elements.text(element) == "listed second")
    result = act(m, "type_text", { element = number(m, { role = "text" }, 1), text = "listed first" })
    assert(result.ok, result.text)
    assert(m.desk.elements.text(element) == "listed second")
    assert(act(m, "click_element", { element = number(m, { name = "OK" }) }).ok)
    assert(m.desk.apps.wait(form))
  end]])
  local words = files.read(played.folder .. "/form.txt") -- GTK lists the fields of a grid from the last one on
  t.ok(words == "listed second|listed first\n" or words == "listed first|listed second\n", words)
  played:close()
end

function tests.drags_and_the_wheel()
  local played = play.succeeds([[
  desktop = { kind = "private", size = { 900, 600 } },
  run = function(m)
    local desk = m.desk
    assert(desk.apps.start { "zenity", "--scale", "--title", "Scale", "--text", "How much?", "--value", "50",
      wait = 20 })
    assert(desk.wait_for_element { role = "slider", timeout = 20 })
    assert(desk.wait_for_window { title = "Scale", active = true, timeout = 20 })
    assert(m:observe())
    local result = act(m, "drag_element", { start_element = number(m, { role = "slider" }),
      end_element = number(m, { name = "OK" }) })
    assert(result.ok and result.text:find('slider', 1, true) and result.text:find('button "OK"', 1, true), result.text)
    assert(desk.wait_until(function() return desk.elements.find({ role = "slider" }).value > 60 end, { timeout = 10 }))
    result = act(m, "drag_element", { start = { 100, 900 }, end_element = number(m, { name = "OK" }) })
    assert(result.ok, result.text)
    assert(desk.windows.close({ title = "Scale" }, { wait = 10 }))
    assert(desk.apps.start { "mousepad", "--disable-server", FOLDER .. "/long.txt", wait = 20 })
    assert(desk.wait_for_window { title = "long.txt", active = true, timeout = 20 })
    assert(desk.wait_for_element { role = "text", timeout = 20 })
    assert(m:observe())
    local function scrolled()
      for _, bar in ipairs(desk.elements.list { app = "mousepad", role = "scroll bar", all = true }) do
        if (bar.value or 0) > 0 then return true end
      end
    end
    assert(not scrolled())
    result = act(m, "scroll_down", { element = number(m, { role = "text" }) })
    assert(result.ok and result.text:find("scrolled down at [", 1, true), result.text)
    assert(desk.wait_until(scrolled, { timeout = 10 }))
  end]], function(folder) assert(files.write(folder .. "/long.txt", ("a line\n"):rep(500))) end)
  played:close()
end

function tests.the_numbers_of_a_page_and_those_of_the_desktop_are_different()
  local played = play.succeeds([[
  desktop = { kind = "private", size = { 1100, 800 } },
  timing = { settle_page = 30 },
  run = function(m)
    local desk = m.desk
    local browser = assert(desk.browser.start { url = "file://" .. FOLDER .. "/page.html", window = { 900, 700 } })
    local tab = browser:tab()
    assert(tab:navigate("file://" .. FOLDER .. "/page.html"))
    assert(desk.apps.start { "zenity", "--info", "--title", "Beside", "--text", "Read this", wait = 20 })
    assert(desk.wait_for_element { name = "OK", timeout = 20 })
    assert(desk.windows.focus(assert(tab:window())))
    assert(m:observe())
    local seen = m.observation
    assert(seen.page, "the page was seen")
    local taken = {}
    for _, element in ipairs(seen.page.elements) do taken[element.index] = true end
    for _, element in ipairs(seen.elements) do
      assert(not taken[element.number], "no number means two things")
      taken[element.number] = true
    end
    local ok = number(m, { name = "OK" })
    local function says(part, tool, args)
      local result = act(m, tool, args)
      assert(not result.ok and result.text:find(part, 1, true), tool .. " said: " .. result.text)
    end
    says("is an element of the page: use it as the `index`", "click_element", { element = 0 })
    says("is no element of the page, but one of the desktop", "browser_click", { index = ok })
    local result = act(m, "browser_click", { index = 0 })
    assert(result.ok, result.text)
    assert(desk.wait_until(function() return tab:evaluate("document.title") == "pressed" end, { timeout = 20 }))
    assert(desk.windows.focus { title = "Beside" })
    result = act(m, "click_element", { element = ok })
    assert(result.ok, result.text)
    assert(desk.wait_for_window { title = "Beside", gone = true, timeout = 20 })
  end]], function(folder)
    assert(files.write(folder .. "/page.html", "<!DOCTYPE html><meta charset=utf-8><title>Page</title>"
      .. "<button onclick=\"document.title = 'pressed'\">Press</button>"))
  end)
  local clicked
  for _, action in ipairs(played:actions()) do
    if action.tool == "browser_click" and action.ok then clicked = action.element end
  end
  t.eq(clicked, { role = "button", name = "Press" })
  played:close()
end

-- A planner that sees no picture has the numbers, and a window that has moved since is no matter.
function tests.odev_plans_with_numbers()
  local asked
  local played = odev_play.play { mission = odev_play.question .. [[indicators = { "nothing like that" },
    verify = function(m) return m.desk.windows.find { title = "Survey" } == nil, "it is still open" end,]],
    planner = function(request)
      asked = odev_play.words(request)
      local field = math.tointeger(tonumber(asked:match('%[(%d+)%] text "'))) or 0
      local ok = math.tointeger(tonumber(asked:match('%[(%d+)%] push button "OK"')))
      return odev_play.plan { completes_goal = true, actions = {
        { tool = "type_text", args = { text = "by number", element = field } },
        { tool = "click_element", args = { label = "OK", element = ok } } } }
    end }
  t.eq(played.result.status, "succeeded", played.result.reason)
  t.has(asked, "ELEMENTS (number, role, name")
  local click = played:actions("click_element")[1] or {}
  t.eq(click.element, { role = "push button", name = "OK" })
  t.has(played.requests[1].messages[1].content, "element?: integer")
  played:close()
end

-- What makers' verbs can say: three clicks, a pointer that only moves, a field whose words are replaced.
function tests.clicks_moves_and_replaced_words()
  local played = play.succeeds([[
  desktop = { kind = "private", size = { 900, 600 } },
  run = function(m)
    local desk = m.desk
    assert(desk.apps.start { "zenity", "--entry", "--title", "Entry", "--entry-text", "old words", wait = 20 })
    assert(desk.wait_for_window { title = "Entry", active = true, timeout = 20 })
    assert(desk.wait_for_element { role = "text", timeout = 20 })
    assert(m:observe())
    local field, element = number(m, { role = "text" })
    local function shows(words)
      assert(desk.wait_until(function() return desk.elements.text(element) == words end, { timeout = 10 }),
        "not " .. words .. " but " .. tostring(desk.elements.text(element)))
    end
    local function done(tool, args)
      local result = act(m, tool, args)
      assert(result.ok, result.text)
      return result.text
    end
    shows "old words"
    done("type_text", { element = field, text = "new", replace = true })
    shows "new"
    local place = m.observation.shot
    local x, y = place:to_norm(element.x + element.width // 2, element.y + element.height // 2)
    done("type_text", { position = { x, y }, text = "by its place", replace = true })
    shows "by its place"
    assert(done("click_element", { element = field, clicks = 3 }):find("triple-clicked", 1, true))
    done("type_text", { text = "over all" })
    shows "over all"
    for _ = 1, 2 do done("click_element", { element = field }) end -- two clicks: together they would mark a word
    done("type_text", { text = "+" })
    assert(desk.wait_until(function()
      local words = desk.elements.text(element) or ""
      return #words == #"over all+" and words:gsub("%+", "") == "over all"
    end, { timeout = 10 }), "two clicks made one: " .. tostring(desk.elements.text(element)))
    assert(done("click_element", { element = number(m, { name = "OK" }), clicks = 0 }):find("pointed at", 1, true))
    local _, ok = number(m, { name = "OK" })
    local at_x, at_y = desk.mouse.position()
    assert(at_x >= ok.x and at_x < ok.x + ok.width and at_y >= ok.y and at_y < ok.y + ok.height)
    assert(desk.windows.find { title = "Entry" }, "nothing was clicked")
    assert(done("click_element", { element = field, keys = "shift", button = "middle" }):find(
      "with shift clicked", 1, true))
  end]])
  played:close()
end

function tests.how_far_the_wheel_turns()
  local played = play.succeeds([[
  desktop = { kind = "private", size = { 900, 600 } },
  run = function(m)
    local desk = m.desk
    assert(desk.apps.start { "mousepad", "--disable-server", FOLDER .. "/long.txt", wait = 20 })
    assert(desk.wait_for_window { title = "long.txt", active = true, timeout = 20 })
    assert(desk.wait_for_element { role = "text", timeout = 20 })
    assert(m:observe())
    local text = number(m, { role = "text" })
    local function bars()
      local values = {}
      for _, bar in ipairs(desk.elements.list { app = "mousepad", role = "scroll bar", all = true }) do
        values[bar.width > bar.height and "across" or "down"] = bar.value or 0
      end
      return values
    end
    local function turn(tool, args, bar, wanted)
      args.element = text
      local result = act(m, tool, args)
      assert(result.ok, result.text)
      assert(desk.wait_until(function() return wanted(bars()[bar] or -1) end, { timeout = 10 }),
        tool .. ": " .. tostring(bars()[bar]))
    end
    local once
    turn("scroll_down", { notches = 1 }, "down", function(value) once = value return value > 0 end)
    turn("scroll_down", { notches = 9 }, "down", function(value) return value >= 9 * once end)
    turn("scroll_up", { notches = 10 }, "down", function(value) return value < 0.5 end)
    turn("scroll_down", { notches = 5, sideways = true }, "across", function(value) return value > 0 end)
    turn("scroll_up", { notches = 5, sideways = true }, "across", function(value) return value < 0.5 end)
  end]], function(folder) assert(files.write(folder .. "/long.txt", (("a long line "):rep(100) .. "\n"):rep(500))) end)
  played:close()
end

return tests
