-- A fleet on Windows: deskpilot.exe submits missions to a NATS server on Linux, takes them from its queue, and runs
-- them on private desktops. The server is with_nats_server.sh's.
local bundle = require "deskpilot.fleet.bundle"
local files = require "deskpilot.base.files"
local harness = require "harness"
local json = require "deskpilot.base.json"
local spawn = require "spawn"
local system = require "native.system"

local tests = {}

local url, ws, wss = os.getenv "DESKPILOT_NATS_URL", os.getenv "DESKPILOT_NATS_WS", os.getenv "DESKPILOT_NATS_WSS"
local ca_file = os.getenv "DESKPILOT_NATS_CA"

local MISSION = [[
local files = require "deskpilot.base.files"
local task = require "deskpilot.base.task"
return {
  name = "mark",
  desktop = { kind = "private" },
  run = function(m)
    assert(files.write(files.join(m.args[1], "begun-" .. m.args[2]), tostring(m.desk.screen.width)))
    while files.exists(files.join(m.args[1], "hold")) do task.sleep(0.05) end
    assert(files.write(files.join(m.args[1], "ran-" .. m.args[2]), ""))
  end,
}
]]

-- fn(fleet): a folder with the mission, and what is started ends with the test.
local function with_fleet(fn)
  local folder, started = spawn.folder(), {}
  local guard <close> = spawn.guard(started, function() files.remove(folder) end)
  harness.ok(guard)
  assert(files.make_folder(files.join(folder, "mission")))
  assert(files.write(files.join(folder, "mission", "mark.lua"), MISSION))
  local fleet = { folder = folder }
  function fleet.start(...)
    local one = spawn.start { spawn.program, ... }
    started[#started + 1] = one
    return one
  end
  function fleet.worker(server)
    local one = fleet.start("worker", "--trust-server", "--server", server, "--slots", "1", "--slot-memory", "50",
      "--slot-processors", "0.1", "--runs", files.join(folder, "runs"))
    one:wait_for_word("takes missions from", 60)
    return one
  end
  function fleet.submit(server, batch, name)
    return fleet.start("submit", files.join(folder, "mission", "mark.lua"), "--server", server, "--batch", batch,
      "--wait", "--", folder, name)
  end
  function fleet.there(name) return files.exists(files.join(folder, name)) end
  fn(fleet)
end

-- How the only mission of a batch stands.
local function record_of(batch)
  local done = spawn.run { spawn.program, "fleet", "runs", "--json", "--batch", batch, "--server", url }
  harness.eq(done.status, 0, done.stderr)
  return harness.ok(json.decode(done.stdout), done.stdout .. done.stderr)
end

function tests.a_mission_from_the_queue()
  with_fleet(function(fleet)
    fleet.worker(url)
    local submitted = fleet.submit(url, "one", "ann"):wait()
    harness.eq(submitted.status, 0, submitted.stderr)
    harness.ok(fleet.there "ran-ann")
    local record = record_of "one"
    harness.eq({ record.status, record.attempts, record.outcome.status, record.outcome.result.status },
      { "done", 1, 0, "succeeded" })
  end)
end

-- By WebSockets.
function tests.a_mission_that_is_cancelled_ends_and_its_desktop_with_it()
  with_fleet(function(fleet)
    local worker = fleet.worker(ws)
    assert(files.write(files.join(fleet.folder, "hold"), ""))
    local submitted = fleet.submit(ws, "two", "bob")
    harness.wait_until("it to begin", function() return fleet.there "begun-bob" end, 60)
    local record = record_of "two"
    harness.eq(record.status, "running")
    local cancelled = spawn.run { spawn.program, "fleet", "cancel", record.id, "--server", ws }
    harness.eq(cancelled.status, 0, cancelled.stderr)
    submitted:wait()
    harness.ok(submitted.status ~= 0)
    harness.eq(record_of("two").status, "cancelled", json.encode(record_of "two"))
    files.remove(files.join(fleet.folder, "hold"))
    local name = worker.stderr:match "^(w%S+) takes missions"
    local drained = spawn.run { spawn.program, "fleet", "drain", name, "--server", ws }
    harness.eq(drained.status, 0, drained.stderr)
    harness.eq(worker:wait().status, 0, worker.stderr)
    harness.ok(not fleet.there "ran-bob", "the run was over before the file was gone")
  end)
end

-- Private desktops of Windows have no mouse: that is the mission's to change, so it is not tried again.
function tests.a_mission_that_wants_a_mouse_is_done_with_the_reason()
  with_fleet(function(fleet)
    assert(files.write(files.join(fleet.folder, "mission", "mark.lua"),
      'return { name = "task", desktop = { kind = "private" }, task = "Click." }'))
    fleet.worker(url)
    local submitted = fleet.submit(url, "four", "dot"):wait()
    harness.eq(submitted.status, 1, submitted.stderr)
    local record = record_of "four"
    harness.eq({ record.status, record.attempts }, { "done", 1 }, json.encode(record))
    harness.has(record.words, "private")
  end)
end

function tests.a_bundle_opens_no_device()
  with_fleet(function(fleet)
    for _, path in ipairs { "con", "a/NUL.lua", "com1", "Lpt9 .txt" } do
      local text = json.encode { version = 1, files = { { path = path, size = 1 } } } .. "\n1"
      harness.fails("protocol", "a file outside of it", bundle.unpack(text, system.sha256(text), fleet.folder))
    end
  end)
end

-- Ctrl+C reaches all of a console, and so not the mission, which has none.
function tests.ctrl_c_ends_a_worker_when_its_missions_have_ended()
  with_fleet(function(fleet)
    local worker = spawn.start({ os.getenv "DESKPILOT_CTRLC", spawn.program, "worker", "--trust-server", "--server",
      url, "--slots", "1", "--slot-memory", "50", "--slot-processors", "0.1", "--runs",
      files.join(fleet.folder, "runs") }, { pipe = true })
    worker:wait_for_word("takes missions from", 60)
    assert(files.write(files.join(fleet.folder, "hold"), ""))
    local submitted = fleet.submit(url, "three", "cem")
    harness.wait_until("it to begin", function() return fleet.there "begun-cem" end, 60)
    worker.input:write "c"
    worker:wait_for_word("no more missions are taken", 30)
    files.remove(files.join(fleet.folder, "hold"))
    submitted:wait()
    harness.eq(submitted.status, 0, submitted.stderr)
    harness.eq(worker:wait().status, 0, worker.stderr)
    worker.input:close()
    harness.ok(fleet.there "ran-cem")
  end)
end

function tests.the_server_by_tls()
  local list = spawn.run { spawn.program, "fleet", "status", "--server", wss, "--ca", ca_file }
  harness.eq(list.status, 0, list.stderr)
  local refused = spawn.run { spawn.program, "fleet", "status", "--server", wss, "--ca",
    "tests/windows/tls/another.pem" }
  harness.eq(refused.status, 3)
  harness.has(refused.stderr, "do not agree on TLS")
  refused = spawn.run { spawn.program, "fleet", "status", "--server", (url:gsub("nats:", "tls:")) }
  harness.eq(refused.status, 3)
  harness.has(refused.stderr, "wss://host:port")
end

return tests
