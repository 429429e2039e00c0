--- Where the keys of a configuration come together: those of the program's own floors, and those of the policies,
--- guards and tools that are in use or that somebody has set.
local config = require "deskpilot.base.config"
local config_keys = require "deskpilot.base.config_keys"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local lookup = require "deskpilot.base.lookup"
local plugins = require "deskpilot.agent.plugins"
local policy_options = require "deskpilot.agent.policy_options"
local provider = require "deskpilot.model.provider"
local secrets = require "deskpilot.model.secrets"

local settings = {}

local floors = {
  desk = require "deskpilot.desk.config_keys",
  mcp = require "deskpilot.mcp.config_keys",
  model = require "deskpilot.model.config_keys",
  agent = require "deskpilot.agent.config_keys",
  cli = require "deskpilot.cli.config_keys",
}

-- Few files first.
local kinds = { "guards", "policies", "tools" }

---@class deskpilot.settings
---@field keys deskpilot.config_keys
---@field loaded table<string, deskpilot.plugin> by kind and name: "policies/odev"
local Settings = {}
Settings.__index = Settings

--- The keys of the program's own floors; plugins are added by load.
---@return deskpilot.settings
function settings.new()
  local self = setmetatable({ keys = config_keys.new(), loaded = {} }, Settings)
  for floor, groups in pairs(floors) do
    for i, group in ipairs(groups) do
      assert(self.keys:add { owner = floor .. i, where = "deskpilot itself", ships = true, section = group.section,
        options = group.options })
    end
  end
  return self
end

--- Loads a policy, guard or tool and takes in its options.
---@param kind "policies"|"guards"|"tools"
---@param name string
---@param ships boolean? as for lookup.load
---@return deskpilot.plugin? plugin, deskpilot.error? err names the file
function Settings:load(kind, name, ships)
  local id = kind .. "/" .. tostring(name)
  if self.loaded[id] then return self.loaded[id] end
  local plugin, declaration = plugins.load(kind, name, ships)
  if not plugin then return nil, declaration end
  if declaration then
    local ok, err = self.keys:add(declaration)
    if not ok then return nil, err end
  end
  self.loaded[id] = plugin
  return plugin
end

--- Loads every one of a kind.
---@param kind "policies"|"guards"|"tools"
---@return { name: string, plugin: deskpilot.plugin }[]? list in the order of their names
---@return deskpilot.error? err
function Settings:load_all(kind)
  local list = {}
  local names, own = lookup.list(kind)
  for _, name in ipairs(names) do
    local plugin, err = self:load(kind, name, not own[name])
    if not plugin then return nil, err end
    list[#list + 1] = { name = name, plugin = plugin }
  end
  return list
end

-- Those whose file is named as a section is that nobody has declared.
local function load_named(self, unknown)
  for _, name in ipairs(unknown) do
    local section = name:match("^[%w_]+")
    for _, kind in ipairs(section and kinds or {}) do
      if lookup.has(kind, section) then
        local plugin, err = self:load(kind, section)
        if not plugin then return nil, err end
      end
    end
  end
  return true
end

-- A file may have its options in a section of another name, so that all of them have to be read before a name is called
-- unknown. One that cannot be read is told of only where a name stays unknown.
local function load_rest(self, sources)
  local problems = {}
  for _, kind in ipairs(kinds) do
    for _, name in ipairs((lookup.list(kind))) do
      local plugin, err = self:load(kind, name)
      if not plugin then problems[#problems + 1] = tostring(err) end
    end
    if #config.unknown(self.keys, sources) == 0 then return {} end
  end
  return problems
end

-- The sources of values, the later ones win.
local function ranks(sources)
  local rank = { default = 0 }
  for i, layer in ipairs(sources.layers or {}) do rank[layer.source] = i end
  local count = #(sources.layers or {})
  rank["the environment"], rank["a flag"] = count + 1, count + 2
  return rank
end

-- What is read here must show nowhere.
local function register_secrets(resolved)
  if not resolved then return end
  for _, key in pairs(resolved.keys.by_name) do secrets.register((resolved:secret(key.name))) end
  for name in pairs(resolved.values) do secrets.register((resolved:secret(name))) end
end

-- What the run's policy calls by names of its own.
local function use_policy(self, resolved)
  local name = resolved:get "policy"
  local policy = self.loaded["policies/" .. name]
  if policy then policy_options.use(resolved, name, policy) end
end

--- Puts a configuration together. Of the policies, guards and tools that were not loaded those are loaded that are
--- needed to know every name in it.
---@param sources deskpilot.config_sources
---@return deskpilot.config? config, deskpilot.error? err code "invalid", a line for each problem
---@return deskpilot.config? rest where there is an error: what is right, and defaults for what is wrong
function Settings:resolve(sources)
  local problems = {}
  local unknown = config.unknown(self.keys, sources)
  if #unknown > 0 then
    local ok, err = load_named(self, unknown)
    if not ok then return nil, err, select(3, config.resolve(self.keys, sources)) end
    if #config.unknown(self.keys, sources) > 0 then problems = load_rest(self, sources) end
  end
  local resolved, err, rest = config.resolve(self.keys, sources)
  register_secrets(resolved or rest)
  if resolved then
    resolved.rank = ranks(sources)
    local ok, why = provider.apply(resolved, resolved.rank)
    if not ok then return nil, why, resolved end
    use_policy(self, resolved)
  end
  if resolved or #problems == 0 then return resolved, err, rest end
  table.insert(problems, 1, tostring(err))
  return nil, errors.new("invalid", "%s", table.concat(problems, "\n")), rest
end

--- The value of one of the program's own keys, before anybody's file is run. Nothing else is looked at.
---@param sources deskpilot.config_sources
---@param name string dotted
---@return any value, string? where the place that it is from; nil for the default
function Settings:peek(sources, name)
  return config.peek(self.keys, sources, name)
end

--- Whether there are policies, guards or tools of the user's own in these folders, which may declare what nothing that
--- ships does. They are programs: who only tells of the configuration runs none of them.
---@param folders string[]
---@return boolean
function settings.has_own_plugins(folders)
  for _, folder in ipairs(folders) do
    for _, kind in ipairs(kinds) do
      if #(files.list(files.join(folder, "deskpilot", kind)) or {}) > 0 then return true end
    end
  end
  return false
end

--- The layers of the configuration files.
---@param found deskpilot.config_files
---@return deskpilot.config_layer[]
function settings.file_layers(found)
  local function path(folder, name) return folder and files.join(folder, name) end
  return { { source = "the user configuration", values = found.user, where = path(found.user_folder, "config.lua") },
    { source = "the project's deskpilot.lua", by = "project", values = found.project,
      where = path(found.project_folder, "deskpilot.lua") } }
end

return settings
