--- A recorded run once more, without a desktop and without a model server.
local t = require "harness"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local journals = require "journals"
local json = require "deskpilot.base.json"
local list_play = require "list_play"
local manager_play = require "manager_play"
local model_server = require "model_server"
local odev_play = require "odev_play"
local orchestrator_play = require "orchestrator_play"
local spawn = require "spawn"
local uv = require "luv"

local tests = {}

local nothing = { DISPLAY = false, WAYLAND_DISPLAY = false, DBUS_SESSION_BUS_ADDRESS = false }

local function rerun(place, folder, ...)
  local child = spawn.run({ spawn.program, "rerun", folder, "--json", ... }, { cwd = place.folder, env = nothing })
  local result = json.decode(child.stdout) or {}
  return result, result.run_dir and journal.read(result.run_dir) or {}, child
end

local function told(events, name)
  local list = {}
  for _, event in ipairs(events) do
    if event.event == name then list[#list + 1] = event end
  end
  return list
end

-- What was done and seen, without times.
local function course(events)
  local list = {}
  for _, event in ipairs(events) do
    if event.event == "action_result" then
      list[#list + 1] = { event.turn, event.tool, event.args, event.ok, event.text }
    elseif event.event == "observed" then
      list[#list + 1] = { event.turn, event.window, event.elements, event.image, event.page }
    end
  end
  return list
end

local function notes(events)
  local list = {}
  for _, event in ipairs(told(events, "note")) do list[#list + 1] = event.message end
  return table.concat(list, "\n")
end

function tests.a_run_is_the_same_again_until_something_is_edited()
  local server = list_play.serve(2)
  local place = list_play.place(2, server)
  local child = spawn.run(place.argv, { cwd = place.folder })
  server:stop()
  local result = json.decode(child.stdout) or {}
  t.eq(result.status, "succeeded", child.stderr)
  local recorded = journal.read(result.run_dir) or {}
  local looks = told(recorded, "observed")
  t.ok(files.exists(files.join(result.run_dir, looks[1].seen)), "what was seen is kept beside the picture")
  t.ok(files.size(files.join(result.run_dir, looks[1].seen)) < 64 * 1024)

  assert(files.write(place.list, ""))
  local path = files.join(result.run_dir, "journal.jsonl")
  journals.made_up[path] = true
  assert(files.write(path, (files.read(path):gsub("\n", "\n{broken\n", 1))))
  local again, events, offline = rerun(place, result.run_dir)
  t.eq({ offline.status, again.status }, { 0, "claimed" }, offline.stderr)
  t.has(offline.stderr, "runs " .. result.run_dir .. " again, without a desktop\n"
    .. "1 line of the journal is no event and is left out\n")
  t.eq(course(events), course(recorded), "the same looks and actions")
  local words = notes(events)
  t.ok(not words:find("is not the recorded", 1, true), words)
  t.ok(not words:find("did not do this", 1, true), words)
  t.eq({ events[1].parent.kind, events[1].parent.run, events[1].model },
    { "rerun", files.absolute(result.run_dir), "replay:" .. result.run_dir })
  t.eq(files.read(place.list), "", "nothing is done in the world")

  local prompts = files.join(place.folder, "deskpilot/prompts")
  assert(files.make_folder(prompts))
  assert(files.write(files.join(prompts, "executor.md"), "You are careful.\n{{orders}}\n"))
  again, events = rerun(place, result.run_dir)
  t.eq(again.status, "claimed")
  t.has(notes(events), "executor: the request is not the recorded 0003-executor:\n- ")
  t.has(notes(events), "+ You are careful.")

  assert(files.make_folder(files.join(place.folder, "deskpilot/policies")))
  assert(files.write(files.join(place.folder, "deskpilot/policies/mine.lua"), [[
    return { turn = function(run)
      if run.turn == 2 then
        run:act { tool = "press_key", args = { key = "f5", justification = "something else" } }
      end
    end }]]))
  again, events = rerun(place, result.run_dir, "--policy", "mine")
  t.eq({ again.status, again.turns }, { "incomplete", #looks + 1 })
  t.has(again.reason, ("the recorded run has no turn %d: what comes after it can only be tried on a desktop"):format(
    #looks + 1))
  t.has(notes(events), 'the recorded run did not do this in turn 2: press_key({"')
  again, events = rerun(place, result.run_dir, "--policy", "odev")
  t.eq(again.status, "error")
  t.has(again.reason, "has no further answer of planner (0 in all)")
  t.ok(#events > 5)
  files.remove(place.folder)
end

-- Each goal of a list is one, and has what the one before it has read.
function tests.a_list_of_goals_is_run_again_goal_by_goal()
  local goals = { "Read the number.", "Write the number ${number} and hello." }
  local played = orchestrator_play.play { mission = odev_play.editor:gsub('text = "first"', 'text = "Number: 4711"')
    .. ('goals = { %q, { goal = %q, verify = function() return true end } },'):format(table.unpack(goals)),
    before = function(folder) assert(files.write(folder .. "/note.txt", "Number: 4711\n")) end,
    agent = function(request, n)
      if n == 1 then
        return orchestrator_play.ask({ "extract_data", { name = "number", after = "Number:" } }, { "take_screenshot" })
      end
      t.has(orchestrator_play.words(request), ("CURRENT GOAL (%d of 2)"):format(n < 3 and 1 or 2))
      if n ~= 3 then return orchestrator_play.decide { status = "complete" } end
      return orchestrator_play.decide { commands = { { "type_text", { text = "${number} hello " } }, { "press_key",
        { key = "ctrl+s" } } } }
    end }
  t.eq(played.result.status, "succeeded", played.child.stderr)
  local again, events, offline = rerun({ folder = played.folder }, played.run_dir)
  t.eq(again.status, "claimed", tostring(again.reason) .. offline.stderr)
  t.eq(#(told(events, "lookup")[2].pictures or {}), 1, "what a tool had to show is there again")
  local tasks = {}
  for i, event in ipairs(told(events, "goal_start")) do tasks[i] = event.task end
  t.eq(tasks, goals)
  t.eq(course(events), course(played.events), "the same looks and actions")
  t.eq((told(events, "memory")[1] or {}).value, "4711")
  local words = notes(events)
  t.ok(not words:find("is not the recorded", 1, true), words)
  played:close()
end

-- Also what a policy offers beside tools of its own: a command is not run a second time.
function tests.nothing_is_done_again_whoever_did_it()
  local folder = spawn.folder()
  assert(files.write(folder .. "/m.lua", ([[return { task = "Count the files.", policy = "manager",
    desktop = { kind = "private", size = { 400, 300 } }, limits = { turns = 60, seconds = 60 },
    timing = { verify = 0.1 }, safety = { shell = "allow-list", shell_allow = { "echo counted >> count.txt" } },
    run_command = { folder = %q } }]]):format(folder)))
  local server = model_server.start(manager_play.answerer { evaluator = manager_play.yes,
    manager = function() return manager_play.plan(manager_play.subtask("technician", "Count the files")) end,
    technician = function(_, n)
      return n > 1 and manager_play.done "1 file" or manager_play.call("run_command",
        { command = "echo counted >> count.txt", justification = "It counts the files of the folder." })
    end })
  local child = spawn.run({ spawn.program, "run", "m.lua", "--json", "--accept-claims", "--endpoint", server.endpoint,
    "--model", "qwen3-vl", "--set", "model.calls_per_minute=0" }, { cwd = folder })
  server:stop()
  local result = json.decode(child.stdout) or {}
  t.eq({ result.status, files.read(folder .. "/count.txt") }, { "claimed", "counted\n" }, child.stderr)
  local again, events, offline = rerun({ folder = folder }, files.join(folder, result.run_dir))
  t.eq(again.status, "claimed", tostring(again.reason) .. offline.stderr)
  t.eq(files.read(folder .. "/count.txt"), "counted\n", "nothing is done in the world")
  t.eq(course(events), course(journal.read(files.join(folder, result.run_dir)) or {}))
  local words = notes(events)
  t.ok(not words:find("is not the recorded", 1, true), words)
  files.remove(folder)
end

-- Somebody else may have written the journal: what it calls a picture may be any file of ours.
function tests.pictures_from_elsewhere_are_not_read()
  local server = list_play.serve(1)
  local place = list_play.place(1, server)
  local child = spawn.run(place.argv, { cwd = place.folder })
  server:stop()
  local result = json.decode(child.stdout) or {}
  local folder = result.run_dir
  local path, elsewhere = files.join(folder, "journal.jsonl"), files.join(folder, "../elsewhere")
  journals.made_up[path] = true
  local recorded = assert(files.read(path))
  local look = told(journal.read(folder) or {}, "observed")[1]
  assert(files.make_folder(elsewhere))
  assert(uv.fs_copyfile(files.join(folder, look.screenshot), files.join(elsewhere, "picture.png")))
  assert(uv.fs_copyfile(files.join(folder, look.seen), files.join(elsewhere, "picture.json")))

  local function ends(field, value, status, part)
    local from, to = ('"%s":"%s"'):format(field, look[field]), ('"%s":"%s"'):format(field, value)
    local at = assert(recorded:find(from, 1, true), from)
    assert(files.write(path, recorded:sub(1, at - 1) .. to .. recorded:sub(at + #from)))
    local again, events, offline = rerun(place, folder)
    t.eq(again.status, status, value .. ": " .. offline.stderr)
    t.has(again.reason, part, value)
    t.eq(#told(events, "observed"), 0, value)
  end
  for _, name in ipairs { "../elsewhere/picture", "screenshots/../../elsewhere/picture",
    files.absolute(elsewhere) .. "/picture" } do
    ends("screenshot", name .. ".png", "error", "names no picture of")
    ends("seen", name .. ".json", "incomplete", "has no turn 1")
  end
  files.remove(place.folder)
end

function tests.what_cannot_be_run_again_says_so()
  local folder = spawn.folder()
  local function says(part, ...)
    local child = spawn.run({ spawn.program, ... }, { cwd = folder, env = nothing })
    t.eq(child.status, 2, child.stderr)
    t.has(child.stderr, part)
  end
  says("rerun wants one run directory", "rerun")
  says("journal.jsonl", "rerun", "nothing")
  says("there are no recorded requests in", "run", "calculator", "--model", "replay:" .. folder)
  files.remove(folder)
end

return tests
