--- What the commands of fleets share: how the server is reached, and what they say where it is not.
local errors = require "deskpilot.base.errors"
local store = require "deskpilot.fleet.store"
local terminal = require "deskpilot.cli.terminal"

local fleet_options = {}

--- Exit status where the machine or the server is the reason.
fleet_options.environment = 3

--- The options, for a command to add its own.
---@param own table[]
---@return table[]
function fleet_options.with(own)
  local list = {
    { name = "server", value = "URL",
      help = "the NATS server, or several with commas (default: nats://127.0.0.1:4222)" },
    { name = "credentials", value = "FILE", help = "who connects: a file as NATS's tools write it" },
    { name = "ca", value = "FILE",
      help = "authorities (PEM) that the server's certificate is checked by, in place of the system's" },
    { name = "cert", value = "FILE", help = "one's own certificate (PEM), where the server wants one" },
    { name = "key", value = "FILE", help = "its key" },
  }
  for _, option in ipairs(own) do list[#list + 1] = option end
  return list
end

--- Connects. A failure has been told.
---@param options table
---@param name string what the server's monitoring calls this client
---@return deskpilot.fleet.store? store, integer? status
function fleet_options.open(options, name)
  local opened, err = store.open { servers = options.server, credentials_file = options.credentials,
    ca_file = options.ca, cert_file = options.cert, key_file = options.key, name = name }
  if opened then return opened end
  terminal.complain(tostring(err))
  return nil, errors.is(err, "invalid") and 2 or fleet_options.environment
end

--- A whole number of an option.
---@param options table
---@param name string
---@param otherwise integer
---@param most integer
---@param least integer? default 1
---@return integer? number, string? why
function fleet_options.number(options, name, otherwise, most, least)
  local value = options[(name:gsub("%-", "_"))]
  if not value then return otherwise end
  local number = math.tointeger(tonumber(value))
  least = least or 1
  if number and number >= least and number <= most then return number end
  return nil, ("--%s is a whole number of %d to %d, not %s"):format(name, least, most, value)
end

return fleet_options
