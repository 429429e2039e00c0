-- Reading runs and trajectories of any origin, and comparing two of them (`deskpilot report A B`).
local t = require "harness"
local comparison = require "deskpilot.cli.comparison"
local export = require "deskpilot.agent.export"
local files = require "deskpilot.base.files"
local import = require "deskpilot.agent.trajectory_import"
local json = require "deskpilot.base.json"
local null_run = require "null_run"
local spawn = require "spawn"

local tests = {}

local with_folder = spawn.in_folder

local function file(folder, value)
  local path = files.join(folder, "trajectory.json")
  assert(files.write(path, type(value) == "string" and value or json.encode(value)))
  return path
end

-- A run that presses these keys, in its folder.
local function played(keys, status)
  local run = null_run.play({ task = "Press keys" }, { keep = true, turn = function(run)
    local key = keys[run.turn]
    if not key then return run:stop(status or "failed", "that was all") end
    run:act { tool = "press_key", args = { key = key }, why = "key " .. run.turn }
  end })
  assert(export.write(run.dir.path, run.outcome))
  return run.dir.path
end

local function remove(folder) files.remove((files.split((files.split(folder))))) end

local function words_of(run)
  local list = {}
  for i, step in ipairs(run.steps) do
    list[i] = ("%s %s %s"):format(step.tool, step.args.key or "", tostring(step.ok))
  end
  return list
end

function tests.a_run_its_journal_and_its_trajectory_say_the_same()
  local folder = played { "a", "no such key", "b" }
  local wanted = { "press_key a true", "press_key no such key false", "press_key b true", "(none)  nil" }
  for _, path in ipairs { folder, folder .. "/journal.jsonl", folder .. "/trajectory.json" } do
    local run = t.ok(import.read(path))
    t.eq(words_of(run), wanted, path)
    t.eq({ run.goal, run.status, run.totals.failed, run.steps[1].thinking }, { "Press keys", "failed", 1, "key 1" })
    t.ok(run.duration > 0)
  end
  files.remove(folder .. "/journal.jsonl")
  t.eq(words_of(t.ok(import.read(folder))), wanted, "a folder with a trajectory alone")
  remove(folder)
end

tests.a_trajectory_of_the_version_before = with_folder(function(folder)
  local run = t.ok(import.read(file(folder, { mission = "m", task = "Press keys", status = "succeeded",
    steps = { { turn = 1, replies = {}, actions = {
      { tool = "press_key", args = { key = "a" }, ok = true, result = "x" },
      { tool = "press_key", args = { key = "b" }, ok = false, result = "y" } } },
      { turn = 2, actions = json.list {} } } })))
  t.eq({ words_of(run), run.goal, run.status }, { { "press_key a true", "press_key b false" }, "Press keys",
    "succeeded" })
end)

tests.a_trajectory_of_another_program = with_folder(function(folder)
  local run = t.ok(import.read(file(folder, { task_goal = "Search an item", task_id = "t-1", total_steps = 3,
    duration = 12.5, status = "success", steps = {
      { screenshot = "iVBORw0K", thinking = "The field is there.",
        action = { action = "tap", coordinate = { 0.5, 0.3 } }, result = { success = true }, timestamp = 1.5 },
      { thinking = "x", action = { action = "type", text = "shoes" }, result = "success" },
      { action = { name = "back", arguments = {} }, result = { success = false, error = "device lost" } },
      { action = "FINISH", result = true } } })))
  t.eq({ run.name, run.goal, run.status, run.duration, run.totals.failed },
    { "t-1", "Search an item", "success", 12.5, 1 })
  local told = {}
  for i, step in ipairs(run.steps) do told[i] = { step.tool, step.args, step.ok, step.text } end
  t.eq(told, { { "tap", { coordinate = { 0.5, 0.3 } }, true }, { "type", { text = "shoes" }, true, "success" },
    { "back", {}, false, "device lost" }, { "FINISH", {}, true } })
end)

tests.what_is_no_trajectory_says_so = with_folder(function(folder)
  t.fails("not_found", "nothing", import.read(files.join(folder, "nothing")))
  t.fails("protocol", "is no JSON", import.read(file(folder, "{")))
  t.fails("protocol", "has no list of steps", import.read(file(folder, { task = "x" })))
  t.fails("protocol", "has no list of steps", import.read(file(folder, "[1]")))
  t.fails("unsupported", "is of version 99, this deskpilot reads trajectories up to version 2",
    import.read(file(folder, { version = 99, steps = json.list {} })))
  local odd = t.ok(import.read(file(folder, { task_goal = {}, status = 7, duration = "x",
    totals = { failed = "x", a = {} },
    steps = { 1, "x", { action = 5, result = 7, thinking = {} }, { actions = { 1, { tool = {} } } } } })))
  t.eq({ odd.goal, odd.status, odd.duration, #odd.steps }, { nil, "unknown", nil, 2 })
  t.ok(#comparison.lines(odd, odd) > 5)
end)

local function steps(...)
  local list = {}
  for i, key in ipairs { ... } do
    list[i] = { tool = "press", args = { key = key, justification = "j" .. i }, ok = true }
  end
  return list
end

function tests.actions_are_aligned()
  local function aligned(a, b)
    local parts = {}
    for i, row in ipairs(comparison.align(a, b)) do
      parts[i] = row.a and row.b and "=" .. a[row.a].args.key or row.a and "A" .. a[row.a].args.key
        or "B" .. b[row.b].args.key
    end
    return table.concat(parts, " ")
  end
  t.eq(aligned(steps("1", "2", "3"), steps("1", "2", "3")), "=1 =2 =3", "whatever the model said of them")
  t.eq(aligned(steps("1", "2", "3"), steps("1", "x", "3", "4")), "=1 A2 Bx =3 B4")
  t.eq(aligned(steps(), steps "1"), "B1")
  t.eq(aligned(steps("1", "2"), steps()), "A1 A2")
  t.eq(aligned(steps("1", "2", "1"), steps("2", "1")), "A1 =2 =1")
end

function tests.the_command()
  local one, other = played({ "a", "b", "c" }, "succeeded"), played { "a", "no such key", "c", "d" }
  local child = spawn.run { spawn.program, "report", one, other .. "/trajectory.json" }
  t.eq({ child.status, child.stderr }, { 0, "" })
  t.has(child.stdout, "\nstatus         succeeded")
  t.has(child.stdout, "A: " .. select(2, files.split(one)))
  t.has(child.stdout, "\n3 of the actions are in both runs, 1 in A alone, 2 in B alone:\n")
  t.has(child.stdout, '\n     1    1  press_key("a")  done\nA    2       press_key("b")  done\n')
  t.has(child.stdout, '\nB         2  press_key("no such key")  failed: ')
  t.has(child.stdout, '\nB         4  press_key("d")  done\n')
  child = spawn.run { spawn.program, "report", one, files.join(other, "nothing") }
  t.eq({ child.status, child.stdout }, { 2, "" })
  t.has(child.stderr, "deskpilot: cannot read")
  t.eq(files.exists(files.join(one, "report.html")), false, "nothing is written")
  remove(one)
  remove(other)
end

tests.words_from_outside_are_only_words = with_folder(function(folder)
  local path = file(folder, { task_id = "x\27[31m\n\u{202e}y", task_goal = "g\27]0;t\7", status = "s\27[2J",
    steps = { { action = { tool = "a\27[1m", args = { label = "l\27[0m\nm" } },
      result = { ok = false, text = "\27c" } } } })
  local child = spawn.run { spawn.program, "report", path, path }
  t.eq(child.status, 0, child.stderr)
  t.ok(not child.stdout:find "[\27\7]" and not child.stdout:find("\u{202e}", 1, true), child.stdout)
  t.eq(select(2, child.stdout:gsub("\n", "")), 8, child.stdout)
end)

function tests.a_killed_run_gets_its_whole_trajectory_with_its_report()
  local folder = played { "a", "b" }
  files.remove(folder .. "/result.json")
  assert(files.write(folder .. "/trajectory.json", "{}"))
  local text = assert(files.read(folder .. "/journal.jsonl"))
  assert(files.write(folder .. "/journal.jsonl", text:sub(1, text:find('{"event":"run_end"', 1, true) - 1)))
  local child = spawn.run { spawn.program, "report", folder }
  t.eq(child.status, 0, child.stderr)
  local value = require "trajectories".read(folder)
  t.eq({ value.status, value.total_steps }, { "interrupted", 3 })
  remove(folder)
end

return tests
