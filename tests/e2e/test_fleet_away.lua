-- A server that is away for so long that a worker gives up what it runs. The worker is in this process, so that its
-- times can be short; with DESKPILOT_FLEET_AWAY=60 they are the real ones, and the server is away for so many seconds.
local capacity = require "deskpilot.fleet.capacity"
local files = require "deskpilot.base.files"
local nats_server = require "nats_server"
local spawn = require "spawn"
local store = require "deskpilot.fleet.store"
local submission = require "deskpilot.fleet.submission"
local t = require "harness"
local task = require "deskpilot.base.task"
local worker = require "deskpilot.fleet.worker"

local tests = {}

local AWAY = tonumber(os.getenv "DESKPILOT_FLEET_AWAY" or "")
if not AWAY then
  for name, seconds in pairs { lease = 4, worker = 4, sign_of_life = 1 } do store.timing[name] = seconds end
end

-- Each attempt leaves a line.
local MISSION = [[
local files = require "deskpilot.base.files"
local task = require "deskpilot.base.task"
return {
  name = "hold",
  desktop = { kind = "private", size = { 320, 240 } },
  run = function(m)
    local begun = assert(files.append(m.args[1] .. "/begun"))
    assert(files.write_all(begun, "x"))
    while files.exists(m.args[1] .. "/hold") do task.sleep(0.05) end
    assert(files.write(m.args[1] .. "/ran", ""))
  end,
}
]]

local function begun(folder) return #(files.read(folder .. "/begun") or "") end

function tests.a_mission_of_a_server_that_is_away_is_stopped_and_done_when_it_is_back()
  nats_server.with("", function(server)
    local folder, said = spawn.folder(), {}
    local remove <close> = setmetatable({}, { __close = function() files.remove(folder) end })
    assert(remove)
    for _, name in ipairs { "mission", "work", "runs" } do assert(files.make_folder(folder .. "/" .. name)) end
    assert(files.write(folder .. "/mission/hold.lua", MISSION))
    assert(files.write(folder .. "/hold", ""))
    local place <close> = assert(store.open { servers = server.url })
    local ids = assert(submission.send(place, { mission = folder .. "/mission/hold.lua", args = { folder } }))
    local waiting = task.start(submission.wait, place, ids, function() end)
    local own <close> = assert(store.open { servers = server.url })
    local one = worker.new(own, { slots = 1, folder = folder .. "/work", runs = folder .. "/runs", desktop = "private",
      folders = { folder }, tags = {}, trusts_journals = true, keep = {},
      say = function(line) said[#said + 1] = line end })
    t.ok(capacity.has_room { folder })
    local working = task.start(one.run, one)
    t.wait_until("the mission to begin", function() return begun(folder) == 1 end, 60)

    local since = task.now()
    server:kill()
    local function has_said(words) return table.concat(said, "\n"):find(words, 1, true) end
    t.wait_until("the worker to give it up", function()
      return has_said(ids[1] .. ": the server is away, so it is no longer this worker's")
    end, 100)
    t.ok(task.now() - since >= store.timing.worker - store.timing.sign_of_life, "and no sooner than others may have it")
    while task.now() - since < (AWAY or 0) do task.sleep(0.1) end
    t.eq({ begun(folder), files.exists(folder .. "/ran") }, { 1, false })
    files.remove(folder .. "/hold")
    server:start()

    local ok, failed, why = waiting:wait()
    t.eq({ ok, failed }, { true, 0 }, tostring(why))
    local record = assert(place:record(ids[1]))
    t.eq({ record.status, record.outcome.status, record.attempts }, { "done", 0, 2 })
    t.has(record.anew or "", "say `resumable = true` in it")
    t.eq({ begun(folder), files.exists(folder .. "/ran") }, { 2, true })
    one:drain()
    t.eq({ working:wait() }, { true, true }, table.concat(said, "\n"))
    t.eq(files.list(folder .. "/work"), {})
  end)
end

return tests
