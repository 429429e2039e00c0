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
    return child.status or select(2, words:gsub('{"event":"turn_start"', "")) >= turns
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

local function killed_and_resumed(number)
  local server <close> = setmetatable({ list_play.serve(entries) }, { __close = function(s) s[1]:stop() end })
  local place = list_play.place(entries, server[1])
  local turns, seconds = math.random(0, entries * 3 - 1), math.random() * 0.8
  local folder, child = kill_at(place, turns, seconds)
  t.eq(child.signal, 9, ("it was killed: %s %s"):format(child.stdout, child.stderr))
  local broken, lines = journals.problems(folder .. "/journal.jsonl")
  t.eq(broken, {}, "the journal is valid")
  local result, resumed = resume(place, folder)
  t.eq({ resumed.status, result.status }, { 0, "succeeded" }, resumed.stderr)
  t.eq((files.read(place.list) or ""):gsub("\n", ""), list_play.whole(entries), "what verify says is true")
  t.eq(result.parent, files.absolute(folder))
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

return tests
