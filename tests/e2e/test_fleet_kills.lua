-- A batch of a fleet in which something is killed: a worker, a desktop's host process, the server. Every row is in the
-- form's own file once, nothing is left on the machine, and a run that goes on names the one before it.
-- DESKPILOT_FLEET_KILLS=20 kills each of the three 20 times; without it one host is killed (workers and servers are in
-- test_fleet.lua). DESKPILOT_FLEET_SEED=N repeats the moments of another time.
local files = require "deskpilot.base.files"
local fleet_place = require "fleet_place"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local t = require "harness"
local task = require "deskpilot.base.task"
local uv = require "luv"

local tests = {}

local wanted = math.tointeger(tonumber(os.getenv "DESKPILOT_FLEET_KILLS" or ""))
local seed = math.tointeger(tonumber(os.getenv "DESKPILOT_FLEET_SEED" or "")) or os.time()
local ROWS, WORKERS = wanted and 30 or 2, wanted and 3 or 1 -- so many that the last kill is in the middle
local PATIENCE = 300 -- seconds for a batch: a lease is 30, and a mission may be hit more than once

if wanted then t.time_limit(PATIENCE + 200) end

-- --- what is left ------------------------------------------------------------------------------------------------

-- Locks of X servers, with who has them.
local function x_locks()
  local locks = {}
  for _, name in ipairs(files.list "/tmp") do
    if name:find "^%.X%d+%-lock$" then locks[name] = tonumber((files.read("/tmp/" .. name))) end
  end
  return locks
end

-- Those that somebody has left behind since then.
local function dead_locks(before)
  local dead = {}
  for name, pid in pairs(x_locks()) do
    if before[name] ~= pid and not uv.kill(pid, 0) then dead[#dead + 1] = name end
  end
  return dead
end

local function left(fleet)
  local list = {}
  for _, worker in ipairs(fleet.workers) do
    for _, line in ipairs(worker:left()) do list[#list + 1] = line end
  end
  return list
end

-- What lies in the workers' temporary folder.
local function lying(fleet)
  local list = {}
  for _, own in ipairs(files.list(fleet.env.TMPDIR)) do
    local inside = files.list(fleet.env.TMPDIR .. "/" .. own)
    if not own:find "^deskpilot%-%d+$" then list[#list + 1] = own end
    for _, name in ipairs(inside) do list[#list + 1] = own .. "/" .. name end
  end
  return list
end

-- --- the kills ---------------------------------------------------------------------------------------------------

local kills = {}

local function worker(fleet) return fleet.worker "--slot-memory=100" end

function kills.worker(fleet)
  local living = {}
  for _, one in ipairs(fleet.workers) do
    if not one.status then living[#living + 1] = one end
  end
  local one = living[math.random(#living)]
  one:kill "sigkill"
  one:wait()
  worker(fleet)
end

function kills.host(fleet)
  local pid = t.wait_until("a desktop", function()
    local hosts = {}
    for _, line in ipairs(left(fleet)) do
      hosts[#hosts + 1] = line:find("--desktop-host", 1, true) and tonumber(line:match "^%d+") or nil
    end
    return #hosts > 0 and hosts[math.random(#hosts)]
  end, 60)
  uv.kill(pid, "sigkill")
end

function kills.server(fleet)
  fleet.server:kill()
  fleet.server:start()
end

local function shuffled(list)
  local copy = table.move(list, 1, #list, 1, {})
  for i = #copy, 2, -1 do
    local k = math.random(i)
    copy[i], copy[k] = copy[k], copy[i]
  end
  return copy
end

-- --- what becomes of a batch -------------------------------------------------------------------------------------

-- How many runs went on with one before; each names it. And what others say of why they did not.
local function resumed(fleet)
  local count, attempts, reasons = 0, 0, {}
  for line in fleet.ask("runs", "--json", "--last", "0").stdout:gmatch "[^\n]+" do
    local record = json.decode(line)
    attempts = attempts + record.attempts
    reasons[#reasons + 1] = record.anew
    t.eq({ record.status, record.outcome.status }, { "done", 0 }, line)
    if record.continued then
      count = count + 1
      local folder = record.outcome.result.run_dir
      local start = assert(journal.read(folder))[1]
      local past = start.parent and start.parent.run or ""
      local is_end = select(2, files.split(folder)) == record.continued.run -- the one before had ended
      t.ok(is_end or select(2, files.split(past)) == record.continued.run, line)
    end
  end
  return count, attempts, reasons
end

local function batch(number, kinds)
  math.randomseed(seed, number)
  local locks, began = x_locks(), task.now()
  local rows, records = fleet_place.contacts(ROWS, "batch " .. number)
  fleet_place.with(rows, function(fleet)
    for _ = 1, WORKERS do worker(fleet) end
    local path = fleet.folder .. "/contacts"
    local submitted = fleet.submit("--wait", "--", "Records=" .. path)
    local told = {}
    t.wait_until("a run to begin", function()
      for _, one in ipairs(fleet.workers) do
        local run = fleet.runs_of(one)[1]
        if run and files.exists(run .. "/journal.jsonl") then return true end
      end
    end, 60)
    for i, kind in ipairs(shuffled(kinds)) do
      -- In the middle of the batch, at any moment of a mission.
      local moment = wanted and math.random() * 2 or 0
      t.wait_until(i - 1 .. " rows", function() return #fleet_place.records(path) >= i - 1 end, PATIENCE)
      task.sleep(moment)
      t.eq(submitted.status, nil, "it goes on")
      kills[kind](fleet)
      told[i] = ("%s after %d rows + %.1f s"):format(kind, i - 1, moment)
    end
    t.wait_until("the end of the batch", function() return submitted.status end, PATIENCE)
    t.eq(submitted:wait().status, 0, submitted.stderr)
    t.eq(fleet_place.records(path), records, "each row once")
    local count, attempts, reasons = resumed(fleet)
    for _, one in ipairs(fleet.workers) do
      if not one.status then one:kill "sigterm" end
    end
    for _, one in ipairs(fleet.workers) do one:wait() end
    t.wait_until("all processes to go", function() return #left(fleet) == 0 end, 30)
    t.eq(lying(fleet), {}, "in the temporary folder")
    t.eq(dead_locks(locks), {}, "of X servers")
    if wanted then
      io.stdout:write(("batch %2d (seed %d): %s; %d rows, %d attempts, %d of them went on, %d began anew, %.0f s%s\n")
        :format(number, seed, table.concat(told, ", "), ROWS, attempts, count, #reasons, task.now() - began,
        #reasons > 0 and " (" .. table.concat(reasons, "; ") .. ")" or ""))
    end
  end, files.read "missions/form.lua")
end

if not wanted then
  function tests.a_killed_desktop_costs_no_row() batch(1, { "host" }) end
end
for number = 1, wanted or 0 do
  tests[("nothing_is_lost_%02d"):format(number)] = function() batch(number, { "worker", "host", "server" }) end
end

return tests
