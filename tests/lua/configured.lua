--- A configuration as a run has it: everything that ships has declared its options.
local settings_module = require "deskpilot.cli.settings"
local toolbox = require "deskpilot.agent.toolbox"

local configured = {}

--- Settings that know every key that ships, or as a run of one policy has them.
---@param policy string? its name: others are not loaded
---@return deskpilot.settings settings, table tools as the toolbox takes them
function configured.settings(policy)
  local settings = settings_module.new()
  assert(settings:load_all "guards")
  assert(policy and settings:load("policies", policy) or not policy and settings:load_all "policies")
  return settings, assert(settings:load_all "tools")
end

--- Puts a configuration together.
---@param layers { user: table?, project: table?, project_folder: string?,
--- mission: table?, flags: table?, environment: table? }
---@return deskpilot.config? config, deskpilot.error? err, deskpilot.config? rest
function configured.resolve(layers)
  local list = settings_module.file_layers { project = layers.project or {}, user = layers.user or {},
    project_folder = layers.project_folder }
  if layers.mission then list[3] = require "deskpilot.agent.mission".layer(layers.mission) end
  return configured.settings():resolve { layers = list, environment = layers.environment or {},
    flags = layers.flags and { source = "a flag", values = layers.flags } }
end

--- Defaults, and every tool.
---@return deskpilot.config config, table toolbox
function configured.defaults()
  local settings, tools = configured.settings()
  local config = assert(settings:resolve { environment = {} })
  return config, assert(toolbox.new(tools, config))
end

return configured
