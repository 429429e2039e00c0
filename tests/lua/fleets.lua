--- A fleet for tests of who may run what and where: a real nats-server, workers, and a mission that only leaves a file
--- for each run, so that none of it needs an application.
local files = require "deskpilot.base.files"
local jetstream = require "deskpilot.net.jetstream"
local json = require "deskpilot.base.json"
local nats_kv = require "deskpilot.net.nats_kv"
local nats_server = require "nats_server"
local spawn = require "spawn"

local fleets = {}

local MISSION = [[
local files = require "deskpilot.base.files"
return {
  name = "mark",
  desktop = { kind = "private" },
  run = function(m) assert(files.write(m.args[1] .. "/ran-" .. m.args[2], "")) end,
}
]]

---@class fleets.fleet
---@field server table
---@field folder string
local Fleet = {}
Fleet.__index = Fleet

--- Starts a worker, and waits until it takes missions.
---@param ... string
function Fleet:worker(...)
  local one = self:start_worker(...)
  one:wait_for_word("takes missions", 60)
  return one
end

local function start(self, argv)
  local one = spawn.start(argv, { env = { TMPDIR = self.tmp } })
  self.started[#self.started + 1] = one
  return one
end

--- Starts a worker.
---@param ... string
function Fleet:start_worker(...)
  return start(self, { spawn.program, "worker", "--server", self.server.url, "--runs", self.folder .. "/runs", ... })
end

--- Starts a worker that sees what is mounted by a command of the shell, as nobody else does.
---@param mount string
---@param ... string
---@return table worker
function Fleet:start_worker_after(mount, ...)
  return start(self, { "unshare", "--mount", "sh", "-c", mount .. " && exec \"$@\"", "sh", spawn.program, "worker",
    "--server", self.server.url, "--runs", self.folder .. "/runs", ... })
end

--- Starts a worker whose temporary folder is a disk of its own, that only it sees.
---@param megabytes integer
---@param ... string
---@return table worker
---@return string path by which the test sees that disk, as long as the worker is there
function Fleet:start_worker_on_disk(megabytes, ...)
  local one = self:start_worker_after(("mount -t tmpfs -o size=%dm none %s"):format(megabytes, self.tmp), ...)
  return one, ("/proc/%d/root%s"):format(one.pid, self.tmp)
end

--- Submits the mission.
---@param name string of its file
---@param ... string
function Fleet:submit(name, ...)
  local argv = { spawn.program, "submit", self.folder .. "/mission/mark.lua", "--server", self.server.url, ... }
  for _, word in ipairs { "--", self.folder, name } do argv[#argv + 1] = word end
  local one = spawn.start(argv)
  self.started[#self.started + 1] = one
  return one
end

--- Whether a run has left its file.
---@param name string
function Fleet:ran(name) return files.exists(self.folder .. "/ran-" .. name) end

--- The records of missions on the server.
---@return deskpilot.nats_kv
function Fleet:records()
  self.connection = self.connection or assert(self.server:connect())
  return assert(nats_kv.open(jetstream.of(self.connection), "deskpilot_runs", { max_age = 30 * 24 * 3600 }))
end

--- All records.
---@return table<string, table>
function Fleet:all_records()
  local records, all = self:records(), {}
  for _, id in ipairs(assert(records:keys())) do all[id] = json.decode(records:get(id).value) end
  return all
end

--- Runs fn(fleet) beside a server.
---@param more string|fun(folder: string): string of its configuration
---@param fn fun(fleet: fleets.fleet)
function fleets.with(more, fn)
  nats_server.with(more, function(server)
    local fleet = setmetatable({ server = server, folder = spawn.folder(), started = {} }, Fleet)
    fleet.tmp = fleet.folder .. "/tmp"
    local guard <close> = spawn.guard(fleet.started, function()
      if fleet.connection then fleet.connection:close() end
      files.remove(fleet.folder)
    end)
    assert(guard)
    assert(files.make_folder(fleet.folder .. "/mission"))
    assert(files.write(fleet.folder .. "/mission/mark.lua", MISSION))
    assert(files.make_folder(fleet.tmp))
    fn(fleet)
  end)
end

return fleets
