--- Runs that are killed at any moment and go on: a real editor on a private desktop, and a model over HTTP.
--- DESKPILOT_KILLS=20 kills so many runs of 30 turns; without it a few short ones.
local t = require "harness"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local journals = require "journals"
local json = require "deskpilot.base.json"
local list_play = require "list_play"
local spawn = require "spawn"
local task = require "deskpilot.base.task"
local trajectories = require "trajectories"

local wanted = math.tointeger(tonumber(os.getenv "DESKPILOT_KILLS" or ""))
local kills, entries = wanted or 3, wanted and 10 or 3

local tests = {}

local function count(events, name)
  local number = 0
  for _, event in ipairs(events) do
    if event.event == name then number = number + 1 end
  end
  return number
end

-- Kills the run after so many turns and some more time.
local function kill_at(place, turns, seconds)
  local child = spawn.start(place.argv, { cwd = place.folder })
  local folder = t.wait_until("the run's folder", function()
    local path = list_play.new_run(place)
    return path and files.exists(path .. "/journal.jsonl") and path
  end)
  t.wait_until(("turn %d"):format(turns), function()
    local words = files.read(folder .. "/journal.jsonl") or ""
    local begun = words:find('{"event":"run_start"', 1, true) -- else there is nothing to go on with
    return child.status or begun and select(2, words:gsub('{"event":"turn_start"', "")) >= turns
  end, 90)
  task.sleep(seconds)
  if not child.status then child:kill "sigkill" end
  child:wait()
  return folder, child
end

local function resume(place, folder, ...)
  local child = spawn.run({ spawn.program, "resume", folder, "--json", ... }, { cwd = place.folder })
  return json.decode(child.stdout) or {}, child
end

-- A run of its own, killed while it runs. One that has written down its end before it was killed is judged as what it
-- is, and another one takes its place.
local function killed(endpoint)
  for _ = 1, 10 do
    local place = list_play.place(entries, endpoint)
    local turns, seconds = math.random(0, entries * 3 - 1), math.random() * 0.8
    local folder, child = kill_at(place, turns, seconds)
    if count(journal.read(folder), "run_end") == 0 then
      t.eq(child.signal, 9, ("it was killed: %s %s"):format(child.stdout, child.stderr))
      return place, folder, turns, seconds
    end
    local _, resumed = resume(place, folder)
    t.eq(resumed.status, 2)
    t.has(resumed.stderr, "that run has succeeded, so there is nothing to go on with")
    files.remove(place.folder)
  end
  error("ten runs had ended before they were killed", 0)
end

local function killed_and_resumed(number)
  local server <close> = setmetatable({ list_play.serve(entries) }, { __close = function(s) s[1]:stop() end })
  local place, folder, turns, seconds = killed(server[1])
  local broken, lines = journals.problems(folder .. "/journal.jsonl")
  t.eq(broken, {}, "the journal is valid")
  local saved = files.read(folder .. "/trajectory.json") -- after ten steps
  t.eq(saved and trajectories.problem(json.decode(saved)), nil, "a trajectory that was saved is valid")
  local result, resumed = resume(place, folder)
  t.eq({ resumed.status, result.status }, { 0, "succeeded" }, resumed.stderr)
  t.eq((files.read(place.list) or ""):gsub("\n", ""), list_play.whole(entries), "what verify says is true")
  t.eq(result.parent, files.absolute(folder))
  t.eq(trajectories.read(result.run_dir or "").status, "succeeded")
  local more, more_lines = journals.problems((result.run_dir or "") .. "/journal.jsonl")
  t.eq(more, {}, "the journal of the run that went on is valid")
  local past, present = journal.read(folder), journal.read(result.run_dir or "") or {}
  io.stdout:write(("kill %2d: in turn %2d + %.2f s, %3d lines; resumed: %d turns in all, %d of its own, %d lines, %s\n")
    :format(number, turns, seconds, lines, result.turns or -1, count(present, "turn_start"), more_lines,
      tostring(result.status)))
  files.remove(place.folder)
  return past, present, server[2]
end

-- In chunks: the harness gives each test four minutes.
for first = 1, kills, 3 do
  tests[("killed_at_random_moments_%02d"):format(first)] = function()
    for number = first, math.min(kills, first + 2) do killed_and_resumed(number) end
  end
end

-- A run of two entries that was stopped by its limit in the middle.
local function stopped(fn)
  return function()
    local served = table.pack(list_play.serve(2))
    local place = list_play.place(2, served[1])
    local argv = table.move(place.argv, 1, #place.argv, 1, {})
    for _, word in ipairs { "--set", "limits.turns=4" } do argv[#argv + 1] = word end
    local child = spawn.run(argv, { cwd = place.folder })
    local result = json.decode(child.stdout) or {}
    t.eq({ child.status, result.status, result.turns }, { 1, "incomplete", 4 }, child.stderr)
    fn(place, result, served[2], served[1])
    served[1]:stop()
    files.remove(place.folder)
  end
end

tests.a_run_that_was_out_of_turns_gets_more = stopped(function(place, result, asked)
  local _, child = resume(place, result.run_dir)
  t.eq(child.status, 2)
  t.has(child.stderr, "used up its turns: limits.turns is 4; give it more, such as --set limits.turns=8")
  local told, requests = #asked, asked.strategist
  local again, more = resume(place, result.run_dir, "--set", "limits.turns=12", "-v")
  t.eq({ more.status, again.status }, { 0, "succeeded" }, more.stderr)
  t.eq(asked.strategist, requests, "the doctrine lasts")
  t.has(more.stderr, "goes on from " .. result.run_dir .. " after turn 4\n")
  t.has(asked[told + 1], "NOTE: this run ended as incomplete (out of turns: the limit is 4 (limits.turns)) after turn "
    .. "4 and goes on here; the screen may show something else than before: the desktop and its applications were "
    .. "started again, and what was not saved is lost")
  t.has(asked[told + 1], "T4: press_key(", "the history")
  t.has(asked[told + 1], "TURN: 5 of 12")
  t.ok(not asked[told + 2]:find("SCREEN:[^\n]*\nNOTE"), "it is told once beside the screen")
  t.has(asked[told + 2], "NOTE this run ended as incomplete", "and stays in the history")

  _, child = resume(place, again.run_dir)
  t.eq(child.status, 2)
  t.has(child.stderr, "that run has succeeded, so there is nothing to go on with")
  t.has(child.stderr, "deskpilot fork " .. again.run_dir .. " --turn ")
  assert(files.write(place.list, "")) -- and another branch, from the beginning of that one
  child = spawn.run({ spawn.program, "fork", again.run_dir, "--turn", "5", "--json" }, { cwd = place.folder })
  local branch = json.decode(child.stdout) or {}
  t.eq({ child.status, branch.status }, { 0, "succeeded" }, child.stderr)
  local start = journal.read(branch.run_dir or "")[1]
  t.eq({ start.parent.kind, start.parent.turn, start.parent.run }, { "fork", 5, files.absolute(again.run_dir) })
end)

tests.the_mission_is_the_copy = stopped(function(place, result)
  local changed = assert(files.read(place.mission)):gsub("Write the numbers", "Write NO numbers")
  assert(files.write(place.mission, changed))
  local again, child = resume(place, result.run_dir, "--set", "limits.turns=5")
  t.has(child.stderr, place.mission .. " has changed since that run, which goes on with the copy that it has kept; "
    .. "--mission-file " .. place.mission .. " takes the changed one")
  t.has(journal.read(again.run_dir or "")[1].task, "Write the numbers")
  again, child = resume(place, result.run_dir, "--set", "limits.turns=5", "--mission-file", place.mission)
  t.ok(not child.stderr:find("has changed", 1, true))
  t.has(journal.read(again.run_dir or "")[1].task, "Write NO numbers")
  again = resume(place, result.run_dir, "--set", "limits.turns=5", "--from", "1")
  t.eq(journal.read(again.run_dir or "")[1].parent.turn, 1)
  files.remove(result.run_dir .. "/mission.lua")
  local _, refused = resume(place, result.run_dir, "--set", "limits.turns=5")
  t.has(refused.stderr, "has kept no copy of its mission")
end)

function tests.what_cannot_go_on_says_so()
  local folder = spawn.folder()
  local function says(part, ...)
    local child = spawn.run({ spawn.program, ... }, { cwd = folder })
    t.eq(child.status, 2, child.stderr)
    t.has(child.stderr, part)
  end
  says("resume wants one run directory", "resume")
  says("fork wants one run directory and a turn", "fork", "x")
  says("--from wants the number of a turn, not 'two'", "resume", "x", "--from", "two")
  says("journal.jsonl", "resume", "nothing")
  local function script(extra)
    assert(files.write(folder .. "/s.lua", ([[return { desktop = { kind = "private" }, %s run = function(m)
      m.state.times = (m.state.times or 0) + 1
      m:keep_state()
      return m.past ~= nil and m.args[1] == "one", "the first time"
    end }]]):format(extra)))
    local child = spawn.run({ spawn.program, "run", "s.lua", "--json", "--runs", "runs", "--", "one" },
      { cwd = folder })
    return (json.decode(child.stdout) or {}).run_dir
  end
  local run_dir = script ""
  says("the mission is a script, which can only be started again from its beginning; say `resumable = true`",
    "resume", run_dir)
  run_dir = script "resumable = true,"
  says("a script has no turns to go back to", "fork", run_dir, "--turn", "0")
  local child = spawn.run({ spawn.program, "resume", run_dir, "--json" }, { cwd = folder })
  local result = json.decode(child.stdout) or {}
  t.eq(child.status, 0, child.stderr)
  local set
  for _, event in ipairs(journal.read(files.join(folder, result.run_dir or ""))
    or journal.read(result.run_dir or "") or {}) do
    if event.event == "state" then set = event.set or set end
  end
  t.eq(set, { times = 2 }, "its state has lasted")
  files.remove(folder)
end

return tests
