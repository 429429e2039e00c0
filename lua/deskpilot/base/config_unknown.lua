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

-- "turns, seconds and failures", as they are called inside their group.
local function inside(names, group)
  local words = {}
  for i, name in ipairs(names) do words[i] = name:sub(#group + 2) end
  return text.join(words)
end

-- What is wrong with the name of an entry, nil where nothing is.
local function entry_problem(keys, name)
  local key, rest = keys:table_of(name)
  local entry = key and (rest:match("^(.*)%.") or rest)
  if not entry or entry:find(keys.entry_name) then return nil end
  return ("'%s' cannot be the name of one of the %s: letters, digits and . _ : / + - only"):format(entry, key.name)
end

-- Where nothing stands beside the name: everything there is.
local function everything(keys, section, other_names)
  local names = section and {} or keys:words()
  for _, key in ipairs(section and keys:list() or {}) do names[#names + 1] = key.name end
  for _, name in ipairs(other_names or {}) do names[#names + 1] = name end
  return names
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
  local alone = #names == 0
  if alone then
    names = everything(keys, group, other_names)
    if group then sentence = ("%s, nor anything else in a section '%s'"):format(sentence, group) end
  end
  local nearest = text.nearest(name, names)
  if nearest and text.distance(name, nearest) <= math.max(2, #name // (alone and 2 or 4)) then
    return ("%s; did you mean '%s'?"):format(sentence, nearest)
  elseif alone then
    local words = keys:words()
    table.sort(words)
    return ("%s; there are %s"):format(sentence, text.join(words))
  end
  return ("%s; %s has %s"):format(sentence, group, inside(names, group))
end

return unknown
