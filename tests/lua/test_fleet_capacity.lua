-- How many missions a machine carries: what is read of this one, and of control groups; and the sentences.
local capacity = require "deskpilot.fleet.capacity"
local files = require "deskpilot.base.files"
local spawn = require "spawn"
local t = require "harness"
local uv = require "luv"

local tests = {}

local MB = 1 << 20
local SLOT = { memory = 450 * MB, processors = 0.25, disk = 100 * MB }

tests.this_machine_is_measured = spawn.in_folder(function(folder)
  local measured = capacity.measure { folder, folder .. "/nothing" }
  t.ok(measured.memory > 0 and measured.memory <= uv.get_total_memory())
  t.ok(measured.processors > 0 and measured.processors <= #uv.cpu_info())
  t.eq(#measured.disks, 1)
  t.eq(measured.disks[1].path, folder)
end)

-- A root with the files that the kernel would have.
local function system(folder, more)
  local all = { ["proc/meminfo"] = "MemTotal: 16000000 kB\nMemFree: 1 kB\nMemAvailable:   10240000 kB\n",
    ["proc/self/cgroup"] = "1:name=systemd:/x\n0::/system.slice/worker.service\n" }
  for path, words in pairs(more) do all[path] = words end
  for path, words in pairs(all) do
    assert(files.make_folder((files.split(folder .. "/" .. path))))
    assert(files.write(folder .. "/" .. path, words))
  end
  return capacity.measure({}, folder)
end

tests.memory_of_the_machine = spawn.in_folder(function(folder)
  t.eq(system(folder, {}).memory, 10240000 * 1024)
end)

-- The unit's own limit, one of a group around it, and cached files that would be given back.
tests.a_group_has_less_than_the_machine = spawn.in_folder(function(folder)
  local slice = "sys/fs/cgroup/system.slice/"
  local measured = system(folder, {
    [slice .. "worker.service/memory.max"] = "max\n",
    [slice .. "worker.service/cpu.max"] = "max 100000\n",
    [slice .. "memory.max"] = 2000 * MB .. "\n",
    [slice .. "memory.current"] = 700 * MB .. "\n",
    [slice .. "memory.stat"] = "anon 5\ninactive_file " .. 200 * MB .. "\n",
    [slice .. "cpu.max"] = "50000 100000\n",
  })
  t.eq(measured.memory, 1500 * MB)
  t.eq(measured.processors, 0.5)
end)

tests.a_group_that_is_over_its_limit_has_nothing = spawn.in_folder(function(folder)
  local measured = system(folder, { ["sys/fs/cgroup/system.slice/worker.service/memory.max"] = "1000\n",
    ["sys/fs/cgroup/system.slice/worker.service/memory.current"] = "2000\n" })
  t.eq(measured.memory, 0)
end)

function tests.the_scarcest_decides()
  local measured = { memory = 4600 * MB, processors = 4, disks = { { path = "/tmp", free = 900 * MB } } }
  t.eq(capacity.fits(measured, SLOT), 8)
  t.eq(select(2, capacity.fits(measured, SLOT)), "4600 MB of free memory do for 10 of 450 MB, 4 processors for 16 of "
    .. "0.25 each, 900 MB free in /tmp for 8 of 100 MB")
  t.eq(capacity.slots(nil, measured, SLOT), 8)
  t.eq(capacity.slots(8, measured, SLOT), 8)
  local slots, err = capacity.slots(9, measured, SLOT)
  t.eq(slots, nil)
  t.has(tostring(err), "--slots 9 is more than this machine carries, which is 8: 4600 MB")
  measured.disks[1].free = 50 * MB
  t.has(tostring(select(2, capacity.slots(nil, measured, SLOT))), "this machine carries no mission: ")
  t.has(tostring(select(2, capacity.slots(1, measured, SLOT))), "50 MB free in /tmp for 0 of 100 MB")
  t.eq(capacity.fits({ memory = 1 << 50, processors = 1e6, disks = {} }, SLOT), 1000)
end

function tests.a_full_disk_is_told_from_a_failure()
  local function full(status, reason, words, folders)
    return capacity.was_full({ status = status, result = reason and { reason = reason }, words = words }, folders or {})
  end
  t.ok(full(1, "cannot write /x: no space left on device"))
  t.ok(full(1, nil, "cannot write /x: no space left on device"))
  t.ok(not full(1, "the order is not there"))
  t.ok(not full(1, 7))
  t.ok(not full(0, "it says: no space left on device"))
  t.ok(not full(2, "no space left on device"))
end

return tests
