--- The model clients of a run: its own, and those of the personas that have one of their own.
local api_key = require "deskpilot.model.api_key"
local errors = require "deskpilot.base.errors"
local quirks = require "deskpilot.model.quirks"
local providers = require "deskpilot.model.provider"
local replay = require "deskpilot.model.replay"

local run_models = {}

-- What a model client needs to know: of the run's model, or of a persona's or a goal's `own`.
local function model_options(settings, own)
  local endpoint, delay = settings:get "model.endpoint", settings:get "model.retry_delay"
  local key, from, withheld = own.api_key, own.api_key_from, own.api_key_withheld
  -- Whoever is asked elsewhere is not shown the key.
  if not key and (own.endpoint or endpoint) == endpoint then
    key, from, withheld = api_key.for_address(settings, "model.endpoint", "model.api_key_file")
  end
  return { endpoint = own.endpoint or endpoint, model = own.model or settings:get "model.name", api_key = key,
    api_key_from = from, api_key_withheld = withheld, api_key_option = own.api_key_option,
    timeout = settings:get "model.timeout", connect_timeout = settings:get "model.connect_timeout",
    stall = settings:get "model.stall", stream = settings:get "model.stream", cache = quirks.path(),
    retries = settings:get "model.retries", backoff = delay and { delay } or nil,
    wire = own.wire or not own.endpoint and settings:get "model.wire" or nil, models = settings:get "models" }
end

-- "MODEL at SERVER" of model.fallback. A server that is named by its provider is sent that provider's key, and any
-- other one none, unless it is the run's own.
local function fallback_options(settings, entry)
  local model, server = entry:match("^(%S+)%s+at%s+(%S+)$")
  if not server then
    if entry:find("%s") then
      return errors.fail("invalid", "model.fallback: %q is neither MODEL nor MODEL at SERVER", entry)
    end
    return model_options(settings, { model = entry })
  end
  if server:find("[/:]") then return model_options(settings, { model = model, endpoint = server }) end
  local found, err = providers.find(server)
  if not found then return errors.fail("invalid", "model.fallback: %s", tostring(err)) end
  return model_options(settings, { model = model, endpoint = found.endpoint, api_key_from = found.key,
    api_key = found.key and settings:variable(found.key) or nil })
end

local function all_fallbacks(settings)
  local list = {}
  for i, entry in ipairs(settings:get "model.fallback") do
    local options, err = fallback_options(settings, entry)
    if not options then return nil, err end
    list[i] = options
  end
  return list
end

--- What the clients need to know of the run's model (as "") and of the personas' that have one of their own.
---@param settings deskpilot.config
---@return table<string, deskpilot.model.options>? all, deskpilot.error? err
function run_models.options(settings)
  local all = { [""] = model_options(settings, {}) }
  if replay.folder(all[""].model) then return all end -- the recorded run answers for all of them
  local fallback, err = all_fallbacks(settings)
  if not fallback then return nil, err end
  all[""].fallback = fallback
  for name, own in pairs(settings:get "personas") do
    for field, value in pairs(own) do
      if value == "" then own[field] = nil end
    end
    local address = own.endpoint and ("personas.%s.endpoint"):format(name) or "model.endpoint"
    own.api_key_option = ("personas.%s.api_key_file"):format(name)
    own.api_key, own.api_key_from, own.api_key_withheld = api_key.for_address(settings, address, own.api_key_option)
    if own.model or own.endpoint or own.api_key or own.wire then
      all[name] = model_options(settings, own)
      all[name].fallback = fallback
    end
  end
  return all
end

-- A client, and those that are asked in its place.
local function open_chain(options)
  local client = require "deskpilot.model.client"
  local first, err = client.new(options)
  local last = first
  for _, other in ipairs(first and options.fallback or {}) do
    last.fallback, err = client.new(other)
    if not last.fallback then return nil, err end
    last = last.fallback
  end
  return first, err
end

--- The model of the run, and those of the personas that have one of their own.
---@param all table<string, deskpilot.model.options>
---@return deskpilot.model.client? model, table<string, deskpilot.model.client>|deskpilot.error personas
function run_models.open(all)
  local model, personas = nil, {}
  for name, options in pairs(all) do
    local opened, err = open_chain(options)
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
---@param own { model: string?, endpoint: string?, wire: string? }
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

-- Whether one of them is there; of none, what is wrong with the first.
local function probe_chain(options)
  local check = require "deskpilot.model.probe".check
  local ok, err = check(options)
  for _, other in ipairs(ok and {} or options.fallback or {}) do ok = ok or check(other) end
  return ok, err
end

--- Whether the models are there, before anybody waits for a desktop. A script asks one when it comes to it, if ever.
---@param plan { policy: deskpilot.policy?, models: table<string, deskpilot.model.options> }
---@return boolean? ok, deskpilot.error? err
function run_models.probe(plan)
  if not plan.policy then return true end
  for _, name in ipairs(asked_models(plan.policy, plan.models)) do
    local ok, err = probe_chain(plan.models[name])
    if not ok then
      return errors.fail(err.code, "%s%s", name == "" and "" or ("the persona %s: "):format(name), tostring(err))
    end
  end
  return true
end

return run_models
