--- What is made of a journal when a run is over, and again from any journal later: result.json and
--- trajectory.json (trajectory.lua).
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local journal = require "deskpilot.agent.journal"
local rundir = require "deskpilot.agent.rundir"
local spending = require "deskpilot.agent.spending"
local time_share = require "deskpilot.agent.time_share"
local token_count = require "deskpilot.agent.token_count"
local trajectory = require "deskpilot.agent.trajectory"
local secrets = require "deskpilot.model.secrets"

local export = {}

--- The result object before the first event: that of a run that was killed, unless `add` hears of its end.
---@param folder string
---@return table result
function export.begin(folder)
  return { status = "interrupted", reason = "the journal has no end: the program was killed", turns = 0, actions = 0,
    seconds = 0, run_dir = folder, model = spending.new(), time = time_share.new() }
end

--- What had to be guessed to read the answers of each model: in how many of them, their scores together, and each kind.
---@param model table whose `repairs` it becomes
---@param event table of the journal
function export.add_repairs(model, event)
  if event.event ~= "model_reply" or type(event.repairs) ~= "table" then return end
  local name = type(event.model) == "string" and event.model or "?"
  model.repairs = model.repairs or {}
  local sum = model.repairs[name] or { answers = 0, score = 0, kinds = {} }
  model.repairs[name] = sum
  sum.answers, sum.score = sum.answers + 1, sum.score + (tonumber(event.repairs.score) or 0)
  for kind, count in pairs(type(event.repairs.kinds) == "table" and event.repairs.kinds or {}) do
    sum.kinds[kind] = (sum.kinds[kind] or 0) + (tonumber(count) or 0)
  end
end

--- Takes an event into the result. `task_result` and `phase` are those of the run's own goal; a goal within it
--- (run:achieve) gives its own to who asked for it.
---@param result table
---@param event table
function export.add(result, event)
  result.seconds = math.max(result.seconds, event.at or 0)
  time_share.add(result.time, event, event.event)
  if not event.goal then
    result.task_result = event.task_result or result.task_result
    if event.event == "phase_change" then result.phase = event.to end
  end
  if event.event == "run_start" and type(event.parent) == "table" then result.parent = event.parent.run end
  if event.event == "turn_start" then result.turns = math.max(result.turns, event.turn or 0)
  elseif event.event == "action" then result.actions = result.actions + 1
  elseif event.event == "model_reply" then
    if type(event.tokens) == "table" then result.tokens = token_count.add(result.tokens, event.tokens) end
    spending.add(result.model, tostring(event.persona), spending.of_event(event))
    export.add_repairs(result.model, event)
  elseif event.event == "run_end" then
    result.status, result.reason = event.status or "error", event.reason or "the journal does not say why it ended"
    result.turns, result.actions = event.turns or result.turns, event.actions or result.actions
  end
end

-- Lets the result hear of all events: each(fn) calls fn with one after the other, and returns what could not be read.
local function add_all(result, folder, each)
  local count = 0
  local how, err = each(function(event)
    count = count + 1
    export.add(result, event)
  end)
  result.archive = { events = count, bytes = rundir.size(folder), lost = how and journal.lost(how) }
  time_share.finish(result.time, result.seconds)
  return how, err
end

--- The result object, which --json prints. A journal without its end was interrupted.
---@param events table[] as journal.read gives them
---@param folder string
---@param how deskpilot.journal.reading? what of it could not be read
function export.result(events, folder, how)
  local result = export.begin(folder)
  add_all(result, folder, function(fn)
    for _, event in ipairs(events) do fn(event) end
    return how
  end)
  return result
end

-- The policy's own account ends as the run did.
local function finished(result)
  if type(result.task_result) == "table" then result.task_result.status = result.status end
  return result
end

-- A run of which something could not be kept has not succeeded; --json and the exit status say so too.
local good = { succeeded = true, claimed = true }

local function keep(result, ok, err)
  if not ok and good[result.status] then
    result.status, result.reason = "error", tostring(err)
    finished(result)
  end
  return not ok and err or nil
end

--- Writes result.json and trajectory.json beside the journal.
---@param folder string
---@param outcome table? {status, reason} where it is known better than from the journal, whose disk may be full
---@return table? result nil where there is no journal
---@return deskpilot.error? err what could not be written
function export.write(folder, outcome)
  local result = export.begin(folder)
  local how, why = add_all(result, folder, function(fn) return journal.each(folder, fn) end)
  if not how and not outcome then return nil, why end
  if not how then result = export.result({}, folder) end
  if outcome then result.status, result.reason = outcome.status, outcome.reason end
  result = secrets.mask_all(finished(result)) -- the outcome is not from the journal
  local err = keep(result, how, why)
  if how then err = keep(result, trajectory.write(folder)) end
  local ok, failure = files.write(files.join(folder, "result.json"), json.encode(result) .. "\n", { private = true })
  return result, keep(result, ok, failure) or err
end
return export
