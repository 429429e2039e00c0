--- What of a run lasts: the event `state`, and what a run that goes on takes over.
local t = require "harness"
local files = require "deskpilot.base.files"
local null_run = require "null_run"
local resume = require "deskpilot.agent.resume"

local tests = {}

-- The journal as far as the nth event of that name, as a kill would leave it.
local function cut_before(folder, name, number)
  local path, rows = files.join(folder, "journal.jsonl"), {}
  for row in assert(files.read(path)):gmatch "[^\n]+" do
    if row:find('^{"event":"' .. name .. '"') then number = number - 1 end
    if number == 0 then break end
    rows[#rows + 1] = row
  end
  assert(files.write(path, table.concat(rows, "\n") .. "\n" .. '{"event":"acti'))
end

local function states(events)
  local list = {}
  for _, event in ipairs(null_run.only(events, "state")) do
    list[#list + 1] = { event.goal or "1", event.turn, event.set or {}, event.removed or {} }
  end
  return list
end

function tests.only_what_has_changed_is_written()
  local _, events = null_run.play({ task = "x" }, { turn = function(run)
    local s = run.state
    if run.turn == 1 then s.plan, s.count, s.passing = { "a", "b" }, 1, print
    elseif run.turn == 2 then s.count = 2
    elseif run.turn == 3 then s.plan = nil
    else run:stop("failed", "enough") end
  end })
  t.eq(states(events), { { "1", 1, { plan = { "a", "b" }, count = 1 }, {} }, { "1", 2, { count = 2 }, {} },
    { "1", 3, {}, { "plan" } }, { "1", 4, {}, {} } })
  t.eq(#null_run.only(events, "note"), 0, "what the policy calls transient is not told of")
end

function tests.what_is_no_data_is_told_once_by_its_name()
  local _, events = null_run.play({ task = "x" }, { turn = function(run)
    local s = run.state
    s.good, s.tab, s.endless, s.ring = run.turn, { deep = { io.stderr } }, math.huge, {}
    s.ring.ring = s.ring
    s[5] = "x"
    if run.turn == 3 then run:stop("failed", "enough") end
  end })
  local told = {}
  for _, note in ipairs(null_run.only(events, "note")) do told[#told + 1] = note.message:match "run.state%.(.*)" end
  t.eq(told, { "5 does not last, a continued run will be without it: its name is no text",
    "endless does not last, a continued run will be without it: run.state.endless is not finite",
    "ring does not last, a continued run will be without it: run.state.ring.ring holds itself",
    "tab does not last, a continued run will be without it: run.state.tab.deep.1 is a userdata" })
  t.eq(states(events)[3], { "1", 3, { good = 3 }, {} })
end

function tests.goals_within_the_run_have_their_own()
  local _, events = null_run.play({ task = "x" }, { turn = function(run)
    run.state.at = run.task
    if run.task == "x" then run:achieve "part" end
    run:stop("succeeded", "done")
  end })
  t.eq(states(events), { { "1.1", 2, { at = "part" }, {} }, { "1", 1, { at = "x" }, {} } })
end

function tests.the_memory_goes_on()
  local before = null_run.play({ task = "x" }, { keep = true, turn = function(run)
    run.memory:set("total", run.turn)
    run.memory:set("gone", 1)
    run.memory:forget "gone"
    run.memory:learn "Prices are on the second page"
    if run.turn == 2 then run:stop("failed", "enough") end
  end })
  local kept
  local run = null_run.play({ task = "x" }, { past = assert(resume.read(before.dir.path)), keep = true,
    turn = function(run)
      kept = { run.memory:get "total", run.memory:get "gone", run.memory:experiences() }
      run:stop("failed", "enough")
    end })
  t.eq(kept, { "2", nil, { "Prices are on the second page" } })
  local past = assert(resume.read(run.dir.path, { turn = 3 }))
  local again = null_run.play({ task = "x" }, { past = past, turn = function(m) m:stop("failed", "enough") end })
  t.eq({ again.memory:get "total", #again.memory:experiences() }, { "2", 1 }, "its journal alone is enough")
end

-- Acts in each turn, keeps a state, and stops at turn `last`.
local function worker(last)
  return function(run)
    run.state.steps = (run.state.steps or 0) + 1
    run.history:add(run.turn, "note", "step " .. run.state.steps)
    run:act { tool = "wait", args = { seconds = 0.1, justification = "turn " .. run.turn } }
    if run.turn == last then run:stop("failed", "enough") end
  end
end

local function past_of(last, cut, options)
  local run = null_run.play({ task = "x" }, { turn = worker(last), keep = true })
  if cut then cut_before(run.dir.path, table.unpack(cut)) end
  local past, err = resume.read(run.dir.path, options)
  return past, err, run
end

function tests.the_end_of_a_turn_is_read()
  local past = assert(past_of(3))
  t.eq({ past.turn, past.actions, past.state.steps, past.outcome.status, past.whole, past.begun },
    { 3, 3, 3, "failed", true })
  t.eq({ #past.done, past.done[2].why, #past.unfinished, past.lost }, { 3, "turn 2", 0 })
  local lines = {}
  for i, entry in ipairs(past.entries) do lines[i] = entry.line:match "^[^(]*" end
  t.eq(lines, { "step 1", "wait", "step 2", "wait", "step 3", "wait" })
  past = assert(past_of(3, nil, { turn = 1, fork = true }))
  t.eq({ past.turn, past.actions, past.state.steps, past.whole, past.kind }, { 1, 1, 1, false, "fork" })
  past = assert(past_of(3, nil, { turn = 0 }))
  t.eq({ past.turn, past.actions, past.state.steps }, { 0, 0 })
  t.fails("not_found", "turn 9 was not finished in that run; the last one that was is 3", past_of(3, nil, { turn = 9 }))
end

function tests.what_was_done_in_a_turn_that_was_cut_off_is_not_forgotten()
  local past = assert(past_of(3, { "settled", 2 })) -- turn 2 has acted, but did not end
  t.eq({ past.turn, past.actions, past.state.steps, #past.unfinished, past.begun }, { 1, 2, 1, 1 })
  t.eq(past.lost, "its last line was cut off")
  past = assert(past_of(3, { "action_result", 2 }))
  t.eq({ past.turn, past.actions, past.begun.tool, #past.unfinished }, { 1, 2, "wait", 0 })
  t.fails("not_found", "never began", past_of(3, { "run_start", 1 }))
end

function tests.a_run_goes_on_from_there()
  local past, _, before = past_of(3, { "action_result", 2 })
  local seen
  local run, events = null_run.play({ task = "x" }, { past = past, keep = true, turn = function(run)
    seen = seen or { run.turn, run.state.steps, run.began, run.history:render(),
      require "deskpilot.agent.observation".notices(run.observation) }
    worker(3)(run)
  end })
  t.eq({ seen[1], seen[2], seen[3] }, { 2, 1, "resumed" })
  t.has(seen[4], "NOTE step 1")
  t.has(seen[4], "this run was cut off after turn 1 and goes on here; the screen may show something else")
  t.has(seen[4], "wait was begun when the run was cut off: it may have been done or not")
  t.has(seen[5], "NOTE: this run was cut off after turn 1 and goes on here")
  t.eq({ run.turn, run.actions, run.state.steps, #run.history.actions }, { 3, 4, 3, 3 })
  local start = null_run.only(events, "run_start")[1]
  t.eq({ start.parent.run, start.parent.turn, start.parent.kind, start.parent.actions },
    { files.absolute(before.dir.path), 1, "resume", 2 })
  -- And once more, from the run that went on: its journal alone is enough.
  local again = assert(resume.read(run.dir.path))
  t.eq({ again.turn, again.actions, again.state.steps, #again.done }, { 3, 4, 3, 3 })
  t.ok(again.seconds > past.seconds, "the time of both counts")
end

function tests.another_policy_takes_over_the_history_alone()
  local past = assert(past_of(2))
  past.start.policy = "another"
  local first
  null_run.play({ task = "x" }, { past = past, turn = function(run)
    first = first or { run.turn, run.state.steps, run.began, #run.history.actions }
    run:stop("failed", "enough")
  end })
  t.eq(first, { 3, nil, "started", 2 })
end

function tests.the_limits_go_on()
  local past = assert(past_of(2))
  past.seconds = 1e6
  local run = null_run.play({ task = "x" }, { past = past, turn = function() end })
  t.eq({ run.outcome.status, run.outcome.reason:match "^[^:]*" }, { "incomplete", "out of time" })
  local limits = { ["limits.turns"] = 2, ["limits.seconds"] = 5 }
  local config = { get = function(_, key) return limits[key] or 0 end }
  t.has(resume.exhausted(past, config), "used up its turns: limits.turns is 2; give it more, such as --set "
    .. "limits.turns=4")
  limits["limits.turns"] = 9
  t.has(resume.exhausted(past, config), "used up its time: limits.seconds is 5")
  past.seconds = 1
  t.eq(resume.exhausted(past, config), nil)
end

function tests.a_script_keeps_its_state_itself()
  local _, events = null_run.play { run = function(m)
    m.state.done = { "a" }
    m:keep_state()
    m.state.done = { "a", "b" }
    m:keep_state()
  end }
  t.eq(states(events), { { "1", nil, { done = { "a" } }, {} }, { "1", nil, { done = { "a", "b" } }, {} } })
end

return tests
