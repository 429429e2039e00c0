--- What missions from a queue cost: real workers on a real nats-server with real private desktops and a model server
--- that answers at once. `./dev fleet-bench` runs it.
---   deskpilot-test tests/bench/fleet.lua [gap|slots [N]|swarm]
---
--- gap: between two missions of a worker with one slot, from the end of one process to the beginning of the next; the
--- machine's other work makes missions longer, and this hardly. slots: missions a minute, by turns with GNU parallel
--- and xargs running `deskpilot run` with as many jobs. swarm: 1,000 workers without desktops.
local files = require "deskpilot.base.files"
local model_server = require "model_server"
local nats_server = require "nats_server"
local results = require "bench.results"
local spawn = require "spawn"
local statistics = require "bench.statistics"
local store = require "deskpilot.fleet.store"
local submission = require "deskpilot.fleet.submission"
local t = require "harness"
local task = require "deskpilot.base.task"
local uv = require "luv"

local GAPS, MISSIONS, ROUNDS = 32, 6, 3
local WORKERS, PROCESSES, MESSAGES = 1000, 10, 5000
local CONSUMER = "CONSUMER.INFO.DESKPILOT_MISSIONS.workers"

local MISSION = [[
return {
  name = "asker",
  desktop = { kind = "private" },
  model = { endpoint = %q, name = "qwen3-vl", calls_per_minute = 0 },
  run = function(m)
    for i = 1, 3 do
      assert(m.desk.screen.shot())
      assert(m:ask { system = "You answer.", text = "This is question " .. i .. ".", image = false })
    end
  end,
}
]]

-- Writes when the program began and ended, without a process of its own for that.
local WRAPPER = [[
#!/bin/bash
echo "begins $EPOCHREALTIME" >>"$GAP_LOG"
"$GAP_PROGRAM" "$@"
status=$?
echo "ends $EPOCHREALTIME" >>"$GAP_LOG"
exit $status
]]

-- Calls fn(place) beside a server and a model.
local function with_place(fn)
  local model = model_server.start(function() return model_server.reply_text "yes" end)
  model.forget = true
  local stop <close> = setmetatable({}, { __close = function() model:stop() end })
  assert(stop)
  nats_server.with("", function(server)
    local folder = spawn.folder()
    local remove <close> = setmetatable({}, { __close = function() files.remove(folder) end })
    assert(remove)
    for _, name in ipairs { "mission", "tmp" } do assert(files.make_folder(files.join(folder, name))) end
    assert(files.write(folder .. "/mission/m.lua", MISSION:format(model.endpoint)))
    fn { server = server, folder = folder, mission = folder .. "/mission/m.lua" }
  end)
end

local function with_worker(place, slots, env, fn)
  env.TMPDIR = place.folder .. "/tmp"
  local worker = spawn.start({ spawn.program, "worker", "--trust-server", "--server", place.server.url, "--runs",
    place.folder .. "/runs", "--slots", tostring(slots), "--slot-memory", "100" }, { env = env })
  local stop <close> = setmetatable({}, { __close = function()
    if not worker.status then worker:kill "sigterm" end
    worker:wait()
  end })
  assert(stop)
  worker:wait_for_word("takes missions", 60)
  return fn(worker)
end

local batches = 0

local function submit(place, count)
  batches = batches + 1
  local submitted = spawn.run { spawn.program, "submit", place.mission, "--server", place.server.url, "--times",
    tostring(count), "--batch", "b" .. batches, "--wait" }
  assert(submitted.status == 0, submitted.stderr)
end

local function timed(fn, ...)
  local began = task.now()
  fn(...)
  return task.now() - began
end

-- Seconds of processor time that a process has taken.
local function computed(pid)
  local words = files.read(("/proc/%d/stat"):format(pid)):match "%) (.*)"
  local user, system = words:match(("%S+ "):rep(11) .. "(%d+) (%d+)")
  return (tonumber(user) + tonumber(system)) / 100
end

local parts = {}

function parts.gap(row)
  with_place(function(place)
    local log, wrapper = place.folder .. "/log", place.folder .. "/wrapper"
    assert(files.write(wrapper, WRAPPER))
    assert(uv.fs_chmod(wrapper, 448)) -- 0700
    local env = { DESKPILOT_BIN = wrapper, GAP_LOG = log, GAP_PROGRAM = spawn.program }
    with_worker(place, 1, env, function(worker)
      submit(place, 2) -- what the first ones alone do is not the queue's
      assert(files.write(log, ""))
      local before = { computed(worker.pid), computed(place.server.said.pid) }
      submit(place, GAPS)
      local gaps, ended = {}, nil
      for what, at in files.read(log):gmatch "(%l+) ([%d.]+)" do
        if what == "begins" and ended then gaps[#gaps + 1] = 1000 * (tonumber(at) - ended) end
        ended = what == "ends" and tonumber(at) or nil
      end
      t.eq(#gaps, GAPS - 1)
      row("overhead of the queue", gaps, "ms", 30, "between two missions")
      row("processor time of the worker", 1000 * (computed(worker.pid) - before[1]) / GAPS, "ms", nil,
        "a mission")
      row("processor time of nats-server", 1000 * (computed(place.server.said.pid) - before[2]) / GAPS, "ms",
        nil, "a mission")
    end)
  end)
end

-- What runs so many jobs at a time. xargs waits for the end of a job; parallel asks for it from time to time too, which
-- on some machines costs seconds, so that being faster than parallel alone would say little.
local RUNNERS = {
  { name = "GNU parallel", argv = function(slots) return { "parallel", "--will-cite", "-j", slots } end },
  { name = "xargs -P", argv = function(slots) return { "xargs", "-P", slots, "-I{}" } end },
}

-- The same missions as `deskpilot run`, so many at a time.
local function run_beside(runner, place, slots, count)
  local numbers = {}
  for i = 1, count do numbers[i] = tostring(i) end
  local argv = runner.argv(tostring(slots))
  for _, word in ipairs { spawn.program, "run", place.mission, "--desktop", "private", "--quiet", "--json", "--runs",
    place.folder .. "/runs-beside/{}", "--", "n={}" } do argv[#argv + 1] = word end
  local done = spawn.run(argv, { env = { TMPDIR = place.folder .. "/tmp" },
    cwd = place.folder .. "/mission", -- as the worker's are: what the folder has is looked at
    input = table.concat(numbers, "\n") .. "\n" })
  if done.status == 0 then return end
  local words = {}
  for line in (done.stdout .. "\n" .. done.stderr):gmatch "[^\n]+" do
    if not line:find "succeeded" then words[#words + 1] = line end
  end
  error(("%s ended with %s: %s"):format(runner.name, done.status, table.concat(words, "\n")), 0)
end

-- Each way by turns: what was first in one round is last in the next.
local function by_turns(ways)
  local seconds = {}
  for round = 1, ROUNDS do
    for i = 1, #ways do
      local at = round % 2 == 0 and i or #ways + 1 - i
      seconds[at] = seconds[at] or {}
      seconds[at][round] = timed(ways[at])
    end
    local words = {}
    for at, list in ipairs(seconds) do words[at] = ("%.2f s"):format(list[round]) end
    io.stdout:write(("round %d: %s (fleet, GNU parallel, xargs; %s)\n"):format(round, table.concat(words, ", "),
      statistics.load()))
    io.stdout:flush()
  end
  return seconds
end

function parts.slots(row)
  with_place(function(place)
    for _, slots in ipairs(arg[2] and { assert(math.tointeger(tonumber(arg[2]))) } or { 1, 2, 4, 8 }) do
      local count = MISSIONS * slots -- of some seconds, since a batch has a beginning and an end
      with_worker(place, slots, {}, function()
        submit(place, slots) -- what the first ones alone do is not the queue's
        local ways = { function() submit(place, count) end }
        for i, runner in ipairs(RUNNERS) do ways[i + 1] = function() run_beside(runner, place, slots, count) end end
        local seconds, words = by_turns(ways), ("%d slots, %d missions"):format(slots, count)
        for i, list in ipairs(seconds) do
          local rates = {}
          for round, each in ipairs(list) do rates[round] = 60 * count / each end
          row("missions a minute, " .. (i == 1 and "fleet" or RUNNERS[i - 1].name), rates, "", nil, words)
        end
        for i, runner in ipairs(RUNNERS) do
          row("time, of " .. runner.name .. "'s", statistics.ratios(seconds[1], seconds[i + 1]), "times", 1 / 0.95,
            words)
        end
      end)
    end
  end)
end

local function megabytes(pid, what)
  return tonumber(files.read(("/proc/%d/status"):format(pid)):match(what .. ":%s*(%d+) kB")) / 1024
end

local function start_swarm(place)
  local swarm = {}
  for i = 1, PROCESSES do
    swarm[i] = spawn.start { uv.exepath(), "tests/bench/fleet_swarm.lua", place.server.url,
      tostring(WORKERS // PROCESSES), place.folder .. "/tmp" }
  end
  return swarm
end

-- Submits them from several connections, calls meanwhile(), and waits until the queue is empty.
local function send_all(place, opened, batch, meanwhile)
  local sending = {}
  for i = 1, PROCESSES do
    sending[i] = task.start(function()
      local own <close> = assert(store.open { servers = place.server.url })
      assert(submission.send(own, { mission = place.mission, times = MESSAGES // PROCESSES, batch = batch .. i }))
    end)
  end
  if meanwhile then meanwhile() end
  for _, one in ipairs(sending) do assert(one:wait()) end
  t.wait_until("the queue to be empty", function() return opened:queued() == 0 end, 600)
end

-- How often missions were delivered, and how many were begun more than once. All have to be done.
local function told_of(opened)
  local twice = 0
  for _, one in ipairs(assert(opened:records())) do
    assert(one.record.status == "done", one.id .. " is " .. one.record.status)
    if one.record.attempts ~= 1 then twice = twice + 1 end
  end
  return assert(opened.jetstream:ask(CONSUMER)).delivered.consumer_seq, twice
end

function parts.swarm(row)
  with_place(function(place)
    local opened <close> = assert(store.open { servers = place.server.url })
    local pid = place.server.said.pid
    row("memory of nats-server, empty", megabytes(pid, "VmRSS"), "MB")
    local swarm = start_swarm(place)
    local stop <close> = setmetatable({}, { __close = function()
      for _, one in ipairs(swarm) do
        if not one.status then one:kill "sigkill" end
        one:wait()
      end
    end })
    assert(stop)
    local came = timed(t.wait_until, "all workers", function()
      for _, one in ipairs(swarm) do assert(not one.status, one.stdout .. one.stderr) end
      return #assert(opened:workers_there()) == WORKERS
    end, 600)
    row("until all are there", came, "s", nil, WORKERS .. " workers")
    row("memory of nats-server, with them", megabytes(pid, "VmRSS"), "MB")
    local before = computed(pid)
    local seconds = timed(send_all, place, opened, "calm")
    row("missions a second", MESSAGES / seconds, "", nil, MESSAGES .. " missions, submitted too")
    row("processor time of nats-server", 1000 * (computed(pid) - before) / MESSAGES, "ms", nil, "a mission")
    row("memory of nats-server, at most", megabytes(pid, "VmHWM"), "MB")
    local deliveries, twice = told_of(opened)
    row("redeliveries", deliveries - MESSAGES, "", nil, "by the consumer's count")
    row("missions begun more than once", twice, "", 0)

    seconds = timed(send_all, place, opened, "killed", function()
      t.wait_until("a quarter", function()
        return assert(opened.jetstream:ask(CONSUMER)).delivered.consumer_seq > MESSAGES * 5 // 4
      end, 600)
      swarm[1]:kill "sigkill"
    end)
    local again, more = told_of(opened)
    row("until all are done, workers killed", seconds, "s", nil, ("%d of %d"):format(WORKERS // PROCESSES, WORKERS))
    row("redeliveries, workers killed", again - deliveries - MESSAGES, "", nil, "by the consumer's count")
    row("begun more than once, workers killed", more, "", WORKERS // PROCESSES, "those that they had")
  end)
end

t.time_limit(3 * 3600)

return { bench = function()
  local wanted = arg[1]
  assert(not wanted or parts[wanted], "the parts are gap, slots and swarm")
  local sheet = results.new()
  for _, name in ipairs { "gap", "slots", "swarm" } do
    if not wanted or wanted == name then sheet:measure(name, parts[name]) end
  end
  t.eq(sheet:print(), 0, "targets that were missed")
end }
