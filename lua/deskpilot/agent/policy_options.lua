--- A policy's options that are names for shared keys of the configuration (`sets` in their declaration): `max_steps` of
--- task_executor is limits.turns. They hold while a goal of that policy is worked on, and no longer. Where both names
--- are set, the one that was said in the stronger place counts, and of two in the same place the policy's own. What
--- nobody has set has the policy's default.
local text = require "deskpilot.base.text"

local policy_options = {}

-- By the configuration: what its shared keys were before a policy had changed them, and what it has made of them.
local changed = setmetatable({}, { __mode = "k" })

local function shared_keys(declared)
  return type(declared.sets) == "table" and declared.sets or { declared.sets }
end

-- What the policy before has changed is as it was, unless somebody else has set it since.
local function put_back(config)
  for name, kept in pairs(changed[config] or {}) do
    if config.values[name] == kept.now and config.sources[name] == kept.now_from then
      config.values[name], config.sources[name] = kept.was, kept.was_from
    end
  end
  changed[config] = {}
end

-- A key of a plugin that this program has not loaded is nobody's concern here.
local function take(config, own, shared, value, from)
  if not config.keys:find(shared) then return end
  local rank, shared_from = config.rank or {}, config.sources[shared] or "default"
  if (rank[shared_from] or math.huge) > (rank[from] or math.huge) then return end
  changed[config][shared] = changed[config][shared] or { was = config.values[shared], was_from = shared_from }
  local kept = changed[config][shared]
  kept.now, kept.now_from, kept.own = value, from, own
  config.values[shared], config.sources[shared] = value, from
end

--- Gives the shared keys the values that a policy's options have, in place of those of the policy before.
---@param config deskpilot.config
---@param name string the policy's
---@param policy deskpilot.policy
function policy_options.use(config, name, policy)
  put_back(config)
  for _, key in ipairs(text.keys(policy.options or {})) do
    local declared = policy.options[key]
    local own = (declared.section or policy.section or name) .. "." .. key
    local value, from = config.values[own], config.sources[own] or "default"
    if value ~= nil then
      for _, shared in ipairs(shared_keys(declared)) do take(config, own, shared, value, from) end
      for shared, other in pairs(from ~= "default" and declared.with or {}) do
        take(config, own, shared, other, from)
      end
    end
  end
end

--- The name by which a key was set: the policy's own, where that counts.
---@param config deskpilot.config
---@param shared string
---@return string
function policy_options.name_of(config, shared)
  local kept = changed[config] and changed[config][shared]
  return kept and config.sources[shared] == kept.now_from and kept.own or shared
end

--- What a goal of that policy may spend, by its options that are names for limits. `use` has come before.
---@param config deskpilot.config
---@param policy deskpilot.policy
---@return deskpilot.goal_limits
function policy_options.limits(config, policy)
  local limits = {}
  for _, declared in pairs(policy.options or {}) do
    for _, shared in ipairs(shared_keys(declared)) do
      local limit = shared:match "^limits%.(%l+)$"
      if limit then limits[limit] = config:get(shared) end
    end
  end
  return limits
end

return policy_options
