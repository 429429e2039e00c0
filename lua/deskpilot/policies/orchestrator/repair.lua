--- Going over an earlier run: its steps are told with what came of each, and the steps that reach the goal now are kept
--- as data (mended.json), which may be gone over again, and as a mission that does them without a model (mended.lua).
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local history = require "deskpilot.agent.history"
local json = require "deskpilot.base.json"
local repeated = require "deskpilot.agent.repeated"
local secrets = require "deskpilot.model.secrets"
local text = require "deskpilot.base.text"

local repair = {}

local most_bytes = 64 * 2 ^ 20 // 1
local most_lines, longest = 25, 160

--- Whether the run mends an earlier one.
---@param run deskpilot.run
---@return boolean
function repair.is_on(run)
  return run.config:get "orchestrator.mode" == "repair"
end

-- A run's folder means its trajectory.
local function read(path)
  if path == "" then
    return errors.fail("invalid", "orchestrator.mode = repair needs orchestrator.repair: the folder of a run, its "
      .. "trajectory.json, or a mended.json")
  end
  local words, err = files.read(files.join(path, "trajectory.json"), most_bytes)
  if not words then words, err = files.read(path, most_bytes) end
  if not words then return nil, err end
  local data = json.decode(words)
  if type(data) == "table" and type(data.steps) == "table" then return data end
  return errors.fail("invalid", "%s has no steps of a run", path)
end

-- One step of a trajectory or of a mended run; nil where nothing was done in it.
local function step_of(item)
  if type(item) ~= "table" then return nil end
  local action = type(item.action) == "table" and item.action or item
  local result = type(item.result) == "table" and item.result or { ok = true, text = "done" }
  if type(action.tool) ~= "string" then return nil end
  local args = type(action.args) == "table" and action.args or {}
  local element = type(action.element) == "table" and action.element.name
  local line = history.line(text.cut(action.tool, 60), args, result.ok ~= false, tostring(result.text or ""))
  if type(element) == "string" then line = ("%s on %q"):format(line, text.cut(text.one_line(element), 40)) end
  return { goal = type(item.goal) == "string" and item.goal or nil, ok = result.ok ~= false,
    line = text.cut(line, longest) }
end

-- Of many the first that failed is what matters, with what led to it.
local function lines_of(steps)
  local first = 1
  for i, step in ipairs(steps) do
    if not step.ok then
      first = math.max(1, i - most_lines // 2)
      break
    end
  end
  first = math.max(1, math.min(first, #steps - most_lines + 1))
  local lines = {}
  if first > 1 then lines[1] = ("  (%d steps before these were done)"):format(first - 1) end
  for i = first, math.min(#steps, first + most_lines - 1) do
    lines[#lines + 1] = ("  %d. %s"):format(i, steps[i].line)
  end
  return lines
end

--- Reads the steps that are to be gone over: of a goal of a list those that were done for the same one.
---@param run deskpilot.run
function repair.begin(run)
  if not repair.is_on(run) then return end
  local data, err = read(run.config:get "orchestrator.repair")
  if not data then return run:stop("error", tostring(err)) end
  local path, steps, failed = run.goal.parent and run.goal.path, {}, 0
  for _, item in ipairs(data.steps) do
    local step = step_of(item)
    if step and (not path or step.goal == path) then
      steps[#steps + 1] = step
      failed = failed + (step.ok and 0 or 1)
    end
  end
  run.state.before = { lines = lines_of(steps), steps = #steps, failed = failed }
  run:note(("%d steps of the earlier run are gone over, of which %d had failed"):format(#steps, failed))
end

--- What the request tells of them; nil where there is nothing.
---@param run deskpilot.run
---@return string[]? note
function repair.note(run)
  local before = run.state.before
  if not before or #before.lines == 0 then return nil end
  return { "STEPS OF THE EARLIER RUN", table.concat(before.lines, "\n") }
end

-- What was done in vain is not kept.
local function steps_now(run)
  local list = {}
  for _, action in ipairs(run.history.actions) do
    if action.ok then
      list[#list + 1] = { goal = run.goal.parent and run.goal.path or nil, tool = action.tool, args = action.args,
        on = action.element, why = not action.args.justification and action.why or nil }
    end
  end
  return list
end

-- As a mission, where the run has kept its own.
local function save_mission(run, steps)
  local source = files.read(files.join(run.dir.path, "mission.lua"))
  if not source then return nil end
  local title = ("%s (in %d steps)"):format(text.cut(text.one_line(run.mission.task), 90), #steps)
  return run.dir:save("mended.lua", secrets.mask(repeated.source(title, source, steps)))
end

local function save(run, steps)
  local ok, err = run.dir:save_json("mended.json", { task = run.mission.task, from = run.config:get
    "orchestrator.repair", steps = json.list(steps) })
  if not ok then return run:note("mended.json could not be written: " .. tostring(err)) end
  run:note(("the %d steps that reach the goal are in mended.json"):format(#steps))
  local kept, why = save_mission(run, steps)
  if kept then run:note("without a model: deskpilot run " .. files.join(run.dir.path, "mended.lua"))
  elseif why then run:note("mended.lua could not be written: " .. tostring(why)) end
end

--- Keeps the steps of a goal that was reached, and with the last one the files.
---@param run deskpilot.run
function repair.finish(run)
  local outcome, lead = run.outcome, run.goal.parent
  if not (repair.is_on(run) and outcome) then return end
  if outcome.status ~= "succeeded" and outcome.status ~= "claimed" then return end
  local state = run.state.place and lead.state or run.state
  state.mended = state.mended or {}
  if not run.mission.goals or lead then
    local now = steps_now(run)
    table.move(now, 1, #now, #state.mended + 1, state.mended)
  end
  if run.state.place then return end -- who leads keeps the file
  save(run, state.mended)
end

return repair
