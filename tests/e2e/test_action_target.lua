--- What hooks are told of an action before and after it, on a desktop with an application and a browser: judged by the
--- pointer's place and by what the applications show afterwards. And of all events: what is declared.
local t = require "harness"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local page_server = require "page_server"
local spawn = require "spawn"

local page = [[<!doctype html><title>Shop</title><input aria-label="Name" style="width: 300px"><p>
<button style="width: 300px; height: 60px" onclick="document.title = 'Paid'">Pay now</button>]]

-- Each action is a note of what the hooks were told, with the pointer's place after it.
local hooks = [[
  before_action = function(m, action)
    local window, element = action.window, action.element
    m.told = { tool = action.tool, point = action.point, application = action.application, site = action.site,
      title = window and window.title, pid = window and window.pid, element = element and element.name,
      page = element and element.page }
  end,
  after_action = function(m, action, result)
    local x, y = m.desk.mouse.position()
    m.told.pointer, m.told.ok = { x = x, y = y }, result.ok
    m.told.after = action.window and action.window.title
    m:note(require "deskpilot.base.json".encode(m.told))
  end,
]]

-- The mission with hooks for all events, which compare what they are told with what is declared.
local checked = [[
local problems, heard = {}, {}
local more = dofile(%q).hooks(function(name, problem)
  heard[name] = true
  problems[#problems + 1] = problem
end)
for name, hook in pairs(more) do mission[name] = hook end
mission.after_run = function(m)
  m:note(("wrong: " .. table.concat(problems, "; ")))
  for name in pairs(heard) do m:note("heard " .. name) end
end
return mission
]]

local function with_checks(source)
  return source .. checked:format(files.absolute "tests/lua/hook_fields.lua")
end

local mission = [[
local mission = {
  safety = { approve = {} }, -- nobody is there to be asked about "Pay"
  desktop = { kind = "private", size = { 1280, 800 }, apps = { { "galculator" } } },]] .. hooks .. [[
  run = function(m)
    local function act(tool, args)
      args.label = args.label or tool == "click_element" and "It" or nil
      m:act { tool = tool, why = "w", args = args }
    end
    m.desk.wait_for_window "galculator"
    m.desk.elements.find { name = "7", timeout = 20 }
    m:observe()
    local seven
    for _, element in ipairs(m.observation.elements) do
      if element.name == "7" then seven = element end
    end
    act("click_element", { element = seven.number })
    act("click_element", { position = seven.norm })
    act("press_key", { key = "8" })
    local browser = m.desk.browser.start { url = %q }
    m:observe()
    act("browser_type", { index = 0, text = "Ada" })
    act("press_key", { key = "tab" })
    local box = m.observation.page.elements[2].box
    local x, y = m.observation.shot:to_norm(box.x + 20, box.y + 20)
    act("click_element", { position = { x, y } })
    act("focus_window", { title = "galculator" })
    m:note(browser:tab():info().title)
    m:note(m.desk.elements.find { app = "galculator", role = "text" }.text)
  end,
}
]]

-- Runs a mission; its result, and what it has noted.
local function play(source, ...)
  local folder = spawn.folder()
  local path = files.join(folder, "m.lua")
  assert(files.write(path, with_checks(source)))
  local child = spawn.run({ spawn.program, "run", path, "--json", "--runs", folder .. "/runs", ... }, { cwd = folder })
  local result, notes = json.decode(child.stdout) or {}, {}
  t.eq(result.status, "succeeded", child.stderr)
  for _, event in ipairs(journal.read(result.run_dir)) do
    if event.event == "note" then
      notes[#notes + 1], notes[event.message] = event.message, true
    end
  end
  t.ok(notes["wrong: "], "what hooks are told is declared: " .. table.concat(notes, "\n"))
  files.remove(folder)
  return notes
end

local tests = {}

function tests.applications_and_pages()
  local server = page_server.start { ["/shop"] = page }
  local notes, told = play(mission:format(server.url .. "/shop")), {}
  for i = 1, 7 do told[i] = json.decode(notes[i] or "") end
  local function check(number, want)
    for key, value in pairs(want) do
      t.eq(told[number] and told[number][key], value, ("%d %s"):format(number, key))
    end
  end
  for i = 1, 2 do
    check(i, { tool = "click_element", element = "7", application = "galculator", title = "galculator" })
    t.eq(told[i].point, told[i].pointer, "the pixel that was clicked")
  end
  check(3, { tool = "press_key", element = "7", title = "galculator" })
  t.eq(told[3].point, nil)
  check(4, { tool = "browser_type", element = "Name", page = true, site = server.url, title = "Shop - Chromium" })
  check(5, { tool = "press_key", element = "Name", page = true, site = server.url })
  check(6, { tool = "click_element", element = "Pay now", page = true, site = server.url, after = "Shop - Chromium" })
  t.eq(told[6].point, told[6].pointer)
  check(7, { tool = "focus_window", title = "galculator" })
  t.eq({ notes[8], notes[9] }, { "Paid", "778" }, "what was done to the applications")
  for _, name in ipairs { "run_start", "observed", "action", "action_result", "settled", "desk_call", "picture" } do
    t.ok(notes["heard " .. name], name)
  end
  server:stop()
end

function tests.what_an_agent_does()
  local notes = play([[local mission = { task = 'click "7"; press "8"; expect "78"',
    desktop = { kind = "private", size = { 1280, 800 }, apps = { { "galculator" } } },
    verify = function(m) return m.desk.elements.find { app = "galculator", text = "78" } ~= nil, "no 78" end }
  ]], "--model", "literal")
  for _, name in ipairs { "turn_start", "observed", "model_request", "model_reply", "action", "action_result",
    "settled", "turn_end", "state", "phase_change" } do
    t.ok(notes["heard " .. name], name)
  end
end

return tests
