--- What hooks and guards return, and what they are told: every answer that means something, and that whatever means
--- nothing refuses.
local t = require "harness"
local decisions = require "deskpilot.agent.decisions"
local errors = require "deskpilot.base.errors"
local json = require "deskpilot.base.json"
local null_run = require "null_run"
local text = require "deskpilot.base.text"
local verdict = require "deskpilot.agent.verdict"

local tests = {}

local function hook() end

local function read(name, ...)
  return decisions.read(name, hook, ...)
end

function tests.nothing_to_say()
  for _, name in ipairs { "action", "model_request", "question", "settled", "run_start" } do
    t.eq(read(name), nil, name)
    t.eq(read(name, nil), nil)
    t.eq(read(name, true), nil)
    t.eq(read(name, true, "and more"), nil)
    t.eq(read(name, {}), nil)
    t.eq(read(name, verdict.yes "it is so"), nil)
  end
end

function tests.refusals_of_what_can_be_refused()
  for _, name in ipairs { "action", "model_request", "question" } do
    t.eq(read(name, false), { veto = "it was refused without a reason" })
    t.eq(read(name, false, "why"), { veto = "why" })
    t.eq(read(name, nil, "why"), { veto = "why" })
    t.eq(read(name, nil, errors.new("not_found", "no window")), { veto = "no window" })
    t.eq(read(name, verdict.no "it is not so"), { veto = "it is not so" })
    t.eq(read(name, verdict.unknown "nobody knows"), { veto = "unknown: nobody knows" })
    t.eq(read(name, { veto = "why" }), { veto = "why" })
  end
  for _, name in ipairs { "settled", "action_result", "run_start", "run_end", "turn_end", "note" } do
    for _, answer in ipairs { { false }, { false, "why" }, { nil, "why" }, { verdict.no "so" } } do
      t.raises("there is nothing left to refuse. Of the event " .. name, read, name, answer[1], answer[2])
    end
  end
end

function tests.the_other_decisions()
  t.eq(read("action", { amend = { tool = "wait", args = {} } }), { amend = { tool = "wait", args = {} } })
  t.eq(read("model_request", { amend = { text = "else" } }), { amend = { text = "else" } })
  t.eq(read("question", "yes"), { answer = "yes" })
  t.eq(read("question", { answer = "yes" }), { answer = "yes" })
  for _, name in ipairs { "action", "settled", "question", "run_end" } do
    t.eq(read(name, { stop = { "failed", "why" } }), { stop = { "failed", "why" } })
  end
end

-- What is returned, of which event, and what is said of it.
local wrong = {
  { { vetto = "x" }, "action", "vetto = \"x\", which means nothing here; did you mean 'veto'?" },
  { { ammend = {} }, "action", "did you mean 'amend'?" },
  { { veto = "x", amennd = {} }, "action", "did you mean 'amend'?" },
  { { veto = 5 }, "action", "veto = 5, which must be a text that says why it does not happen" },
  { { veto = true }, "action", "veto = true" },
  { { veto = false }, "action", "veto = false" },
  { { veto = " " }, "action", "veto = \"\"" },
  { { veto = "x" }, "settled", "veto = \"x\", which means nothing here; there is stop" },
  { { answer = "x" }, "action", "answer = \"x\", which means nothing here" },
  { { amend = {} }, "question", "amend = a table, which means nothing here" },
  { { amend = "x" }, "action", "amend = \"x\", which must be a table of the fields that are replaced" },
  { { amend = { arg = {} } }, "action", "'arg' is no field of action that can be replaced; did you mean 'args'?" },
  { { amend = { args = 5 } }, "action", "replaced: args is 5, but must be an object" },
  { { amend = { temperature = "hot" } }, "model_request", ": temperature is \"hot\", but must be a number" },
  { { amend = { turn = 3 } }, "model_request", "'turn' is no field of model_request that can be replaced" },
  { { stop = "failed" }, "action", 'which must be a list of a status and a reason, such as { "failed", "why" }' },
  { { stop = { "failed" } }, "action", "which must be a list of a status and a reason" },
  { { stop = { "faild", "x" } }, "settled", "there is no status \"faild\"; did you mean 'failed'?" },
  { { answer = 7 }, "question", "answer = 7, which must be a text" },
  { { "veto", "x" }, "action", "which means nothing here" },
  { { [print] = 1, a = 2 }, "action", "which means nothing here" },
  { "no", "action", 'it returned the text "no". Of the event action it may return nothing, false and why, ' },
  { 5, "action", "it returned 5." },
  { print, "action", "it returned function" },
  { errors.new("io", "broken"), "action", "it returned broken" },
}

function tests.what_means_nothing_is_a_mistake()
  for _, case in ipairs(wrong) do
    local err = t.raises(case[3], read, case[2], case[1])
    t.has(tostring(err), ("test_hooks.lua:%d: it returned"):format(debug.getinfo(hook, "S").linedefined))
    t.ok(not tostring(err):find("\n", 1, true), tostring(err))
  end
end

-- A run of one call, which a guard or a hook may hinder.
local function play(mission, listener)
  local done
  mission.task = "x"
  local run, events = null_run.play(mission, { observe = "false", turn = function(run)
    if listener then
      table.insert(run.listeners, 1, { name = "the guard x", listener = listener })
    end
    done = run:act { tool = "wait", why = "w", args = { seconds = 0.1 } }
    if not run.outcome then run:stop("succeeded", "done") end
  end })
  return done, run, events
end

function tests.a_hook_that_is_mistaken_ends_the_run_and_nothing_is_done()
  for _, case in ipairs(wrong) do
    for _, name in ipairs(case[2] == "action" and { "before_action", "action" } or {}) do
      local done, run, events = play { [name] = function() return case[1] end }
      t.eq(done, nil, "the turn was left")
      t.eq(run.outcome.status, "error")
      t.has(run.outcome.reason, ("the mission's %s failed: "):format(name))
      t.has(run.outcome.reason, case[3])
      t.has(run.outcome.reason, "test_hooks.lua:")
      t.eq(#null_run.only(events, "action_result"), 0)
    end
  end
  local _, run = play { settled = function() return false end, after_action = function() return nil, "x" end }
  t.has(run.outcome.reason, "the mission's after_action failed: ")
  t.has(run.outcome.reason, "it returned nil and \"x\", but there is nothing left to refuse")
  _, run = play { before_run = function() return { sotp = { "failed", "x" } } end }
  t.eq({ run.outcome.status, run.turn }, { "error", 0 })
end

function tests.a_hook_that_refuses_goes_on()
  for _, refuses in ipairs { function() return false, "no" end, function() return nil, "no" end,
    function() return { veto = "no" } end, function() return verdict.no "no" end } do
    local done, run = play { before_action = refuses }
    t.eq({ done.ok, done.vetoed, done.text }, { false, true, "the mission's hook vetoed this: no" })
    t.eq(run.outcome.status, "succeeded")
  end
  t.eq(play({ before_action = function() return true end }).ok, true)
end

function tests.a_guard_that_is_mistaken_vetoes_and_is_named()
  for _, case in ipairs(wrong) do
    if case[2] == "action" then
      local done, run, events = play({}, { action = function() return case[1] end })
      t.eq({ done.ok, done.vetoed }, { false, true }, case[3])
      t.has(done.text, "the guard x failed while it was asked: ")
      t.has(done.text, case[3])
      t.eq(run.outcome.status, "succeeded", "the agent may do something else")
      t.eq({ null_run.only(events, "error")[1].name, null_run.only(events, "error")[1].during },
        { "the guard x", "action" })
    end
  end
  local done = play({}, { action = function() return nil, "not now" end })
  t.eq({ done.vetoed, done.text }, { true, "the guard x vetoed this: not now" })
  local _, _, events = play({}, { settled = function() return { veto = "x" } end, every = function() return {} end })
  local failed = {}
  for _, event in ipairs(null_run.only(events, "error")) do failed[#failed + 1] = event.during end
  t.ok(#failed <= 1, text.join(failed))
end

-- --- what hooks read ------------------------------------------------------------------------------------------------

local function says(hooks, ...)
  local _, run = play(hooks)
  t.eq(run.outcome.status, "error")
  for _, part in ipairs { "test_hooks.lua:", ... } do t.has(run.outcome.reason, part) end
end

function tests.a_field_that_is_not_there_is_a_mistake()
  says({ before_action = function(_, action) return action.args.x end }, "the mission's before_action failed: ",
    "wait has no argument 'x'; it has justification and seconds")
  says({ before_action = function(_, action) return action.args.second end }, "did you mean 'seconds'?")
  says({ before_action = function(_, action) return action.argz end },
    "the event action has no field 'argz'; did you mean 'args'?")
  says({ action = function(_, action) return action.seconds end }, "the mission's action failed: ",
    "the event action has no field 'seconds', but its arguments do: args.seconds")
  says({ after_action = function(_, _, result) return result.resultt end }, "the event action_result has no field")
  says({ after_action = function(_, action) return action.args.x end }, "wait has no argument 'x'")
  says({ before_action = function(_, action) action.vetto = "no" end },
    "the event action has no field 'vetto'; did you mean 'veto'?")
  says({ before_action = function(_, action) action.args.sseconds = 3 end }, "did you mean 'seconds'?")
  says({ turn_end = function(_, event) return event.status end }, "the event turn_end has no field 'status'")
end

function tests.an_argument_of_another_tool_is_nil()
  local _, run = play { before_action = function(_, action)
    if action.args.key == "ctrl+s" or action.args.position then return false, "no" end
  end }
  t.eq(run.outcome.status, "succeeded", run.outcome.reason)
  says({ before_action = function(_, action) action.args.key = "a" end }, "wait has no argument 'key'")
end

function tests.positions_are_explained()
  local run = null_run.play({ task = "x", before_action = function(_, action) return action.args.x end }, {
    observe = "false", turn = function(run)
      run:act { tool = "click_element", why = "w", args = { label = "It", position = { 1, 2 } } }
    end })
  t.has(run.outcome.reason, "click_element has no argument 'x'; it has button, clicks, element, justification, keys, "
    .. "label and position (positions are 0..1000 of the picture; action.point is the pixel of the screen)")
end

function tests.what_may_be_missing_is_nil()
  local values
  local done, run = play { before_action = function(m, action)
    local args = action.args
    values = { args.justification, action.persona, action.veto, action.goal, action.point, action.drop }
    for key in pairs(args) do values[#values + 1] = key end
    m.kept, m.words = args, json.encode(args)
    m:note(json.encode(action))
  end, after_action = function(m, action, result)
    t.eq({ m.words, result.code, rawequal(m.kept, action.args) }, { '{"seconds":0.1}', nil, false })
  end }
  t.eq({ done and done.ok, run.outcome.status }, { true, "succeeded" }, run.outcome.reason)
  t.eq(values, { "seconds" }, "and nothing of what is not there")
  t.eq(getmetatable(run.kept), nil, "only while the hook is called")
  t.eq(run.kept.x, nil)
end

function tests.what_a_hook_hands_on_is_read_as_ever()
  local did
  local _, run = play { before_action = function(m, action)
    if did then return end
    did = {}
    did = m:act { tool = action.tool, args = action.args, why = "again" }
  end }
  t.eq({ did and did.ok, run.outcome.status }, { true, "succeeded" }, run.outcome.reason)
end

-- What is read while an act settles is for the look that follows. A hook in between may do anything.
function tests.nothing_is_read_ahead_where_a_hook_comes_before_the_look()
  local function reads_ahead(mission)
    local given
    mission.task = "x"
    local run = null_run.play(mission, { turn = function(run)
      local settle = run.desk.settle
      run.desk.settle = function(how)
        given = how.elements
        return settle(how)
      end
      run:act { tool = "press_key", args = { key = "a" }, why = "w" }
      run:stop("succeeded", "done")
    end })
    t.eq(run.outcome.status, "succeeded", run.outcome.reason)
    return given
  end
  t.eq(reads_ahead {}, true)
  t.eq(reads_ahead { after_action = function() end }, true, "it comes before the settle")
  for _, name in ipairs { "settled", "turn_end", "turn_start" } do
    t.eq(reads_ahead { [name] = function() end }, false, name)
  end
end

return tests
