--- The model clients of a run: its own, and those of the personas that have one of their own.
local api_key = require "deskpilot.model.api_key"
local errors = require "deskpilot.base.errors"
local replay = require "deskpilot.model.replay"

local run_models = {}

-- What a model client needs to know: of the run's model, or of a persona's or a goal's `own`.
local function model_options(settings, own)
  local endpoint = settings:get "model.endpoint"
  local key, from, withheld = own.api_key, own.api_key_from, own.api_key_withheld
  -- Whoever is asked elsewhere is not shown the key.
  if not key and (own.endpoint or endpoint) == endpoint then
    key, from, withheld = api_key.for_address(settings, "model.endpoint", "model.api_key_file")
  end
  return { endpoint = own.endpoint or endpoint, model = own.model or settings:get "model.name", api_key = key,
    api_key_from = from, api_key_withheld = withheld, api_key_option = own.api_key_option,
    timeout = settings:get "model.timeout", connect_timeout = settings:get "model.connect_timeout",
    retries = settings:get "model.retries" }
end

--- What the clients need to know of the run's model (as "") and of the personas' that have one of their own.
---@param settings deskpilot.config
---@return table<string, deskpilot.model.options>
function run_models.options(settings)
  local all = { [""] = model_options(settings, {}) }
  if replay.folder(all[""].model) then return all end -- the recorded run answers for all of them
  for name, own in pairs(settings:get "personas") do
    for field, value in pairs(own) do
      if value == "" then own[field] = nil end
    end
    local address = own.endpoint and ("personas.%s.endpoint"):format(name) or "model.endpoint"
    own.api_key_option = ("personas.%s.api_key_file"):format(name)
    own.api_key, own.api_key_from, own.api_key_withheld = api_key.for_address(settings, address, own.api_key_option)
    if own.model or own.endpoint or own.api_key then all[name] = model_options(settings, own) end
  end
  return all
end

--- The model of the run, and those of the personas that have one of their own.
---@param all table<string, deskpilot.model.options>
---@return deskpilot.model.client? model, table<string, deskpilot.model.client>|deskpilot.error personas
function run_models.open(all)
  local model, personas = nil, {}
  for name, options in pairs(all) do
    local opened, err = require "deskpilot.model.client".new(options)
    if not opened then
      return errors.fail(err.code, "%s%s", name == "" and "" or ("personas.%s: "):format(name), tostring(err))
    end
    if name == "" then model = opened else personas[name] = opened end
  end
  return model, personas
end

--- A client for a goal or a persona with a model of its own; a recorded run answers for all of them.
---@param settings deskpilot.config
---@param model deskpilot.model.client the run's
---@param own { model: string?, endpoint: string? }
---@return deskpilot.model.client? client, deskpilot.error? err
function run_models.another(settings, model, own)
  if model.replay then return model end
  return require "deskpilot.model.client".new(model_options(settings, own))
end

-- The models that the policy's personas ask, by "" or the persona's name, without those that it can do without.
local function asked_models(policy, all)
  local asked, shares = {}, next(policy.personas or {}) == nil
  for name, persona in pairs(policy.personas or {}) do
    if not persona.optional and all[name] then asked[#asked + 1] = name end
    shares = shares or not persona.optional and not all[name]
  end
  table.sort(asked)
  if shares then table.insert(asked, 1, "") end
  return asked
end

--- Whether the models are there, before anybody waits for a desktop. A script asks one when it comes to it, if ever.
---@param plan { policy: deskpilot.policy?, models: table<string, deskpilot.model.options> }
---@return boolean? ok, deskpilot.error? err
function run_models.probe(plan)
  if not plan.policy then return true end
  for _, name in ipairs(asked_models(plan.policy, plan.models)) do
    local ok, err = require "deskpilot.model.probe".check(plan.models[name])
    if not ok then
      return errors.fail(err.code, "%s%s", name == "" and "" or ("the persona %s: "):format(name), tostring(err))
    end
  end
  return true
end

return run_models
