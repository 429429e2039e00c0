--- How a mended step's tool is pointed at what a model has chosen: by a number of the desktop's or of the page's
--- elements, or by a place, whatever the tool takes.
local t = require "harness"
local native = require "native.image"
local replay_aim = require "deskpilot.replay.aim"
local shots = require "deskpilot.desk.picture.shot"

local tests = {}

local function tool(pages, ...)
  local properties = {}
  for _, name in ipairs { ... } do properties[name] = { type = "integer" } end
  return { pages = pages, parameters = { properties = properties } }
end

local drag = tool(false, "start_element", "start", "end_element", "end")

-- A page of three elements, the last one below what is in view.
local seen = { shot = shots.new(native.new(100, 100), { x = 0, y = 0, width = 1001, height = 501 }, {}),
  page = { total = 3, elements = { { index = 1, role = "button", name = "Box", in_view = true,
    box = { x = 490, y = 240, width = 20, height = 20 } }, { index = 2, role = "button", name = "Bin" } } } }

local parts = replay_aim.parts { on = { role = "button" }, to = { role = "button" } }

function tests.a_drag_has_two_parts_and_a_click_one()
  t.eq({ parts[1].element, parts[1].position, parts[2].element, parts[2].position },
    { "start_element", "start", "end_element", "end" })
  t.eq(#replay_aim.parts { on = { role = "button" } }, 1)
  t.eq(#replay_aim.parts {}, 0)
end

function tests.a_place_and_an_element_of_the_desktop_are_taken_as_they_are()
  t.eq(replay_aim.chosen(drag, seen, parts[2], nil, { 3, 4 }), { ["end"] = { 3, 4 } })
  t.eq(replay_aim.chosen(drag, seen, parts[2], 7), { end_element = 7 })
end

function tests.an_element_of_a_page_is_its_place_for_a_tool_that_takes_no_such_number()
  t.eq(replay_aim.chosen(drag, seen, parts[2], 1), { ["end"] = { seen.shot:to_norm(500, 250) } })
  local one = replay_aim.parts { on = { role = "button" } }[1]
  t.eq(replay_aim.chosen(tool(true, "element", "position"), seen, one, 1), { element = 1 })
  t.eq(replay_aim.chosen(tool(false, "index"), seen, one, 1), { index = 1 })
  for number, words in pairs { [2] = "not in view", [0] = "no element 0" } do
    local args, err = replay_aim.chosen(drag, seen, parts[1], number)
    t.eq({ args, tostring(err):find(words, 1, true) ~= nil }, { nil, true })
  end
end

local notes = { id = 1, title = "Notes", executable = "/usr/bin/notes", class = "Notes", pid = 7, visible = true,
  active = true }
local desk = { shot = seen.shot, window = notes, windows = { { id = 2, title = "Sums", executable = "/usr/bin/sums",
  class = "Sums", pid = 8, visible = true }, notes }, tree = {}, elements = {} }

local function at(tool_, target)
  local args, err = replay_aim.at({ m = {}, pictures = "." }, tool_, desk, replay_aim.parts { on = target }[1])
  return args, err and tostring(err)
end

function tests.a_window_is_brought_to_the_front_from_behind_another()
  local switch = { anywhere = true, parameters = { properties = { title = { type = "string" } } } }
  t.eq(at(switch, { app = "sums", title = "Sums" }), {})
  local args, err = at(switch, { app = "mail", title = "Sums" })
  t.eq({ args, err:find("no window of the application mail", 1, true) ~= nil }, { nil, true })
end

function tests.keys_are_for_what_has_the_focus()
  local press = { parameters = { properties = { key = { type = "string" } } } }
  t.eq(at(press, { app = "notes" }), {})
  local args, err = at(press, { app = "sums" })
  t.eq({ args, err:find("the active window is", 1, true) ~= nil }, { nil, true })
  args, err = at(press, { app = "notes", page = "/x", role = "textbox", name = "Search" })
  t.eq({ args, err:find("the keyboard is in nothing", 1, true) ~= nil }, { nil, true })
end

return tests
