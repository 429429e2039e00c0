-- What is seen and done of a fleet from outside: the events of runs, a run that another worker goes on with, and the
-- words of `deskpilot fleet`. On a real nats-server.
local files = require "deskpilot.base.files"
local fleet_place = require "fleet_place"
local http = require "deskpilot.net.http"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local list_play = require "list_play"
local ports = require "ports"
local spawn = require "spawn"
local store = require "deskpilot.fleet.store"
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
    assert(files.write(fleet.folder .. "/key", ("k"):rep(32)))
    local first = fleet.worker("--journal-key", fleet.folder .. "/key")
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
    local second = fleet.worker("--journal-key", fleet.folder .. "/key")
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

-- What `fleet runs` tells of the mission of that row.
local function told_of(fleet, name)
  for line in fleet.ask("runs", "--json").stdout:gmatch "[^\n]+" do
    local record = json.decode(line)
    if record.args[2] == "name=" .. name then return record end
  end
end

function tests.missions_and_workers_are_ended_by_order()
  fleet_place.with({ "ann", "bob", "cem" }, function(fleet)
    assert(files.write(fleet.folder .. "/hold", ""))
    local submitted = fleet.submit("--wait", "--batch", "one")
    submitted:wait_for_word "3 missions"
    t.eq(fleet.ask("status").stdout, "0 workers with 0 slots: 0 missions run, 3 wait\n")
    local cem = told_of(fleet, "cem").id
    t.eq(fleet.ask("cancel", cem:sub(1, 12)).stdout, cem .. ": cancelled\n")
    submitted:wait_for_word("1 of 3: " .. cem .. " folder=" .. fleet.folder .. " name=cem: cancelled")
    refused(fleet, 1, cem .. " has ended already: cancelled", "cancel", cem)
    refused(fleet, 1, cem .. " does not run now (it is cancelled): deskpilot fleet logs " .. cem, "watch", cem)
    refused(fleet, 2, "there are no events of " .. cem .. ": it has not begun", "logs", cem)

    local worker = fleet.worker()
    t.wait_until("one to begin", function() return fleet.begun "ann" or fleet.begun "bob" end, 60)
    local runs, waits = "ann", "bob"
    if fleet.begun "bob" then runs, waits = "bob", "ann" end
    local id = told_of(fleet, runs).id
    local function status() return json.decode(fleet.ask("status", "--json").stdout) end
    t.wait_until("its sign of life", function() return status().running == 1 end, 20)
    t.eq(status().waiting, 2, "the cancelled one too, until a worker has passed over it")
    t.eq(status().workers[1].running, { id })
    t.has(fleet.ask("status").stdout, "1 worker with 1 slot: 1 mission runs, 2 wait")
    t.has(fleet.ask("runs", "--batch", "one").stdout, ("\n%s  running        1  "):format(id:sub(1, 12)))
    t.eq(fleet.ask("runs", "--batch", "two").stdout, "there are no runs of a batch two\n")
    t.has(fleet.ask("runs", "--last", "1").stderr, "2 older ones are not listed (--last 0 lists all)")
    refused(fleet, 2, "there is no worker nobody; these are there: w-", "drain", "nobody")

    local follower = spawn.start { spawn.program, "fleet", "logs", id, "--follow", "--server", fleet.server.url }
    t.wait_until("it to tell", function() return follower.stdout:find("script: entry", 1, true) end, 30)
    local watched = spawn.start { spawn.program, "fleet", "watch", id, "--server", fleet.server.url }
    t.wait_until("its address", function() return watched.stdout:find "\n" end, 30)
    t.has(assert(http.request { url = watched.stdout:match "%S+" }).body, "Z-entry</title>")
    t.eq(fleet.ask("cancel", id).stdout, id .. ": cancelled\n")
    t.eq(watched:wait().status, 0, watched.stderr)
    t.eq(follower:wait().status, 0, follower.stderr)
    t.has(follower.stdout, "interrupted: stopped by SIGTERM")
    t.eq(told_of(fleet, runs).status, "cancelled")

    t.wait_until("the other to begin", function() return fleet.begun(waits) end, 60)
    local drained = fleet.ask("drain", "w-")
    t.has(drained.stdout, " takes no more missions and ends when the one that runs has ended\n", drained.stderr)
    files.remove(fleet.folder .. "/hold")
    t.eq(worker:wait().status, 0, worker.stderr)
    t.eq(submitted:wait().status, 1)
    t.has(submitted.stderr, "1 succeeded, 2 did not")
    t.eq(fleet.names(), { waits })
    t.has(fleet.submit("--batch", "one"):wait().stderr, "3 missions, 0 of them new")
    t.eq(told_of(fleet, "cem").status, "cancelled")
  end)
end

tests.what_cannot_be_is_said_first = function()
  fleet_place.with({}, function(fleet)
    refused(fleet, 2, "fleet is followed by one of cancel, drain, keep, logs, runs, status, watch\n")
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
    refused(fleet, 2, "fleet cancel takes runs or a batch", "cancel")
    refused(fleet, 2, "fleet cancel takes runs or a batch", "cancel", "abc", "--batch", "x")
    refused(fleet, 2, "there are no runs of a batch x", "cancel", "--batch", "x")
    local there <close> = assert(store.open { servers = fleet.server.url })
    local ids = { ("ab"):rep(16), "abc" .. ("0"):rep(29), "abd" .. ("0"):rep(29) }
    assert(there.runs:put(ids[1], "no record"))
    for i = 2, 3 do
      assert(there:change(ids[i], { status = "queued", mission = "m.lua", args = json.list(), batch = "x",
        submitted = i }, 0))
    end
    refused(fleet, 2, ("3 runs begin with ab: %s"):format(table.concat(ids, ", ")), "logs", "ab")
    refused(fleet, 3, "the record of " .. ids[1] .. " cannot be read", "watch", ids[1])
    refused(fleet, 1, ids[2] .. " does not run now (it is queued)", "watch", "abc")
    t.eq(fleet.ask("cancel", "--batch", "x").stdout, ("%s: cancelled\n%s: cancelled\n"):format(ids[2], ids[3]))
    assert(there.workers:put("w-gone", json.encode { slots = 2, running = json.list() }))
    refused(fleet, 1, "the worker w-gone does not listen: it has ended a moment ago", "drain", "w-gone")
    assert(there.workers:delete "w-gone")
    assert(files.write(fleet.folder .. "/key", "short"))
    ended = spawn.run { spawn.program, "worker", "--trust-server", "--journal-key", fleet.folder .. "/key", "--server",
      fleet.server.url }
    t.eq(ended.status, 2)
    t.has(ended.stderr, "/key has 5 characters, and a key for journals at least 32")
  end)
end

return tests
