--- The missions that ship, with the policy task_executor: by `literal`, and by an agent over HTTP. Judged by their own
--- checks of what the applications hold.
local t = require "harness"
local files = require "deskpilot.base.files"
local follower = require "executor_follower"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local model_server = require "model_server"
local spawn = require "spawn"

local tests = {}

local function run(mission, ...)
  local folder = spawn.folder()
  -- What missions write is in the temporary folder: one of its own, as others may run the same mission.
  local child = spawn.run({ spawn.program, "run", mission, "--json", "--runs", folder .. "/runs", "--policy",
    "task_executor", "--set", "model.calls_per_minute=0", ... }, { env = { TMPDIR = folder } })
  local result = json.decode(child.stdout) or {}
  t.eq({ child.status, result.status }, { 0, "succeeded" }, child.stderr)
  t.eq(child:left(), {}, "processes left behind")
  local events = journal.read(result.run_dir or "") or {}
  files.remove(folder)
  return result, events
end

tests.the_same_on_every_system = require "same_mission".run_by_one_agent

for _, name in ipairs { "calculator", "editor", "form" } do
  tests[name .. "_with_literal"] = function()
    run("missions/" .. name .. ".lua", "--model", "literal")
  end

  tests[name .. "_over_http"] = function()
    local server = model_server.start(follower.answer)
    local _, events = run("missions/" .. name .. ".lua", "--model", "qwen3-vl", "--endpoint", server.endpoint)
    server:stop()
    local asked = 0
    for _, event in ipairs(events) do
      if event.event == "model_reply" and event.persona == "agent" then asked = asked + 1 end
    end
    t.ok(asked >= 5, asked .. " predictions")
    for _, entry in ipairs(server.requests) do t.eq(entry.problems or {}, {}, "every request is valid") end
  end
end

return tests
