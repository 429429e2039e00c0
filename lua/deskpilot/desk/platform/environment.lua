--- The environment of the programs that deskpilot starts: those of its own variables that are known to be harmless
--- (linux/variables.lua, windows/variables.lua), and what the caller adds. All others stay here, since any may hold a
--- secret: SSH_AUTH_SOCK, DATABASE_URL, API keys. Variables that name a proxy are passed where they hold no password.
local uv = require "luv"
local errors = require "deskpilot.base.errors"
local system = require "native.system"
local text = require "deskpilot.base.text"

local environment = {}

local variables = require("deskpilot.desk.platform." .. system.platform .. ".variables")
local on_windows = system.platform == "windows"

local proxies = { HTTP_PROXY = true, HTTPS_PROXY = true, FTP_PROXY = true, ALL_PROXY = true, NO_PROXY = true }

-- Names have no case on Windows.
local function key_of(name)
  return on_windows and name:upper() or name
end

local function is_among(list, key)
  for _, name in ipairs(list.names) do
    if name == key then return true end
  end
  for _, prefix in ipairs(list.prefixes) do
    if text.starts(key, prefix) then return true end
  end
  return false
end

-- For which programs: "child" (without windows), "current" or "private" (on that desktop).
local function is_harmless(kind, name, value)
  local key = key_of(name)
  if proxies[name:upper()] then return not value:find("@", 1, true) end
  if kind == "private" and is_among(variables.user_only, key) then return false end
  return is_among(variables.common, key) or kind ~= "child" and is_among(variables.windows, key)
    or kind == "current" and is_among(variables.session, key)
end

--- The variables of deskpilot's own that programs get.
---@param kind "child"|"current"|"private" programs without windows, or those on the user's desktop or a private one
---@return table<string, string>
function environment.inherited(kind)
  local values = {}
  for name, value in pairs(assert(uv.os_environ())) do
    if is_harmless(kind, name, value) then values[name] = value end
  end
  return values
end

--- Puts tables of variables together.
---@param ... table<string, any>? later ones win
---@return string[] lines NAME=VALUE, as luv's spawn takes them
function environment.lines(...)
  local names, values, lines = {}, {}, {}
  for i = 1, select("#", ...) do
    for name, value in pairs(select(i, ...) or {}) do
      names[key_of(name)], values[key_of(name)] = name, tostring(value)
    end
  end
  for key, value in pairs(values) do lines[#lines + 1] = names[key] .. "=" .. value end
  table.sort(lines)
  return lines
end

--- The environment of programs of a kind.
---@param kind "child"|"current"|"private" as for inherited
---@param ... table<string, any>? what the caller adds
---@return string[] lines
function environment.of(kind, ...)
  return environment.lines(environment.inherited(kind), ...)
end

-- Those that deskpilot itself reads keys and settings from.
local function is_own(name)
  return text.starts(name:upper(), "DESKPILOT_") or text.ends(name:upper(), "API_KEY")
end

--- The variables that a user has allowed by name (desktop.pass_env). Those that are not set are left out.
---@param names string[]
---@return table<string, string>? values
---@return deskpilot.error? err code "invalid": a name is that of an API key or of a setting of deskpilot's
function environment.named(names)
  local values = {}
  for _, name in ipairs(names) do
    if is_own(name) then
      return errors.fail("invalid", "desktop.pass_env: %s is not given to programs: it is a setting or an API key of "
        .. "deskpilot's; a script may give a program what it wants by `env`", name)
    end
    values[name] = uv.os_getenv(name)
  end
  return values
end

return environment
