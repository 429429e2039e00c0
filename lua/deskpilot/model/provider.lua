--- Model servers by name: what providers.lua has of them, and what naming one means for the configuration.
local data = require "deskpilot.base.data"
local endpoints = require "deskpilot.model.endpoint"
local errors = require "deskpilot.base.errors"
local lookup = require "deskpilot.base.lookup"
local text = require "deskpilot.base.text"

local provider = {}

---@class deskpilot.provider
---@field name string
---@field title string
---@field endpoint string
---@field is_local boolean whether that is an address of this machine
---@field start string? the command that starts it
---@field get string? the command that fetches a model, MODEL standing for its name
---@field model string? asked for unless somebody has named one
---@field key string? the variable that holds its API key
---@field stream "text"|nil what may be asked for as a stream, where that is not everything: answers without calls
---@field wires string[] the protocols that it speaks

local fields = { title = "text", endpoint = "text", start = "text", get = "text", model = "text", key = "text",
  stream = "text", wires = "list of texts" }

local function is_texts(value)
  if type(value) ~= "table" or #value == 0 then return false end
  for _, item in ipairs(value) do
    if type(item) ~= "string" then return false end
  end
  return true
end

-- One entry as a provider; nil and what is wrong with it.
local function read(name, entry)
  if type(name) ~= "string" or type(entry) ~= "table" then
    return nil, ("%s must be NAME = { endpoint = \"...\" }"):format(tostring(name))
  end
  for _, field in ipairs(text.keys(entry)) do
    if not fields[field] then
      return nil, ("%s.%s is not known%s"):format(name, tostring(field), text.did_you_mean(tostring(field),
        text.keys(fields)))
    elseif fields[field] == "text" and type(entry[field]) ~= "string" or fields[field] ~= "text"
      and not is_texts(entry[field]) then
      return nil, ("%s.%s must be a %s"):format(name, field, fields[field])
    end
  end
  local urls, err = endpoints.parse(entry.endpoint or "")
  if not urls then return nil, ("%s.endpoint: %s"):format(name, tostring(err)) end
  return { name = name, title = entry.title or name, endpoint = entry.endpoint, is_local = urls.is_local,
    start = entry.start, get = entry.get, model = entry.model, key = entry.key, stream = entry.stream,
    wires = entry.wires or { "chat" } }
end

local look_in -- folders, where it is not the lookup's own

--- Sets the folders of a file that stands in the shipped one's place, for commands that search none: it is data.
---@param folders string[]
function provider.look_in(folders)
  look_in = folders
end

--- All of them, by name.
---@param folders string[]? where to look for a file that stands in the shipped one's place; the lookup's folders unless
---  given
---@return deskpilot.provider[]? list, deskpilot.error? err names the file
function provider.all(folders)
  local source, where = lookup.data("model", "providers", nil, folders or look_in)
  if not source then return nil, where end
  local entries, err = data.parse(source, where)
  if not entries then return nil, err end
  local list = {}
  for _, name in ipairs(text.keys(entries)) do
    local found, why = read(name, entries[name])
    if not found then return errors.fail("invalid", "%s: %s", where, why) end
    list[#list + 1] = found
  end
  return list
end

--- The names of those that ship, for help texts: "jan, ollama or vllm".
---@return string
function provider.shipped_names()
  local names = {}
  for i, one in ipairs(assert(provider.all {})) do names[i] = one.name end
  return table.concat(names, ", ", 1, #names - 1) .. " or " .. names[#names]
end

--- The one of that name.
---@param name string
---@return deskpilot.provider? found, deskpilot.error? err
function provider.find(name)
  local list, err = provider.all()
  if not list then return nil, err end
  local names = {}
  for i, one in ipairs(list) do
    if one.name == name then return one end
    names[i] = one.name
  end
  return errors.fail("invalid", "there is no model provider '%s'%s", name, text.did_you_mean(name, names))
end

--- The one whose address that is; its host alone is enough.
---@param endpoint string
---@return deskpilot.provider?
function provider.at(endpoint)
  local asked = endpoints.parse(endpoint, "")
  for _, one in ipairs(asked and provider.all() or {}) do
    local base = endpoints.parse(one.endpoint, "").base
    if asked.base == base or asked.base == base:match("^%a+://[^/]+") then return one end
  end
end

-- "http://127.0.0.1:8080/v1" -> "8080"
local function port_of(endpoint)
  local scheme, port = endpoint:match("^(%a+)://[^/]*:(%d+)")
  return port or scheme and "80"
end

--- The program that usually listens at an address of this machine.
---@param endpoint string
---@return deskpilot.provider?
function provider.usually_at(endpoint)
  for _, one in ipairs(provider.all() or {}) do
    if one.is_local and port_of(one.endpoint) == port_of(endpoint) then return one end
  end
end

-- --- what naming one means ------------------------------------------------------------------------------------

-- A key that is meant for another server is not sent to this one; the server's own is, whoever has named it: which
-- variable and which address belong together is said by what ships, or by the user (lookup.lua).
local function use_key(config, name, found, of_project)
  local secret, from = config:secret(name, of_project)
  if secret and from ~= "OPENAI_API_KEY" or not found.key or from == found.key then return end
  config:set_secret(name, config:variable(found.key), found.key, of_project)
end

-- Of the model of the run, or of one persona ("personas.vision.").
local function apply(config, prefix, rank)
  local name = config:get(prefix .. "provider")
  if not name or name == "" then return true end
  local found, err = provider.find(name)
  if not found then return errors.fail("invalid", "%sprovider: %s (from %s)", prefix, tostring(err),
    config:place(prefix .. "provider")) end
  local source = "the provider " .. name
  local function weaker(key)
    return (rank[config.sources[key] or "default"] or 0) < (rank[config.sources[prefix .. "provider"]] or 0)
  end
  if weaker(prefix .. "endpoint") then
    local named = config:said(prefix .. "provider")
    local said = named[#named]
    assert(config:set(prefix .. "endpoint", found.endpoint, source, said))
    use_key(config, prefix .. "api_key_file", found, said ~= nil and said.by == "project")
  end
  local model = prefix == "model." and "model.name" or prefix .. "model"
  if found.model and (config.sources[model] or "default") == "default" then
    assert(config:set(model, found.model, source))
  end
  return true
end

--- Fills in what the providers that a configuration names stand for: the endpoint, where it is not said in the same
--- place or one that goes before it; the model, where nobody has named one; and the API key's variable.
---@param config deskpilot.config
---@param rank table<string, integer> the sources, the later ones win
---@return boolean? ok, deskpilot.error? err
function provider.apply(config, rank)
  local ok, err = apply(config, "model.", rank)
  for _, name in ipairs(ok and text.keys(config:get "personas") or {}) do
    ok, err = apply(config, ("personas.%s."):format(name), rank)
    if not ok then break end
  end
  return ok, err
end

return provider
