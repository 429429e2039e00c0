--- What later looks are told as, and which elements are told of at all.
local t = require "harness"
local differences = require "deskpilot.agent.differences"
local observation = require "deskpilot.agent.observation"
local ranking = require "deskpilot.agent.ranking"
local spaces = require "deskpilot.model.space"
local told = require "told"

local tests = {}

local shot = { width = 1000, height = 1000, frame = { x = 0, y = 0, width = 1000, height = 1000 } }

local function element(number, role, name, more)
  local one = { number = number, role = role, name = name, x = number * 10, y = 100, width = 20, height = 10,
    norm = { number * 10 + 10, 105 }, states = { focusable = true } }
  for key, value in pairs(more or {}) do one[key] = value end
  return one
end

local function look(elements, more)
  local seen = { shot = shot, elements = elements, missing = {}, window = { title = "Form", class = "App" } }
  for key, value in pairs(more or {}) do seen[key] = value end
  return seen
end

local focused = { focusable = true, focused = true }

local before = look { element(0, "text", "Name", { states = focused }), element(1, "check box", "Old"),
  element(2, "button", "OK") }
local now = look { element(0, "text", "Name", { text = "Ada" }), element(2, "button", "OK", { states = focused }),
  element(3, "button", "Help", { x = 700, norm = { 710, 105 } }) }

function tests.only_what_has_changed_is_told()
  t.eq(differences.describe(before, now), [[
SCREEN, what is different (all else looks as before):
now: [0] text "Name" = "Ada"
now: [2] button "OK" focused
new: [3] button "Help" [710,105]
gone: [1] check box "Old"]])
  t.eq(differences.describe(before, before), "SCREEN: still the same look")
  t.has(differences.describe(before, look(before.elements)), "nothing that is told in words has changed")
end

function tests.who_has_lost_the_focus_is_not_told_where_somebody_else_has_it()
  local moved = look { element(0, "text", "Name"), element(1, "check box", "Old"),
    element(2, "button", "OK", { states = focused }) }
  local words = differences.describe(before, moved)
  t.has(words, 'now: [2] button "OK" focused')
  t.ok(not words:find("[0]", 1, true), words)
end

function tests.a_place_is_told_again_only_where_it_is_new()
  local moved = look { element(0, "text", "Name", { states = focused, norm = { 500, 500 } }),
    element(1, "check box", "Old"), element(2, "button", "OK") }
  t.has(differences.describe(before, moved), 'now: [0] text "Name" [500,500] focused')
end

function tests.by_role_for_who_points_at_nothing()
  t.has(observation.describe(before, "words"),
    'ELEMENTS by role:\ntext: "Name" focused\ncheck box: "Old"\nbutton: "OK"')
  local words = differences.describe(before, now, "words")
  t.has(words, 'now: text "Name" = "Ada"')
  t.has(words, 'new: button "Help"')
  t.has(words, 'gone: check box "Old"')
  t.ok(not words:find("%d,%d"), words)
end

function tests.window_dialog_and_page()
  local other = look(now.elements, { window = { title = "Question", class = "App" },
    dialog = { title = "Question", window = "Question", role = "dialog", name = "Question", pid = 1,
      controls = {} } })
  t.has(differences.describe(before, look(now.elements, { window = { title = "Other", class = "App" } })),
    'active window: "Other" (App)')
  t.has(differences.describe(other, now), "no dialog is on top any more")
  local function page(text, value)
    return look({}, { page = { title = "Shop", url = "http://x/", ready = "complete", total = 2, text = text,
      elements = { { index = 0, role = "link", name = "Home" },
        { index = 1, role = "textbox", name = "City", value = value } } } })
  end
  local words = differences.describe(page("one\ntwo\ntwo", "Ber"), page("one\ntwo\nthree", "Berlin"))
  t.has(words, 'now: [1] textbox "City" = "Berlin"')
  t.has(words, "new: | three")
  t.has(words, "gone: | two")
  t.ok(not words:find("Home", 1, true) and not words:find("| one", 1, true), words)
  t.has(differences.describe(look {}, page "one"), "BROWSER: ")
  t.has(differences.describe(page "one", look {}), "no page is in front any more")
end

-- Whoever reads the first look and the differences knows as much as one who is told the second look whole.
function tests.a_reader_knows_as_much_as_one_who_is_told_all()
  local function request(...)
    local content = {}
    for i, words in ipairs { ... } do content[i] = { type = "text", text = words } end
    return { messages = { {}, { content = content } } }
  end
  local function lines(words)
    local list = {}
    for line in words:gmatch "%[[^\n]+" do list[#list + 1] = line end
    table.sort(list)
    return list
  end
  local all = observation.describe(now, true, spaces.canonical)
  local read = told.words(request(observation.describe(before, true), differences.describe(before, now, true)))
  t.eq(lines(read), lines(all))
end

local function many(count)
  local list = {}
  for i = 0, count - 1 do
    list[i + 1] = { role = "button", name = "Item " .. i, pid = 1, x = i * 10, y = 0, width = 10, height = 10,
      states = { focusable = true } }
  end
  return list
end

local function names(list)
  local found = {}
  for i, one in ipairs(list) do found[i] = one.name end
  return table.concat(found, ",")
end

function tests.the_cap_leaves_what_matters_most()
  local list = many(50)
  list[41].name, list[46].states = "7", { focused = true, focusable = true }
  list[31].name, list[21].pid = "Save as", 2
  t.eq(names(ranking.best(list, 3, { task = 'Click "7", then save the file.', pid = 2 })), "Item 20,7,Item 45")
  t.eq(names(ranking.best(list, 2, { near = { x = 105, y = 5 } })), "Item 10,Item 45", "where the last act was")
  t.eq(names(ranking.best(many(5), 2, {})), "Item 0,Item 1", "or else the first of them")
  t.eq(#ranking.best(list, 50, {}), 50)
  local disabled = many(3)
  disabled[1].states = { enabled = false }
  t.eq(names(ranking.best(disabled, 2, {})), "Item 1,Item 2")
end

return tests
