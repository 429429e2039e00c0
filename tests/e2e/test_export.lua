--- A run that becomes a mission: what every act writes down, and the exported file, which does it again with no model.
--- The real program, real applications; the run that is exported is `literal`'s.
local t = require "harness"
local spawn = require "spawn"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local native = require "native.image"

local tests = {}

-- What missions write is in the temporary folder: one of its own, as others may run the same mission.
local function run(folder, words, env)
  env = env or {}
  env.TMPDIR = folder
  local argv = { spawn.program, "run", "--json", "--runs", files.join(folder, "runs") }
  table.move(words, 1, #words, #argv + 1, argv)
  local child = spawn.run(argv, { env = env })
  local result = json.decode(child.stdout)
  t.ok(result, "one JSON object on standard output, with stderr " .. child.stderr)
  return result or {}, child
end

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

-- Makes a mission of a run, in the folder.
local function export(folder, out, ...)
  local argv = { spawn.program, "export", "--lua", "-o", files.join(folder, out), ... }
  local child = spawn.run(argv)
  t.eq(child.status, 0, child.stderr)
  return files.join(folder, out)
end

-- How often each is done again in each world: once in the suite, where all that may be otherwise is so at once, and
-- more where somebody counts (DESKPILOT_REPLAYS=20), in each world by itself.
local times = tonumber(os.getenv "DESKPILOT_REPLAYS") or 1
if times > 1 then t.time_limit(3600) end

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
  local file, first = repeated(folder, "calculator")
  local source = assert(files.read(file))
  t.ok(source:find('role = "toggle button", name = "7"', 1, true), "the target is an element:\n" .. source)
  t.ok(source:find('text = "42"', 1, true), "what changed is expected")
  local second = run(folder, { "missions/calculator.lua", "--model", "literal" })
  local result = run(folder, { export(folder, "both-replay.lua", first.run_dir, second.run_dir) })
  t.eq({ result.status, result.model.calls }, { "succeeded", 0 }, result.reason)
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

-- --- a button with another name, another window --------------------------------------------------------------------

-- A question with one button that matters. What it is called is in the environment.
local question = [[
local label, path = os.getenv "LABEL" or "Save", os.getenv "PLACE"
return {
  task = 'Click "Save"',
  policy = "three_body",
  desktop = { kind = "private", size = { 900, 700 }, apps = { { "sh", "-c",
    "zenity --question --title Keep --text 'Keep it?' --ok-label \"$0\" --cancel-label No && touch \"$1\"; sleep 60",
    label, path } } },
  limits = { turns = 10, seconds = 120 },
  before_run = function(m)
    local other = os.getenv "OTHER"
    m.desk.wait_until(function() return m.desk.windows.find "Keep" end, { timeout = 15 })
    if other then -- another application, whose window looks the same
      m.desk.apps.run { "sh", "-c", 'cp "$(command -v zenity)" "$0"', other .. "/other" }
      m.desk.apps.start { other .. "/other", "--question", "--title", "Keep", "--text", "Keep it?", "--ok-label",
        "Save", wait = 15 }
    end
    if os.getenv "ALONE" then
      m.desk.windows.close { executable = "/zenity" }
      m.desk.wait_until(function() return #m.desk.windows.list() == 1 end, { timeout = 5 })
    end
  end,
  verify = function(m) return m.checks.file { path = path } end,
}
]]

local model_server = require "model_server"

-- The exported mission of the question, in the folder; and how it is run in a world that is changed so.
local function asked(folder, fn)
  local mission = files.join(folder, "question.lua")
  assert(files.write(mission, question))
  local place = files.join(folder, "kept")
  local first = run(folder, { mission, "--model", "literal" }, { PLACE = place })
  t.eq(first.status, "succeeded", first.reason)
  local file = export(folder, "question-replay.lua", first.run_dir)
  fn(function(env, ...)
    files.remove(place)
    env.PLACE = place
    local result = run(folder, { file, ... }, env)
    return result, files.exists(place)
  end, file)
end

-- A model that points at the element with that name.
local function pointer_at(name)
  return function(request)
    local words = json.encode(request.messages)
    local number = words:match("%[(%d+)%] push button \\\\?\"" .. name)
    return model_server.reply_tool("click_element", { label = name, element = math.tointeger(tonumber(number)),
      justification = "It does the same as the button that was recorded, under another name." })
  end
end

tests.a_renamed_button_is_named_and_healed_by_one_call = spawn.in_folder(function(folder)
  asked(folder, function(again, file)
    local result, kept = again({ LABEL = "Store" }, "--set", "replay.seconds=1")
    t.eq({ result.status, kept, result.model.calls }, { "failed", false, 0 }, result.reason)
    for _, words in ipairs { '01 click element "Save"', "question-replay.lua:", "question-replay.pictures/01.png",
      "screenshots/step_", '"Save"', "--heal" } do
      t.ok(result.reason:find(words, 1, true), words .. " is told: " .. result.reason)
    end
    local server <close> = setmetatable({ it = model_server.start(pointer_at "Store") },
      { __close = function(self) self.it:stop() end })
    local healed, then_kept = again({ LABEL = "Store" }, "--heal", "--set", "replay.seconds=1", "--model", "scripted",
      "--endpoint", server.it.endpoint)
    t.eq({ healed.status, then_kept, healed.model.calls }, { "succeeded", true, 1 }, healed.reason)
    local request = server.it.requests[1]
    t.eq(request.problems, {})
    local _, images = json.encode(request.json.messages):gsub('"image_url":', "")
    t.eq(images, 2, "the recorded picture and the screen of now")
    local diff
    for _, name in ipairs(files.list(folder)) do
      if name:find "%.diff$" then diff = assert(files.read(files.join(folder, name))) end
    end
    t.ok(diff and diff:find('\n%-%s+on = [^\n]*name = "Save"')
      and diff:find('\n%+%s+on = [^\n]*name = "Store"'), diff)
    local patched = assert(files.read(file))
    t.ok(patched:find('name = "Save"', 1, true), "the mission itself is as it was")
    local patch = files.join(folder, "patch.diff")
    assert(files.write(patch, diff))
    local child = spawn.run { "patch", "-s", file, patch }
    t.eq(child.status, 0, child.stdout .. child.stderr)
    local again_, stored = again { LABEL = "Store" }
    t.eq({ again_.status, stored, again_.model.calls }, { "succeeded", true, 0 }, again_.reason)
  end)
end)

tests.a_wrong_window_is_never_clicked = spawn.in_folder(function(folder)
  asked(folder, function(again)
    local result, kept = again({ OTHER = folder, ALONE = "1" }, "--set", "replay.seconds=1")
    t.eq({ result.status, kept, result.actions }, { "failed", false, 0 }, result.reason)
    t.ok(result.reason:find('there is no push button "Save" in a window (dialog) of the application zenity', 1,
      true), result.reason)
    local server <close> = setmetatable({ it = model_server.start(pointer_at "Save") },
      { __close = function(self) self.it:stop() end })
    local healed = again({ OTHER = folder, ALONE = "1" }, "--heal", "--set", "replay.seconds=1", "--model", "scripted",
      "--endpoint", server.it.endpoint)
    t.eq({ healed.status, healed.model.calls, healed.actions }, { "failed", 1, 0 }, healed.reason)
    t.ok(healed.reason:find("points at a window of other", 1, true), healed.reason)
  end)
end)

tests.the_same_window_of_another_application_lies_before_it = spawn.in_folder(function(folder)
  asked(folder, function(again)
    local result, kept = again { OTHER = folder }
    t.eq({ result.status, kept, result.model.calls }, { "succeeded", true, 0 }, result.reason)
  end)
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
