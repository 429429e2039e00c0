--- Lua that a person gives on the spot, at the prompt or to `eval`: how it is compiled, what it finds
--- around it, and the words when it fails.
local help = require "deskpilot.cli.help"
local inspect = require "deskpilot.cli.inspect"
local terminal = require "deskpilot.cli.terminal"

local chunk = {}

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

--- Whether a source is not just the beginning of a longer one.
---@param source string
---@return boolean
function chunk.is_complete(source)
  local fn, why = chunk.compile(source, "=repl")
  return fn ~= nil or not why:find("near <eof>$")
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
---@param opening fun(desk: deskpilot.desk)? is called with it when it has been opened
---@return fun(): deskpilot.desk open raises what went wrong
---@return fun(): deskpilot.desk? opened the one that is open
function chunk.desk_opener(where, opening)
  local desk
  return function()
    if not desk then
      local err
      desk, err = require("deskpilot.desk").open(where)
      if not desk then error(err, 0) end
      if opening then opening(desk) end
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
  function env.help(...) terminal.put(help.about(...), "\n") end
  env._G = env
  return setmetatable(env, { __index = function(_, name)
    if name == "desk" then return open_desk() end
    return _G[name]
  end })
end

return chunk
