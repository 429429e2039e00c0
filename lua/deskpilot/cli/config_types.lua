--- The sections of the configuration as classes, for editors: in a mission and in deskpilot.lua a key is offered and
--- checked. Made of what everything that ships declares.
local config_reference = require "deskpilot.cli.config_reference"
local text = require "deskpilot.base.text"

local config_types = {}

local names = { list = "string[]", secret_file = "string" }

local function class_named(name)
  return ("deskpilot.config.%s"):format(name)
end

-- `siblings`: the options that it may stand for (type "keys"), by their names.
local function type_of(declared, siblings)
  if declared.choices and declared.type == "string" then
    local quoted = {}
    for i, choice in ipairs(declared.choices) do quoted[i] = ("%q"):format(choice) end
    return table.concat(quoted, "|") .. "|nil"
  elseif declared.type == "keys" then
    local parts = {}
    for i, name in ipairs(declared.keys) do
      parts[i] = ("[%d]: %s"):format(i, (type_of(siblings(name)):gsub("%?$", "")))
    end
    return ("{ %s }?"):format(table.concat(parts, ", "))
  end
  return declared.off and declared.type .. "|false|nil" or (names[declared.type] or declared.type) .. "?"
end

local function field(name, declared, siblings)
  local default = declared.default
  if type(default) == "table" then default = #default > 0 and table.concat(default, ", ") or "none" end
  local words = declared.about
  if default ~= nil then words = ("%s; %s unless told"):format(words, tostring(default)) end
  return ("---@field %s %s %s"):format(name, type_of(declared, siblings), words)
end

-- The fields of a table of entries are a class of their own.
local function entries_field(key, name, classes)
  local class = {}
  for _, inner in ipairs(text.keys(key.option.fields)) do
    class[#class + 1] = field(inner, key.option.fields[inner])
  end
  classes[key.name] = class
  return ("---@field %s table<string, %s>? %s"):format(name, class_named(key.name), key.option.about)
end

-- The fields of each section, and of what each entry of a table holds; those of keys without a section are "".
local function classes_of(keys)
  local classes, sections = { [""] = {} }, {}
  local function class_of(section)
    if classes[section] then return classes[section] end
    classes[section] = {}
    local outer, name = section:match("^(.+)%.([^.]+)$")
    if outer then table.insert(class_of(outer), ("---@field %s %s?"):format(name, class_named(section)))
    else sections[section] = true end
    return classes[section]
  end
  for _, key in ipairs(keys:list()) do
    local section, name = key.name:match("^(.+)%.([^.]+)$")
    if not section then section, name = "", key.name end
    class_of(section)
    table.insert(classes[section], key.option.type == "entries" and entries_field(key, name, classes)
      or field(name, key.option, function(other) return keys:find(section .. "." .. other) end))
  end
  return classes, text.keys(sections)
end

--- The text of the file.
---@return string
function config_types.text()
  local classes, sections = classes_of(config_reference.shipped().keys)
  local out = { "---@meta _", "-- Made by `./dev docs` from the options where they are declared: change those.", "",
    "--- What may stand in deskpilot.lua, and in a mission beside its own fields.",
    "---@class deskpilot.config_groups" }
  table.move(classes[""], 1, #classes[""], #out + 1, out)
  for _, section in ipairs(sections) do
    out[#out + 1] = ("---@field %s %s?"):format(section, class_named(section))
  end
  for _, name in ipairs(text.keys(classes)) do
    if name ~= "" then
      out[#out + 1] = "\n---@class " .. class_named(name)
      table.move(classes[name], 1, #classes[name], #out + 1, out)
    end
  end
  return table.concat(out, "\n") .. "\n"
end

return config_types
