--- What a filter of desk.input lets through, on a desktop that is only imagined and writes down what reached it: keys
--- however they are named, held and combined, and texts however they are cut.
local desk_module = require "deskpilot.desk"
local files = require "deskpilot.base.files"
local harness = require "harness"

local tests = {}

-- Runs fn(desk, reached) on a desk with a filter; reached() tells what has come through since it was last called.
local function with_filter(filter, fn)
  local desk = assert(desk_module.open { backend = "null" })
  local seen = 0
  desk.windows.active = function() return { id = 0, title = "a window", pid = 0, class = "" } end
  local handle = desk.input.add_filter(filter)
  fn(desk, function()
    local log = desk.native:log()
    local fresh = table.concat({ table.unpack(log, seen + 1) }, "; ")
    seen = #log
    return fresh
  end, handle)
  desk:close()
end

-- A filter that refuses all of these keys together.
local function no_keys(...)
  local names = { ... }
  return { keys = function(down)
    for _, name in ipairs(names) do
      if not down[name] then return nil end
    end
    return "not " .. table.concat(names, " and ")
  end }
end

-- A filter that refuses a text with that part.
local function no_text(part)
  return { text = function(words, before)
    local at = (before .. words):find(part, math.max(1, #before - #part + 2), true)
    return at and "not " .. part or nil
  end }
end

function tests.a_combination_however_it_is_written()
  with_filter(no_keys("ctrl", "alt", "delete"), function(desk, reached)
    for _, combo in ipairs { "ctrl+alt+delete", "Control+Alt+Del", "del+alt+ctrl", "right_alt+left_ctrl+delete",
      "ctrl+alt+shift+delete", " ctrl + alt + delete " } do
      harness.fails("forbidden", "not ctrl and alt and delete", desk.keyboard.press(combo))
      harness.fails("forbidden", "not ctrl", desk.keyboard.hold(combo))
      harness.eq(reached(), "", combo .. " does not go down, nor a part of it")
    end
    harness.ok(desk.keyboard.press "ctrl+alt+end")
    harness.ok(desk.keyboard.press "alt+delete")
    harness.has(reached(), "key end down")
  end)
end

function tests.keys_that_go_down_one_after_the_other()
  with_filter(no_keys("ctrl", "alt", "delete"), function(desk, reached)
    harness.ok(desk.keyboard.hold "left_ctrl")
    harness.ok(desk.keyboard.hold "alt")
    reached()
    harness.fails("forbidden", "not ctrl", desk.keyboard.press "delete")
    harness.fails("forbidden", "not ctrl", desk.keyboard.hold "delete")
    harness.eq(reached(), "")
    harness.ok(desk.keyboard.release "alt")
    harness.ok(desk.keyboard.press "delete")
    reached()
    harness.fails("forbidden", "not ctrl", desk.mouse.click({ 5, 5 }, { modifiers = { "alt", "delete" } }))
    harness.fails("forbidden", "not ctrl", desk.mouse.drag({ 5, 5 }, { 9, 9 }, { modifiers = "alt+delete" }))
    harness.fails("forbidden", "not ctrl", desk.mouse.scroll { dy = 1, modifiers = "alt+delete" })
    local log = reached()
    harness.ok(not log:find("button", 1, true) and not log:find("key", 1, true) and not log:find("wheel", 1, true), log)
  end)
end

function tests.a_press_that_was_refused_holds_nothing()
  with_filter(no_keys("alt", "f4"), function(desk)
    harness.fails("forbidden", "not alt and f4", desk.keyboard.press "alt+f4")
    harness.ok(desk.keyboard.press "f4")
    harness.ok(desk.keyboard.press("alt+tab", { times = 2 }))
    harness.ok(desk.keyboard.press "f4")
  end)
end

function tests.characters_of_a_text_are_keys_too()
  with_filter(no_keys "enter", function(desk, reached)
    harness.fails("forbidden", "not enter", desk.keyboard.type "a\nb")
    harness.fails("forbidden", "not enter", desk.keyboard.press "return")
    harness.eq(reached(), "")
    harness.ok(desk.keyboard.type "a b")
  end)
  with_filter(no_keys("win", "l"), function(desk, reached)
    harness.ok(desk.keyboard.type "hello")
    harness.ok(desk.keyboard.hold "super")
    reached()
    harness.fails("forbidden", "not win and l", desk.keyboard.type "L")
    harness.eq(reached(), "")
    harness.ok(desk.keyboard.release "super")
    harness.ok(desk.keyboard.type "L")
  end)
end

function tests.a_text_in_one_piece_and_in_many()
  with_filter(no_text "rm -rf", function(desk, reached)
    harness.fails("forbidden", "not rm -rf", desk.keyboard.type "sudo rm -rf /")
    harness.eq(reached(), "", "nothing of it was typed")
    harness.ok(desk.keyboard.type "sudo rm")
    harness.ok(desk.keyboard.type " -")
    harness.ok(desk.keyboard.press "r")
    harness.fails("forbidden", "not rm -rf", desk.keyboard.type "f /")
    harness.fails("forbidden", "not rm -rf", desk.keyboard.press "f")
    harness.ok(desk.keyboard.type "x", "what was typed before is no reason to refuse the rest")
    harness.ok(desk.keyboard.type " rm")
    harness.ok(desk.keyboard.press "space")
    harness.fails("forbidden", "not rm -rf", desk.keyboard.type "-rf")
    harness.ok(desk.keyboard.press "home")
    harness.ok(desk.keyboard.type "-rf", "a key that is no character has moved the caret, or ended the line")
    harness.ok(desk.keyboard.type "rm ")
    harness.ok(desk.mouse.click { 5, 5 })
    harness.ok(desk.keyboard.type "-rf", "and so has a click")
  end)
end

function tests.the_clipboard()
  local asked = {}
  with_filter({ text = function(words) asked[#asked + 1] = words return words == "secret" and "no secrets" or nil end,
    paste = function(read) return read() == "taken" and "not that" or nil end }, function(desk, reached)
    harness.fails("forbidden", "no secrets", desk.clipboard.set "secret")
    harness.ok(desk.clipboard.set "taken")
    harness.eq(asked, { "secret", "taken" })
    reached()
    for _, combo in ipairs { "ctrl+v", "V+Control", "ctrl+shift+v", "shift+insert" } do
      harness.fails("forbidden", "not that", desk.keyboard.press(combo))
    end
    harness.ok(desk.keyboard.hold "ctrl")
    harness.fails("forbidden", "not that", desk.keyboard.press "v")
    harness.fails("forbidden", "not that", desk.keyboard.type "v")
    harness.ok(desk.keyboard.release "ctrl")
    harness.ok(not reached():find("key v", 1, true))
    harness.ok(desk.clipboard.set "fine")
    harness.ok(desk.keyboard.press "ctrl+v")
    harness.ok(desk.keyboard.press "ctrl+insert")
  end)
end

function tests.a_filter_ends_and_one_that_fails_lets_nothing_through()
  with_filter(no_keys "f4", function(desk, reached, handle)
    local second = desk.input.add_filter(no_keys "f5")
    harness.fails("forbidden", "not f4", desk.keyboard.press "f4")
    harness.fails("forbidden", "not f5", desk.keyboard.press "f5")
    handle:remove()
    handle:remove()
    harness.ok(desk.keyboard.press "f4")
    harness.fails("forbidden", "not f5", desk.keyboard.press "f5")
    second.remove()
    harness.ok(desk.keyboard.press "f5")
    reached()
    desk.input.add_filter { keys = function() error "it broke" end }
    harness.raises("it broke", desk.keyboard.press, "f4")
    harness.eq(reached(), "")
  end)
end

-- A new place that presses or types has to ask as well: these are all there are.
function tests.nothing_else_presses_or_types()
  local known = { ["native:key"] = { "desk/input/held_keys.lua" }, ["native:text_step"] = { "desk/input/typing.lua" },
    ["Input.dispatchKeyEvent"] = { "desk/browser/page_hands.lua" },
    ["Input.insertText"] = { "desk/browser/page_hands.lua" } }
  local found = {}
  local function walk(folder)
    for _, name in ipairs(assert(files.list(folder))) do
      local path = folder .. "/" .. name
      if files.is_folder(path) then walk(path)
      else
        local words = assert(files.read(path))
        for call in pairs(known) do
          if words:find(call, 1, true) then
            found[call] = found[call] or {}
            table.insert(found[call], (path:gsub("^lua/deskpilot/", "")))
          end
        end
      end
    end
  end
  walk "lua/deskpilot"
  harness.eq(found, known)
end

return tests
