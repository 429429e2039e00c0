--- Keeps secrets out of everything that is shown or written: whoever learns one registers it, and
--- whoever prints or records text that came from outside masks it first.
local secrets = {}

local shortest = 4 -- shorter than this and masking would only garble ordinary words
local known = {}

--- From now on `mask` replaces this value. Short and empty ones are ignored.
---@param value string?
function secrets.register(value)
  if type(value) ~= "string" or #value < shortest then return end
  for _, other in ipairs(known) do
    if other == value then return end
  end
  table.insert(known, value)
  table.sort(known, function(a, b) return #a > #b end) -- a secret may contain another
end

local function replace(text, value)
  local at = text:find(value, 1, true)
  if not at then return text end
  local parts, from = {}, 1
  while at do
    parts[#parts + 1] = text:sub(from, at - 1)
    from = at + #value
    at = text:find(value, from, true)
  end
  parts[#parts + 1] = text:sub(from)
  return table.concat(parts, "***")
end

--- The text with every registered secret, and what looks like a key or bearer token, as "***".
---@param text string
---@return string
function secrets.mask(text)
  for _, value in ipairs(known) do text = replace(text, value) end
  text = text:gsub("%f[%w]sk%-[%w_*.-]+", function(found)
    return #found >= 10 and "sk-***" or nil -- "sk-SK" is a language
  end)
  text = text:gsub("([Bb]earer%s+)[%w%-._~+/]+=*", "%1***")
  return text
end

--- A deep copy of a plain table with every string in it masked.
function secrets.mask_all(value)
  if type(value) == "string" then return secrets.mask(value) end
  if type(value) ~= "table" then return value end
  local copy = setmetatable({}, getmetatable(value))
  for key, item in pairs(value) do copy[key] = secrets.mask_all(item) end
  return copy
end

return secrets
