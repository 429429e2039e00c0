--- Every public function of the desktop library is called with arguments that it cannot mean: a text, a number, one
--- argument too many. It has to take them as a shorthand, or to refuse them in a sentence that names it and the line
--- of the call; never to pass over them.
local t = require "harness"
local spawn = require "spawn"
local desk_module = require "deskpilot.desk"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local tests = {}

local function open()
  return assert(desk_module.open { backend = "null", width = 640, height = 480, timing = { wait = 0.01 } })
end

-- Arguments with which a function can be called; those of an optional parameter may be missing.
local point, window = { 10, 10 }, { id = 1 }
local function nothing() return true end

local good = {
  ["desk.settle"] = {}, ["desk.wait_for_change"] = {}, ["desk.wait_for_window"] = { { title = "Nowhere" } },
  ["desk.wait_for_element"] = { { name = "x" } }, ["desk.wait_for_text"] = { "x" }, ["desk.wait_for_image"] = { "x" },
  ["desk.wait_until"] = { nothing }, ["desk.point"] = { point },
  ["desk.screen.shot"] = {}, ["desk.screen.load"] = { "x" }, ["desk.screen.find_image"] = { "x" },
  ["desk.screen.find_images"] = { "x" }, ["desk.screen.size"] = {}, ["desk.screen.monitors"] = {},
  ["desk.screen.monitor"] = { 1 }, ["desk.screen.read_text"] = {}, ["desk.screen.find_text"] = { "x" },
  ["desk.screen.find_texts"] = { "x" },
  ["desk.mouse.position"] = {}, ["desk.mouse.move"] = { point }, ["desk.mouse.hover"] = { point },
  ["desk.mouse.click"] = { point }, ["desk.mouse.double_click"] = { point }, ["desk.mouse.triple_click"] = { point },
  ["desk.mouse.right_click"] = { point }, ["desk.mouse.middle_click"] = { point }, ["desk.mouse.press"] = { "left" },
  ["desk.mouse.release"] = { "left" }, ["desk.mouse.drag"] = { point, point }, ["desk.mouse.scroll"] = { { dy = 1 } },
  ["desk.input.add_filter"] = { {} }, ["desk.input.may_press"] = { { "a" } }, ["desk.input.may_type"] = { "x" },
  ["desk.input.may_enter"] = { "x" }, ["desk.input.clicked"] = {}, ["desk.input.set_held"] = { "a", false },
  ["desk.input.may_act"] = { { act = "point", x = 1, y = 1 } },
  ["desk.input.may_load"] = { "https://example.org/", {} },
  ["desk.input.judges"] = { "act" }, ["desk.input.judges_web"] = {}, ["desk.input.may_choose"] = { {} },
  ["desk.elements.locate"] = { { handle = "x", role = "x", name = "x", pid = 0 } },
  ["desk.apps.own_timing"] = { { "key_hold" } },
  ["desk.keyboard.type"] = { "x" }, ["desk.keyboard.press"] = { "a" }, ["desk.keyboard.hold"] = { "shift" },
  ["desk.keyboard.release"] = { "shift" }, ["desk.keyboard.keys"] = {},
  ["desk.windows.list"] = {}, ["desk.windows.find"] = { window }, ["desk.windows.active"] = {},
  ["desk.windows.focus"] = { window }, ["desk.windows.close"] = { { id = 9 } }, ["desk.windows.place"] = { window, {} },
  ["desk.windows.minimize"] = { window }, ["desk.windows.maximize"] = { window }, ["desk.windows.restore"] = { window },
  ["desk.windows.raise"] = { window }, ["desk.windows.lower"] = { window }, ["desk.windows.workspaces"] = {},
  ["desk.windows.go_to_workspace"] = { 1 }, ["desk.windows.move_to_workspace"] = { window, 1 },
  ["desk.elements.list"] = {}, ["desk.elements.find"] = { { name = "x" } }, ["desk.elements.at"] = { point },
  ["desk.elements.outline"] = {}, ["desk.elements.stop"] = {}, ["desk.elements.set_value"] = { { name = "x" }, 1 },
  ["desk.elements.set_text"] = { { name = "x" }, "x" },
  ["desk.clipboard.get"] = {}, ["desk.clipboard.set"] = { "x" }, ["desk.clipboard.get_image"] = {},
  ["desk.clipboard.set_image"] = { "x" }, ["desk.clipboard.wait_for_change"] = {},
  ["desk.apps.start"] = { { "no-such-program" } }, ["desk.apps.run"] = { { "no-such-program" } },
  ["desk.apps.ended"] = { 1 }, ["desk.apps.wait"] = { 1 }, ["desk.apps.stop"] = { 1 }, ["desk.apps.open"] = { "/no/x" },
  ["desk.apps.open_app"] = { "no such application" }, ["desk.apps.profile"] = { "x" },
  ["desk.apps.profile_of"] = { { class = "x", title = "x", executable = "" } },
  ["desk.apps.about"] = { { class = "x", title = "x", executable = "" } }, ["desk.apps.overview"] = {},
  ["desk.browser.start"] = { { binary = "/no/such/browser" } }, ["desk.browser.attach"] = { { port = 1 } },
  ["desk.browser.current"] = {}, ["desk.browser.judge_loading"] = {},
  ["desk.browser.of_window"] = { { pid = 0, title = "x", executable = "" } },
  ["desk.activity.idle"] = {}, ["desk.activity.on_input"] = { nothing }, ["desk.activity.wait_idle"] = { 0 },
  ["desk.activity.set_give_way"] = {}, ["desk.activity.give_way"] = {}, ["desk.activity.record"] = {},
  ["desk.activity.recorded"] = {}, ["desk.hotkeys.on"] = { "f9", nothing },
}
for _, name in ipairs { "refresh", "press", "actions", "select", "toggle", "expand", "collapse", "focus",
  "scroll_into_view", "text", "selection", "select_text" } do
  good["desk.elements." .. name] = { { name = "x" } }
end

-- What a text or a number in the first place is taken for.
local takes_text = { ["desk.keyboard.type"] = true }
for name in ([[keyboard.press keyboard.hold keyboard.release mouse.press mouse.release screen.load screen.shot
  screen.find_image screen.find_images screen.find_text screen.find_texts screen.monitor windows.find windows.focus
  windows.close windows.minimize windows.maximize windows.restore windows.raise windows.lower elements.list
  elements.find elements.refresh elements.press elements.actions elements.select elements.toggle elements.expand
  elements.collapse elements.focus elements.scroll_into_view elements.text elements.selection elements.select_text
  input.may_type input.may_enter input.judges input.may_load clipboard.set clipboard.set_image apps.start apps.run
  apps.open apps.open_app apps.profile wait_for_window
  wait_for_element wait_for_text wait_for_image]]):gmatch("%S+") do takes_text["desk." .. name] = true end

local takes_number = {}
for name in ([[windows.focus windows.close windows.minimize windows.maximize windows.restore windows.raise windows.lower
  windows.go_to_workspace screen.monitor apps.ended apps.wait apps.stop activity.wait_idle]]):gmatch("%S+") do
  takes_number["desk." .. name] = true
end

-- A call that is given five seconds. Whether it was taken, and what came of it or what it has raised.
local function call(fn, ...)
  local given = table.pack(...)
  local _, ok, first = task.limit(5, function()
    local called, result = pcall(fn, table.unpack(given, 1, given.n))
    return called or errors.is(result), result -- an error value says what failed in the world
  end)
  return ok, first
end

local function refused(name, what, ok, message)
  message = tostring(message)
  t.ok(not ok, ("%s passes over %s"):format(name, what))
  if ok then return end
  local short = name:match("[%w_]+[.:][%w_]+$")
  t.has(message, short or name, ("what %s says of %s"):format(name, what))
  t.ok(not message:find("deskpilot/desk/", 1, true) and not message:find("deskpilot/base/", 1, true)
    and not message:find("attempt to", 1, true), message)
  t.ok(message:find("^[^\n]*test_signatures%.lua:%d+: "), "the line of the call: " .. message)
end

-- Every public function: { "desk.mouse.click", fn }.
local function functions_of(desk)
  local list = {}
  for key, value in pairs(desk) do
    if type(value) == "function" then list[#list + 1] = { "desk." .. key, value } end
    if type(value) == "table" and key ~= "closers" and getmetatable(value) == nil then
      for name, fn in pairs(value) do
        if type(fn) == "function" then list[#list + 1] = { ("desk.%s.%s"):format(key, name), fn } end
      end
    end
  end
  table.sort(list, function(a, b) return a[1] < b[1] end)
  return list
end

function tests.each_function_of_the_desk()
  local desk = open()
  local list, names, folder = functions_of(desk), {}, spawn.folder() -- a text may be taken for a file's path
  for _, entry in ipairs(list) do
    local name, fn = entry[1], entry[2]
    names[#names + 1] = name
    local arguments = good[name]
    if t.ok(arguments, name .. " has no example in this test") then
      local ok, first = call(fn, table.unpack(arguments))
      t.ok(ok, ("%s with good arguments: %s"):format(name, tostring(first)))
      ok, first = call(fn, folder .. "/a text that is nothing")
      if takes_text[name] then t.ok(ok or tostring(first):find(name:match("[%w_]+$"), 1, true), name .. tostring(first))
      else refused(name, "a text", ok, first) end
      ok, first = call(fn, 7.5)
      if not takes_number[name] or not ok then refused(name, "a number", ok, first) end
      local more = table.pack(table.unpack(arguments))
      for i = more.n + 1, 4 do more[i] = i == 4 and "too many" or nil end
      ok, first = call(fn, table.unpack(more, 1, 4))
      refused(name, "one argument too many", ok, first)
    end
  end
  t.ok(#names > 80, #names .. " functions are too few to be all")
  t.eq(#text.keys(good), #names, "each example has its function")
  files.remove(folder)
  desk:close()
end

-- The methods of a class: each is called with a text, a number and too many arguments, and with a dot.
local function check_methods(class, object, takes)
  local names = 0
  for _, name in ipairs(text.keys(class)) do
    local fn = class[name]
    if type(fn) == "function" and not name:find("^_") then
      names = names + 1
      local who = ("%s:%s"):format(class.__name, name)
      local allowed = takes[name] or ""
      for what, value in pairs { text = "a text that is nothing", number = 7.5 } do
        if not allowed:find(what, 1, true) then
          local ok, message = call(fn, object, value)
          refused(who, "a " .. what, ok, message)
        end
      end
      local ok, message = call(fn, object, { 1 }, { 1 }, { 1 }, "too many")
      refused(who, "arguments of wrong types", ok, message)
      ok, message = call(fn, 5)
      refused(who, "a call with a dot", ok, message)
    end
  end
  return names
end

function tests.each_method_of_a_screenshot()
  local desk = open()
  local shot = assert(desk.screen.shot())
  local count = check_methods(getmetatable(shot), shot, { find = "text", find_all = "text", save = "text",
    label_size = "text", encode = "" })
  t.ok(count > 20, count)
  desk:close()
end

function tests.each_method_of_browsers_and_tabs()
  local function class_of(fn, name)
    for i = 1, 60 do
      local found, value = debug.getupvalue(fn, i)
      if found == name then return value end
    end
  end
  local instance, tab = require "deskpilot.desk.browser.instance", require "deskpilot.desk.browser.tab"
  local desk = open()
  local browser = class_of(instance.connect, "Browser")
  t.ok(check_methods(browser, { closed = true, desk = desk }, { call = "text", new_tab = "text" }) > 8)
  local function gone() return errors.fail("unavailable", "it has gone") end
  local object = tab.new { closed = true, desk = desk, connected = gone, call = gone }
  local class = getmetatable(object)
  t.ok(check_methods(class, object, { call = "text", evaluate = "text", navigate = "text", pdf = "text",
    accept_dialog = "text", screenshot = "text", click = "", scroll_to = "" }) > 20)
  desk:close()
end

function tests.shorthands_mean_what_they_can_only_mean()
  local desk = open()
  t.eq(desk.windows.find("nowh").id, 1, "a text is a part of the title")
  t.eq(desk.windows.find("nowh", { visible = true }).id, 1)
  t.fails("not_found", "title Elsewhere and visible true", desk.windows.find("Elsewhere", { visible = true }))
  t.eq(desk.wait_for_window("Nowhere").id, 1)
  t.fails("timed_out", "after 0.02 s", desk.wait_for_window("Elsewhere", { timeout = 0.02 }))
  t.eq(desk.windows.focus "Nowhere", true)
  t.eq(desk.windows.place("Nowhere", { x = 5, y = 6 }).x, 5)
  t.eq(desk.mouse.click(100, 110), true)
  t.eq({ desk.mouse.position() }, { 100, 110 })
  t.eq(desk.mouse.click(120, 130, { button = "right" }), true)
  t.eq(desk.mouse.hover(50, 60, 0.01), true)
  t.eq(desk.mouse.drag(10, 20, 30, 40, { steps = 1 }), true)
  t.eq({ desk.mouse.position() }, { 30, 40 })
  t.eq({ desk.point(7, 8) }, { 7, 8 })
  t.fails("unsupported", "no elements", desk.elements.find("Save", { role = "push button" }))
  t.fails("unsupported", "no elements", desk.elements.press "Save")
  local path = files.join(files.temporary_folder(), "signatures.png")
  t.ok(desk.screen.shot(path))
  t.ok(desk.screen.load(path))
  t.ok(desk.screen.shot(path, { region = { 0, 0, 10, 10 } }))
  t.eq(desk.screen.load(path).width, 10)
  files.remove(path)
  t.fails("not_found", "no-such-editor", desk.apps.start "no-such-editor")
  t.raises("there is no shell", desk.apps.start, "mousepad note.txt")
  t.raises('desk.elements.find { name = "Save" } finds an element', desk.mouse.click, "Save")
  t.raises("regoin", desk.screen.shot, { regoin = { 1, 2, 3, 4 } })
  t.raises("timeout", desk.clipboard.get, "soon")
  t.raises("desk.apps.wait wants a table of options (timeout), not a number", desk.apps.wait, 1, 5)
  t.raises("name is a string, not a number", desk.elements.find, { name = 5 })
  desk:close()
end

function tests.an_error_in_the_place_of_an_argument_is_raised_itself()
  local desk = open()
  local ok, err = pcall(function() return desk.windows.focus(desk.windows.find "Elsewhere") end)
  t.eq(ok, false)
  t.eq(err.code, "not_found")
  t.has(tostring(err.where), "test_signatures.lua:")
  desk:close()
end

return tests
