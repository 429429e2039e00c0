--- Missions that are made of runs: what comes from outside is data in them, whatever it is; loops, parameters, several
--- runs. The journals are made up, since no real application has names like these.
local t = require "harness"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local lua_export = require "deskpilot.replay.lua_export"
local lua_source = require "deskpilot.agent.lua_source"
local journals = require "journals"
local spawn = require "spawn"

local tests = {}

local evil = { "]] os.exit(9) --[[", "]==]\nos.exit(9)\n--", '" .. os.exit(9) .. "', "\\\" os.exit(9)",
  "a\r\nos.exit(9)", "\u{202E}tixe.so\u{202C}", "\0\1\27[2J", "%q %s ${x}", "--[[", "\255\254", "end end end", "'\n'" }

local function act(tool, args, hit, after)
  return { { event = "action_result", at = 1, turn = 1, tool = tool, args = args, ok = true, text = "done", hit = hit },
    { event = "settled", at = 1, turn = 1, seconds = 0, reason = "quiet", after = after } }
end

local function hit_of(name, more)
  local hit = { at = { x = 5, y = 5 }, window = { app = name, class = name, title = name, x = 0, y = 0, width = 100,
    height = 100 }, element = { role = "push button", name = name, app = name, path = { { role = "application",
    name = name }, { role = "frame", name = name } } } }
  for key, value in pairs(more or {}) do hit.element[key] = value end
  return hit
end

-- A run directory with such a journal.
local function run_of(folder, name, acts, start)
  local path = files.join(folder, name)
  assert(files.make_folder(path))
  local lines = { { event = "journal", version = 3, program = "test" }, { event = "run_start", at = 0,
    mission = start and start.mission or "m", task = start and start.task or "", version = "test",
    config = json.decode "{}", desktop = "private", policy = "p", model = "m", script = start and start.script } }
  for _, pair in ipairs(acts) do table.move(pair, 1, #pair, #lines + 1, lines) end
  lines[#lines + 1] = { event = "run_end", at = 2, status = "succeeded", reason = "r", turns = 1, actions = 1,
    seconds = 1 }
  lines[1].version = require("deskpilot.agent.journal").version or 1
  local rows = {}
  for i, line in ipairs(lines) do rows[i] = json.encode(line) end
  local file = files.join(path, "journal.jsonl")
  journals.made_up[file] = true
  assert(files.write(file, table.concat(rows, "\n") .. "\n"))
  assert(files.write(files.join(path, "mission.lua"), start and start.source or "return {}"))
  return path
end

-- The steps that a file's source does, without doing them. `way`: where runs have gone different ones.
local function steps_of(source, way)
  local steps, given = {}, nil
  local original = { in_task = function() return "from the task" end, repeats = function(_, options)
    given = options.given
    local step = setmetatable({ kept = function(_, name) return "${" .. name .. "}" end,
      first_of = function(_, targets) return targets[way] and way or nil end },
      { __call = function(_, step) steps[#steps + 1] = step end })
    return options.steps(step)
  end }
  local replay = { of = function() return original end, secret = function(name) return { secret = name } end }
  local chunk = assert(load(source, "=file", "t", { require = function() return replay end, ipairs = ipairs }))
  chunk()
  return steps, given
end

local function exported(runs)
  local source, err = lua_export.make(runs, "/tmp/x-replay.lua")
  return assert(source, tostring(err))
end

tests.what_comes_from_outside_is_data = spawn.in_folder(function(folder)
  for i, words in ipairs(evil) do
    local run = run_of(folder, "run" .. i, {
      act("click_element", { label = words, position = { 1, 2 } }, hit_of(words)),
      act("type_text", { text = words, [words] = words }, hit_of(words), { value = words }) },
      { mission = words, task = words })
    local source = exported { run }
    t.ok(not source:find "[%z\1-\9\11-\31\127]", "nothing that a terminal obeys")
    t.ok(not source:find("\u{202E}", 1, true), "nothing that turns a line round")
    local steps = steps_of(source)
    t.eq(#steps, 2)
    local clean = utf8.len(words) and words or steps[1].on.name -- what is no text is no JSON either
    t.eq({ steps[1].on.name, steps[1].with.label }, { clean, clean })
    t.eq(steps[2].with.text, clean)
  end
end)

function tests.names_are_written_so_that_they_are_read_again()
  for _, words in ipairs(evil) do
    t.eq(load("return " .. lua_source.quoted(words))(), words)
    t.ok(not lua_source.comment(words):find "[\r\n]", "a comment stays on its line")
  end
  t.eq(lua_source.written { ["end"] = 1, ["a b"] = { true }, x = lua_source.expression "y.z" },
    '{ ["a b"] = { true }, ["end"] = 1, x = y.z }')
end

tests.a_password_is_written_nowhere = spawn.in_folder(function(folder)
  local secret = "correct horse"
  local run = run_of(folder, "run", {
    act("type_text", { text = secret }, hit_of("Password", { role = "password text", secret = true }),
      { value = secret }),
    act("type_text", { text = secret }, hit_of "Again"), act("click_element", { label = "x" }, hit_of "OK",
      { value = secret }) })
  local source = exported { run }
  t.ok(not source:find(secret, 1, true), source)
  local steps, given = steps_of(source)
  t.eq(given.password, { secret = "DESKPILOT_PASSWORD" })
  t.eq({ steps[1].with.text, steps[2].with.text }, { given.password, given.password })
end)

tests.a_drag_may_end_in_a_window_of_another_application = spawn.in_folder(function(folder)
  local hit = hit_of "letter.txt"
  local other = hit_of "Bin"
  hit.drop = { at = other.at, element = other.element, window = other.window }
  local steps = steps_of(exported { run_of(folder, "run", { act("drag_element", { label = "letter.txt" }, hit) }) })
  t.eq({ steps[1].on.app, steps[1].to.app, steps[1].to.name }, { "letter.txt", "Bin", "Bin" })
end)

tests.steps_that_repeat_become_a_loop = spawn.in_folder(function(folder)
  local acts = {}
  for _, name in ipairs { "Ada", "Grace", "Edsger" } do
    acts[#acts + 1] = act("click_element", { label = "New" }, hit_of "New")
    acts[#acts + 1] = act("type_text", { text = name }, hit_of "Name", { value = name })
    acts[#acts + 1] = act("press_key", { key = "enter" }, hit_of "Name")
  end
  acts[#acts + 1] = act("click_element", { label = "Close" }, hit_of "Close")
  local source = exported { run_of(folder, "run", acts) }
  t.ok(source:find("for _, row in ipairs(rows) do", 1, true), source)
  local steps, typed = steps_of(source), {}
  for _, step in ipairs(steps) do typed[#typed + 1] = step.with and step.with.text end
  t.eq({ #steps, typed, steps[10].on.name }, { 10, { "Ada", "Grace", "Edsger" }, "Close" })
  t.eq(steps[5].expect.value, "Grace", "what is typed is expected, row by row")
end)

tests.of_several_runs_what_differs_is_a_parameter = spawn.in_folder(function(folder)
  local function one(name, text)
    return run_of(folder, name, { act("type_text", { text = text }, hit_of "Name", { value = text }),
      act("type_text", { text = "always" }, hit_of "Town", { value = "always" }),
      act("click_element", { label = "Send" }, hit_of "Send") })
  end
  local steps, given = steps_of(exported { one("a", "Ada"), one("b", "Grace"), one("c", "Ada") })
  t.eq(given, { name = "Ada" })
  t.eq({ steps[2].with.text, steps[1].expect.value, #steps }, { "always", "Ada", 3 })
  local other = run_of(folder, "d", { act("press_key", { key = "enter" }, hit_of "x") }, { mission = "another" })
  local made, err = lua_export.make({ other, files.join(folder, "a") }, "x.lua")
  t.eq({ made, (tostring(err):find("only runs of one mission", 1, true)) }, { nil, 1 })
end)

-- Runs that click one button after the other.
local function clicks(folder, name, ...)
  local acts = {}
  for i, button in ipairs { ... } do acts[i] = act("click_element", { label = button }, hit_of(button)) end
  return run_of(folder, name, acts)
end

local function names_of(source, way)
  local steps = steps_of(source, way)
  for i, step in ipairs(steps) do steps[i] = step.on.name end
  return table.concat(steps, " ")
end

tests.where_runs_have_gone_different_ways_the_screen_decides = spawn.in_folder(function(folder)
  local source = exported { clicks(folder, "a", "Open", "Send"), clicks(folder, "b", "Open", "Later", "Never", "Send"),
    clicks(folder, "c", "Open", "Agree", "Send"), clicks(folder, "d", "Open", "Later", "Never", "Send") }
  t.eq({ names_of(source, 1), names_of(source, 2), names_of(source, 3) },
    { "Open Later Never Send", "Open Agree Send", "Open Send" })
  t.ok(source:find('role = "push button", name = "Send" }, -- goes on', 1, true), source)
  t.ok(source:find("local way = step:first_of({\n", 1, true), source)
  source = exported { clicks(folder, "e", "Open"), clicks(folder, "f", "Open", "Close") }
  t.ok(source:find("}, 0)", 1, true), "at the end it is looked for once: " .. source)
  t.eq({ names_of(source, 1), names_of(source) }, { "Open Close", "Open" })
  local blind = run_of(folder, "g", { act("click_element", { label = "Open" }, hit_of "Open"),
    act("open_app", { name = "x" }), act("click_element", { label = "Send" }, hit_of "Send") })
  local made, err = lua_export.make({ files.join(folder, "a"), blind }, "x.lua")
  t.eq({ made, (tostring(err):find("nothing on the screen tells which way to go", 1, true) ~= nil) }, { nil, true })
end)

tests.what_runs_have_chosen_of_what_was_there_is_a_parameter = spawn.in_folder(function(folder)
  local function one(name, choice, ...)
    local elements = {}
    for i, there in ipairs { ... } do elements[i] = { role = "push button", name = there, states = {} } end
    local hit = hit_of(choice)
    hit.window.app = "paint"
    local run = run_of(folder, name, { { { event = "observed", at = 1, turn = 1, seen = "screenshots/look.json" } },
      act("click_element", { label = choice }, hit),
      act("press_key", { key = choice == "Red" and "enter" or "space" }, hit_of "Field") })
    assert(files.make_folder(files.join(run, "screenshots")))
    assert(files.write(files.join(run, "screenshots", "look.json"), json.encode { elements = elements }))
    return run
  end
  local steps, given = steps_of(exported { one("a", "Red", "Red", "Blue"), one("b", "Blue", "Red", "Blue") })
  t.eq({ steps[1].on.name, steps[1].with.label, steps[2].with.key, #steps }, { "Red", "Red", "enter", 2 })
  t.eq({ given.push_button, given.field }, { "Red", "enter" })
  local source = exported { one("c", "Red", "Red"), one("d", "Blue", "Blue") }
  t.eq({ names_of(source, 1), names_of(source, 2) }, { "Red Field", "Blue Field" })
end)

tests.scripts_are_merged_goal_by_goal = spawn.in_folder(function(folder)
  local function one(name, text)
    local acts = { act("type_text", { text = text }, hit_of "Name"),
      act("type_text", { text = "same" }, hit_of "Town") }
    for i, pair in ipairs(acts) do pair[1].goal = tostring(i) end
    return run_of(folder, name, acts, { script = true })
  end
  local source = exported { one("a", "Ada"), one("b", "Grace") }
  t.ok(source:find("if goal == 1 then\n    step {", 1, true) and source:find("elseif goal == 2 then", 1, true), source)
  t.ok(source:find('name = "Ada", -- another one in other runs', 1, true), source)
end)

tests.what_a_person_has_done_is_a_mission_of_its_own = spawn.in_folder(function(folder)
  local function text_act(name, withheld, window)
    local pair = act("type_text", { text = "" }, hit_of(name), { window = window })
    pair[1].hit.withheld = withheld
    return pair
  end
  local slow = act("click_element", { label = "Send" }, hit_of "Send")
  slow[1].hit.waited = 7.1
  local early = act("click_element", { label = "Next" }, hit_of "Next")
  early[2].reason = "input"
  local run = run_of(folder, "run", { { { event = "recorded", at = 0, turn = 0, desktop = { kind = "private",
    size = { 800, 600 }, apps = { { "sh", "-c", "]] os.exit(9)" } } } } }, early, text_act("PIN", "secret"),
    text_act("PIN", "secret"), text_act("PIN", "secret"), text_act("Town", "unknown"),
    act("check", {}, hit_of("Total", { role = "label", value = "42" })), slow })
  local source = exported { run }
  local chunk = load(source, "=file", "t", { ipairs = ipairs, require = function()
    return { recording = function() return { repeats = function(_, options) return options end } end,
      secret = function(name) return { name } end }
  end })
  local options, steps = assert(chunk)(), {}
  options.steps(function(step) steps[#steps + 1] = step end)
  t.eq(options.desktop, { kind = "private", size = { 800, 600 }, apps = { { "sh", "-c", "]] os.exit(9)" } } })
  t.eq(options.given, { pin = { "DESKPILOT_PIN" }, pin_2 = { "DESKPILOT_PIN_2" }, pin_3 = { "DESKPILOT_PIN_3" },
    town = { "DESKPILOT_TOWN" } }, "texts that were not kept may be different ones")
  t.eq({ steps[6].act, steps[6].expect }, { nil, { value = "42" } })
  t.eq({ steps[1].seconds, steps[7].seconds }, { nil, 22 })
end)

-- Who waits has seen that a look came too early: what the next act comes from is what is to be true.
tests.what_somebody_waited_for_is_expected = spawn.in_folder(function(folder)
  local run = files.join(folder, "waited")
  local function look(number, ...)
    local elements = {}
    for i, name in ipairs { ... } do elements[i] = { role = "push button", name = name } end
    local seen = ("screenshots/look%d.json"):format(number)
    assert(files.make_folder(files.join(run, "screenshots")))
    assert(files.write(files.join(run, seen), json.encode { elements = elements }))
    return { { event = "observed", at = number, turn = number, seen = seen } }
  end
  local function act_on(name)
    local pair = act("click_element", { label = name }, hit_of(name))
    table.insert(pair, 1, { event = "action", at = 1, turn = 1, tool = "click_element" })
    return pair
  end
  run_of(folder, "waited", { look(1, "Save", "Close"), act_on "Save", look(2, "Save", "Close", "Busy"),
    { { event = "action", at = 2, turn = 2, tool = "wait" } }, act("wait", { seconds = 1 }),
    look(3, "Save", "Close", "Saved"), act_on "Close", look(4, "Save", "Other"), look(5, "Save", "Later") })
  local steps = steps_of(exported { run })
  t.eq({ steps[1].expect, steps[2].expect }, { { appears = { role = "push button", name = "Saved" } },
    { appears = { role = "push button", name = "Other" } } })
end)

tests.nothing_is_overwritten_and_only_success_is_exported = spawn.in_folder(function(folder)
  local run = run_of(folder, "run", { act("press_key", { key = "enter" }, hit_of "x") })
  local out = files.join(folder, "x.lua")
  t.ok(lua_export.write({ run }, out))
  local again, err = lua_export.write({ run }, out)
  t.eq({ again, tostring(err):find("not overwritten", 1, true) ~= nil }, { nil, true })
  local words = assert(files.read(files.join(run, "journal.jsonl")))
  assert(files.write(files.join(run, "journal.jsonl"), (words:gsub('"succeeded"', '"failed"'))))
  again, err = lua_export.make({ run }, out)
  t.eq({ again, tostring(err):find("did not succeed", 1, true) ~= nil }, { nil, true })
end)

return tests
