--- The desktop that a command works on: the user's own, or a private one for as long as the command runs.
local errors = require "deskpilot.base.errors"
local flags = require "deskpilot.cli.flags"

local desktop = {}

--- The options by which a command names it.
desktop.options = {
  { name = "desktop", value = "WHERE", help = "current (default), or private[:WIDTHxHEIGHT]" },
  { name = "app", value = "COMMAND", repeated = true, help = "start this on the private desktop" },
}

--- A command line taken apart at its spaces, but not within quotes.
---@param line string
---@param option string that it was given with
---@return string[]? words, deskpilot.error? err
function desktop.words(line, option)
  local words, word, quote = {}, nil, nil
  for i = 1, #line do
    local char = line:sub(i, i)
    if quote then
      if char == quote then quote = nil else word = word .. char end
    elseif char == "'" or char == '"' then
      quote, word = char, word or ""
    elseif char:find "%s" then
      words[#words + 1], word = word, nil
    else
      word = (word or "") .. char
    end
  end
  words[#words + 1] = word
  if quote or #words == 0 then
    return errors.fail("invalid", "%s wants a command, such as %s galculator%s", option, option, quote
      and "; a quote is not closed in: " .. line or "")
  end
  return words
end

--- What --private and --size say, for commands that have these.
---@param given { private: string[]?, size: string? }
---@return string? where as --desktop has it
---@return string[][]|deskpilot.error|nil apps the words of each command
function desktop.private(given)
  local apps
  for _, line in ipairs(given.private or {}) do
    local words, err = desktop.words(line, "--private")
    if not words then return nil, err end
    apps = apps or {}
    apps[#apps + 1] = words
  end
  if not given.size then return apps and "private" or "current", apps end
  if not apps then return errors.fail("invalid", "--size is for a private desktop: add --private APP") end
  local where = "private:" .. given.size
  if flags.desktop(where) then return where, apps end
  return errors.fail("invalid", "--size wants WIDTHxHEIGHT, such as 1280x800, not '%s'", given.size)
end

--- Where a private desktop is, for a person who wants to see it.
---@param session deskpilot.private_session
---@return string
function desktop.where(session)
  if not session.folder then return "the private desktop is " .. session.display end
  return ("the private desktop is the display %s, with XAUTHORITY=%s/xauthority"):format(session.display,
    session.folder)
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
    local words, err = desktop.words(command, "--app")
    if not words then return nil, err end
    apps[#apps + 1] = words
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
