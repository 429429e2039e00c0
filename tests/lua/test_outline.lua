-- What the modules of desk.elements make of a list, without any application: which elements are meant,
-- where they can be seen, and their outline in words.
local find = require "deskpilot.desk.elements.find"
local harness = require "harness"
local outline = require "deskpilot.desk.elements.outline"
local places = require "deskpilot.desk.elements.places"

local tests = {}

-- A list from lines of { depth, role, name, x, y, width, height, other fields }.
local function list_of(lines)
  local list, above = {}, {}
  for i, line in ipairs(lines) do
    local element = { index = i, depth = line[1], role = line[2], name = line[3] or "", x = line[4] or 0,
      y = line[5] or 0, width = line[6] or 0, height = line[7] or 0, actions = 0, app = "app", pid = 7,
      handle = "h" .. i, states = { enabled = true, showing = true }, parent = above[line[1] - 1] }
    for key, value in pairs(line) do
      if key == "states" then
        for state, on in pairs(value) do element.states[state] = on end
      elseif type(key) == "string" then
        element[key] = value
      end
    end
    above[element.depth] = i
    list[i] = element
  end
  list.apps = { { name = "app", pid = 7 } }
  return list
end

local function window()
  return list_of {
    { 0, "application", "app", states = { enabled = false } },
    { 1, "frame", "Main", 0, 0, 400, 300, states = { active = true } },
    { 2, "filler", "", 0, 0, 400, 300 },
    { 3, "label", "Name:", 0, 20, 50, 20, text = "Name:" },
    { 3, "text", "Name:", 60, 20, 100, 20, text = "Ada\nLovelace", states = { focused = true } },
    { 3, "separator", "", 0, 50, 400, 1 },
    { 3, "push button", "Say \"hi\"\n\27[31m", 0, 60, 80, 20, actions = 1, states = { enabled = false } },
    { 4, "label", "Say \"hi\"\n\27[31m", 0, 60, 80, 20 },
    { 3, "slider", "", 0, 90, 80, 20, value = 2.5 },
    { 3, "scroll pane", "", 0, 100, 100, 50 },
    { 4, "table", "", 0, 100, 100, 500 },
    { 5, "table cell", "near", 0, 110, 90, 20, states = { selected = true } },
    { 5, "table cell", "far", 0, 400, 90, 20 },
    { 3, "check box", "Third", 0, 200, 90, 20, states = { checked = true, expandable = true } },
    { 3, "push button", "hidden", 0, 0, 0, 0, states = { showing = false } },
  }
end

function tests.lines()
  local words, kept = outline.make(window())
  harness.eq(words, [[
1 application "app"
  2 frame "Main" (active)
    3 text "Name:" = "Ada Lovelace" (focused)
    4 push button "Say \"hi\" [31m" (disabled)
    5 slider = 2.5
    6 table
      7 table cell "near" (selected)
    8 check box "Third" (checked, collapsed)
(left out: 1 scrolled out of view)]])
  harness.eq(#kept, 8)
  for i, element in ipairs(kept) do
    harness.eq(element.index, i)
    harness.ok(not element.parent or (element.parent < i and kept[element.parent].depth == element.depth - 1))
  end
  harness.eq(kept[7].handle, "h12")
end

function tests.limits()
  local words, kept = outline.make(window(), { max = 3 })
  harness.eq(#kept, 3)
  harness.has(words, "(left out: 1 scrolled out of view and 6 over the limit of 3)")
  words, kept = outline.make(window(), { depth = 1 })
  harness.eq(#kept, 2)
  harness.has(words, "7 deeper than 1")
  local long = window()
  long[7].name, long[5].text = ("x"):rep(5000), ("é"):rep(5000)
  long.truncated = true
  words = outline.make(long)
  harness.ok(#words < 1000, #words)
  harness.ok(utf8.len(words), "no character is cut in two")
  harness.has(words, "elements that were not read")
  harness.has(outline.make(window(), { all = true }), 'push button "hidden"')
  harness.has(outline.make(window(), { all = true }), 'table cell "far"')
  harness.eq((outline.make(list_of {})), "")
end

function tests.what_can_be_seen()
  local list = window()
  local rects = places.visible(list)
  harness.eq(rects[12], { x = 0, y = 110, width = 90, height = 20 })
  harness.eq({ rects[13], rects[15] }, { false, false })
  harness.eq({ places.in_view(list, list[12]), places.in_view(list, list[13]), places.in_view(list, list[15]) },
    { true, false, false })
  -- Two windows over each other, and a menu that is open above both.
  local both = list_of {
    { 0, "application", "app" },
    { 1, "frame", "Below", 0, 0, 200, 200 }, { 2, "menu bar", "", 0, 0, 200, 20 }, { 3, "menu", "File", 0, 0, 40, 20 },
    { 4, "menu item", "Open", 0, 100, 80, 20 }, { 2, "push button", "under", 100, 100, 50, 20 },
    { 1, "frame", "Above", 0, 50, 200, 200 }, { 2, "push button", "over", 100, 100, 50, 20 },
  }
  local windows = { { title = "Below", pid = 7, x = 0, y = 0, width = 200, height = 200 },
    { title = "Above", pid = 7, x = 0, y = 50, width = 200, height = 200 } }
  local function at(x, y) return (places.at(both, windows, x, y, find.frame) or {}).name end
  harness.eq({ at(110, 110), at(10, 110), at(10, 10), at(10, 60) }, { "over", "Open", "File", "Above" })
  windows[1], windows[2] = windows[2], windows[1]
  harness.eq({ at(110, 110), at(500, 500) }, { "under", nil })
end

function tests.what_is_meant()
  local list = window()
  local function names(criteria)
    local words = {}
    for i, element in ipairs(find.all(list, criteria)) do words[i] = element.name end
    return table.concat(words, ",")
  end
  harness.eq(names { role = "Table Cell" }, "near,far")
  harness.eq(names { matching = "^%l+$", role = "table cell", states = { selected = false } }, "far")
  harness.eq(names { contains = "lovel" }, "Name:")
  harness.eq(names { within = { role = "table" } }, "near,far")
  harness.eq(names { within = list[10], role = "table cell", name = "far" }, "far")
  harness.eq(names { within = { role = "frame", name = "Other" } }, "")
  harness.eq(names { within = { role = "table", within = { role = "frame", name = "main" } } }, "near,far")
  local function why(criteria, count)
    local _, err = find.missing(list, criteria, count or 0)
    return tostring(err)
  end
  harness.eq(why { role = "push button", name = "third" },
    "no element with role 'push button' and name 'third'; with that name there is: check box; looked in app")
  harness.has(why { name = "Thrid" }, "the nearest names are 'Third'")
  harness.has(why { app = "gedit" }, "no application has that name, there are app")
  harness.has(why({ role = "table cell", nth = 3 }, 2), "there are only 2 elements with role 'table cell', not 3")
  list.apps = { { name = "app", pid = 7, note = "does not answer" } }
  harness.has(why { name = "x" }, "; app does not answer")
  harness.raises("not colour", function() find.check { colour = 1 } end)
  harness.raises("not colour", function() find.check { within = { colour = 1 } } end)
  harness.raises("not a Lua pattern", function() find.check { matching = "%" } end)
  harness.raises("nth counts from 1", function() find.check { nth = 0.5 } end)
end

return tests
