--- What run:achieve is told of a goal: the options of the call, and the models that a goal has of its own.
local errors = require "deskpilot.base.errors"
local goal_limits = require "deskpilot.agent.goal_limits"
local text = require "deskpilot.base.text"

local goal_options = {}

-- The model that the configuration gives a persona (personas.NAME), which may have a key.
local function configured_model(run, name, entry)
  local first = run.goal
  while first.parent do first = first.parent end
  local client = first.models and first.models[entry]
  if client then return client end
  return errors.fail("not_found", "%s: the configuration gives no persona %q a model (personas.%s.model)%s", name,
    tostring(entry), tostring(entry), text.did_you_mean(tostring(entry), text.keys(first.models or {})))
end

local function own_model(run, name, own)
  if type(own) == "string" then own = { model = own } end
  if type(own) ~= "table" or not (own.model or own.endpoint or own.persona) then
    return errors.fail("invalid", "%s must be a model's name, or a table such as { model = \"name\", endpoint = "
      .. "\"http://...\" } or { persona = \"vision\" }", name)
  end
  if own.persona then return configured_model(run, name, own.persona) end
  if not run.open_model then return errors.fail("unsupported", "this run cannot ask another model") end
  local model, err = run.open_model { model = own.model, endpoint = own.endpoint, wire = own.wire }
  if not model then return errors.fail(err.code, "%s: %s", name, tostring(err)) end
  return model
end

--- The models of a goal that has its own.
---@param run deskpilot.run
---@param own deskpilot.goal_model? of all its personas that have none of their own
---@param personas table<string, deskpilot.goal_model>? by the personas' names
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

--- A model's name; or a name and a server's address, of which what is missing is as in the configuration; or the model
--- that the configuration has for a persona (`personas.NAME`), where it may have a key of its own.
---@alias deskpilot.goal_model string|{ model: string?, endpoint: string?, wire: string?, persona: string? }

--- A part of the work for an agent.
---@class deskpilot.goal_options
---@field goal string what is to be done
---@field policy string? how the agent thinks; the run's own if not given
---@field tools string[]? the names of those that it may use, of those that the goal around it has; `report_completion`
---  need not be named
---@field limits deskpilot.goal_limits? what it may spend, and never more than the goal around it has left
---@field model deskpilot.goal_model? the model that it asks
---@field personas table<string, deskpilot.goal_model>? the models of some of its personas
---@field verify (fun(m: deskpilot.run): boolean|deskpilot.verdict|nil, any)? whether it is reached
---@field indicators string[]? texts that are all on the screen when it is reached
---@field accept_claims boolean? whether the agent's word is enough where nothing checks it; as configured if not given

local goal_fields = { goal = "string", policy = "string", tools = "table", limits = "table", model = true,
  personas = "table", verify = true, indicators = "table", accept_claims = "boolean" }

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
