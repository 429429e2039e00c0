--- What is made of a journal when a run is over, and again from any journal later: result.json and
--- trajectory.json.
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local journal = require "deskpilot.agent.journal"
local rundir = require "deskpilot.agent.rundir"
local secrets = require "deskpilot.model.secrets"

local export = {}

--- The result object before the first event: that of a run that was killed, unless `add` hears of its end.
---@param folder string
---@return table result
function export.begin(folder)
  return { status = "interrupted", reason = "the journal has no end: the program was killed", turns = 0, actions = 0,
    seconds = 0, run_dir = folder, model = { calls = 0, input_tokens = 0, output_tokens = 0 } }
end

--- Takes an event into the result. `task_result` and `phase` are those of the run's own goal; a goal within it
--- (run:achieve) gives its own to who asked for it.
---@param result table
---@param event table
function export.add(result, event)
  result.seconds = math.max(result.seconds, event.at or 0)
  if not event.goal then
    result.task_result = event.task_result or result.task_result
    if event.event == "phase_change" then result.phase = event.to end
  end
  if event.event == "run_start" and type(event.parent) == "table" then result.parent = event.parent.run end
  if event.event == "turn_start" then result.turns = math.max(result.turns, event.turn or 0)
  elseif event.event == "action" then result.actions = result.actions + 1
  elseif event.event == "model_reply" then
    result.model.calls = result.model.calls + 1
    local usage = event.usage or {}
    result.model.input_tokens = result.model.input_tokens + (usage.input_tokens or 0)
    result.model.output_tokens = result.model.output_tokens + (usage.output_tokens or 0)
  elseif event.event == "run_end" then
    result.status, result.reason = event.status or "error", event.reason or "the journal does not say why it ended"
    result.turns, result.actions = event.turns or result.turns, event.actions or result.actions
  end
end

--- The result object, which --json prints. A journal without its end was interrupted.
---@param events table[] as journal.read gives them
---@param folder string
---@param how deskpilot.journal.reading? what of it could not be read
function export.result(events, folder, how)
  local result = export.begin(folder)
  result.archive = { events = #events, bytes = rundir.size(folder), lost = how and journal.lost(how) }
  for _, event in ipairs(events) do export.add(result, event) end
  return result
end

-- The policy's own account ends as the run did.
local function finished(result)
  if type(result.task_result) == "table" then result.task_result.status = result.status end
  return result
end

--- The steps of a run: for each turn its screenshot, the personas' answers, the actions and results.
---@param events table[] as journal.read gives them
---@param how deskpilot.journal.reading? what of it could not be read: `lost` says so
function export.trajectory(events, how)
  local out = { steps = json.list {}, lost = how and journal.lost(how) }
  local at = {} -- by turn: what follows a goal within a turn is that turn's again
  for _, event in ipairs(events) do
    local kind, step = event.event, at[event.turn]
    if kind == "run_start" then
      out.mission, out.task, out.policy, out.model = event.mission, event.task, event.policy, event.model
      out.script = event.script
    elseif kind == "goal_start" then
      out.goals = out.goals or json.list {}
      table.insert(out.goals, { goal = event.goal, task = event.task, policy = event.policy, model = event.model })
    elseif kind == "desk_call" then
      out.desk_calls = out.desk_calls or json.list {}
      table.insert(out.desk_calls, { at = event.at, call = event.call, target = event.target, ok = event.ok,
        result = event.text, seconds = event.seconds, where = event.where, times = event.times })
    elseif kind == "picture" then
      out.screenshot = event.screenshot
    elseif kind == "turn_start" then
      step = { turn = event.turn, goal = event.goal, replies = json.list {}, actions = json.list {} }
      table.insert(out.steps, step)
      at[event.turn or 0] = step
    elseif kind == "run_end" then
      out.status, out.reason = event.status, event.reason
    elseif step and kind == "observed" then
      step.screenshot, step.window = event.screenshot, event.window
    elseif step and kind == "phase_change" then
      step.phase = event.to
    elseif step and kind == "model_reply" then
      table.insert(step.replies, { persona = event.persona, content = event.content,
        tool_calls = event.tool_calls, seconds = event.seconds, request = event.request })
    elseif step and kind == "lookup" then
      step.lookups = step.lookups or json.list {}
      table.insert(step.lookups, { tool = event.tool, args = event.args, ok = event.ok, result = event.text,
        pictures = event.pictures })
    elseif step and kind == "action_result" then
      table.insert(step.actions, { tool = event.tool, args = event.args, ok = event.ok, result = event.text,
        element = event.element })
    end
  end
  return out
end

local private = { private = true }

-- A run of which something could not be kept has not succeeded; --json and the exit status say so too.
local good = { succeeded = true, claimed = true }

local function keep(result, ok, err)
  if not ok and good[result.status] then
    result.status, result.reason = "error", tostring(err)
    finished(result)
  end
  return not ok and err or nil
end

local function save(folder, name, value)
  return files.write(files.join(folder, name), json.encode(value) .. "\n", private)
end

--- Writes result.json and trajectory.json beside the journal.
---@param folder string
---@param outcome table? {status, reason} where it is known better than from the journal, whose disk may be full
---@return table? result nil where there is no journal
---@return deskpilot.error? err what could not be written
function export.write(folder, outcome)
  local events, how = journal.read(folder)
  if not events and not outcome then return nil, how end
  local result = export.result(events or {}, folder, events and how)
  if outcome then result.status, result.reason = outcome.status, outcome.reason end
  result = secrets.mask_all(finished(result)) -- the outcome is not from the journal
  local err = keep(result, events, how)
  if events then err = keep(result, save(folder, "trajectory.json", export.trajectory(events, how))) end
  return result, keep(result, save(folder, "result.json", result)) or err
end
return export
