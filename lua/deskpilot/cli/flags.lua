--- What a command's options say of the configuration: --set KEY=VALUE, and those that stand for one key.
local errors = require "deskpilot.base.errors"

local flags = {}

-- Options that stand for one key.
local keys = { policy = "policy", model = "model.name", endpoint = "model.endpoint", provider = "model.provider",
  wire = "model.wire", runs = "runs.dir", accept_claims = "accept_claims", heal = "replay.heal" }

--- "private:1280x800" taken apart.
---@param word string
---@return string? kind, integer|string|nil width, integer? height; or nil and why
function flags.desktop(word)
  local kind, width, height = word:match("^(%a+):(%d+)[xX](%d+)$")
  if kind == "private" then return kind, math.tointeger(tonumber(width)), math.tointeger(tonumber(height)) end
  if word == "private" or word == "current" then return word end
  return nil, ("--desktop is '%s', but must be current, private or private:WIDTHxHEIGHT"):format(word)
end

--- The layer of a command's options: set (a list of KEY=VALUE), desktop, and those that stand for one key.
---@param options table
---@return deskpilot.config_layer? layer, deskpilot.error? err
function flags.layer(options)
  local values, origins = {}, {}
  for _, word in ipairs(options.set or {}) do
    local name, value = word:match("^([^=]+)=(.*)$")
    if not name then
      return errors.fail("invalid", "--set wants KEY=VALUE, such as --set limits.turns=20, not '%s'", word)
    end
    values[name], origins[name] = value, "--set"
  end
  for option, key in pairs(keys) do
    if options[option] then values[key], origins[key] = options[option], "--" .. option end
  end
  if options.shared then values["desktop.shared"], origins["desktop.shared"] = true, "--shared" end
  if options.desktop then
    local kind, width, height = flags.desktop(options.desktop)
    if not kind then return errors.fail("invalid", "%s", width) end
    values["desktop.kind"] = kind
    values["desktop.width"], values["desktop.height"] = width or values["desktop.width"],
      height or values["desktop.height"]
    for _, name in ipairs { "kind", "width", "height" } do origins["desktop." .. name] = "--desktop" end
  end
  return { source = "a flag", values = values, origins = origins }
end

return flags
