--- The desktop that a command works on: the user's own, or a private one for as long as the command runs.
local errors = require "deskpilot.base.errors"
local flags = require "deskpilot.cli.flags"

local desktop = {}

--- The options by which a command names it.
desktop.options = {
  { name = "desktop", value = "WHERE", help = "current (default), or private[:WIDTHxHEIGHT]" },
  { name = "app", value = "COMMAND", repeated = true, help = "start this on the private desktop" },
}

local function split_words(command)
  local words = {}
  for word in command:gmatch("%S+") do words[#words + 1] = word end
  return words
end

--- Starts the private desktop that --desktop asks for. Returns where the desktop is, for deskpilot.desk's open, and
--- what ends it where it was started.
---@param options { desktop: string?, app: string[]? }
---@return table? where, deskpilot.private_session|deskpilot.error|nil session
function desktop.start(options)
  local kind, width, height = flags.desktop(options.desktop or "current")
  if not kind then return nil, errors.new("invalid", width) end
  if kind == "current" then
    if options.app then
      return errors.fail("invalid", "--app starts a program on a private desktop: add --desktop private")
    end
    return {}
  end
  local apps = {}
  for _, command in ipairs(options.app or {}) do
    apps[#apps + 1] = split_words(command)
    if #apps[#apps] == 0 then return errors.fail("invalid", "--app wants a command, such as --app galculator") end
  end
  local session, err = require("deskpilot.desk.private.session").start {
    size = width and { width, height }, apps = apps,
  }
  if not session then return nil, err end
  return { display = session.display, bus = session.bus_address, session = session }, session
end

--- The same for a command that only looks: ended when the value is closed.
---@param options { desktop: string?, app: string[]? }
---@return { native: table, desk: table, session: deskpilot.private_session? }? place as native.desk and deskpilot.desk
---  take it
---@return deskpilot.error? err
function desktop.open(options)
  local where, session = desktop.start(options)
  if not where then return nil, session end
  return setmetatable({ native = { display = where.display, cookie = session and session.cookie }, desk = where,
    session = session }, { __close = function()
    if session then session:stop() end
  end })
end

--- The exit status for a desktop that cannot be had: 2 where the options are wrong, 3 where something is missing.
---@param err any
---@return integer
function desktop.status(err)
  return errors.is(err, "invalid") and 2 or 3
end

return desktop
