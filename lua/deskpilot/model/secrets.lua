--- Keeps secrets out of everything that is shown or written. Code that reads a secret registers it; code that prints or
--- records text from outside masks that text first.
local secrets = {}

local shortest = 4 -- bytes; masking shorter values would only garble ordinary words
local known = {}

--- Registers a value that `mask` replaces from now on. Values of fewer than 4 bytes are ignored.
---@param value string?
function secrets.register(value)
  if type(value) ~= "string" or #value < shortest then return end
  for _, other in ipairs(known) do
    if other == value then return end
  end
  table.insert(known, value)
  table.sort(known, function(a, b) return #a > #b end) -- longest first: a secret may contain another
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

--- The text with "***" for every registered secret and for everything that looks like an API key or a bearer token.
---@param text string
---@return string
function secrets.mask(text)
  for _, value in ipairs(known) do text = replace(text, value) end
  if text:find("sk-", 1, true) then -- a gsub that changes nothing makes a copy all the same
    text = text:gsub("%f[%w]sk%-[%w_*.-]+", function(found)
      return #found >= 10 and "sk-***" or nil -- "sk-SK" is a language
    end)
  end
  if text:find("earer", 1, true) then text = text:gsub("([Bb]earer%s+)[%w%-._~+/]+=*", "%1***") end
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
