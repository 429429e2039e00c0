--- Going on with a run that has ended, or was killed, in a new one: what its journal says of the end of a turn, and how
--- a new run takes that over. The journal alone is read, so it does not matter how the run ended.
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local goal_limits = require "deskpilot.agent.goal_limits"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local policy_options = require "deskpilot.agent.policy_options"
local spending = require "deskpilot.agent.spending"
local state = require "deskpilot.agent.state"
local text = require "deskpilot.base.text"

local resume = {}

---@class deskpilot.past what a run goes on from
---@field folder string the other run's
---@field kind "resume"|"fork"
---@field start table its run_start
---@field outcome { status: string, reason: string }? how it ended; nil where it was killed
---@field turn integer the number of its last turn that counts
---@field whole boolean whether it goes on from its end, and not from a turn before
---@field seconds number that it and those before it had spent by then
---@field spending deskpilot.spending what it and those before it had spent on models by then
---@field actions integer that it and those before it had done by then
---@field state table the policy's
---@field criteria string[]?
---@field result table? the policy's account of its work
---@field unfinished deskpilot.done_action[] those of a turn that was not finished
---@field entries { turn: integer, kind: string, line: string }[] of the history
---@field done deskpilot.done_action[] all actions
---@field begun { tool: string, args: table, turn: integer }? an action of which the result is not known
---@field events table[] its events up to there
---@field lost string? what of the journal could not be read

local function take_state(past, event)
  for key, value in pairs(event.set or {}) do past.state[key] = value end
  for _, key in ipairs(event.removed or {}) do past.state[key] = nil end
  for _, entry in ipairs(event.history or {}) do past.entries[#past.entries + 1] = entry end
  for _, action in ipairs(event.actions or {}) do past.done[#past.done + 1] = action end
  past.criteria = event.criteria or past.criteria
end

-- The index of the event that ends the turn (the last one that was finished if nil); 0: before the first.
local function end_of(events, turn)
  local index, last = 0, 0
  for i, event in ipairs(events) do
    if event.event == "state" and not event.goal then
      last = event.turn or last
      if turn == nil or event.turn == turn then index = i end
    end
  end
  if index == 0 and turn and turn > 0 then
    return errors.fail("not_found", "turn %d was not finished in that run; the last one that was is %d", turn, last)
  end
  return index
end

local function start_of(events)
  for _, event in ipairs(events) do
    if event.event == "run_start" then return event end
  end
end

local function data(value) return value ~= json.null and value or nil end

local takes = {}

function takes.turn_start(past, event) past.turn = math.max(past.turn, event.turn or 0) end

function takes.model_reply(past, event)
  spending.add(past.spending, tostring(event.persona), spending.of_event(event))
end

function takes.turn_end(past, event)
  if not event.goal then past.result = data(event.task_result) or past.result end
end

function takes.action(past, event)
  past.actions = past.actions + 1
  past.begun = { tool = event.tool or "?", args = event.args, turn = event.turn, why = event.why, goal = event.goal }
end

function takes.action_result(past, event)
  local begun = past.begun or {}
  past.begun = nil
  if event.goal then return end
  local args = type(event.args) == "table" and event.args or {}
  local why = type(args.justification) == "string" and args.justification or begun.why
  past.done[#past.done + 1] = { tool = event.tool or "?", args = args, ok = event.ok, text = event.text or "",
    why = why, element = data(event.element), turn = event.turn }
end

-- What was done in a turn that was not finished is known from its events alone.
local function take_unfinished(past, events, from)
  local first = #past.done + 1
  for i = from, #events do
    local event = events[i]
    if event.event == "run_end" then past.outcome = { status = event.status, reason = event.reason } end
    local kind = event.event
    if kind == "action" or kind == "action_result" or kind == "model_reply" then takes[kind](past, event) end
    past.seconds = math.max(past.seconds, event.at or 0)
  end
  past.unfinished = table.move(past.done, first, #past.done, 1, {})
  for i = #past.done, first, -1 do past.done[i] = nil end
end

--- Reads how far a run got.
---@param folder string a run directory
---@param options { turn: integer?, fork: boolean? }? turn: goes on from the end of that turn, not from the last one
---@return deskpilot.past? past, deskpilot.error? err
function resume.read(folder, options)
  local turn = options and options.turn
  local events, how = journal.read(folder)
  if not events then return nil, how end
  local index, why = end_of(events, turn)
  if not index then return nil, why end
  local start = start_of(events)
  if not start then return errors.fail("not_found", "%s is the journal of a run that never began", folder) end
  local past = { folder = files.absolute(folder), kind = options and options.fork and "fork" or "resume", turn = 0,
    start = start, whole = turn == nil, seconds = 0, actions = 0, spending = spending.new(), state = {},
    entries = {}, done = {}, unfinished = {},
    lost = journal.lost(how), events = table.move(events, 1, turn and index or #events, 1, {}) }
  for i = 1, index do
    local event = events[i]
    if takes[event.event] then takes[event.event](past, event) end
    if event.event == "state" and not event.goal then take_state(past, event) end
    past.seconds = math.max(past.seconds, event.at or 0)
  end
  if past.whole then take_unfinished(past, events, index + 1) end
  local before = start.parent or {}
  past.turn = math.max(past.turn, before.turn or 0)
  for _, name in ipairs { "seconds", "actions" } do past[name] = past[name] + (before[name] or 0) end
  spending.add_all(past.spending, before.spending or { personas = { ["(all)"] = { tokens = before.tokens } } })
  return past
end

--- Why a run cannot go on as the configuration is; nil where it can.
---@param past deskpilot.past
---@param config deskpilot.config
---@return string?
function resume.exhausted(past, config)
  local turns, seconds = config:get "limits.turns", config:get "limits.seconds"
  local sentence = "that run has used up its %s: %s is %g; give it more, such as --set %s=%d"
  if past.turn >= turns then
    local name = policy_options.name_of(config, "limits.turns")
    return sentence:format("turns", name, turns, name, turns * 2)
  end
  for _, name in ipairs(goal_limits.of_models) do
    local key = "limits." .. name
    local most = config:get(key)
    if most > 0 and past.spending[name] >= most then
      return sentence:format(name:gsub("_", " "), key, most, key, math.ceil(most * 2))
    end
  end
  if past.seconds >= seconds then
    return sentence:format("time", "limits.seconds", seconds, "limits.seconds", math.ceil(seconds * 2))
  end
end

--- What the new run's run_start says of the one before.
---@param past deskpilot.past
---@return table
function resume.parent(past)
  return { run = past.folder, turn = past.turn, kind = past.kind, seconds = past.seconds, actions = past.actions,
    tokens = past.spending.tokens, spending = past.spending }
end

local function how_it_ended(past)
  if not past.whole then return "goes back to the end of turn " .. past.turn end
  local how = past.outcome and ("ended as %s (%s)"):format(past.outcome.status, past.outcome.reason) or "was cut off"
  return ("%s after turn %d"):format(how, past.turn)
end

-- What the personas have to know of it.
local function sentences(past, desktop)
  local list = { ("this run %s and goes on here; the screen may show something else than before%s"):format(
    how_it_ended(past), desktop == "private" and ": the desktop and its applications were started again, and what was "
    .. "not saved is lost" or "") }
  local begun = past.whole and past.begun
  if begun then
    list[2] = ("%s was begun when the run was cut off: it may have been done or not"):format(begun.tool)
  end
  return list
end

-- What the other run kept in mind. It is announced again, so that the journal of this run has all of it.
local function remember(memory, past)
  local values = {}
  for _, event in ipairs(past.events) do
    if event.event == "memory" then
      if event.name then values[event.name] = event.op == "set" and event.value or nil end
      if event.op == "learn" then memory:learn(event.experience) end
    end
  end
  for _, name in ipairs(text.keys(values)) do memory:set(name, values[name]) end
end

--- Takes over what a run goes on from: its history, counts, and the state, if it is of the same policy. The next
--- observation tells the personas.
---@param run deskpilot.run
---@return boolean own whether the policy finds its own state
function resume.apply(run)
  local past = run.past
  local own = run.mission.run ~= nil or past.start.policy == run.config:get "policy"
  run.turn, run.actions = past.turn, past.actions
  spending.add_all(run.spending, past.spending)
  local goal = run.goal
  if own then goal.state, goal.criteria, goal.result = past.state, past.criteria, past.result end
  local history = goal.history
  for _, entry in ipairs(past.entries) do history:add(entry.turn, entry.kind, entry.line) end
  for _, action in ipairs(past.done) do
    table.insert(history.actions, action)
    history:note_places(action.args)
  end
  for _, action in ipairs(past.unfinished) do history:add_action(action.turn or past.turn, action) end
  for _, sentence in ipairs(sentences(past, run.desktop)) do
    history:add(run.turn, "note", sentence)
    run:inform(sentence)
    run:note(sentence)
  end
  if past.lost then run:note(past.lost) end
  remember(run.memory, past)
  state.keep(run, { turn = run.turn, actions = #history.actions > 0 and json.list(history.actions) or nil })
  return own
end

return resume
