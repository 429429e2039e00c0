-- Not a test of its own: test_worst_replies starts this as a process for each of its answers. A real run asks the
-- server that WORST_ENDPOINT names, under the policy WORST_POLICY; what it took is one line of JSON on standard output.
local client = require "deskpilot.model.client"
local json = require "deskpilot.base.json"
local null_run = require "null_run"
local t = require "harness"
local task = require "deskpilot.base.task"

local function kilobytes(name)
  local file <close> = assert(io.open("/proc/self/status"))
  return math.tointeger(tonumber(file:read("a"):match(name .. ":%s*(%d+)")))
end

local function forget_peak()
  local file <close> = assert(io.open("/proc/self/clear_refs", "w"))
  file:write("5")
end

-- The seconds for which this thread was ready to run, and others had the processors; 0 where the kernel does not count.
local function queued()
  local file <close> = io.open("/proc/thread-self/schedstat")
  return file and tonumber(file:read("a"):match "^%d+ (%d+)") / 1e9 or 0
end

return { run = function()
  local model = assert(client.new { endpoint = os.getenv "WORST_ENDPOINT", model = "worst", retries = 0 })
  local flags = { ["limits.turns"] = 3, ["limits.failures"] = 2, ["limits.model_failures"] = 2,
    ["limits.seconds"] = tonumber(os.getenv "WORST_SECONDS"), ["model.calls_per_minute"] = 0 }
  collectgarbage()
  local before = kilobytes "VmRSS"
  forget_peak()
  local began, clock, had_queued = task.now(), os.clock(), queued()
  local run, events = null_run.play({ task = "Click the button.", policy = os.getenv "WORST_POLICY" },
    { client = model, flags = flags, keep = true }) -- the folder's journal is checked when it is removed
  local seconds, worked = task.now() - began, os.clock() - clock
  io.stdout:write("\nWORST " .. json.encode { kilobytes = kilobytes "VmHWM" - before, seconds = seconds,
    worked = worked, queued = queued() - had_queued, ended = null_run.only(events, "run_end")[1].at,
    answers = #null_run.only(events, "model_reply"), status = run.outcome.status,
    reason = run.outcome.reason:sub(1, 300) } .. "\n")
  t.ok(run.outcome, "it has ended")
end }
