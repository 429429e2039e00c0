--- Reads what a run was into one form, to be compared with another: the journal of a run's folder, or a
--- trajectory.json, which may be of another version of deskpilot or of another program that keeps to the same names
--- (task_goal, task_id, total_steps, duration, status; steps of thinking, action and result). Files come from anywhere:
--- what is not as it should be is left out.
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local text = require "deskpilot.base.text"
local trajectory = require "deskpilot.agent.trajectory"

local import = {}

---@class deskpilot.imported_step
---@field tool string the action's name; "(none)" where there was none
---@field args table its arguments
---@field ok boolean? whether it was done; nil where that is not known
---@field text string? what came of it
---@field thinking string?

---@class deskpilot.imported_run
---@field name string
---@field goal string?
---@field status string
---@field reason string?
---@field duration number? seconds
---@field steps deskpilot.imported_step[]
---@field totals table<string, number> what is known of those of trajectory.schema.json

local largest = 512 * 2 ^ 20 -- bytes of a file: with its pictures in it
local most_steps = 100000

local function words(value, limit)
  if type(value) ~= "string" or value == "" then return nil end
  return text.cut(value, limit or 4000)
end

local function number(value)
  value = type(value) == "number" and value or nil
  return value and value == value and math.abs(value) < math.huge and value or nil
end

local function first_words(object, ...)
  for _, key in ipairs { ... } do
    local found = words(object[key])
    if found then return found end
  end
end

local function first_number(object, ...)
  for _, key in ipairs { ... } do
    local found = number(object[key])
    if found then return found end
  end
end

-- A call as a table of its own ({ tool, args }), or with its arguments beside its name ({ action = "tap", x = 1 }).
local function action_of(action)
  if type(action) == "string" then return words(action, 200) or "(none)", {} end
  if type(action) ~= "table" then return "(none)", {} end
  local name = first_words(action, "tool", "action", "action_type", "type", "name") or "(none)"
  for _, key in ipairs { "args", "arguments", "parameters", "params" } do
    if type(action[key]) == "table" then return name, action[key] end
  end
  local args, own = {}, { tool = true, action = true, action_type = true, type = true, name = true, persona = true,
    point = true, element = true }
  for key, value in pairs(action) do
    if not own[key] then args[key] = value end
  end
  return name, args
end

local good = { ok = true, success = true, succeeded = true, done = true, ["true"] = true }

local function result_of(result)
  if type(result) == "boolean" then return result end
  if type(result) == "string" then return good[result:lower()] or nil, words(result) end
  if type(result) ~= "table" then return nil end
  local ok, said = nil, first_words(result, "text", "message", "error", "output")
  for _, key in ipairs { "ok", "success" } do
    if type(result[key]) == "boolean" then ok = result[key] end
  end
  if ok == nil and words(result.error) then ok = false end
  return ok, said
end

local function step_of(step)
  if type(step) ~= "table" then return nil end
  local tool, args = action_of(step.action)
  local ok, said = result_of(step.result)
  return { tool = tool, args = args, ok = ok, text = said, thinking = first_words(step, "thinking", "thought",
    "agent_thinking", "reasoning") }
end

-- Version 1 had a step for each turn, with a list of actions.
local function of_turn(step)
  local list = {}
  for i, action in ipairs(step.actions) do
    if type(action) == "table" then
      list[#list + 1] = { tool = words(action.tool, 200) or "(none)", args = type(action.args) == "table"
        and action.args or {}, ok = action.ok == true, text = words(action.result) }
    end
    if i > most_steps then break end
  end
  return list
end

local function steps_of(list)
  local steps = {}
  for _, step in ipairs(type(list) == "table" and list or {}) do
    if #steps >= most_steps then break end
    if type(step) == "table" and type(step.actions) == "table" then
      for _, one in ipairs(of_turn(step)) do steps[#steps + 1] = one end
    else
      steps[#steps + 1] = step_of(step)
    end
  end
  return steps
end

local function totals_of(value, steps)
  local totals, failed = {}, 0
  for key, amount in pairs(type(value.totals) == "table" and value.totals or {}) do
    totals[key] = type(key) == "string" and number(amount) or nil
  end
  for _, step in ipairs(steps) do
    if step.ok == false then failed = failed + 1 end
  end
  totals.failed = totals.failed or failed
  return totals
end

-- A trajectory as a file holds it.
local function of_value(value, name)
  if type(value) ~= "table" or type(value.steps or value.trajectory) ~= "table" then
    return errors.fail("protocol", "%s is no trajectory: it has no list of steps", name)
  end
  local version = value.version
  if math.type(version) == "integer" and version > trajectory.version then
    return errors.fail("unsupported", "%s is of version %d, this deskpilot reads trajectories up to version %d: use a "
      .. "newer deskpilot", name, version, trajectory.version)
  end
  local steps = steps_of(value.steps or value.trajectory)
  return { name = first_words(value, "task_id", "id") or name, goal = first_words(value, "task_goal", "goal", "task",
    "instruction"), status = first_words(value, "status") or "unknown", reason = first_words(value, "reason"),
    duration = first_number(value, "duration", "duration_seconds", "total_duration"), steps = steps,
    totals = totals_of(value, steps) }
end

local function of_file(path)
  local content, err = files.read(path, largest)
  if not content then return nil, err end
  local ok, value = pcall(json.decode, content)
  if not ok or value == nil then return errors.fail("protocol", "%s is no JSON", path) end
  return of_value(value, path)
end

--- Reads a run.
---@param path string a run directory, its journal, or a trajectory.json
---@return deskpilot.imported_run? run, deskpilot.error? err
---@return string? lost what of it could not be read
function import.read(path)
  local folder, name = files.split(path)
  if name == "journal.jsonl" then path = folder end
  if not files.exists(files.join(path, "journal.jsonl")) then
    local inside = files.join(path, "trajectory.json")
    if files.exists(inside) then path = inside end
    return of_file(path)
  end
  local events, how = journal.read(path)
  if not events then return nil, how end
  local run, err = of_value(trajectory.of(path, events, journal.lost(how)), path)
  return run, err, journal.lost(how)
end

return import
