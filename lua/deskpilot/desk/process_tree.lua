--- Who started whom, and what processes inherit.
local system = require "native.system"

local process_tree = {}

-- Environment variables whose values no application needs to know.
local secret_names = { "^DESKPILOT_", "API_KEY$", "ACCESS_KEY$", "TOKEN$", "SECRET$", "PASSWORD$" }

--- Whether a variable is likely to hold a secret that applications must not inherit.
---@param name string
---@return boolean
function process_tree.is_secret(name)
  for _, pattern in ipairs(secret_names) do
    if name:match(pattern) then return true end
  end
  return false
end

--- Whether `pid` is `ancestor` or comes from it.
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
