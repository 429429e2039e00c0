-- The trajectory of a run: what is in it, how it is saved, and that it is there however the run ends.
local t = require "harness"
local errors = require "deskpilot.base.errors"
local export = require "deskpilot.agent.export"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local journals = require "journals"
local json = require "deskpilot.base.json"
local native = require "native.image"
local null_run = require "null_run"
local schema = require "deskpilot.base.schema"
local secrets = require "deskpilot.model.secrets"
local spawn = require "spawn"
local text = require "deskpilot.base.text"
local trajectories = require "trajectories"
local trajectory = require "deskpilot.agent.trajectory"

local tests = {}

-- Plays a run whose folder stays, gives it its last files as the program does, and calls fn with what came of it.
local function with_run(options, fn)
  options.keep = true
  local saver
  local mission = options.mission or { task = "Press a key" }
  local turn = options.turn
  options.turn = function(run)
    if not saver then
      saver = trajectory.saver(run.dir)
      for _, event in ipairs((journal.read(run.dir.path))) do saver.every(run, event) end
      table.insert(run.listeners, { name = "the trajectory", listener = saver })
    end
    turn(run)
  end
  local run, events = null_run.play(mission, options)
  local partial = files.read(files.join(run.dir.path, "trajectory.json"))
  local result = export.write(run.dir.path, run.outcome)
  fn { run = run, events = events, result = result, folder = run.dir.path, partial = partial,
    value = trajectories.read(run.dir.path) }
  files.remove((files.split((files.split(run.dir.path)))))
end

local function upvalue(fn, wanted)
  for i = 1, 50 do
    local name, value = debug.getupvalue(fn, i)
    if name == wanted then return value end
  end
end

local function press(run, key)
  return run:act { tool = "press_key", args = { key = key or "a" }, why = "the key is what is asked for" }
end

function tests.the_schema_itself_can_be_used()
  local declared = t.ok(json.decode(files.read "docs/trajectory.schema.json" or ""))
  t.ok(schema.check(declared))
  t.has(trajectories.problem { version = 2 } or "", "is missing")
  t.eq(declared.properties.version.const, trajectory.version)
end

local function model()
  local asked = 0
  return function()
    asked = asked + 1
    return { choices = { { finish_reason = "tool_calls", message = { role = "assistant",
      content = "<think>The field is empty.</think>I press a.", tool_calls = json.list { { id = "c" .. asked,
        type = "function", ["function"] = { name = "press_key", arguments = '{"key":"a","justification":"w"}' } } },
      } } },
      usage = { prompt_tokens = 100, completion_tokens = 10, total_tokens = 110 } }
  end
end

-- Scenario: Trajectory Tracking and Export / Record trajectory step
function tests.each_action_is_a_step()
  with_run({ model = model(), turn = function(run)
    local reply = run:ask { persona = "agent", system = "s", text = "t", tools = { "press_key" }, acts = true }
    run:act { tool = reply.calls[1].name, args = reply.calls[1].args, persona = "agent" }
    if run.turn == 2 then
      run:act { tool = "press_key", args = { key = "no such key" }, persona = "agent", why = "the second of the turn" }
      run:stop("failed", "that was all")
    end
  end }, function(played)
    local steps = played.value.steps
    t.eq({ #steps, played.value.total_steps, played.value.totals.turns, played.value.totals.actions,
      played.value.totals.failed, played.value.totals.input_tokens }, { 3, 3, 2, 3, 1, 200 })
    local first = steps[1]
    t.eq({ first.step, first.turn, first.action.tool, first.action.args.key, first.action.persona, first.result.ok,
      first.thinking, first.replies[1].content }, { 1, 1, "press_key", "a", "agent", true, "The field is empty.",
      "I press a." })
    for _, step in ipairs(steps) do
      local bytes = files.read(files.join(played.folder, step.screenshot))
      t.eq((bytes or ""):sub(2, 4), "PNG", step.screenshot)
      t.has(step.timestamp, os.date "!%Y-")
    end
    t.eq({ steps[2].turn, steps[3].turn, steps[3].thinking, steps[3].result.ok, steps[3].screenshot },
      { 2, 2, "the second of the turn", false, steps[2].screenshot })
    t.ok(first.timestamp < steps[2].timestamp and steps[2].timestamp <= steps[3].timestamp)
  end)
end

-- Scenario: Trajectory Tracking and Export / Export trajectory to JSON
function tests.how_it_ended_is_in_it()
  for _, how in ipairs { { "succeeded", true }, { "failed", false } } do
    with_run({ mission = { task = "Press a key", verify = function() return how[2], "the world says so" end },
      flags = { ["timing.verify"] = 0 }, turn = function(run)
      press(run)
      run:claim "it is pressed"
      if not how[2] then run:stop("failed", "given up") end
    end }, function(played)
      local value, ending = played.value, null_run.only(played.events, "run_end")[1]
      t.eq({ value.task_goal, value.task_id, value.status, value.total_steps, value.reason },
        { "Press a key", select(2, files.split(played.folder)), how[1], 1, ending.reason })
      t.ok(value.duration > 0 and math.abs(value.duration - ending.at) < 0.01, value.duration)
      t.ok(value.started < value.ended, value.started .. value.ended)
    end)
  end
  with_run({ flags = { ["trajectory.pictures"] = "embedded" }, turn = function(run)
    press(run)
    run:stop("failed", "that was all")
  end }, function(played)
    local step = played.value.steps[1]
    local kept = files.read(files.join(played.folder, null_run.only(played.events, "observed")[1].screenshot))
    t.eq(step.screenshot, "data:image/png;base64," .. native.base64(kept or ""))
  end)
end

-- Scenario: Trajectory Tracking and Export / Trajectory compression
function tests.screenshots_are_files_beside_it()
  with_run({ turn = function(run)
    press(run, run.turn % 2 == 0 and "a" or "b")
    if run.turn == 12 then run:stop("failed", "that was all") end
  end }, function(played)
    t.eq(#played.value.steps, 12)
    local base, id = files.split(played.folder)
    for i, step in ipairs(played.value.steps) do
      t.eq(step.screenshot, ("screenshots/step_%04d.png"):format(i))
      t.ok(files.exists(files.join(base, played.value.task_id, step.screenshot)))
    end
    t.eq({ id, files.exists(files.join(base, id, "trajectory.json")) }, { played.value.task_id, true })
    t.ok(files.size(files.join(played.folder, "trajectory.json")) < 100000)
  end)
end

-- Scenario: Trajectory Tracking and Export / Incremental trajectory saving
function tests.it_is_saved_every_ten_steps()
  local saved = {}
  with_run({ turn = function(run)
    press(run, run.turn % 2 == 0 and "a" or "b")
    local words = files.read(files.join(run.dir.path, "trajectory.json"))
    local value = words and json.decode(words)
    saved[run.turn] = value and value.total_steps or 0
    if value then
      t.eq({ trajectories.problem(value), value.status, #value.steps }, { nil, "running", value.total_steps })
    end
    if run.turn == 33 then run:stop("failed", "that was all") end
  end }, function(played)
    t.eq({ saved[10], saved[11], saved[20], saved[21], saved[31], saved[33] }, { 0, 10, 10, 20, 30, 30 })
    t.eq({ played.value.total_steps, played.value.status }, { 33, "failed" }, "the last save has all")
    local partial = json.decode(played.partial or "") or {}
    for i, step in ipairs(partial.steps) do t.eq(step, played.value.steps[i]) end
  end)
  with_run({ flags = { ["trajectory.save_every"] = 0 }, turn = function(run)
    press(run)
    if run.turn == 11 then run:stop("failed", "that was all") end
  end }, function(played) t.eq(played.partial, nil) end)
end

-- However many steps there are: those that are in the file for good are forgotten.
function tests.a_long_run_holds_only_its_latest_steps()
  local saver, saves, held = nil, 0, 0
  with_run({ mission = { task = "Press a key", limits = { turns = 1000 } }, turn = function(run)
    press(run, "shift")
    saver = saver or run.listeners[#run.listeners].listener
    local own = upvalue(saver.every, "self")
    held = math.max(held, #own.value.steps, #text.keys(own.open), #text.keys(own.seen))
    local value = json.decode(files.read(files.join(run.dir.path, "trajectory.json")) or "null")
    if run.turn % 10 == 1 and run.turn > 1 then
      saves = saves + 1
      t.eq({ trajectories.problem(value), #value.steps, value.steps[#value.steps].step }, { nil, run.turn - 1,
        run.turn - 1 })
    end
    if run.turn == 200 then run:stop("failed", "that was all") end
  end }, function(played)
    t.eq({ saves, played.value.total_steps }, { 19, 200 })
    t.ok(held > 32 and held <= 50, "it held " .. held)
    local partial = json.decode(played.partial or "") or {}
    t.eq({ #partial.steps, partial.total_steps }, { 200, 200 })
    for i, step in ipairs(partial.steps) do t.eq(step, played.value.steps[i]) end
  end)
end

function tests.retries_and_suspicions_are_in_it()
  local tried = 0
  with_run({ flags = { ["retry.actions"] = 2, ["retry.delay"] = 0, ["observe.validate_screen_change"] = true },
    turn = function(run)
      if run.turn == 2 then return run:stop("failed", "that was all") end
      assert(run.toolbox:add { name = "poke", description = "d", parameters = { type = "object", properties = {} },
        run = function()
          tried = tried + 1
          if tried < 3 then return errors.fail("timed_out", "no answer") end
          return "poked"
        end })
      run:act { tool = "poke", args = {}, why = "w" }
    end }, function(played)
    local step = played.value.steps[1]
    t.eq({ step.result.attempts, step.result.suspected, #step.retries, played.value.totals.retries,
      played.value.totals.actions }, { 3, true, 2, 2, 1 })
    t.eq({ step.retries[2].attempt, step.retries[2].text, step.retries[2].again }, { 2, "no answer", true })
  end)
end

function tests.no_secret_reaches_it()
  local key = "trajectory-test-key-0123456789abcdef"
  secrets.register(key)
  with_run({ model = function()
    return { choices = { { finish_reason = "stop", message = { role = "assistant",
      content = "<think>the key is " .. key .. "</think>I saw " .. key } } } }
  end, turn = function(run)
    run:ask { persona = "agent", system = "s", text = "t" }
    run:act { tool = "type_text", args = { text = key, justification = "type " .. key } }
    run:emit("error", { name = "x", message = "lost " .. key, traceback = key })
    if run.turn == 10 then run:stop("failed", "ended with " .. key) end
  end }, function(played)
    for _, words in ipairs { played.partial or "", files.read(files.join(played.folder, "trajectory.json")) } do
      t.ok(#words > 500, "it is there")
      t.ok(not words:find(key, 1, true), "the key is in it")
      t.has(words, "I saw ")
    end
  end)
end

-- A run's folder with that journal, for fn; its pictures are to be in its trajectory.
local function with_journal(events, fn)
  local folder = spawn.folder()
  local lines = { json.encode { event = "run_start", at = 0, config = { ["trajectory.pictures"] = "embedded" } } }
  for _, event in ipairs(events) do lines[#lines + 1] = json.encode(event) end
  local path = files.join(folder, "journal.jsonl")
  journals.made_up[path] = true
  assert(files.write(path, table.concat(lines, "\n") .. "\n"))
  assert(files.make_folder(files.join(folder, "screenshots")))
  fn(folder)
  files.remove(folder)
end

function tests.pictures_are_read_from_the_runs_folder_alone()
  with_journal({ { event = "turn_start", turn = 1, at = 1 },
    { event = "observed", turn = 1, screenshot = "../../../../etc/hostname.png", at = 1 },
    { event = "turn_start", turn = 2, at = 1 },
    { event = "observed", turn = 2, screenshot = "screenshots/../journal.jsonl", at = 1 },
    { event = "picture", screenshot = "/etc/passwd", at = 1 } }, function(folder)
    assert(trajectory.write(folder))
    local value = trajectories.read(folder)
    t.eq({ #value.steps, value.steps[1].screenshot, value.steps[2].screenshot, value.screenshot }, { 2 })
  end)
end

function tests.too_many_pictures_stay_files()
  local looks = {}
  for turn = 1, 200 do
    looks[2 * turn - 1] = { event = "turn_start", turn = turn, at = turn }
    looks[2 * turn] = { event = "observed", turn = turn, screenshot = "screenshots/a.png", at = turn }
  end
  with_journal(looks, function(folder)
    local path = files.join(folder, "screenshots/a.png")
    assert(files.write(path, "small"))
    assert(trajectory.write(folder))
    local value = trajectories.read(folder)
    t.eq({ value.steps[1].screenshot, value.steps[200].screenshot, value.note },
      { "data:image/png;base64,c21hbGw=", "data:image/png;base64,c21hbGw=" })
    local file = assert(io.open(path, "wb"))
    file:seek("set", 2 * 2 ^ 20)
    file:write "x" -- with a hole
    file:close()
    assert(trajectory.write(folder))
    value = trajectories.read(folder)
    t.eq({ #value.steps, value.steps[1].screenshot, value.steps[200].screenshot }, { 200, "screenshots/a.png",
      "screenshots/a.png" })
    t.has(value.note, "the screenshots have 400 MB, at most 256 MB")
  end)
end

-- A long run's end takes no more memory than a short one's: neither its events nor its steps are in memory at once.
function tests.a_long_journal_is_read_while_the_trajectory_is_written()
  local events, long = {}, ("seen "):rep(2000)
  for turn = 1, 1000 do
    events[#events + 1] = { event = "turn_start", turn = turn, at = turn }
    events[#events + 1] = { event = "action_result", turn = turn, tool = "click", ok = true, text = long, at = turn }
    events[#events + 1] = { event = "turn_end", turn = turn, at = turn }
  end
  with_journal(events, function(folder)
    events = nil
    collectgarbage()
    local before, most = collectgarbage "count", 0
    local write = files.write
    files.write = function(path, content, options) -- luacheck: ignore 122
      if type(content) ~= "function" then return write(path, content, options) end
      return write(path, function(put)
        return content(function(piece)
          collectgarbage()
          most = math.max(most, collectgarbage "count" - before)
          put(piece)
        end)
      end, options)
    end
    local result = export.write(folder)
    files.write = write -- luacheck: ignore 122
    t.eq({ result.turns, result.archive.events }, { 1000, 3001 })
    local size = files.size(files.join(folder, "trajectory.json"))
    t.ok(size > 10e6 and most < 2500, ("%d bytes of trajectory took %.0f kB"):format(size, most))
    local value = trajectories.read(folder)
    t.eq({ #value.steps, value.steps[1000].turn, value.steps[1000].result.text == long }, { 1000, 1000, true })
    t.eq(trajectories.problem(value), nil)
  end)
end

function tests.a_journal_that_is_too_large_to_be_read_at_once()
  with_journal({ { event = "turn_start", turn = 1, at = 1 } }, function(folder)
    local file = assert(io.open(files.join(folder, "journal.jsonl"), "ab"))
    local line = json.encode { event = "note", message = ("x"):rep(1 << 20), at = 2 } .. "\n"
    for _ = 1, 65 do file:write(line) end
    file:close()
    t.fails("io", "it is larger than 67108864 bytes", journal.read(folder))
    t.eq({ export.write(folder).archive.events, #trajectories.read(folder).steps }, { 67, 1 })
  end)
end

function tests.a_run_of_an_older_version_has_its_times_from_its_name()
  local value = trajectory.of("runs/20261122T175445Z-form", { { event = "run_start", at = 0, task = "x" },
    { event = "turn_start", turn = 1, at = 61.25 } })
  t.eq({ value.started, value.steps[1].timestamp, value.status }, { "2026-11-22T17:54:45.000Z",
    "2026-11-22T17:55:46.250Z", "interrupted" })
  value = trajectory.of("runs/mine", { { event = "turn_start", turn = 1, at = 1 } })
  t.eq({ value.steps[1].timestamp, trajectories.problem(value) }, {})
end

function tests.a_journal_without_events_has_a_trajectory()
  local folder = spawn.folder()
  journals.made_up[files.join(folder, "journal.jsonl")] = true
  assert(files.write(files.join(folder, "journal.jsonl"), ""))
  assert(trajectory.write(folder))
  t.eq({ #trajectories.read(folder).steps, trajectories.problem(trajectories.read(folder)) }, { 0 })
  files.remove(folder)
end

function tests.odd_events_give_a_valid_trajectory()
  local value = trajectory.of("x", { { event = "run_start" }, { event = "action_result", args = "x" },
    { event = "run_end" }, { event = "retry" }, { event = "suspected" }, { event = "model_reply" },
    { event = "lookup" }, { event = "error" }, { event = "action_result", turn = 7, ok = true } })
  t.eq(trajectories.problem(value), nil)
  t.eq({ #value.steps, value.status }, { 3, "error" })
end

return tests
