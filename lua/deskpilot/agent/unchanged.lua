--- What has not changed from one look to the next. It is found out without encoding anything, since each turn pays for
--- it, and is kept once, since several looks are kept: by loop detection, by the recording, as the look before.
local unchanged = {}

local deepest = 8

--- Whether two values say the same, as data: functions and objects of C are passed over, and so is what lies deeper
--- than 8 tables.
---@param a any
---@param b any
---@param depth integer? of the values themselves; 0 if not given
---@return boolean
function unchanged.same(a, b, depth)
  if a == b then return true end
  local kind = type(a)
  if kind ~= type(b) then return false end
  if kind ~= "table" then return kind == "userdata" or kind == "function" end
  depth = depth or 0
  if depth > deepest then return true end
  for key, value in pairs(a) do
    if b[key] ~= value and not unchanged.same(value, b[key], depth + 1) then return false end
  end
  for key in pairs(b) do
    if a[key] == nil then return false end
  end
  return true
end

--- Puts the elements of an earlier observation in the place of those that are the same. Nobody changes an element that
--- has been observed. Those of a page stay: each belongs to the document that it was seen in (desk/browser/page).
---@param seen deskpilot.observation changed
---@param before deskpilot.observation?
function unchanged.share(seen, before)
  for i, item in ipairs(before and seen.elements or {}) do
    local earlier = before.elements[i]
    if earlier and unchanged.same(item, earlier) then seen.elements[i] = earlier end
  end
end

return unchanged
