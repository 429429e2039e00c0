-- What workers bring of their runs to a place of artifacts: a server that takes PUT, and folders that are small, or may
-- only be read. Judged by what is there; whatever goes wrong with it, each mission has run once and has succeeded.
local artifact_server = require "artifact_server"
local files = require "deskpilot.base.files"
local fleets = require "fleets"
local spawn = require "spawn"
local t = require "harness"
local uv = require "luv"

local tests = {}

local TOKEN = "open-sesame-123"

local MISSION = [[
local files = require "deskpilot.base.files"
return {
  name = "mark",
  desktop = { kind = "private", size = { 320, 240 } },
  run = function(m)
    assert(files.write(m.args[1] .. "/ran-" .. m.args[2], ""))
    m:note "it has been here"
  end,
}
]]

local function submit(fleet, name)
  local submitted = fleet:submit(name, "--wait"):wait()
  t.eq(submitted.status, 0, submitted.stderr)
  t.ok(fleet:ran(name))
  for id, record in pairs(fleet:all_records()) do
    if record.args[2] == name then return id end
  end
end

-- What the mission's record says of its artifacts.
local function account_of(fleet, id)
  local record
  t.wait_until("what the record says of artifacts", function()
    record = fleet:all_records()[id]
    return record.artifacts
  end, 30)
  t.eq({ record.status, record.attempts, record.outcome.status }, { "done", 1, 0 })
  return record.artifacts
end

local function ask(fleet, ...)
  local argv = { spawn.program, "fleet", ... }
  return spawn.run(table.move({ "--server", fleet.server.url }, 1, 2, #argv + 1, argv)).stdout
end

-- The only run of a mission.
local function run_of(fleet, id)
  for _, name in ipairs(files.list(fleet.folder .. "/runs/" .. id)) do
    local path = ("%s/runs/%s/%s"):format(fleet.folder, id, name)
    if files.is_folder(path) then return path end
  end
end

local function is_there(fleet, server, id)
  local run, at = run_of(fleet, id), ("/store/%s/1/"):format(id)
  for _, name in ipairs { "journal.jsonl", "result.json", "report.html", "trajectory.json" } do
    t.eq(server.files[at .. name], files.read(run .. "/" .. name), name)
  end
  t.has(server.files[at .. "report.html"], "it has been here")
  for _, path in ipairs(server:paths(at)) do t.ok(not path:find "request", path) end
  return #server:paths(at)
end

function tests.a_server_gets_what_runs_have_kept()
  local server <close> = artifact_server.start("Bearer " .. TOKEN)
  fleets.with("", function(fleet)
    assert(files.write(fleet.folder .. "/mission/mark.lua", MISSION))
    assert(files.write(fleet.folder .. "/token", TOKEN))
    local options = { "--trust-server", "--slots", "1", "--artifacts", server.url .. "/store", "--artifacts-token",
      fleet.folder .. "/token", "--artifacts-patience", "1" }
    local worker = fleet:worker(table.unpack(options))

    local refuses = true
    server.fail = function() return refuses and { status = 503, body = "no disk today" } end
    local lost = submit(fleet, "lost")
    local account = account_of(fleet, lost)
    t.eq({ account.attempt, account.files }, { 1, 0 })
    t.eq(account.place, ("%s/store/%s/1"):format(server.url, lost))
    t.ok(account.missing >= 4)
    t.has(account.why, server.url .. "/store answered 503 (no disk today)")
    worker:wait_for_word(lost .. ": its artifacts are not all there: ")

    refuses = false
    local kept = submit(fleet, "kept")
    account = account_of(fleet, kept)
    t.eq({ account.files, account.missing }, { is_there(fleet, server, kept) })
    t.has(ask(fleet, "logs", kept), ("\nartifacts: %d files in %s/store/%s/1\n"):format(account.files, server.url,
      kept))
    t.has(ask(fleet, "logs", lost), ("\nartifacts: 0 of %d files in "):format(account.files))
    local list = ask(fleet, "runs")
    t.has(list, ("  0 of %d"):format(account.files))
    t.has(list, ("\nartifacts are in %s/store/ID/ATTEMPT ("):format(server.url))

    -- Its worker is killed while they are on their way: the next one brings them there.
    local held = true
    server.fail = function()
      t.wait_until("the worker to be gone", function() return not held end, 60)
    end
    local before = #server.requests
    local late = submit(fleet, "late")
    t.wait_until("its first file", function() return #server.requests > before end, 30)
    worker:kill "sigkill"
    worker:wait()
    t.wait_until("all that it has started to go", function() return #worker:left() == 0 end, 30)
    t.eq(fleet:all_records()[late].artifacts, nil)
    held = false
    local old = os.time() - 2 * 24 * 3600
    assert(uv.fs_utime(("%s/runs/%s/.deskpilot-worker"):format(fleet.folder, lost), old, old))
    local second = fleet:worker("--keep-runs", "1", table.unpack(options))
    second:wait_for_word "artifacts of 1 runs had been left behind, and are delivered"
    account = account_of(fleet, late)
    t.eq({ account.files, account.missing }, { is_there(fleet, server, late) })
    second:wait_for_word("removed what 1 missions have left in " .. fleet.folder .. "/runs: it was older than 1 days")
    t.eq(#files.list(fleet.folder .. "/runs"), 2)
    second:kill "sigterm"
    t.eq(second:wait().status, 0, second.stderr)
    t.ok(not (worker.stderr .. second.stderr):find(TOKEN, 1, true), "the token is not told")
  end)
end

function tests.a_folder_that_is_full_or_may_only_be_read_costs_no_mission()
  if spawn.run({ "unshare", "--mount", "true" }).status ~= 0 then
    io.stdout:write "      SKIPPED: disks of their own: this machine lets nobody mount (unshare --mount)\n"
    return
  end
  fleets.with("", function(fleet)
    assert(files.write(fleet.folder .. "/mission/mark.lua", MISSION))
    local place = fleet.folder .. "/shared"
    assert(files.make_folder(place))
    local function told(name, options, words)
      local worker = fleet:start_worker_after(("mount -t tmpfs -o %s none %s"):format(options, place), "--trust-server",
        "--slots", "1", "--artifacts", place, "--artifacts-patience", "1")
      worker:wait_for_word("takes missions", 60)
      local account = account_of(fleet, submit(fleet, name))
      t.has(account.why, words)
      t.ok(account.missing > 0)
      worker:kill "sigterm"
      t.eq(worker:wait().status, 0, worker.stderr)
      return account.files
    end
    t.ok(told("full", "size=20k", "no space left on device") >= 1, "what there was room for is there")
    t.eq(told("sealed", "ro", "read-only file system"), 0)
  end)
end

tests.what_cannot_be_is_said_first = spawn.in_folder(function(folder)
  local function refused(words, ...)
    local ended = spawn.run { spawn.program, ... }
    t.eq(ended.status, 2, ended.stderr)
    t.has(ended.stderr, words)
  end
  refused("upload takes one run", "upload")
  refused("upload wants to know where to", "upload", folder)
  refused("is no run directory", "upload", folder, "--to", folder)
  assert(files.write(folder .. "/journal.jsonl", ""))
  refused("--as is a name", "upload", folder, "--to", folder, "--as", "../x")
  refused("--max-mb is a whole number of 1 to 1000000, not few", "upload", folder, "--to", folder, "--max-mb", "few")
  refused("there is no folder " .. folder .. "/none for artifacts", "worker", "--trust-server", "--artifacts",
    folder .. "/none")
  refused("--artifacts-token is of use only where", "worker", "--trust-server", "--artifacts-token", folder)
  refused("object storage has rules of its own", "worker", "--trust-server", "--artifacts", "https://host/x",
    "--keep-artifacts", "3")
  refused("--keep-runs is a whole number", "worker", "--trust-server", "--keep-runs", "some")
end)

return tests
