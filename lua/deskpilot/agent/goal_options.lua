--- What run:achieve is told of a goal: the options of the call, and the models that a goal has of its own.
local errors = require "deskpilot.base.errors"
local goal_limits = require "deskpilot.agent.goal_limits"
local text = require "deskpilot.base.text"

local goal_options = {}

local function own_model(run, name, own)
  if type(own) == "string" then own = { model = own } end
  if type(own) ~= "table" or not (own.model or own.endpoint) then
    return errors.fail("invalid", "%s must be a model's name, or a table such as { model = \"name\", endpoint = "
      .. "\"http://...\" }", name)
  end
  if not run.open_model then return errors.fail("unsupported", "this run cannot ask another model") end
  local model, err = run.open_model { model = own.model, endpoint = own.endpoint }
  if not model then return errors.fail(err.code, "%s: %s", name, tostring(err)) end
  return model
end

--- The models of a goal that has its own.
---@param run deskpilot.run
---@param own string|{ model: string?, endpoint: string? }|nil of all its personas that have none of their own
---@param personas table<string, string|{ model: string?, endpoint: string? }>? by the personas' names
---@return deskpilot.model.client? model, table<string, deskpilot.model.client>? models, deskpilot.error? err
function goal_options.models(run, own, personas)
  local model, models, err = nil, own and {} or nil, nil
  if own then model, err = own_model(run, "model", own) end
  if personas and not models then
    models = {}
    for name, client in pairs(run.models or {}) do models[name] = client end
  end
  for name, one in pairs(personas or {}) do
    if not err then models[name], err = own_model(run, "personas." .. tostring(name), one) end
  end
  if err then return nil, nil, err end
  return model, models
end

--- A part of the work for an agent.
---@class deskpilot.goal_options
---@field goal string what is to be done
---@field policy string? how the agent thinks; the run's own if not given
---@field tools string[]? the names of those that it may use, of those that the goal around it has; `report_completion`
---  need not be named
---@field limits deskpilot.goal_limits? what it may spend, and never more than the goal around it has left
---@field model string|{ model: string?, endpoint: string? }|nil the model that it asks
---@field personas table<string, string|{ model: string?, endpoint: string? }>? the models of some of its personas
---@field verify (fun(m: deskpilot.run): boolean|deskpilot.verdict|nil, any)? whether it is reached
---@field indicators string[]? texts that are all on the screen when it is reached

local goal_fields = { goal = "string", policy = "string", tools = "table", limits = "table", model = true,
  personas = "table", verify = true, indicators = "table" }

--- The options of a call of achieve, in one table. The caller's mistakes are errors.
---@param goal string|deskpilot.goal_options
---@param options deskpilot.goal_options?
---@return deskpilot.goal_options
function goal_options.read(goal, options)
  local all = {}
  for key, value in pairs(options or {}) do all[key] = value end
  if type(goal) == "table" then for key, value in pairs(goal) do all[key] = value end else all.goal = goal end
  for key, value in pairs(all) do
    local want = goal_fields[key]
    if not want then
      errors.mistake("achieve knows no %q%s", tostring(key), text.did_you_mean(tostring(key), text.keys(goal_fields)))
    end
    if want ~= true and type(value) ~= want then errors.mistake("achieve: %s must be a %s", key, want) end
  end
  local problem = not all.goal and "goal must say what is to be done" or goal_limits.problem(all.limits)
  if problem then errors.mistake("%s", "achieve: " .. problem) end
  return all
end

return goal_options
