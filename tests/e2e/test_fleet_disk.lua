-- Workers of a fleet whose disk is small, full, or filled by a mission: a real one, which only the worker sees.
local files = require "deskpilot.base.files"
local fleets = require "fleets"
local spawn = require "spawn"
local t = require "harness"

local tests = {}

local function with_disks(fn)
  if spawn.run({ "unshare", "--mount", "true" }).status ~= 0 then
    io.stdout:write "      SKIPPED: disks of their own: this machine lets nobody mount (unshare --mount)\n"
    return
  end
  fleets.with("", fn)
end

local function the_record(fleet)
  local _, record = next(fleet:all_records())
  return record
end

function tests.more_than_fits_is_refused()
  with_disks(function(fleet)
    local small = fleet:start_worker_on_disk(150, "--trust-server"):wait()
    t.eq(small.status, 3, small.stderr)
    t.has(small.stderr, "this machine carries no mission: ")
    t.has(small.stderr, "150 MB free in " .. fleet.tmp)
    local greedy = fleet:start_worker("--trust-server", "--slots", "1000"):wait()
    t.eq(greedy.status, 3, greedy.stderr)
    local fitting = greedy.stderr:match "%-%-slots 1000 is more than this machine carries, which is (%d+): "
    t.ok(fitting, greedy.stderr)
    fleet:worker("--trust-server", "--slots", fitting, "--slot-memory", "100")
    local rough = fleet:start_worker("--trust-server", "--slot-processors", "none"):wait()
    t.eq(rough.status, 2)
    t.has(rough.stderr, "--slot-processors is a number of 0.01 to 1000, not none")
  end)
end

function tests.a_full_disk_takes_no_missions_until_there_is_room()
  with_disks(function(fleet)
    local worker, disk = fleet:start_worker_on_disk(320, "--trust-server", "--slots", "1")
    worker:wait_for_word("takes missions", 60)
    t.eq(spawn.run({ "fallocate", "-l", "200M", disk .. "/fill" }).status, 0)
    local submitted = fleet:submit("a", "--wait")
    worker:wait_for_word "is left to others: "
    worker:wait_for_word "no missions are taken until there is room: "
    t.eq(the_record(fleet).status, "queued")
    files.remove(disk .. "/fill")
    worker:wait_for_word("there is room again", 20)
    t.eq(submitted:wait().status, 0, submitted.stderr)
    t.eq(the_record(fleet).attempts, 1, "none was lost on the full disk")
  end)
end

-- The first attempt fills the disk with what it writes beside itself; there is room again when that has gone.
local MISSION = [[
local files = require "deskpilot.base.files"
return {
  name = "fill",
  desktop = { kind = "private" },
  run = function(m)
    if not files.exists(m.args[1] .. "/tried") then
      assert(files.write(m.args[1] .. "/tried", ""))
      for i = 1, 40 do assert(files.write("fill" .. i, ("x"):rep(16 << 20), { sync = false })) end
    end
    assert(files.write(m.args[1] .. "/ran-" .. m.args[2], ""))
  end,
}
]]

function tests.a_mission_that_meets_a_full_disk_is_tried_again()
  with_disks(function(fleet)
    assert(files.write(fleet.folder .. "/mission/mark.lua", MISSION))
    local worker = fleet:start_worker_on_disk(300, "--trust-server", "--slots", "1")
    worker:wait_for_word("takes missions", 60)
    local submitted = fleet:submit("a", "--wait"):wait()
    t.eq(submitted.status, 0, submitted.stderr)
    t.has(worker.stderr, "is tried again (exit status 1): ")
    t.has(worker.stderr, "no space left on device")
    t.eq(the_record(fleet).attempts, 2)
  end)
end

return tests
