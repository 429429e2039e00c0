--- An element told by its role and name and, where several are alike, by its place among these: what is still true of
--- it in another run, when numbers and handles are others.
local text = require "deskpilot.base.text"

local alike = {}

local longest = 200 -- characters of a name

---@class deskpilot.alike
---@field role string
---@field name string its first 200 characters
---@field nth integer? which of those with this role and name it is, from 1; nil where there is no other

local function is_alike(element, role, name)
  return element.role == role and text.cut(element.name, longest) == name
end

--- What tells an element among those of a list.
---@param list { role: string, name: string }[]
---@param element { role: string, name: string } one of them
---@return deskpilot.alike
function alike.of(list, element)
  local told, count, nth = { role = element.role, name = text.cut(element.name, longest) }, 0, nil
  for _, other in ipairs(list) do
    if is_alike(other, told.role, told.name) then count = count + 1 end
    if other == element then nth = count end
  end
  if count > 1 then told.nth = nth end
  return told
end

--- The element of a list that is told so; nil where none is.
---@generic T
---@param list T[]
---@param told deskpilot.alike
---@return T? element
function alike.find(list, told)
  local count = 0
  for _, element in ipairs(list) do
    if is_alike(element, told.role, told.name) then
      count = count + 1
      if count == (told.nth or 1) then return element end
    end
  end
end

return alike
