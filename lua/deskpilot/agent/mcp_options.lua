--- Which servers of the Model Context Protocol a run uses, as its configuration says.
---
--- A file with headers or variables belongs to the address or program that the user has named: where only the project's
--- deskpilot.lua names that, or how it is reached, nothing but a file of the project goes there, and a person is asked
--- first. Lists of a project's only limit those of the user's.
local endpoints = require "deskpilot.model.endpoint"
local errors = require "deskpilot.base.errors"
local glob = require "deskpilot.base.glob"
local lists = require "deskpilot.agent.safety_lists"
local secrets = require "deskpilot.model.secrets"
local text = require "deskpilot.base.text"

local mcp_options = {}

local longest_name = 24 -- of a server: the names of its tools begin with it

-- Groups of shipped tools: a server of that name would be offered with them.
local taken = {}
for name in ("pointing typing browser apps waiting looking finish user talk memory give_up mcp resources")
  :gmatch "%S+" do taken[name] = true end

---@class deskpilot.mcp_options
---@field name string
---@field connection table for deskpilot.mcp.server
---@field asks string? the sentence for a person who has to allow that it is used at all
---@field timeout number
---@field connect_timeout number
---@field phases string[]?
---@field wanted fun(tool: string): boolean whether a tool of it is offered
---@field approved fun(tool: string): boolean whether a person need not be asked
---@field consent "writes"|"always"

-- Whether nobody but the project's file has said it.
local function is_project(config, key)
  local by_user, by_project = false, false
  local now = config:get(key)
  for _, said in ipairs(config:said(key)) do
    local same = type(now) ~= "table" and said.value == now
      or type(now) == "table" and table.concat(said.value, "\0") == table.concat(now, "\0")
    if same and said.by == "project" then by_project = true elseif same then by_user = true end
  end
  return by_project and not by_user
end

-- Lines "NAME<separator>VALUE" of a file, by their names.
local function pairs_of(config, key, of_project, separator)
  local words = config:secret(key, of_project)
  local values, number = {}, 0
  for line in text.lines(words or "") do
    number = number + 1
    if line:find "%S" then
      local at = line:find(separator, 1, true)
      local name, value = text.trim(line:sub(1, (at or 1) - 1)), at and text.trim(line:sub(at + 1))
      if not at or not name:find "^[%w_-]+$" or value:find "%c" then
        return errors.fail("invalid", "%s: line %d of its file must be NAME%sVALUE", key, number, separator)
      end
      values[name] = value
      secrets.register(value)
      secrets.register(value:match "^%a+ (%S+)$") -- the token in "Bearer TOKEN"
    end
  end
  return values
end

local function address_of(config, prefix)
  local url = config:get(prefix .. "url")
  local parsed = url:find "^[Hh][Tt][Tt][Pp][Ss]?://" and endpoints.parse(url, "/")
  if not parsed or url:find "#" then
    return errors.fail("invalid", "%surl is %s, but must be an address such as https://example.org/mcp", prefix,
      text.cut(text.one_line(url), 100))
  end
  for _, secret in ipairs(endpoints.secrets(url)) do secrets.register(secret) end
  return url, parsed
end

local function of_url(config, prefix)
  local url, parsed = address_of(config, prefix)
  if not url then return nil, parsed end
  local strange = is_project(config, prefix .. "url") or is_project(config, prefix .. "ca_file")
  local headers, err = pairs_of(config, prefix .. "headers_from", strange, ":")
  if not headers then return nil, err end
  if next(headers) and not parsed.is_private then
    return errors.fail("invalid", "%sheaders_from would go to %s unencrypted: use https", prefix, parsed.shown)
  end
  return { url = url, headers = headers, ca_file = config:get(prefix .. "ca_file") },
    strange and ("use the server %s"):format(parsed.shown) or nil
end

local function of_command(config, prefix)
  local command = config:get(prefix .. "command")
  if #command == 0 then return errors.fail("invalid", "%scommand names no program", prefix) end
  local strange = is_project(config, prefix .. "command") or is_project(config, prefix .. "cwd")
  local env, err = pairs_of(config, prefix .. "env_from", strange, "=")
  if not env then return nil, err end
  return { command = command, env = env, cwd = config:get(prefix .. "cwd") },
    strange and ("start the program %s"):format(table.concat(command, " ")) or nil
end

-- Whether all who have said a list of patterns have one for that name.
local function all_want(config, key)
  return function(name)
    for _, said in ipairs(config:said(key)) do
      if not glob.first(said.value, { name }) then return false end
    end
    return true
  end
end

-- "always" where anybody says so.
local function consent_of(config, key)
  for _, said in ipairs(config:said(key)) do
    if said.value == "always" then return "always" end
  end
  return config:get(key)
end

local function one_of(config, name)
  local prefix = ("mcp.%s."):format(name)
  if not name:find "^[%w_-]+$" or #name > longest_name then
    return errors.fail("invalid", "mcp: the name %q of a server must be of letters, digits, _ and -, at most %d",
      name, longest_name)
  end
  if taken[name] then return errors.fail("invalid", "mcp: %q is the name of a group of tools: take another", name) end
  local command, url = config:get(prefix .. "command"), config:get(prefix .. "url")
  if (command == nil) == (url == nil) then
    return errors.fail("invalid", "mcp.%s needs either `command`, a program, or `url`, an address", name)
  end
  local connection, asks
  if url then connection, asks = of_url(config, prefix) else connection, asks = of_command(config, prefix) end
  if not connection then return nil, asks end
  local timeout = config:get(prefix .. "timeout") or config:get "tools.mcp_timeout"
  connection.revision, connection.connect_timeout = config:get(prefix .. "revision"),
    config:get(prefix .. "connect_timeout")
  local approved, limit = lists.given(config, prefix .. "approved")
  return { name = name, connection = connection, timeout = timeout, connect_timeout = connection.connect_timeout,
    asks = asks and ("%s (the server %q of %s)"):format(asks, name, config:place(prefix .. (url and "url"
      or "command"))) or nil,
    phases = config:get(prefix .. "phases"), consent = consent_of(config, prefix .. "consent"),
    wanted = all_want(config, prefix .. "tools"),
    approved = function(tool)
      return glob.first(approved, { tool }) ~= nil and (not limit or glob.first(limit, { tool }) ~= nil)
    end }
end

--- The servers of a configuration, in the order of their names.
---@param config deskpilot.config
---@return deskpilot.mcp_options[]? list, deskpilot.error? err code "invalid"
function mcp_options.of(config)
  local list = {}
  for _, name in ipairs(text.keys(config:get "mcp")) do
    local one, err = one_of(config, name)
    if not one then return nil, err end
    list[#list + 1] = one
  end
  return list
end

return mcp_options
