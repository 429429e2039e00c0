--- What is wrong with one file of the user's, everything at once: the same checks by which the file is loaded for a
--- run, with the lines that they are about.
local config_files = require "deskpilot.base.config_files"
local data = require "deskpilot.base.data"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local lookup = require "deskpilot.base.lookup"
local mission_module = require "deskpilot.agent.mission"
local placeholders = require "deskpilot.cli.placeholders"
local plugins = require "deskpilot.agent.plugins"
local settings_module = require "deskpilot.cli.settings"
local source_lines = require "deskpilot.cli.source_lines"
local text = require "deskpilot.base.text"
local toolbox = require "deskpilot.agent.toolbox"
local trust = require "deskpilot.base.trust"

local checking = {}

---@class deskpilot.finding
---@field file string
---@field line integer
---@field message string

-- The folders that say what their files are.
local kind_of_folder = { policies = "policy", tools = "tool", guards = "guard", apps = "app", profiles = "profile",
  prompts = "prompt", missions = "mission" }
local plural = { policy = "policies", tool = "tools", guard = "guards" }

--- What a file is: by its folder and its name.
---@param path string
---@return string kind "mission", "policy", "tool", "guard", "app", "profile", "prompt" or "configuration"
function checking.kind(path)
  local folder, name = files.split(files.absolute(path))
  if name == "deskpilot.lua" or name == "config.lua" then return "configuration" end
  local kind = kind_of_folder[text.after_last(folder, "/\\")]
  return name:find "%.md$" and "prompt" or kind or "mission"
end

-- --- what is found, with its line ------------------------------------------------------------------

local Check = {}
Check.__index = Check

function Check:add(line, message)
  for _, one in ipairs(self.list) do
    if one.line == line and one.message == message then return end
  end
  self.list[#self.list + 1] = { file = self.path, line = line, message = message }
end

function Check:about(path, message)
  self:add(source_lines.of(self.source, path), message)
end

-- The line of our file in an error's text or, failing that, in its traceback.
local function line_in(words, path)
  local name, from = text.after_last(path, "/\\") .. ":", 1
  while true do
    local first, last = words:find(name, from, true)
    if not first then return nil end
    local line = words:match("^(%d+):", last + 1)
    if line and not words:sub(first - 1, first - 1):find "[^/\\%s]" then return tonumber(line) end
    from = last + 1
  end
end

-- An error of a check: all of its problems, or the one sentence of a Lua error without its traceback.
function Check:failed(err)
  local list = errors.is(err) and err.problems
  for _, one in ipairs(list or {}) do
    if one.where == nil or one.where == self.path then self:about(one.path, one.words) end
  end
  if list then return end
  local words = tostring(err)
  local message = words:match "^[^\n]*"
  local line = line_in(words, self.path)
  self:add(line or 1, line and message:gsub("^.-:" .. line .. ": ", "") or message)
end

-- --- names of other things --------------------------------------------------------------------------

-- The configuration of the file's project without what the file itself says; its faults are other files'.
local function surroundings(self)
  local settings = settings_module.new()
  local sources = { layers = settings_module.file_layers(self.found), tolerant = true }
  for _, kind in ipairs { "tools", "guards" } do
    local loaded, list = {}, (lookup.list(kind))
    for _, name in ipairs(list) do
      local plugin = settings:load(kind, name)
      if plugin then loaded[#loaded + 1] = { name = name, plugin = plugin } end
    end
    self[kind] = loaded
  end
  local resolved, _, rest = settings:resolve(sources)
  self.settings, self.sources, self.config = settings, sources, resolved or rest
  self.box = toolbox.new(self.tools, self.config)
end

-- The words in a list that are neither a tool nor a group.
function Check:tools_named(list)
  for _, word in ipairs(self.box and type(list) == "table" and list or {}) do
    local ok, err = self.box:only { word }
    if not ok and word ~= toolbox.user_group then -- whose tools may be yet to be written
      self:add(source_lines.of_text(self.source, tostring(word)) or source_lines.of(self.source, "tools"),
        tostring(err))
    end
  end
end

function Check:policy_named(name, path)
  if type(name) ~= "string" then return nil end
  local policy, err = self.settings:load("policies", name)
  if not policy then self:about(path, (tostring(err):match "^[^\n]*")) end
  return policy
end

-- Whether the personas that are configured are those of the policy, where it says whom it has.
function Check:personas_named(personas, policy)
  if type(personas) ~= "table" or not policy or type(policy.personas) ~= "table" then return end
  for _, name in ipairs(text.keys(personas)) do
    if not policy.personas[name] then
      self:about("personas." .. tostring(name), ("the policy has no persona %q%s"):format(tostring(name),
        text.did_you_mean(tostring(name), text.keys(policy.personas), "%q")))
    end
  end
end

-- What a layer of values says that the configuration does not know.
function Check:configured(layer)
  local sources = { layers = { layer }, environment = {} }
  local resolved, err = self.settings:resolve(sources)
  if not resolved then self:failed(err) end
  local values = layer.values
  self:tools_named(type(values.tools) == "table" and values.tools.offer)
end

-- --- the kinds --------------------------------------------------------------------------------------

local kinds = {}

function kinds.mission(self)
  surroundings(self)
  local mission, err = mission_module.read(self.source, self.path, self.settings.keys:words())
  if not mission then
    for _, one in ipairs(err.problems or {}) do one.words = one.words:gsub("^.-%.lua:%d+: ", "") end
    self:failed(err)
    mission = err.mission
  end
  if not mission then return end
  local name = mission.policy or self.config:get "policy"
  local policy = (mission.task or mission.policy) and self:policy_named(name, "policy")
  for i, goal in ipairs(type(mission.goals) == "table" and mission.goals or {}) do
    if type(goal) == "table" then
      self:policy_named(goal.policy, "goals.policy")
      self:tools_named(goal.tools, "goals." .. i)
    end
  end
  local layer = mission_module.layer(mission, self.path)
  for key, value in pairs(layer.values) do -- told of already
    if type(value) ~= "table" and key ~= "policy" and key ~= "accept_claims" then layer.values[key] = nil end
  end
  if policy == nil then layer.values.policy = nil end
  self:configured(layer)
  self:personas_named(mission.personas, policy)
end

local function plugin(self, kind)
  surroundings(self)
  local all = plural[kind]
  local module, err = lookup.execute(all, self.name, self.source, self.path, self.path)
  if not module then return self:failed(err) end
  local label = ("the %s '%s' (%s)"):format(kind, self.name, self.path)
  local checked, declaration = plugins.checked(all, self.name, module, self.path)
  if not checked then
    self:failed(declaration)
    declaration = module.options ~= nil and { owner = all .. "/" .. self.name, where = label,
      section = module.section == nil and self.name or module.section, options = module.options } or nil
  end
  local settings = settings_module.new()
  if declaration then
    local ok, why = settings.keys:add(declaration)
    if not ok then self:failed(why) end
  end
  return checked, settings, module
end

function kinds.policy(self)
  local _, _, policy = plugin(self, "policy")
  if policy then self:tools_named(policy.tools) end
end

function kinds.guard(self) plugin(self, "guard") end

function kinds.tool(self)
  local tool, settings = plugin(self, "tool")
  local config = tool and settings:resolve { environment = {} }
  if not config then return end
  local ok, err = toolbox.new({ { name = self.name, plugin = tool } }, config)
  if not ok then self:failed(err) end
end

-- Files that are data name the line of what cannot be read themselves.
local function data_file(self, read)
  local values, err = read(self.name, self.source, self.path)
  if values == nil then self:failed(err) end
end

function kinds.app(self) data_file(self, require "deskpilot.desk.app.profile".read) end

function kinds.profile(self) data_file(self, require "deskpilot.model.profile".read) end

function kinds.prompt(self)
  for _, one in ipairs(placeholders.problems(self.name, self.source)) do self:add(one.line, one.message) end
end

function kinds.configuration(self)
  surroundings(self)
  local values, err = data.parse(self.source, self.path)
  if not values then return self:failed(err) end
  local own = select(2, files.split(self.path)) == "config.lua"
  self:policy_named(values.policy, "policy")
  self:configured { source = own and "the user configuration" or "the project's deskpilot.lua",
    by = not own and "project" or nil, where = self.path, values = values }
end

-- The folder below which a file lies as ROOT/deskpilot/KIND/NAME, or of the project around it.
local function project_of(path)
  return path:match "^(.*)/deskpilot/%l+/[^/]+$" or path:match "^(.*)/deskpilot/model/profiles/[^/]+$"
    or lookup.project_folder((files.split(path)))
end

local function open(path, kind)
  local ok, err = trust.check(path)
  if not ok then return nil, err end
  local source, failure = files.read(path)
  if not source then return nil, failure end
  local _, last = files.split(path)
  local self = setmetatable({ path = path, kind = kind, source = source, name = last:gsub("%.%w+$", ""), list = {} },
    Check)
  local absolute = files.absolute(path)
  self.found = config_files.read(nil, { project_folder = project_of(absolute) })
  config_files.search(self.found, kind == "mission" and (files.split(absolute)) or nil)
  return self
end

--- Checks a file. Its top level runs, as it does when a run loads it.
---@param path string
---@param kind string? as checking.kind gives it; found out if not given
---@return deskpilot.finding[] list in the order of the lines; empty where nothing is wrong
function checking.file(path, kind)
  kind = kind or checking.kind(path)
  local self, err = open(path, kind)
  if not self then return { { file = path, line = 1, message = tostring(err) } } end
  kinds[kind](self)
  table.sort(self.list, function(a, b)
    if a.line ~= b.line then return a.line < b.line end
    return a.message < b.message
  end)
  return self.list
end

--- The kinds of files that can be checked.
---@return string[]
function checking.kinds() return text.keys(kinds) end

return checking
