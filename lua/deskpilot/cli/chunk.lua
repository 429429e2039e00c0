--- Lua that a person gives on the spot, at the prompt or to `eval`: how it is compiled, what it finds
--- around it, and the words when it fails.
local errors = require "deskpilot.base.errors"
local flags = require "deskpilot.cli.flags"
local help = require "deskpilot.cli.help"
local inspect = require "deskpilot.cli.inspect"

local chunk = {}

--- The options by which a command names the desktop to work on; see chunk.start_desktop.
chunk.desktop_options = {
  { name = "desktop", value = "KIND", help = "current (default), or private[:WIDTHxHEIGHT]" },
  { name = "app", value = "COMMAND", repeated = true, help = "start this on the private desktop" },
}

--- The function of a source: as an expression where it is one.
---@param source string
---@param name string as load() wants it
---@param env table?
---@return function? fn, string? why
function chunk.compile(source, name, env)
  env = env or _G
  local fn, expression_error = load("return " .. source, name, "t", env)
  if fn then return fn end
  local why
  fn, why = load(source, name, "t", env)
  -- "1 +" is an unfinished expression, whatever it would be as a statement.
  if not fn and expression_error:find("near <eof>$") then why = expression_error end
  return fn, why
end

--- An error's own words and the frames that are the user's.
---@param err any as a task gives it
---@return string
function chunk.error_words(err)
  if type(err) ~= "string" then return inspect.error(err) end
  local message, trace = err:match("^(.-)\nstack traceback:\n(.*)$")
  if not message then return inspect.error(err) end
  local frames = {}
  for frame in trace:gmatch("[^\n]+") do
    if frame:find("%[C%]: in function 'xpcall'") then break end
    local ours = frame:find("%[C%]:") or frame:find("^%s*%(?%.%.%.") or frame:find("^%s*deskpilot/")
    if not ours then frames[#frames + 1] = frame end
  end
  if #frames > 1 then message = message .. "\n" .. table.concat(frames, "\n") end
  return inspect.error(message)
end

--- The desktop, opened when first used, so that Lua without a display is still Lua.
---@param where table options of deskpilot.desk's open
---@return fun(): deskpilot.desk open raises what went wrong
---@return fun(): deskpilot.desk? opened the one that is open
function chunk.desk_opener(where)
  local desk
  return function()
    if not desk then
      local err
      desk, err = require("deskpilot.desk").open(where)
      if not desk then error(err, 0) end
      package.loaded.desk = desk
    end
    return desk
  end, function() return desk end
end

--- The global names: Lua's own, desk, require, reload and help.
---@param open_desk fun(): deskpilot.desk
---@return table
function chunk.environment(open_desk)
  local env = {}
  function env.require(name)
    -- Not by a searcher: opening waits, and nothing can wait below the real require.
    if name == "desk" then return open_desk() end
    return require(name)
  end
  function env.reload(name)
    package.loaded[name] = nil
    return require(name)
  end
  function env.help(...) io.stdout:write(help.about(...), "\n") end
  env._G = env
  return setmetatable(env, { __index = function(_, name)
    if name == "desk" then return open_desk() end
    return _G[name]
  end })
end

local function split_words(command)
  local words = {}
  for word in command:gmatch("%S+") do words[#words + 1] = word end
  return words
end

--- Starts the private desktop that --desktop asks for. Returns where the desktop is, for desk_opener, and
--- what ends it where it was started.
---@param options { desktop: string?, app: string[]? }
---@return table? where, deskpilot.private_session|deskpilot.error|nil session
function chunk.start_desktop(options)
  local kind, width, height = flags.desktop(options.desktop or "current")
  if not kind then return nil, errors.new("invalid", width) end
  if kind == "current" then
    if options.app then return errors.fail("invalid", "--app wants --desktop private") end
    return {}
  end
  local apps = {}
  for _, command in ipairs(options.app or {}) do apps[#apps + 1] = split_words(command) end
  local session, err = require("deskpilot.desk.private.session").start {
    size = width and { width, height }, apps = apps,
  }
  if not session then return nil, err end
  return { display = session.display, bus = session.bus_address, session = session }, session
end

return chunk
