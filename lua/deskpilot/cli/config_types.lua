--- The groups of the configuration as classes, for editors: in a mission and in deskpilot.lua a key is offered and
--- checked. Made of the keys themselves (base/config.lua).
local config = require "deskpilot.base.config"
local text = require "deskpilot.base.text"

local config_types = {}

local names = { list = "string[]" }

local function type_of(key)
  if key.choices then
    local quoted = {}
    for i, choice in ipairs(key.choices) do quoted[i] = ("%q"):format(choice) end
    return table.concat(quoted, "|") .. "|nil"
  end
  return key.off and key.type .. "|false|nil" or (names[key.type] or key.type) .. "?"
end

local function field(name, key)
  local default = key.default
  if type(default) == "table" then default = #default > 0 and table.concat(default, ", ") or "none" end
  local words = default == nil and key.doc or ("%s; %s unless told"):format(key.doc, tostring(default))
  return ("---@field %s %s %s"):format(name, type_of(key), words)
end

-- The keys' fields by group; of "personas.*.model" the group is what each name holds. Keys without one are "".
local function fields_by_group()
  local groups, each = { [""] = {} }, {}
  for _, key in ipairs(config.keys) do
    local group, name = key.name:match("^(.-)%.(.+)$")
    if not group then group, name = "", key.name end
    if text.starts(name, "*.") then
      each[group] = true
      name = name:sub(3)
    end
    groups[group] = groups[group] or {}
    table.insert(groups[group], field(name, key))
  end
  return groups, each
end

--- The text of the file.
---@return string
function config_types.text()
  local groups, each = fields_by_group()
  local out = { "---@meta _", "-- Made by `./dev docs` from the configuration's keys: change those.", "",
    "--- What may stand in deskpilot.lua, and in a mission beside its own fields.",
    "---@class deskpilot.config_groups" }
  table.move(groups[""], 1, #groups[""], #out + 1, out)
  local sorted = text.keys(groups)
  for _, group in ipairs(sorted) do
    local class = ("deskpilot.config.%s"):format(group)
    if group ~= "" then
      out[#out + 1] = each[group] and ("---@field %s table<string, %s>? by their names"):format(group, class)
        or ("---@field %s %s?"):format(group, class)
    end
  end
  for _, group in ipairs(sorted) do
    if group ~= "" then
      out[#out + 1] = ("\n---@class deskpilot.config.%s"):format(group)
      table.move(groups[group], 1, #groups[group], #out + 1, out)
    end
  end
  return table.concat(out, "\n") .. "\n"
end

return config_types
