--- `require "desk"`: the current desktop, or $DISPLAY's where none is open yet. Looked up at each use,
--- so that a mission may require it before its desktop exists.
local desk = require "deskpilot.desk"

local function current()
  local open = desk.current()
  if open then return open end
  local opened, err = desk.open {}
  if not opened then error(err, 0) end
  return opened
end

---@type deskpilot.desk
local face = setmetatable({}, {
  __index = function(_, key) return current()[key] end,
  __newindex = function(_, key, value) current()[key] = value end,
  __pairs = function() return pairs(current()) end,
})

return face
