-- Runs on two workers that share the limits of one model server, judged by when the calls came there.
local files = require "deskpilot.base.files"
local fleet_place = require "fleet_place"
local json = require "deskpilot.base.json"
local model_server = require "model_server"
local old_runs = require "deskpilot.agent.old_runs"
local spawn = require "spawn"
local t = require "harness"
local task = require "deskpilot.base.task"

local tests = {}

local LIMIT, NAMES = 4, { "ann", "bob", "cem" }

-- Three calls to the model, one of which the server answers with 503 at first.
local MISSION = [[
return {
  name = "asker",
  desktop = { kind = "private" },
  model = { endpoint = %q, name = "qwen3-vl", calls_per_minute = 0, fleet_calls_per_minute = %d, retry_delay = 0 },
  limits = { seconds = %d },
  run = function(m)
    for i = 1, 2 do
      assert(m:ask { system = "You answer.", text = "This is question " .. i .. " of " .. m.args[2] .. ".",
        image = false })
    end
  end,
}
]]

function tests.no_minute_has_more_calls_than_the_workers_may_make_together()
  local times, refused = {}, false
  local server = model_server.start(function()
    times[#times + 1] = task.now()
    if #times == 2 and not refused then
      refused = true
      return { status = 503, body = "busy" }
    end
    return model_server.reply_text "yes"
  end)
  local stop <close> = setmetatable({}, { __close = function() server:stop() end })
  assert(stop)
  fleet_place.with(NAMES, function(fleet)
    local workers = { fleet.worker("--slots", "2"), fleet.worker("--slots", "2") }
    local submitted = fleet.submit("--wait"):wait()
    t.eq(submitted.status, 0, submitted.stderr)
    t.eq(#times, 7, "two calls of each run, and one again")
    table.sort(times)
    for i = LIMIT + 1, #times do
      t.ok(times[i] - times[i - LIMIT] >= 60, ("calls %d and %d are %.1f s apart"):format(i - LIMIT, i,
        times[i] - times[i - LIMIT]))
    end
    local waited, told = 0, 0
    for _, worker in ipairs(workers) do
      for _, id in ipairs(files.list(worker.runs) or {}) do
        for _, run in ipairs(old_runs.list(worker.runs .. "/" .. id)) do
          local folder = run.folder
          local result = json.decode(files.read(folder .. "/result.json"))
          waited = math.max(waited, result.time.rate)
          t.ok(result.time.policy < 20, "waiting is not told as the script's time")
          local journal = files.read(folder .. "/journal.jsonl")
          if journal:find("waited [%d.]+ s for the fleet's limits") then told = told + 1 end
          t.eq(journal:find("FLEET_LIMITS", 1, true), nil)
        end
      end
    end
    t.ok(waited > 30, "the longest waiting: " .. waited)
    t.ok(told > 0, "it is told")
    for _, worker in ipairs(workers) do worker:kill "sigterm" end
    for _, worker in ipairs(workers) do t.eq(worker:wait().status, 0, worker.stderr) end
  end, MISSION:format(server.endpoint, LIMIT, 40)) -- less than a run waits: time stands still for it meanwhile
end

-- A key for the model is the worker's own, in its environment.
function tests.a_run_has_the_variables_of_its_worker()
  fleet_place.with({ "ann" }, function(fleet)
    local worker = spawn.start({ spawn.program, "worker", "--trust-server", "--server", fleet.server.url, "--runs",
      fleet.folder .. "/runs", "--slots", "1" }, { env = { TMPDIR = fleet.folder .. "/tmp",
      EXAMPLE_API_KEY = "k-of-the-worker" } })
    worker:wait_for_word("takes missions", 60)
    local submitted = fleet.submit("--wait"):wait()
    worker:kill "sigterm"
    worker:wait()
    t.eq(submitted.status, 0, submitted.stderr .. worker.stderr)
  end, [[
return {
  name = "key",
  desktop = { kind = "private" },
  run = function() assert(os.getenv "EXAMPLE_API_KEY" == "k-of-the-worker") end,
}
]])
end

return tests
