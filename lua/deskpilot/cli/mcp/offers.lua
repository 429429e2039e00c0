--- `--offer FILE.lua`: tools, resources and prompts of one's own, beside those of the server. The file returns
---
---   return {
---     tools = { { name =, description =, parameters = { a JSON Schema }, run = function(call, args) ... end } },
---     resources = { { uri =, name =, mimeType =, read = function(call) return "text" end } },
---     templates = { { uriTemplate =, name =, read = function(uri, call) return "text" or nil end } },
---     prompts = { { name =, description =, arguments = {}, get = function(call, args) return messages end } },
---   }
---
--- A tool's `run` gives a text, or { text =, pictures =, structured = }, or { content = blocks of the protocol }; nil
--- and an error where it failed. By `call` it tells of its progress (call:progress), writes to the client's log
--- (call:log), and asks the client (call:ask).
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local native = require "native.image"
local trust = require "deskpilot.base.trust"

local offers = {}

local kinds = { tools = { "name", "description", "parameters", "run" }, resources = { "uri", "name", "read" },
  templates = { "uriTemplate", "name", "read" }, prompts = { "name", "get" } }

local function problem(value)
  if type(value) ~= "table" then return "must return a table" end
  for kind, list in pairs(value) do
    local wanted = kinds[kind]
    if not wanted then return ("has %q; it may have tools, resources, templates and prompts"):format(tostring(kind)) end
    if type(list) ~= "table" then return kind .. " must be a list" end
    for i, item in ipairs(list) do
      for _, field in ipairs(wanted) do
        if type(item) ~= "table" or item[field] == nil then return ("%s[%d] has no %s"):format(kind, i, field) end
      end
    end
  end
end

local function contents(uri, mime, value)
  if type(value) == "table" then
    return { { uri = uri, mimeType = value.mimeType or mime, blob = native.base64(value.bytes) } }
  end
  return { { uri = uri, mimeType = mime, text = value } }
end

local function resources_of(value)
  local source = { templates = {}, list = function()
    local list = {}
    for i, one in ipairs(value.resources or {}) do
      list[i] = { uri = one.uri, name = one.name, mimeType = one.mimeType, description = one.description }
    end
    return list
  end }
  for i, one in ipairs(value.templates or {}) do
    source.templates[i] = { uriTemplate = one.uriTemplate, name = one.name, mimeType = one.mimeType }
  end
  function source.read(uri, call)
    for _, one in ipairs(value.resources or {}) do
      if one.uri == uri then return contents(uri, one.mimeType, one.read(call)) end
    end
    for _, one in ipairs(value.templates or {}) do
      local found = one.read(uri, call)
      if found then return contents(uri, one.mimeType, found) end
    end
  end
  return source
end

--- Reads such a file. Its top level runs: it is the user's own code.
---@param path string
---@return { tools: deskpilot.mcp_tool[], prompts: deskpilot.mcp_prompt[], resources: deskpilot.mcp_resources }? offered
---@return deskpilot.error? err
function offers.read(path)
  path = files.absolute(path)
  local trusted, refused = trust.check(path)
  if not trusted then return nil, refused end
  local source, err = files.read(path, 1 << 20)
  if not source then return nil, err end
  local chunk, why = load(source, "@" .. path, "t")
  if not chunk then return errors.fail("invalid", "%s", why) end
  local ok, value = pcall(chunk)
  if not ok then return errors.fail("invalid", "%s", tostring(value)) end
  local wrong = problem(value)
  if wrong then return errors.fail("invalid", "%s %s", path, wrong) end
  for _, tool in ipairs(value.tools or {}) do tool.foreign = true end
  return { tools = value.tools or {}, prompts = value.prompts or {}, resources = resources_of(value) }
end

return offers
