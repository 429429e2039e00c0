-- A fleet: workers that take missions from a queue on a real nats-server. Judged by what the application on each
-- private desktop has written, with workers and the server killed in between.
local files = require "deskpilot.base.files"
local fleet_place = require "fleet_place"
local json = require "deskpilot.base.json"
local nats_kv = require "deskpilot.net.nats_kv"
local ports = require "ports"
local spawn = require "spawn"
local system = require "native.system"
local t = require "harness"
local terminal = require "terminal"
local uv = require "luv"

-- How many rows the form is filled in with: 3 in the suite, more where somebody counts (DESKPILOT_FLEET_ROWS=30).
local ROWS = math.tointeger(tonumber(os.getenv "DESKPILOT_FLEET_ROWS" or "")) or 3

local tests = {}

-- The shipped mission that fills in a form, by an agent of the embedded model, with the table of `--wait` on a
-- terminal. Judged by the form's own file.
function tests.each_row_is_entered_once()
  local rows, wanted = fleet_place.contacts(ROWS, "one")
  fleet_place.with(rows, function(fleet)
    fleet.env.DESKPILOT_POLICY, fleet.env.DESKPILOT_MODEL = "task_executor", "literal"
    local path, shown = fleet.folder .. "/contacts", fleet.folder .. "/shown"
    for _ = 1, 3 do fleet.worker() end
    local screen = terminal.start(fleet.submission("--wait", "--", "Records=" .. path), { columns = 120 })
    local stop <close> = setmetatable({}, { __close = function() screen:stop() end })
    assert(stop)
    screen:log(shown)
    local last = screen:wait_for("status ", 60 + 8 * ROWS)
    t.has(last, ("%d succeeded, 0 did not\nstatus 0"):format(ROWS))
    t.eq(fleet_place.records(path), wanted)
    local words = files.read(shown)
    t.has(words, ("\r\n0 of %d done; 3 run, %d wait\r\n"):format(ROWS, ROWS - 3), "while they ran")
    t.has(words, "tries  time  parameters")
    for line in fleet.ask("runs", "--json", "--last", "0").stdout:gmatch "[^\n]+" do
      t.ok(json.decode(line).outcome.result.model.calls > 0, "an agent did it")
    end
    local again = fleet.submit("--wait", "--", "Records=" .. path):wait()
    t.eq(again.status, 0, again.stderr)
    t.has(again.stderr, ("%d missions, 0 of them new"):format(ROWS))
    -- A new batch finds each row in the file.
    t.has(fleet.submit("--wait", "--batch", "2", "--", "Records=" .. path):wait().stderr,
      ("%d missions, %d of them new"):format(ROWS, ROWS))
    t.eq(fleet_place.records(path), wanted)
  end, files.read "missions/form.lua")
end

function tests.what_a_killed_worker_had_goes_to_another()
  fleet_place.with({ "ann", "bob" }, function(fleet)
    assert(files.write(fleet.folder .. "/hold", ""))
    local first = fleet.worker("--slots", "2")
    local submitted = fleet.submit "--wait"
    t.wait_until("both to begin", function() return fleet.begun "ann" and fleet.begun "bob" end, 100)
    t.wait_until("the events with which they began", function()
      for line in fleet.ask("runs", "--json").stdout:gmatch "[^\n]+" do
        local logs = fleet.ask("logs", "--json", json.decode(line).id)
        if not logs.stdout:find('"run_start"', 1, true) then return false end
      end
      return true
    end, 30)
    first:kill "sigkill"
    first:wait()
    t.wait_until("its desktops to go", function() return #first:left() == 0 end, 60)
    t.eq(#fleet.unpacked(), 2, "a folder and its lock")
    files.remove(fleet.folder .. "/hold")
    local second = fleet.worker("--slots", "2")
    t.eq(#fleet.unpacked(), 2, "only its own")
    submitted:wait()
    t.eq(submitted.status, 0, submitted.stderr)
    t.eq(fleet.names(), { "ann", "bob" })
    t.has(second.stderr, "begins anew: the mission is a script, which can only be started again from its beginning")
    for line in fleet.ask("runs", "--json").stdout:gmatch "[^\n]+" do
      t.has(json.decode(line).anew, "say `resumable = true` in it")
    end
    second:kill "sigterm"
    t.eq(second:wait().status, 0, second.stderr)
    t.eq(fleet.unpacked(), {})
  end)
end

function tests.a_server_that_is_killed_loses_nothing()
  fleet_place.with({ "ann", "bob", "cem" }, function(fleet)
    assert(files.write(fleet.folder .. "/hold", ""))
    fleet.worker()
    fleet.worker()
    local submitted = fleet.submit "--wait"
    t.wait_until("one to begin", function() return fleet.begun "ann" or fleet.begun "bob" end, 100)
    fleet.server:kill()
    files.remove(fleet.folder .. "/hold")
    fleet.server:start()
    submitted:wait()
    t.eq(submitted.status, 0, submitted.stderr)
    t.eq(fleet.names(), { "ann", "bob", "cem" })
  end)
end

function tests.a_worker_that_is_told_to_end_ends_its_missions_first()
  fleet_place.with({ "ann", "bob" }, function(fleet)
    assert(files.write(fleet.folder .. "/hold", ""))
    local worker = fleet.worker()
    local submitted = fleet.submit "--wait"
    t.wait_until("one to begin", function() return fleet.begun "ann" or fleet.begun "bob" end, 100)
    worker:kill "sigterm"
    worker:wait_for_word "ends when 1 running missions"
    files.remove(fleet.folder .. "/hold")
    t.eq(worker:wait().status, 0, worker.stderr)
    t.eq(#worker:left(), 0)
    t.eq(#fleet.names(), 1, "the other one is left to others")
    fleet.worker()
    t.eq(submitted:wait().status, 0, submitted.stderr)
    t.eq(fleet.names(), { "ann", "bob" })
  end)
end

function tests.what_fails_is_told_and_not_tried_again()
  fleet_place.with({ "ann" }, function(fleet)
    assert(files.write(fleet.folder .. "/mission/entry.lua", "return { run = function() error 'no such order' end }"))
    local worker = fleet.worker()
    local submitted = fleet.submit("--wait"):wait()
    t.eq(submitted.status, 1, submitted.stderr)
    t.has(submitted.stderr, "no such order")
    assert(files.write(fleet.folder .. "/mission/entry.lua", "return { runn = 1 }"))
    submitted = fleet.submit("--wait"):wait()
    t.eq(submitted.status, 1, submitted.stderr)
    t.has(submitted.stderr, "runn")
    t.ok(not worker.stderr:find("tried again", 1, true))
  end)
end

-- Runs the program and expects that status and those words.
local function refused(status, words, ...)
  local ended = spawn.run { spawn.program, ... }
  t.eq(ended.status, status, ended.stderr)
  t.has(ended.stderr, words)
end

function tests.what_cannot_be_is_said_first()
  fleet_place.with({ "ann" }, function(fleet)
    local mission, url = fleet.folder .. "/mission/entry.lua", fleet.server.url
    refused(2, "or --trust-server if", "worker", "--server", url)
    refused(2, "--slots is a whole number of 1", "worker", "--trust-server", "--slots", "0", "--server", url)
    refused(2, "--desktop of a worker is private", "worker", "--trust-server", "--desktop", "current", "--server", url)
    local nobody = "nats://127.0.0.1:" .. ports.refusing()
    refused(3, "no NATS server answers at " .. nobody, "worker", "--trust-server", "--server", nobody)
    refused(3, "no NATS server answers at " .. nobody, "submit", mission, "--server", nobody)
    refused(2, "there is no file nothing.lua", "submit", "nothing.lua", "--server", url)
    refused(2, "has no rows", "submit", mission, "--data", "/dev/null", "--server", url)
    assert(uv.fs_symlink("/etc/passwd", fleet.folder .. "/mission/link"))
    refused(2, "link is a link; a bundle has files and folders only", "submit", mission, "--server", url)
  end)
end

function tests.what_no_submit_has_sent_is_thrown_away()
  fleet_place.with({}, function(fleet)
    local worker = fleet.worker()
    local connection <close> = assert(fleet.server:connect())
    local js = require("deskpilot.net.jetstream").of(connection)
    local runs = assert(nats_kv.open(js, "deskpilot_runs", { max_age = 30 * 24 * 3600 }))
    local function send(data) assert(js:publish("deskpilot.missions.any", data)) end
    send "no json"
    worker:wait_for_word "a message that no submit has sent"
    for i, record in ipairs { { mission = "../a.lua", bundle = ("0"):rep(64) }, { mission = "a.lua", bundle = "../x" },
      { mission = "a.lua", bundle = ("0"):rep(64), args = { 7 } } } do
      local id = ("%032x"):format(i)
      record.status = "queued"
      assert(runs:put(id, json.encode(record)))
      send(json.encode { id = id })
      local function outcome() return json.decode(runs:get(id).value).outcome end
      t.wait_until("its end", outcome, 60)
      t.eq(outcome().status, 2)
      t.has(outcome().words, "what submit")
    end
    -- A bundle as nobody packs it: what is in it is right, and it leads out of its folder.
    for i, path in ipairs { "../out.lua", "a/../../out.lua", fleet.folder .. "/out.lua" } do
      local id, text = ("%032x"):format(100 + i), json.encode { version = 1, files = { { path = path, size = 1 } } }
        .. "\n1"
      local hash = system.sha256(text)
      local bundles = assert(nats_kv.open(js, "deskpilot_bundles", { max_age = 30 * 24 * 3600 }))
      assert(bundles:put(hash .. ".1", text))
      assert(bundles:put(hash, "1"))
      assert(runs:put(id, json.encode { status = "queued", mission = "out.lua", bundle = hash, args = json.list() }))
      send(json.encode { id = id })
      local function record() return json.decode(runs:get(id).value) end
      t.wait_until("its end", function() return record().outcome end, 60)
      t.eq({ record().status, record().attempts, record().outcome.status }, { "done", 1, 2 })
      t.has(record().outcome.words, "the mission's bundle has a file outside of it")
    end
    for _, place in ipairs { fleet.folder, fleet.env.TMPDIR, worker.runs } do
      t.ok(not files.exists(place .. "/out.lua"), place)
    end
    t.eq(js:stream("DESKPILOT_MISSIONS").state.messages, 0)
  end)
end

return tests
