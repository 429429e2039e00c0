--- The sentence about a name that is no key of the configuration.
local text = require "deskpilot.base.text"

local unknown = {}

-- The names that stand where this one stands: in its section, or as fields of its entry; and what that is called.
local function neighbours(keys, name)
  local names = {}
  local key, rest = keys:table_of(name)
  if key then
    local group = key.name .. "." .. (rest:match("^(.*)%.") or rest)
    for _, field in ipairs(text.keys(key.option.fields)) do names[#names + 1] = group .. "." .. field end
    return names, group
  end
  local group = name:match("^([^.]*)%.")
  for _, other in ipairs(group and keys:list() or {}) do
    if text.starts(other.name, group .. ".") then names[#names + 1] = other.name end
  end
  return names, group
end

-- turns, seconds, failures: as they are called inside their group.
local function inside(names, group)
  local words = {}
  for i, name in ipairs(names) do words[i] = name:sub(#group + 2) end
  return words
end

-- What is wrong with the name of an entry, nil where nothing is.
local function entry_problem(keys, name)
  local key, rest = keys:table_of(name)
  local entry = key and (rest:match("^(.*)%.") or rest)
  if not entry or entry:find(keys.entry_name) then return nil end -- pattern: anchored, of one set
  return ("'%s' cannot be the name of one of the %s: letters, digits and . _ : / + - only"):format(entry, key.name)
end

-- Where nothing stands beside the name: everything there is.
local function everything(keys, section, other_names)
  local names = section and {} or keys:words()
  for _, key in ipairs(section and keys:list() or {}) do names[#names + 1] = key.name end
  for _, name in ipairs(other_names or {}) do names[#names + 1] = name end
  return names
end

-- The key of that name in any section: limits.turns for turns.
local function of_a_section(keys, name)
  for _, key in ipairs(keys:list()) do
    if text.ends(key.name, "." .. name) then return key.name end
  end
end

--- The sentence about a name that is no key: with the nearest one, or with what its section has.
---@param keys deskpilot.config_keys
---@param name string
---@param other_names string[]? what could also be meant, where a name without a section is asked for
---@return string
function unknown.sentence(keys, name, other_names)
  local problem = entry_problem(keys, name)
  if problem then return problem end
  local names, group = neighbours(keys, name)
  local sentence = ("there is no configuration key '%s'"):format(name)
  if #names > 0 then
    local words = inside(names, group)
    local nearest = text.nearest(name:sub(#group + 2), words)
    return sentence .. (nearest and ("; did you mean '%s.%s'?"):format(group, nearest)
      or ("; %s has %s"):format(group, text.join(words)))
  end
  if group then sentence = ("%s, nor anything else in a section '%s'"):format(sentence, group) end
  local nearest = text.nearest(name, everything(keys, group, other_names)) or not group and of_a_section(keys, name)
  if nearest then return ("%s; did you mean '%s'?"):format(sentence, nearest) end
  local words = keys:words()
  table.sort(words)
  return ("%s; there are %s"):format(sentence, text.join(words))
end

return unknown
