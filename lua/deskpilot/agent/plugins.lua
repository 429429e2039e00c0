--- Policies, guards and tools: one Lua file each, shipped or the user's. What such a file says of itself is read and
--- checked here: the version of the interface that it was written for (`api`), its options, its personas.
local errors = require "deskpilot.base.errors"
local events = require "deskpilot.agent.run_events"
local lookup = require "deskpilot.base.lookup"
local option = require "deskpilot.base.config_option"
local parameters = require "deskpilot.agent.parameters"
local shipped_files = require "native.shipped"
local text = require "deskpilot.base.text"

local plugins = {}

--- The current version of each kind's interface: what a file of that kind is given and has to offer. It grows by one
--- when a file written for the version before would no longer work; CHANGELOG.md says then what to change.
---@type table<string, integer>
plugins.api = { guards = 1, policies = 1, tools = 1 }

--- What a file of policies/, guards/ or tools/ may say of itself.
---@class deskpilot.plugin
---@field api integer? the version of the interface that it was written for; 1 unless told
---@field section string? the first part of its options' keys; the file's name unless told
---@field options table<string, deskpilot.config_option>? its own options, read by run.config:get("SECTION.NAME")
---@field events deskpilot.event_declaration[]? the events that it announces beside those of the run

-- What a file of each kind must offer, in the sentence about one that does not.
local shapes = {}

function shapes.policies(policy)
  if type(policy.turn) ~= "function" then return "must return a table with a function `turn(run)`" end
  for _, name in ipairs(type(policy.transient) == "table" and policy.transient or {}) do
    if type(name) ~= "string" then return "has a `transient` that is no list of the names of fields" end
  end
  return require "deskpilot.agent.persona".problem(policy.personas)
end

function shapes.tools(tool, name)
  if tool.name ~= name then return ("is named %q inside"):format(tostring(tool.name)) end
  if type(tool.description) ~= "string" then return "has no description" end
  if type(tool.parameters) ~= "function" then -- a function is asked when the configuration is known: toolbox.new
    local problem = parameters.problem(tool.parameters)
    if problem then return problem end
  end
  if type(tool.run) ~= "function" then return "has no run function" end
  if tool.touches ~= nil and type(tool.touches) ~= "function" then return "has `touches`, which must be a function" end
  if tool.group ~= nil and (type(tool.group) ~= "string" or not tool.group:find("^[%w_-]+$")) then
    return ("has group = %s, which must be a word such as \"pointing\""):format(option.shown(tool.group))
  end
  if tool.timeout ~= nil and not (type(tool.timeout) == "number" and tool.timeout > 0) then
    return ("has timeout = %s, which must be a number of seconds"):format(option.shown(tool.timeout))
  end
end

-- A guard that listens to no event because of a slip guards nothing. Other functions in it are its own affair.
function shapes.guards(guard)
  local names = events.names()
  names[#names + 1] = "every"
  for _, name in ipairs(text.keys(guard)) do
    local meant = type(guard[name]) == "function" and type(name) == "string" and not events.known(name)
      and text.nearest(name, names)
    if meant and meant ~= name and text.distance(name, meant) <= 2 then
      return ("has a function '%s', which is no event; did you mean '%s'?"):format(name, meant)
    end
  end
end

-- The events that a file announces itself are known from now on.
local function events_problem(list, where)
  if list == nil then return nil end
  if type(list) ~= "table" then return "has events that are no list" end
  for _, event in ipairs(list) do
    local ok, why = events.declare(event, where)
    if not ok then return ("has a wrong event: %s"):format(why) end
  end
end

--- What is wrong with a plugin of that name that does not come from a file; nil where nothing is.
---@param kind "policies"|"guards"|"tools"
---@param plugin any
---@param name any
---@return string?
function plugins.problem(kind, plugin, name)
  if type(plugin) ~= "table" then return "is no table" end
  if type(name) ~= "string" or not name:find("^[%w_-]+$") or #name > 64 then
    return "needs a name of at most 64 letters, digits, - and _"
  end
  return shapes[kind](plugin, name)
end

local function can_be_ejected(kind, name)
  return shipped_files.read(("deskpilot/%s/%s.lua"):format(kind, name)) ~= nil
end

local function api_problem(kind, name, written_for)
  local current = plugins.api[kind]
  if written_for == nil then written_for = 1 end
  if math.type(written_for) ~= "integer" then
    return ("has api = %s, but must have the whole number of the version that it was written for, such as api = %d")
      :format(option.shown(written_for), current)
  end
  if written_for == current then return nil end
  local again = ("move it away, run `deskpilot eject %s` again and carry your changes over"):format(name)
  local sentence = ("is written for api %d of %s, but this deskpilot has api %d: "):format(written_for, kind, current)
  if written_for > current then
    return sentence .. "use a newer deskpilot, or " .. (can_be_ejected(kind, name) and again
      or ("a file that is written for api %d"):format(current))
  end
  return sentence .. (can_be_ejected(kind, name) and again
    or ("change it as CHANGELOG.md says, and then its line to api = %d"):format(current))
end

-- A mission's table has its own words beside the sections of the configuration.
local function section_problem(section)
  if not require "deskpilot.agent.mission".has_word(section) then return nil end
  return ("has options in the section '%s', which means something else in a mission: say section = \"...\" in the file")
    :format(tostring(section))
end

-- What a plugin is called in errors, by its table.
local labels = setmetatable({}, { __mode = "k" })

--- What a plugin is called in errors: its kind, its name and its file.
---@param plugin deskpilot.plugin
---@return string? label nil for one that was not loaded from a file
function plugins.label(plugin)
  return labels[plugin]
end

--- Loads one, anew each time, and checks it.
---@param kind "policies"|"guards"|"tools"
---@param name string
---@param ships boolean? as for lookup.load
---@return deskpilot.plugin? plugin
---@return deskpilot.config_declaration|deskpilot.error|nil declaration its options, if it has any; or what is wrong
---  with the file, naming it
function plugins.load(kind, name, ships)
  local plugin, where = lookup.load(kind, name, ships)
  if not plugin then return nil, where end
  local options, section = plugin.options, plugin.section == nil and name or plugin.section
  local problem = api_problem(kind, name, plugin.api) or shapes[kind](plugin, name)
    or options ~= nil and section_problem(section) or events_problem(plugin.events, kind .. "/" .. name)
  local shipped = where:find("^shipped:") ~= nil
  local label = ("the %s '%s' (%s)"):format(lookup.singular(kind), name, shipped and "shipped" or where)
  if problem then return errors.fail("invalid", "%s %s", label, problem) end
  labels[plugin] = label
  if options == nil then return plugin end
  return plugin, { owner = kind .. "/" .. name, where = label, ships = shipped, section = section, options = options }
end

return plugins
