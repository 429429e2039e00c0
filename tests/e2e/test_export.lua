--- A run that becomes a mission: what every act writes down, and the exported file, which does it again with no model.
--- The real program, real applications; the run that is exported is `literal`'s.
local t = require "harness"
local spawn = require "spawn"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local model_server = require "model_server"
local native = require "native.image"
local replays = require "replays"

local run, export = replays.run, replays.export

local tests = {}

local function results(folder)
  local found = {}
  for _, event in ipairs(journal.read(folder)) do
    if event.event == "action_result" and event.tool ~= "report_completion" then found[#found + 1] = event end
    if event.event == "settled" and found[#found] then found[#found].after = event.after end
  end
  return found
end

tests.an_act_writes_down_what_it_hit = spawn.in_folder(function(folder)
  local result = run(folder, { "missions/calculator.lua", "--model", "literal" })
  t.eq(result.status, "succeeded", result.reason)
  local acts = results(result.run_dir)
  t.eq(#acts, 4)
  for i, name in ipairs { "7", "*", "6", "=" } do
    local hit = acts[i].hit
    t.eq({ hit.element.role, hit.element.name, hit.element.app }, { "toggle button", name, "galculator" })
    t.eq({ hit.element.path[1].role, hit.element.path[2].role }, { "application", "frame" })
    t.eq({ hit.window.class, hit.window.app, hit.window.title }, { "Galculator", "galculator", "galculator" })
    t.eq(hit.screenshot, ("screenshots/step_%04d.png"):format(i))
    local place, at = hit.place, hit.at
    t.ok(at.x >= place.x and at.x < place.x + place.width and at.y >= place.y and at.y < place.y + place.height,
      "the point is in the element")
    local picture = native.load(assert(files.read(files.join(result.run_dir, hit.crop))))
    local width, height = picture:size()
    t.ok(hit.crop_at[1] < width and hit.crop_at[2] < height, "the picture of the place holds the point")
    t.eq(acts[i].after.window.title, "galculator")
  end
end)

-- How often each is done again in each world: once in the suite, where all that may be otherwise is so at once, and
-- more where somebody counts (DESKPILOT_REPLAYS=20), in each world by itself.
local times = tonumber(os.getenv "DESKPILOT_REPLAYS") or 1
if times > 1 then
  t.time_limit(3600)
  t.side_by_side(4)
end

local worlds = times == 1 and {
  { "a world that looks otherwise", env = { GTK_THEME = "HighContrastInverse", GDK_DPI_SCALE = "1.5" }, moved = true,
    screen = "private:1600x1000" } }
  or { { "as it was" }, { "another theme", env = { GTK_THEME = "HighContrastInverse" } },
    { "larger letters", env = { GDK_DPI_SCALE = "1.5" } }, { "windows moved and resized", moved = true },
    { "a larger screen", screen = "private:1600x1000" }, { "a smaller screen", screen = "private:1024x768" } }

-- In an exported mission: every window is put elsewhere as it comes, in another size.
local mover = [[

local before = original.mission.before_run
original.mission.before_run = function(m)
  local task, known = require "deskpilot.base.task", {}
  local mover = task.start(function()
    while true do
      for _, window in ipairs(m.desk.windows.list() or {}) do
        if window.visible and not known[window.id] then
          known[window.id] = true
          m.desk.windows.place(window.id, { x = 37, y = 53, width = window.width * 5 // 6 + 90,
            height = window.height * 5 // 6 + 80 })
        end
      end
      task.sleep(0.02)
    end
  end)
  m:on_close(function() mover:cancel() end)
  if before then before(m) end
end
]]

-- A copy of it, beside it, whose windows are moved.
local function moving(file)
  local source = assert(files.read(file))
  local _, to = source:find("\nlocal original = [^\n]*\n")
  local path = file:gsub("%.lua$", "-moved.lua")
  assert(files.write(path, source:sub(1, to) .. mover .. source:sub(to + 1)))
  return path
end

-- Does an exported mission again in each world; at least that share of them has to succeed, without a model.
local function again_in_each_world(folder, file, env, least)
  local moved = moving(file)
  for _, world in ipairs(worlds) do
    local good, reasons = 0, {}
    for i = 1, times do
      local given = {}
      for _, from in ipairs { env or {}, world.env or {} } do
        for name, value in pairs(from) do given[name] = value end
      end
      local result = run(folder, { world.moved and moved or file, world.screen and "--desktop", world.screen }, given)
      t.eq(result.model.calls, 0)
      if result.status == "succeeded" then good = good + 1
      else reasons[#reasons + 1] = ("%d: %s"):format(i, result.reason) end
    end
    if times > 1 then print(("%s, %s: %d of %d"):format(select(2, files.split(file)), world[1], good, times)) end
    t.ok(good >= times * (least or 1), ("%s: %d of %d; %s"):format(world[1], good, times, table.concat(reasons, "; ")))
  end
end

-- Runs a mission by `literal`, and then what was exported of it: no model is asked, and its own check decides.
local function repeated(folder, mission, words, env)
  local argv = { ("missions/%s.lua"):format(mission), "--model", "literal", table.unpack(words or {}) }
  local first = run(folder, argv)
  t.eq(first.status, "succeeded", first.reason)
  local file = export(folder, mission .. "-replay.lua", first.run_dir)
  again_in_each_world(folder, file, env)
  return file, first
end

tests.the_calculator_is_replayed = spawn.in_folder(function(folder)
  local file = repeated(folder, "calculator")
  local source = assert(files.read(file))
  t.ok(source:find('role = "toggle button", name = "7"', 1, true), "the target is an element:\n" .. source)
  t.ok(source:find('text = "42"', 1, true), "what changed is expected")
end)

tests.the_editor_is_replayed = spawn.in_folder(function(folder)
  local file = repeated(folder, "editor")
  local source = assert(files.read(file))
  t.ok(source:find("original:in_task", 1, true), "a path that the task makes anew is taken from it")
end)

tests.a_script_whose_agent_fills_in_forms_is_replayed = spawn.in_folder(function(folder)
  local file = repeated(folder, "form", { "--policy", "task_executor" })
  local source = assert(files.read(file))
  t.ok(source:find("local rows = {", 1, true), "one loop over a list")
  local _, steps = source:gsub("\n  step {", "")
  t.eq(steps, 6, "the steps of one form, once")
  assert(files.write(file, (source:gsub('name = "OK"', 'name = "Away"'))))
  local result = run(folder, { file, "--set", "replay.seconds=0.5" })
  t.eq(result.status, "failed")
  t.ok(result.reason:find('there is no push button "Away"', 1, true), result.reason)
  result = run(folder, { file, "--", "town=Bergen" })
  t.eq({ result.status, result.actions }, { "failed", 0 })
  t.ok(result.reason:find("no parameter", 1, true), result.reason)
end)

tests.a_web_form_is_replayed = spawn.in_folder(function(folder) repeated(folder, "web_form") end)

tests.a_shop_is_replayed_and_its_password_is_nowhere = spawn.in_folder(function(folder)
  local file, first = repeated(folder, "checkout", nil, { DESKPILOT_PASSWORD = "harbour" })
  local source = assert(files.read(file))
  t.ok(not source:find("harbour", 1, true), "the password is not in the file")
  t.ok(source:find('replay.secret "DESKPILOT_PASSWORD"', 1, true), source)
  t.ok(source:find('step:kept "order"', 1, true), "a number that the shop makes up is read anew")
  t.eq(require "luv".fs_stat(file).mode & 511, 384, "nobody else reads it") -- 0600
  local result = run(folder, { file })
  t.eq(result.status, "failed")
  t.ok(result.reason:find("DESKPILOT_PASSWORD", 1, true), result.reason)
  t.eq(result.actions, 0, "nothing is done before all parameters are there")
  t.ok(first.run_dir)
end)

-- --- several runs ---------------------------------------------------------------------------------------------------

-- Who writes a name; where TIP is set, something is asked before, and then no window is there for a moment.
local naming = [[
local name, tip, path = os.getenv "NAME", os.getenv "TIP", os.getenv "PLACE"
return {
  task = (tip and 'Click "Not now"\n' or "") .. ('Type "%s"\nClick "OK"'):format(name),
  policy = "three_body",
  desktop = { kind = "private", size = { 900, 700 }, apps = { { "sh", "-c",
    "if [ -n \"$1\" ]; then zenity --question --title Tip --text 'A tip?' --ok-label Yes --cancel-label 'Not now'; "
    .. "sleep 0.6; fi; "
    .. "zenity --entry --title Name --text 'Who?' > \"$0\"", path, tip or "" } } },
  limits = { turns = 10, seconds = 120 },
  before_run = function(m)
    m.desk.timing.focus = 15 -- the second dialog is another program, which a busy machine starts slowly
    m.desk.wait_for_element { app = "zenity", role = "push button", name = tip and "Not now" or "OK", timeout = 15 }
  end,
  verify = function(m) return m.checks.file { path = path, equals = name .. "\n" } end,
}
]]

tests.several_runs_make_a_mission_for_all_their_ways = spawn.in_folder(function(folder)
  local mission, place = files.join(folder, "naming.lua"), files.join(folder, "name.txt")
  assert(files.write(mission, naming))
  local runs = {}
  for i, env in ipairs { { NAME = "Ada" }, { NAME = "Grace", TIP = "1" } } do
    env.PLACE = place
    local result = run(folder, { mission, "--model", "literal" }, env)
    t.eq(result.status, "succeeded", result.reason)
    runs[i] = result.run_dir
  end
  local file = export(folder, "naming-replay.lua", table.unpack(runs))
  local source = assert(files.read(file))
  local parameter = source:match '(%w+) = "Ada", %-%- another one in other runs'
  if not t.ok(parameter, "what differs is a parameter:\n" .. source) then return end
  for _, env in ipairs { { NAME = "Edsger" }, { NAME = "Barbara", TIP = "1" } } do
    env.PLACE = place
    local result = run(folder, { file, "--", parameter .. "=" .. env.NAME }, env)
    t.eq({ result.status, result.model.calls }, { "succeeded", 0 }, result.reason)
  end
end)

-- --- programs without elements -------------------------------------------------------------------------------------

-- The calculator, which reports no elements; what it shows is read by copying it.
local blind = [[
return {
  task = "Work out 7 times 6.",
  policy = "task_executor",
  desktop = { kind = "private", size = { 1280, 800 }, env = { NO_AT_BRIDGE = "1" }, apps = { { "galculator" } } },
  limits = { turns = 20, seconds = 120 },
  screen = { trim = false },
  before_run = function(m)
    m.desk.wait_until(function() return m.desk.windows.find "galculator" end, { timeout = 15 })
  end,
  verify = function(m)
    m.desk.keyboard.press "ctrl+c"
    local shown = m.desk.clipboard.get()
    return shown == "42", "it shows " .. tostring(shown)
  end,
}
]]

-- An agent that taps those places.
local function tapper(places)
  return function(_, n)
    local place = places[n]
    if not place then
      return model_server.reply_tool("finish", { reason = "The calculator shows 42, the product of 7 and 6." })
    end
    return model_server.reply_tool("tap", { position = place, label = "key",
      justification = "The next key of the calculation is at this place of the picture." })
  end
end

tests.what_has_no_elements_is_found_by_its_picture = spawn.in_folder(function(folder)
  local seen, places = run(folder, { "missions/calculator.lua", "--model", "literal" }), {}
  for i, act in ipairs(results(seen.run_dir)) do
    local at = act.hit.at
    places[i] = { at.x, at.y } -- this model counts in pixels of the picture
  end
  local mission = files.join(folder, "blind.lua")
  assert(files.write(mission, blind))
  local server <close> = setmetatable({ it = model_server.start(tapper(places)) },
    { __close = function(self) self.it:stop() end })
  local first = run(folder, { mission, "--model", "scripted", "--endpoint", server.it.endpoint })
  t.eq(first.status, "succeeded", first.reason)
  local file = export(folder, "blind-replay.lua", first.run_dir)
  local source = assert(files.read(file))
  local _, count = source:gsub('picture = "%d%d.png", spot = { %d+, %d+ }, at = {', "")
  t.eq(count, 4, "four targets are pictures:\n" .. source)
  again_in_each_world(folder, file, nil, 0.9)
  -- Where the picture shows nothing that is there only once, the place in the window is left.
  local hits = results(first.run_dir)
  local by_place = source:gsub('picture = "(%d%d)%.png", spot = { %d+, %d+ }, at = { %d+, %d+ }', function(number)
    local hit = hits[tonumber(number)].hit
    return ("at = { %d, %d }"):format((hit.at.x - hit.window.x) * 1000 // hit.window.width,
      (hit.at.y - hit.window.y) * 1000 // hit.window.height)
  end)
  local places_file = files.join(folder, "places-replay.lua")
  assert(files.write(places_file, by_place))
  local result = run(folder, { moving(places_file) })
  t.eq({ result.status, result.model.calls }, { "succeeded", 0 }, result.reason)
end)

return tests
