--- However a run ends (success, failure, Ctrl+C, a mistake in a policy, kill -9, a model server that dies, a full
--- disk), what was done so far can be read, nothing is left behind, and `resume` goes on where it can.
local t = require "harness"
local failing = require "failing"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local journals = require "journals"
local json = require "deskpilot.base.json"
local model_server = require "model_server"
local play = require "steps_play"
local spawn = require "spawn"
local trajectories = require "trajectories"

local tests = {}

local private = { kind = "private", desktop = "size = { 640, 480 }," }

local function with(fields)
  local how = {}
  for _, list in ipairs { private, fields } do
    for key, value in pairs(list) do how[key] = value end
  end
  return how
end

-- What holds of every end: the journal is whole, the trajectory valid, and no process is left.
local function check_end(folder, child, status)
  t.wait_until("nothing to be left", function() return #child:left() == 0 end, 20)
  local run_dir = play.run_dir(folder)
  t.eq(journals.problems(run_dir .. "/journal.jsonl"), {})
  local value = trajectories.read(run_dir)
  t.eq(value.status, status)
  for _, step in ipairs(value.steps) do
    t.ok(not step.screenshot or files.exists(files.join(run_dir, step.screenshot)), step.screenshot)
  end
  return value
end

-- Scenario: Termination Conditions and Cleanup / Graceful shutdown on success
function tests.success()
  local folder = play.place(with { more = "steady = { pause_at = 0, steps = 3 }," })
  local child = play.start(folder):wait()
  local result = json.decode(child.stdout) or {}
  t.eq({ child.status, result.status, result.turns, result.actions }, { 0, "succeeded", 3, 3 }, child.stderr)
  local value = check_end(folder, child, "succeeded")
  t.eq({ value.total_steps, value.totals.actions, value.reason }, { 3, 3, "all steps are written" })
  t.has(child.stderr, "succeeded: all steps are written\n3 turns, 3 actions in 0:0", "the summary and its metrics")
  files.remove(folder)
end

-- Scenario: Termination Conditions and Cleanup / Graceful shutdown on failure
function tests.failure()
  local folder = play.place(with { turns = 4, more = "steady = { pause_at = 0 }," })
  local child = play.start(folder):wait()
  local result = json.decode(child.stdout) or {}
  t.eq({ child.status, result.status }, { 1, "incomplete" }, child.stderr)
  local value = check_end(folder, child, "incomplete")
  t.eq({ value.total_steps, play.done(folder) }, { 4, "1 2 3 4" }, "what was done is kept")
  t.has(value.reason, "out of turns: the limit is 4 (limits.turns)", "what to change")
  t.has(child.stderr, "incomplete: out of turns")
  files.remove(folder)
end

-- Scenario: Termination Conditions and Cleanup / Interrupt handling (Ctrl+C)
function tests.ctrl_c_in_mid_step()
  local folder = play.place(with { more = "steady = { pause_at = 13, steps = 15 }," })
  local child = play.start(folder)
  play.wait_for_pause(folder, child)
  local before = os.time()
  child:kill "sigint"
  child:wait()
  local result = json.decode(child.stdout) or {}
  t.eq({ child.status, child.signal, result.status }, { 130, 0, "interrupted" }, child.stderr)
  local value = check_end(folder, child, "interrupted")
  t.eq({ value.total_steps, value.steps[12].result.ok, value.steps[13].action }, { 13, true }, "up to that step")
  t.ok(value.ended >= os.date("!%Y-%m-%dT%H:%M:%S", before), "the time of the interruption: " .. value.ended)
  t.has(value.reason, "SIGINT")
  play.go_on(folder)
  local resumed, second = play.resume(folder, result.run_dir)
  t.eq({ resumed.status, second.status }, { 0, "succeeded" }, resumed.stderr)
  files.remove(folder)
end

-- Scenario: Termination Conditions and Cleanup / Resource cleanup on exception
function tests.a_mistake_in_the_policy()
  local folder = play.place(with { more = "steady = { pause_at = 0, breaks_at = 2 }," })
  local child = play.start(folder):wait()
  local result = json.decode(child.stdout) or {}
  t.eq({ child.status, result.status }, { 1, "error" }, child.stderr)
  t.has(result.reason, "steady.lua:27: attempt to index a nil value (field 'nothing')", "whoever called it is told")
  local value = check_end(folder, child, "error")
  t.eq({ value.total_steps, #value.errors }, { 2, 1 })
  t.has(value.errors[1].message, "steady.lua:27")
  t.has(value.errors[1].traceback or "", "loop.lua:", "the calls that led there")
  t.has(child.stderr, "steady.lua:27")
  files.remove(folder)
end

function tests.killed_in_mid_step()
  local folder = play.place(with { more = "steady = { pause_at = 13, steps = 15 }," })
  local child = play.start(folder)
  play.wait_for_pause(folder, child)
  child:kill "sigkill"
  child:wait()
  t.eq(child.signal, 9)
  local partial = check_end(folder, child, "running")
  t.eq(partial.total_steps, 10, "what was saved every ten steps")
  local run_dir = play.run_dir(folder)
  local report = spawn.run { spawn.program, "report", run_dir }
  t.eq(report.status, 0, report.stderr)
  local whole = trajectories.read(run_dir)
  t.eq({ whole.status, whole.total_steps, whole.steps[12].result.ok }, { "interrupted", 13, true },
    "made whole from the journal")
  for i, step in ipairs(partial.steps) do t.eq(step, whole.steps[i]) end
  play.go_on(folder)
  local resumed, second = play.resume(folder, run_dir)
  t.eq({ resumed.status, second.status }, { 0, "succeeded" }, resumed.stderr)
  t.has(play.done(folder), "12 13 13 14 15", "the step that was cut off is done again, and no other")
  local value = trajectories.read(play.run_dir(folder))
  t.eq({ value.parent.kind, value.parent.turn, value.steps[1].turn }, { "resume", 12, 13 })
  files.remove(folder)
end

-- The server dies while the run waits for its answer.
function tests.a_model_server_that_dies()
  local asked, held = 0, true
  local function answer()
    asked = asked + 1
    local reply = model_server.reply_tool("press_key", { key = "shift", justification = "the next step" })
    if asked == 4 then reply.hold = function() return not held end end
    return reply
  end
  local server = model_server.start(answer)
  local folder = play.place(with { more = "steady = { pause_at = 0, asks = true }, "
    .. "model = { retries = 1 }," })
  local child = play.start(folder, nil, "--model", "scripted", "--endpoint", server.endpoint)
  t.wait_until("the fourth question", function() return child.status or asked == 4 end, 90)
  t.eq(child.status, nil, child.stderr)
  server:stop()
  held = false
  child:wait()
  local result = json.decode(child.stdout) or {}
  t.eq({ child.status, result.status }, { 3, "error" }, child.stderr)
  local value = check_end(folder, child, "error")
  t.eq({ value.totals.actions, play.done(folder) }, { 3, "1 2 3" })
  t.ok(value.steps[4].replies[1].error, "what the server has not answered is in it")
  local again = model_server.start(answer)
  local resumed, second = play.resume(folder, result.run_dir, nil, "--endpoint", again.endpoint)
  t.eq({ resumed.status, second.status }, { 0, "succeeded" }, resumed.stderr)
  t.eq(play.done(folder), "1 2 3 4 5 6")
  again:stop()
  files.remove(folder)
end

-- The disk with the run fills up in the middle of it.
function tests.a_disk_that_is_full()
  local folder = play.place(with { more = "steady = { pause_at = 0, steps = 12 }," })
  local report = files.join(folder, "report")
  local env = failing.env({ CALL = "write", PATH = "/runs/", ROOM = 40000 }, report)
  local child = play.start(folder, env):wait()
  local result = json.decode(child.stdout) or {}
  t.eq({ child.status, result.status }, { 1, "error" }, child.stderr)
  t.has(result.reason, "no space left", "it says so")
  local run_dir = play.run_dir(folder)
  local events, reading = journal.read(run_dir)
  t.ok(#events > 10, "the journal up to there: " .. #events)
  t.eq({ reading.skipped, reading.cut }, { 0, false })
  local text = files.read(run_dir .. "/trajectory.json")
  t.eq(text and trajectories.problem(json.decode(text)), nil, "whole, or not there")
  local before = select(2, play.done(folder):gsub("%d+", ""))
  t.ok(before > 0 and before < 12, play.done(folder))
  local resumed, second = play.resume(folder, result.run_dir)
  t.eq({ resumed.status, second.status }, { 0, "succeeded" }, resumed.stderr)
  t.has(play.done(folder), "11 12")
  files.remove(folder)
end

return tests
