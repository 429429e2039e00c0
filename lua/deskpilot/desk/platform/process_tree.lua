--- Ancestors of processes, and the environment that they inherit.
local uv = require "luv"
local system = require "native.system"

local process_tree = {}

-- Environment variables that applications do not inherit.
local secret_names = { "^DESKPILOT_", "API_KEY$", "ACCESS_KEY$", "TOKEN$", "SECRET$", "PASSWORD$" }

--- Whether a variable is likely to hold a secret that applications must not inherit.
---@param name string
---@return boolean
function process_tree.is_secret(name)
  for _, pattern in ipairs(secret_names) do
    if name:upper():match(pattern) then return true end -- pattern: one of secret_names
  end
  return false
end

-- On Windows the case of a variable's name does not matter: Path and PATH are the same.
local function set(env, name, value)
  if system.platform == "windows" then
    for other in pairs(env) do
      if other:upper() == name:upper() then env[other] = nil end
    end
  end
  env[name] = tostring(value)
end

--- The environment for an application: that of deskpilot without secrets, overridden by the tables.
---@param ... table<string, any>?
---@return string[] lines NAME=VALUE
function process_tree.environment(...)
  local env, lines = uv.os_environ(), {}
  for name in pairs(env) do
    if process_tree.is_secret(name) then env[name] = nil end
  end
  for i = 1, select("#", ...) do
    for name, value in pairs(select(i, ...) or {}) do set(env, name, value) end
  end
  for name, value in pairs(env) do lines[#lines + 1] = name .. "=" .. value end
  return lines
end

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
