-- What is seen and done of a fleet from outside: the events of runs, a run that another worker goes on with, and the
-- words of `deskpilot fleet`. On a real nats-server.
local files = require "deskpilot.base.files"
local fleet_place = require "fleet_place"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local list_play = require "list_play"
local ports = require "ports"
local spawn = require "spawn"
local t = require "harness"

local tests = {}

local function find(events, name)
  for _, event in ipairs(events) do
    if event.event == name then return event end
  end
end

-- A mission that needs turns, in a real editor; its worker is killed in the middle.
function tests.another_worker_goes_on_with_the_run_of_a_killed_one()
  local served <close> = setmetatable({ list_play.serve(3) }, { __close = function(s) s[1]:stop() end })
  local place = list_play.place(3, served[1], ("model = { endpoint = %q, name = 'qwen3-vl', calls_per_minute = 0, "
    .. "retries = 0 },"):format(served[1].endpoint))
  fleet_place.with({ "ann" }, function(fleet)
    local first = fleet.worker()
    local submitted = fleet.submit "--wait"
    local folder, id
    t.wait_until("three turns on the server", function()
      local runs
      runs, id = fleet.runs_of(first)
      folder = runs[1]
      if not folder then return false end
      local said = fleet.ask("logs", id:sub(1, 12), "--json")
      return select(2, said.stdout:gsub('{"event":"turn_end"', "")) >= 3
    end, 90)
    first:kill "sigkill"
    first:wait()
    local second = fleet.worker()
    submitted:wait()
    t.eq(submitted.status, 0, submitted.stderr .. second.stderr)
    t.has(second.stderr, "goes on with the run " .. select(2, files.split(folder)) .. " after turn ")
    t.eq((files.read(place.list) or ""):gsub("\n", ""), list_play.whole(3))

    local runs = fleet.runs_of(second)
    t.eq(#runs, 2, "the run before, and its own")
    local past, present = journal.read(runs[1]), journal.read(runs[2])
    local start = find(present, "run_start")
    t.eq(start.parent.run, runs[1])
    t.eq(start.parent.kind, "resume")
    t.ok(start.parent.turn >= 2, "after a turn that was finished")
    t.eq(find(present, "turn_start").turn, start.parent.turn + 1)
    local whole = files.read(folder .. "/journal.jsonl")
    local came = files.read(runs[1] .. "/journal.jsonl")
    t.eq(whole:sub(1, #came), came, "the lines are those that the killed one wrote")
    t.eq(find(past, "run_start").args, { "folder=" .. fleet.folder, "name=ann" })

    local record = json.decode(fleet.ask("runs", "--json").stdout)
    t.eq(record.continued, { attempt = 1, run = select(2, files.split(folder)), turn = start.parent.turn })
    t.eq(record.attempts, 2)
    local told = fleet.ask("logs", id).stdout
    t.has(told, "attempt 1: " .. select(2, files.split(folder)) .. "\n")
    t.has(told, ("attempt 2: %s, goes on from %s after turn %d\n"):format(select(2, files.split(runs[2])),
      select(2, files.split(folder)), start.parent.turn))
    t.has(told, "press_key(ctrl+s)")
    t.has(told, "succeeded")
  end, files.read(place.mission))
  files.remove(place.folder)
end

-- Runs `deskpilot fleet` and expects that status and those words.
local function refused(fleet, status, words, ...)
  local ended = fleet.ask(...)
  t.eq(ended.status, status, ended.stdout .. ended.stderr)
  t.has(ended.stderr, words)
end

tests.what_cannot_be_is_said_first = function()
  fleet_place.with({}, function(fleet)
    refused(fleet, 2, "fleet is followed by one of cancel, drain, keep, logs, runs, status\n")
    refused(fleet, 2, "not 'stop'", "stop")
    refused(fleet, 2, "fleet status takes no names", "status", "x")
    refused(fleet, 2, "fleet status has no --follow", "status", "--follow")
    refused(fleet, 2, "fleet logs takes one run", "logs")
    refused(fleet, 2, "--last wants how many", "runs", "--last", "few")
    refused(fleet, 2, "fleet keep takes days, 1 to 36500, not '0'", "keep", "0")
    refused(fleet, 2, "there is no run abc: deskpilot fleet runs lists them", "logs", "abc")
    refused(fleet, 2, "there is no run ../x: deskpilot fleet runs lists them", "cancel", "../x")
    refused(fleet, 2, "there is no run " .. ("0"):rep(32), "logs", ("0"):rep(32))
    refused(fleet, 2, "there is no worker w-1; none is there at all", "drain", "w-1")
    local nobody = "nats://127.0.0.1:" .. ports.refusing()
    local ended = spawn.run { spawn.program, "fleet", "status", "--server", nobody }
    t.eq(ended.status, 3)
    t.has(ended.stderr, "no NATS server answers at " .. nobody)
    t.eq(fleet.ask("status").stdout, "0 workers with 0 slots: 0 missions run, 0 wait\n")
    t.eq(fleet.ask("runs").stdout, "there are no runs\n")
    t.eq(fleet.ask("keep").stdout, "records, bundles and events are kept for 30 days\n")
    t.eq(fleet.ask("keep", "3").stdout, "records, bundles and events are kept for 3 days\n")
    t.eq(fleet.ask("keep").stdout, "records, bundles and events are kept for 3 days\n", "others leave it so")
  end)
end

return tests
