--- Simulated workers of a fleet, for tests/bench/fleet.lua: all of a worker but its desktops, so everything that goes
--- to the NATS server is real; a mission is a line of a journal and a result. It ends when
--- the benchmark kills it, or has ended.
---   deskpilot-test tests/bench/fleet_swarm.lua URL WORKERS FOLDER
local uv = require "luv"
local task = require "deskpilot.base.task"

package.loaded["deskpilot.fleet.attempt"] = { perform = function(store, id, record)
  local sent, err = store:keep_events(id, record.attempts, '{"event":"run_end","status":"success"}\n', 0, {})
  if not sent then return nil, err end
  return { status = 0, result = { status = "success", turns = 1 } }
end }

local store = require "deskpilot.fleet.store"
local t = require "harness"
local worker = require "deskpilot.fleet.worker"

t.time_limit(3600)

local function begin(url, folder)
  local opened = assert(store.open { servers = url })
  return worker.new(opened, { slots = 1, folder = folder, runs = folder, desktop = "private", folders = { folder },
    tags = {}, trusts_journals = true, say = function() end })
end

return { works_until_the_benchmark_ends = function()
  local url, count, folder = arg[1], math.tointeger(tonumber(arg[2])), arg[3]
  local parent, owner = uv.os_getppid(), task.current()
  for _ = 1, count do
    local one = begin(url, folder)
    task.start_for(owner, function() one:run() end)
  end
  while uv.os_getppid() == parent do task.sleep(1) end
  os.exit(0)
end }
