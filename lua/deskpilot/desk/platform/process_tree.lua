--- Ancestors of processes.
local system = require "native.system"

local process_tree = {}

--- Whether `pid` is `ancestor` or one of its descendants.
---@return boolean
function process_tree.descends(pid, ancestor)
  for _ = 1, 64 do
    if pid == ancestor then return true end
    if not pid or pid <= 1 then return false end
    pid = system.parent(pid)
  end
  return false
end

return process_tree
