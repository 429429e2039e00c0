--- What has not changed from one look to the next. It is found out without encoding anything, since each turn pays for
--- it, and is kept once, since several looks are kept: by loop detection, by the recording, as the look before.
local native = require "native.json"

local unchanged = {}

--- Whether two values say the same, as data: functions and objects of C are passed over, and so is what lies deeper
--- than 8 tables.
---@param a any
---@param b any
---@return boolean
function unchanged.same(a, b)
  return native.same(a, b)
end

--- Puts the picture's file and the elements of an earlier observation in the place of those that are the same. Nobody
--- changes an element that has been observed. Those of a page stay: each belongs to the document that it was seen in
--- (desk/browser/page).
---@param seen deskpilot.observation changed
---@param before deskpilot.observation?
function unchanged.share(seen, before)
  if before and seen.bytes and seen.bytes == before.bytes then
    seen.bytes, seen.base64 = before.bytes, before.base64
    if rawget(seen.shot, "file") then seen.shot.file = before.bytes end
  end
  for i, item in ipairs(before and seen.elements or {}) do
    local earlier = before.elements[i]
    if earlier and unchanged.same(item, earlier) then seen.elements[i] = earlier end
  end
end

return unchanged
