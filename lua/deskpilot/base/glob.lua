--- Patterns as people write them in lists: a whole name, in which `*` stands for anything, whatever the case.
local glob = {}

local none = {}

-- Whether a pattern is about that name, both in lower case. What stands between two stars is looked for from left to
-- right: a place further to the right would leave less for what follows.
local function fits(pattern, name)
  local star = pattern:find("*", 1, true)
  if not star then return pattern == name end
  if name:sub(1, star - 1) ~= pattern:sub(1, star - 1) then return false end
  local at, from = star, star + 1
  star = pattern:find("*", from, true)
  while star do
    local _, last = name:find(pattern:sub(from, star - 1), at, true)
    if not last then return false end
    at, from = last + 1, star + 1
    star = pattern:find("*", from, true)
  end
  local rest = #pattern - from + 1 -- bytes behind the last star
  return rest == 0 or #name - at + 1 >= rest and name:sub(-rest) == pattern:sub(from)
end

--- Whether a pattern is about that name. It takes at most the product of both lengths, whatever they hold.
---@param pattern string
---@param name string
---@return boolean
function glob.matches(pattern, name)
  return fits(pattern:lower(), name:lower())
end

--- The first of the patterns that is about one of the names.
---@param patterns string[]
---@param names string[]
---@return string? pattern
function glob.first(patterns, names)
  local lower, there = {}, {}
  for _, name in ipairs(names) do
    name = name:lower()
    if not there[name] then lower[#lower + 1], there[name] = name, true end
  end
  for _, pattern in ipairs(patterns) do
    local wanted = pattern:lower()
    if there[wanted] then return pattern end
    for _, name in ipairs(wanted:find("*", 1, true) and lower or none) do
      if fits(wanted, name) then return pattern end
    end
  end
end

return glob
