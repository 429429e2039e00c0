--- What an action touches, before and after it, on a desktop that the test makes up.
local t = require "harness"
local address = require "deskpilot.desk.browser.address"
local native = require "native.image"
local null_run = require "null_run"
local shots = require "deskpilot.desk.picture.shot"
local task = require "deskpilot.base.task"

local tests = {}

local size = { x = 0, y = 0, width = 1000, height = 1000 }

local function window(id, title, rest)
  local made = { id = id, pid = id * 10, title = title, class = title:lower(),
    executable = "/usr/bin/" .. title:lower(), x = 0, y = 0,
    width = 600, height = 600, visible = true, minimized = false, active = false, layer = 0 }
  for key, value in pairs(rest) do made[key] = value end
  return made
end

local function element(index, role, name, pid, x, y, width, height, rest)
  local made = { index = index, role = role, name = name, pid = pid, x = x, y = y, width = width, height = height,
    depth = 1, states = { showing = true, enabled = true }, app = "x", actions = 0, handle = tostring(index) }
  for key, value in pairs(rest or {}) do made[key] = value end
  return made
end

-- An editor, over it a bank's dialog; the elements of both.
local function new_world()
  local world = { asked = {} }
  world.windows = { window(1, "Editor", { active = true }), window(2, "Bank.EXE", { x = 400, y = 400, width = 200,
    height = 200, executable = "C:\\bank\\Bank.EXE" }), window(3, "Hidden", { minimized = true }) }
  world.list = {
    element(1, "frame", "Editor", 10, 0, 0, 600, 600),
    element(2, "push button", "Save", 10, 100, 100, 50, 20, { parent = 1, depth = 2 }),
    element(3, "text", "Words", 10, 300, 300, 300, 300, { parent = 1, depth = 2,
      states = { showing = true, focused = true } }),
    element(4, "frame", "Bank.EXE", 20, 400, 400, 200, 200),
    element(5, "push button", "Pay", 20, 450, 450, 100, 50, { parent = 4, depth = 2 }),
  }
  return world
end

local function take_over(run, world)
  local desk = run.desk
  local function replace(part, methods) desk[part] = setmetatable(methods, { __index = desk[part] }) end
  local function asked(what) world.asked[#world.asked + 1] = what end
  replace("windows", { list = function() asked "windows" return world.windows end, active = function()
    asked "active"
    for _, one in ipairs(world.windows) do if one.active then return one end end
  end, find = function(criteria)
    for _, one in ipairs(world.windows) do if one.title:find(criteria.title, 1, true) then return one end end
  end, focus = function() return true end })
  replace("elements", { locate = function(seen) return seen end, list = function(criteria)
    asked "elements"
    local found = {}
    for _, one in ipairs(world.list) do
      if not criteria.pid or one.pid == criteria.pid then found[#found + 1] = one end
    end
    return found
  end })
  local function done()
    if world.after then world.after() end
    return true
  end
  replace("mouse", { click = done, drag = done, scroll = done })
  replace("keyboard", { type = done, press = done })
  local seen = { shot = shots.new(assert(native.new(1000, 1000)), size), elements = {}, missing = {}, at = run.started,
    windows = { table.unpack(world.windows) }, window = world.windows[1], tree = world.list }
  for i, one in ipairs(world.list) do
    one.number = i - 1
    seen.elements[i] = one
  end
  run.observation = seen
end

-- Plays calls; `told` hears before and after each. Gives the world.
local function play(calls, mission, prepare)
  local world = new_world()
  mission.task = "x"
  local run, events = null_run.play(mission, { observe = "false", screen = null_run.thousand,
    flags = { ["safety.forbidden_keys"] = {} }, turn = function(run)
      take_over(run, world)
      if prepare then prepare(run, world) end
      world.results = {}
      for i, call in ipairs(calls) do world.results[i] = run:act(call) end
      if not run.outcome then run:stop("succeeded", "done") end
    end })
  world.run, world.events = run, events
  return world
end

local function told(action)
  local place, hit, at = action.point, action.element, action.window
  return { place and { place.x, place.y }, hit and hit.name, at and at.title, action.application, action.site }
end

local function call(tool, args)
  args.label = args.label or (tool:find "click" or tool:find "drag") and "It" or nil
  return { tool = tool, why = "w", args = args }
end

-- What a hook before a call is told.
local function before(tool, args, prepare)
  local seen
  local world = play({ call(tool, args) }, { before_action = function(_, action) seen = told(action) end }, prepare)
  return seen, world
end

function tests.a_position_is_a_pixel_an_element_and_the_topmost_window()
  t.eq((before("click_element", { position = { 120, 110 } })), { { 120, 110 }, "Save", "Editor", "editor" })
  t.eq((before("click_element", { position = { 500, 470 } })), { { 500, 470 }, "Pay", "Bank.EXE", "Bank" },
    "a dialog over another window")
  t.eq((before("click_element", { position = { 900, 900 } })), { { 900, 900 } }, "nothing is there")
end

-- As a model calls it: the reason is one of the arguments.
function tests.arguments_with_a_reason_of_their_own_are_told_of_too()
  local seen
  local args = { position = { 120, 110 }, label = "Save", justification = "The work is done, so it is to be saved." }
  play({ { tool = "click_element", args = args } }, { before_action = function(_, action) seen = told(action) end })
  t.eq(seen, { { 120, 110 }, "Save", "Editor", "editor" })
end

function tests.the_point_is_that_of_the_act()
  local clicked, point
  local world = play({ call("click_element", { position = { 333, 777 } }) }, {
    before_action = function(_, action) point = action.point end }, function(run)
    run.desk.mouse.click = function(target)
      clicked = { require "deskpilot.desk.picture.points".resolve(run.desk, target) }
      return true
    end
  end)
  t.ok(world.results[1].ok, world.results[1].text)
  t.eq({ point.x, point.y }, clicked)
end

function tests.an_element_by_its_number()
  t.eq((before("click_element", { element = 4 })), { { 500, 475 }, "Pay", "Bank.EXE", "Bank" })
  t.eq((before("type_text", { element = 2, text = "a" })), { { 450, 450 }, "Words", "Bank.EXE", "Bank" },
    "its middle is under another window")
end

function tests.keys_go_to_the_active_window()
  t.eq((before("press_key", { key = "a" })), { nil, "Words", "Editor", "editor" })
  t.eq((before("type_text", { text = "a" }, function(_, world)
    world.windows[1].active, world.windows[2].active = false, true
  end)), { nil, nil, "Bank.EXE", "Bank" }, "which is not the one that was seen")
end

-- A dialog that has come up since the last look, with the keyboard; it tells who has the focus when it has been asked
-- `often` times.
local function dialog_that_tells_after(often)
  return function(run, world)
    world.windows[1].active = false
    table.insert(world.windows, window(9, "Name", { active = true }))
    local list, asked = run.desk.elements.list, 0
    run.desk.elements.list = function(criteria)
      asked = asked + 1
      if asked == often then
        table.insert(world.list, element(6, "text", "Who", 90, 10, 10, 100, 20, { states = { focused = true } }))
      end
      return list(criteria)
    end
  end
end

function tests.a_window_that_has_come_up_since_may_tell_late_who_has_the_focus()
  t.eq((before("type_text", { text = "a" }, dialog_that_tells_after(3))), { nil, "Who", "Name", "name" })
end

function tests.a_window_that_never_tells_is_waited_for_once()
  local took = {}
  play({ call("press_key", { key = "a" }), call("press_key", { key = "b" }) }, { before_action = function(_, action)
    local began = task.now()
    t.eq(action.element, nil)
    took[#took + 1] = task.now() - began
  end }, dialog_that_tells_after(math.huge))
  t.ok(took[1] >= 1, "it is given a second: " .. took[1])
  t.ok(took[2] < 1, "and no other: " .. took[2])
end

function tests.what_tools_say_themselves()
  t.eq((before("focus_window", { title = "Bank" })), { nil, nil, "Bank.EXE", "Bank" })
  t.eq((before("open_app", { name = "mousepad" })), { nil, nil, nil, "mousepad" })
  t.eq((before("browser_open", { url = "HTTPS://me@Example.org:443/a?b" })), { nil, nil, nil, nil,
    "https://example.org" })
  t.eq((before("wait", { seconds = 0.1 })), {}, "waiting touches nothing")
  t.eq((before("click_element", { position = { 1, 2, 3 } })), {}, "arguments that the tool does not take")
  t.eq((before("no_such_tool", {})), {})
end

function tests.a_scroll_that_points_nowhere()
  t.eq((before("scroll_down", {})), { { 500, 500 }, "Bank.EXE", "Bank.EXE", "Bank" })
end

function tests.both_ends_of_a_drag()
  local start, drop
  play({ call("drag_element", { start = { 120, 110 }, ["end"] = { 500, 470 } }) }, {
    before_action = function(_, action) start, drop = told(action), told(action.drop) end,
    after_action = function(_, action) t.eq(told(action.drop), drop) end })
  t.eq(start, { { 120, 110 }, "Save", "Editor", "editor" })
  t.eq(drop, { { 500, 470 }, "Pay", "Bank.EXE", "Bank" })
end

function tests.after_changes_of_the_arguments()
  local first, second
  play({ call("click_element", { position = { 120, 110 } }) }, {
    before_action = function(_, action)
      first = told(action)
      action.args.position[1], action.args.position[2] = 500, 470
      second = told(action)
    end })
  t.eq({ first[2], second[2] }, { "Save", "Pay" }, "changed in place")
  play({ call("click_element", { position = { 120, 110 } }) }, {
    before_action = function(_, action)
      first = told(action)
      return { amend = { args = { label = "It", position = { 500, 470 } } } }
    end,
    action = function(_, action) second = told(action) end })
  t.eq({ first[2], second[2] }, { "Save", "Pay" }, "amended")
end

function tests.afterwards_it_is_what_was_there_before()
  local after
  play({ call("click_element", { position = { 500, 470 } }) }, {
    after_action = function(_, action) after = told(action) end }, function(_, world)
    world.after = function()
      table.remove(world.windows, 2)
      world.list = { world.list[1] }
    end
  end)
  t.eq(after, { { 500, 470 }, "Pay", "Bank.EXE", "Bank" }, "a dialog that the click has closed")
end

function tests.after_an_act_the_applications_are_asked()
  local seen = {}
  local function hook(_, action) seen[#seen + 1] = action.element and action.element.name end
  local world = play({ call("press_key", { key = "a" }), call("click_element", { position = { 120, 110 } }) },
    { before_action = hook }, function(_, made)
      made.after = function() made.list[2].name = "Saved" end
    end)
  t.eq(seen, { "Words", "Saved" }, "what was seen before the key is no longer so")
  t.has(table.concat(world.asked, " "), "elements")
end

-- By a hook, or else for the record of what the action hits: the applications are not asked for what was seen.
function tests.it_is_found_out_once()
  local world = play({ call("click_element", { position = { 120, 110 } }) }, { before_action = function() end })
  local _, asked = before("click_element", { position = { 120, 110 } })
  t.eq(world.asked, asked.asked)
  t.eq(table.concat(world.asked, " "):find("elements"), nil)
end

function tests.it_is_no_data()
  local keys = {}
  local world = play({ call("click_element", { position = { 120, 110 } }) }, { before_action = function(_, action)
    told(action)
    for key in pairs(action) do keys[key] = true end
  end })
  t.eq({ keys.point, keys.element, keys.window, keys.args }, { [4] = true })
  t.eq(null_run.only(world.events, "action")[1].window, nil)
end

function tests.origins_are_those_of_browsers()
  for url, want in pairs {
    ["https://example.org"] = "https://example.org", ["HTTP://Example.ORG:80/a"] = "http://example.org",
    ["http://example.org:8080?a"] = "http://example.org:8080", ["https://a@b:c@example.org#x"] = "https://example.org",
    ["https:example.org/a"] = "https://example.org", ["https:\\\\evil.org\\@example.org"] = "https://evil.org",
    ["https:///example.org./a"] = "https://example.org", ["https://ex%61mple.org/%41"] = "https://example.org",
    ["ht\ntps://exam\tple.org"] = "https://example.org", ["https://example.org:0443"] = "https://example.org",
    ["http://[::1]:8000/"] = "http://[::1]:8000", ["http://[::1]/"] = "http://[::1]",
    ["https://x.org:"] = "https://x.org",
    ["file:///etc/passwd"] = "file:", ["about:blank"] = "about:", ["data:text/html,x"] = "data:",
    ["chrome://settings/x"] = "chrome://settings", ["https://"] = "https:" } do
    t.eq(address.origin(url), want, url)
  end
  t.eq(address.origin "no address", nil)
end

return tests
