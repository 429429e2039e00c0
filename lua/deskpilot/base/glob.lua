--- Patterns as people write them in lists: a whole name, in which `*` stands for anything, whatever the case.
local glob = {}

local STAR = ("*"):byte()

--- Whether a pattern is about that name. It takes at most the product of both lengths, whatever they hold.
---@param pattern string
---@param name string
---@return boolean
function glob.matches(pattern, name)
  pattern, name = pattern:lower(), name:lower()
  local p, n, star, mark = 1, 1, nil, 1
  while n <= #name do
    local wanted = pattern:byte(p)
    if wanted == STAR then
      star, mark, p = p, n, p + 1
    elseif wanted == name:byte(n) then
      p, n = p + 1, n + 1
    elseif star then -- the last star takes one byte more
      mark = mark + 1
      p, n = star + 1, mark
    else
      return false
    end
  end
  while pattern:byte(p) == STAR do p = p + 1 end
  return p > #pattern
end

--- The first of the patterns that is about one of the names.
---@param patterns string[]
---@param names string[]
---@return string? pattern
function glob.first(patterns, names)
  for _, pattern in ipairs(patterns) do
    for _, name in ipairs(names) do
      if glob.matches(pattern, name) then return pattern end
    end
  end
end

return glob
