--- `deskpilot config`: the configuration as a run would have it, and where each value comes from.
local config_files = require "deskpilot.base.config_files"
local flags = require "deskpilot.cli.flags"
local inspect = require "deskpilot.cli.inspect"
local lookup = require "deskpilot.base.lookup"
local mission_files = require "deskpilot.agent.mission"
local settings_module = require "deskpilot.cli.settings"
local terminal = require "deskpilot.cli.terminal"
local text = require "deskpilot.base.text"

local command = {
  summary = "Show what is configured, and where each value comes from.",
  order = 82,
  usage = "config [KEY | SECTION]... [--mission MISSION] [--all] [--json] [--set KEY=VALUE]...",
  options = {
    { name = "mission", value = "MISSION", help = "with what this mission configures" },
    { name = "all", help = "also what is left at its default" },
    { name = "json", help = "one JSON object for each key, a line each" },
    { name = "set", value = "KEY=VALUE", repeated = true, help = "as in a run" },
  },
  details = "Without a key: all that somebody has set. A key that is named is shown with what it overrules. A value\n"
    .. "comes from, the strongest first: a flag, the environment, the mission, the project's deskpilot.lua, your own\n"
    .. "config.lua, the default. docs/configuration.md lists every key. With --mission the mission's file is\n"
    .. "loaded, and policies, guards and tools of your own, as they are for a run: without it what only these declare\n"
    .. "is not shown. Exit status 2: something is wrong, and is named.",
}

-- What a mission configures, and what is declared by files in its folder and in the project's and the user's own.
local function add_mission(settings, sources, found, name)
  local source, where, folder = lookup.mission(name, found)
  if not source then return nil, where end
  local ok, err = config_files.search(found, folder)
  if not ok then return nil, err end
  local mission, why = mission_files.read(source, where, settings.keys:words())
  if not mission then return nil, why end
  table.insert(sources.layers, mission_files.layer(mission, where))
  return true
end

-- The configuration, and what is wrong with it: there may be the rest of it all the same.
local function resolve(options)
  local layer, err = flags.layer(options)
  if not layer then return nil, err end
  local found, failure = config_files.read(layer)
  if failure then return nil, failure end
  local settings, sources = settings_module.new(), { layers = settings_module.file_layers(found), flags = layer }
  if options.mission then
    local ok, why = add_mission(settings, sources, found, options.mission)
    if not ok then return nil, why end
  else
    sources.tolerant = settings_module.has_own_plugins { found.project_folder, found.user_folder }
  end
  for _, kind in ipairs { "tools", "guards", "policies" } do
    local list, why = settings:load_all(kind)
    if not list then return nil, why end
  end
  local resolved, wrong, rest = settings:resolve(sources)
  return resolved or rest, wrong
end

-- The names that are to be shown: those that were asked for, or all that are no defaults; nil and a sentence.
local function wanted(resolved, values, sources, positional, all)
  local names, asked = {}, {}
  for _, name in ipairs(positional) do
    local count = #names
    for _, key in ipairs(text.keys(values)) do
      if key == name or text.starts(key, name .. ".") then names[#names + 1], asked[key] = key, key == name end
    end
    if #names == count then return nil, resolved.keys:unknown(name) end
  end
  if #positional > 0 then return names, asked end
  for _, key in ipairs(text.keys(values)) do
    if all or sources[key] ~= "default" then names[#names + 1] = key end
  end
  return names, asked
end

local function origin(resolved, name, source)
  if source == "default" then return "(the default)" end
  local place = resolved:place(name)
  return place == source and ("(from %s)"):format(source) or ("(from %s: %s)"):format(source, place)
end

local function print_key(resolved, name, value, source, with_overruled)
  print(("%s = %s    %s"):format(name, inspect.value(value), origin(resolved, name, source)))
  for _, said in ipairs(with_overruled and resolved:said(name) or {}) do
    if said.source ~= source then
      print(("    overrules %s from %s"):format(inspect.value(said.value), said.place))
    end
  end
end

--- Shows it.
---@param options table
---@param positional string[]
---@return integer status
function command.run(options, positional)
  local resolved, wrong = resolve(options)
  if wrong then terminal.complain(tostring(wrong)) end
  if not resolved then return 2 end
  local values, sources = resolved:dump()
  local names, asked = wanted(resolved, values, sources, positional, options.all)
  if not names then
    terminal.complain(asked)
    return 2
  end
  for _, name in ipairs(names) do
    if options.json then
      terminal.put_json { key = name, value = values[name], source = sources[name], place = resolved:place(name) }
    else
      print_key(resolved, name, values[name], sources[name], asked[name])
    end
  end
  if #names == 0 then terminal.note "everything is left at its default (--all shows it)\n" end
  return wrong and 2 or 0
end

return command
