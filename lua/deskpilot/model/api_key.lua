--- Which API key a server is sent. A key belongs to the address that the user has named: by a flag, a variable, the
--- own configuration or the mission. A project's file may name an address and a key of its own for it, but no address
--- for the user's key; and whoever happens to listen where a server usually does gets none.
local endpoints = require "deskpilot.model.endpoint"
local files = require "deskpilot.base.files"
local secrets = require "deskpilot.model.secrets"

local api_key = {}

local function same_server(one, other)
  local first, second = endpoints.parse(one), endpoints.parse(other)
  return one == other
    or first ~= nil and second ~= nil and first.base == second.base and first.query == second.query
end

-- Who has named the address that a key of the configuration holds: "user", "project", or nil; and where.
local function named_by(config, name)
  local address, found, place = config:get(name), nil, nil
  for _, said in ipairs(config:said(name)) do
    if same_server(said.value, address) and found ~= "user" then
      found, place = said.by == "project" and "project" or "user", said.place
    end
  end
  return found, place
end

local function advice(name)
  local ways = name == "model.endpoint" and "--endpoint or --provider, DESKPILOT_ENDPOINT" or "--set " .. name
  return ("name that address yourself, by %s or %s in %s"):format(ways, name,
    files.join(files.user_config_folder(), "config.lua"))
end

--- The key for the server at the address that a key of the configuration holds.
---@param config deskpilot.config
---@param address string the configuration's key of the address: "model.endpoint", "personas.NAME.endpoint"
---@param file string its key of the API key's file
---@return string? key, string? from the variable or the file that it is from
---@return string? withheld why the key that there is is not sent, and what to do
function api_key.for_address(config, address, file)
  local who, place = named_by(config, address)
  local own, own_from = config:secret(file)
  secrets.register(own) -- masked in what is kept of a run, also where it is not sent
  if who == "user" then return own, own_from end
  local key, from = config:secret(file, true)
  if who == "project" and key then return key, from end
  if not own then return nil end
  return nil, nil, ("the API key from %s is not sent there, because %s: %s"):format(own_from, who
    and "only " .. place .. " names that address" or "nobody has named that address", advice(address))
end

return api_key
