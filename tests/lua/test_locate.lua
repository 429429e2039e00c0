--- Which element of a new list is the one that was seen in an earlier one, and whether it can be clicked where it is.
--- Lists that a test makes up; e2e/test_pointing.lua has real applications.
local t = require "harness"
local locate = require "deskpilot.desk.elements.locate"

local tests = {}

-- A complete list from { handle, role, name, parent, x, y, width, height } each.
local function list_of(rows)
  local list = {}
  for i, row in ipairs(rows) do
    local parent = list[row[4] or 0]
    list[i] = { index = i, handle = row[1], role = row[2], name = row[3], parent = row[4],
      depth = parent and parent.depth + 1 or 0, x = row[5] or 0, y = row[6] or 0, width = row[7] or 100,
      height = row[8] or 100, pid = 7, states = { showing = true } }
  end
  return list
end

local function rows(changes)
  local made = { { "app", "application", "editor" }, { "f", "frame", "Note", 1, 0, 0, 400, 300 },
    { "p", "scroll pane", "", 2, 10, 10, 200, 100 }, { "b", "push button", "Save", 3, 20, 20, 40, 20 } }
  for number, row in pairs(changes or {}) do made[number] = row or nil end
  return made
end

local own_window = { id = 1, pid = 7, title = "Note", x = 0, y = 0, width = 400, height = 300, visible = true }

local function desk_with(list, windows)
  return { timing = { element_action = 0.2, wait_every = 0.01 }, elements = { list = function() return list end },
    windows = { list = function() return windows or { own_window } end } }
end

-- The button of the list above, as it was seen.
local function seen()
  local list = list_of(rows())
  local button = list[4]
  button.path = locate.path(list, button)
  t.eq(button.path, "p f app")
  return button
end

local function button(handle, role, name, parent, x, y)
  return { [4] = { handle, role, name, parent, x or 20, y or 20, 40, 20 } }
end

local function located(changes, windows)
  return locate.locate(desk_with(list_of(rows(changes)), windows), seen())
end

function tests.the_same_one_where_it_is_now()
  local now = t.ok(located(button("b", "push button", "Save", 3, 100, 60)))
  t.eq({ now.x, now.y, now.width, now.height }, { 100, 60, 40, 20 })
  now = t.ok(located { [3] = { "p", "scroll pane", "", 2, 10, 10, 200, 25 } })
  t.eq({ now.y, now.height }, { 20, 15 }, "the part of it that is not scrolled away")
  t.ok(located { [2] = { "f", "frame", "*Note", 1, 0, 0, 400, 300 } }, "a title changes while one types")
end

function tests.not_the_same()
  t.fails("stale", "the push button 'Save' is gone", located(button("c", "push button", "Save", 3)))
  t.fails("stale", "is now the push button 'Delete'", located(button("b", "push button", "Delete", 3)))
  t.fails("stale", "is now the label 'Save'", located(button("b", "label", "Save", 3)))
  t.fails("stale", "elsewhere in its application", located(button("b", "push button", "Save", 2)))
  t.fails("stale", "elsewhere in its application", located { [3] = { "q", "scroll pane", "", 2, 10, 10, 200, 100 } })
  t.fails("stale", "no longer in view", located(button("b", "push button", "Save", 3, 20, 400)))
  t.fails("stale", "no longer in view", located { [4] = { "b", "push button", "Save", 3, 0, 0, 0, 0 } })
end

function tests.covered()
  local function over(x, y, more)
    local window = { id = 2, pid = 9, title = "A terminal", x = x, y = y, width = 50, height = 50, visible = true }
    for key, value in pairs(more or {}) do window[key] = value end
    return window
  end
  t.fails("refused", "covered by the window 'A terminal'", located({}, { own_window, over(20, 10) }))
  t.ok(located({}, { own_window, over(200, 200) }), "beside it")
  t.ok(located({}, { over(20, 10), own_window }), "below it")
  t.ok(located({}, { own_window, over(20, 10, { visible = false }) }), "not to be seen")
  t.ok(located({ [2] = { "f", "menu", "", 1, 0, 0, 400, 300 } }, { over(0, 0, { pid = 9 }) }),
    "a menu has no window of the manager's, and is above all that have")
end

return tests
