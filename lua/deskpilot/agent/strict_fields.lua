--- While a mission's hook is called, a field that an event does not have, or an argument that no tool takes, is an
--- error where it is read or written: a hook that looks for `args.x`, which is called `args.position`, or that says
--- `action.vetto = "why"`, would otherwise let everything happen. The tables stay what they are: pairs, JSON and the
--- journal meet their data alone.
local events = require "deskpilot.agent.run_events"
local text = require "deskpilot.base.text"

local strict_fields = {}

-- A function of the run that the hook has handed the table to is not meant.
local function is_own_code(level)
  local info = debug.getinfo(level + 1, "S")
  return not info or info.what == "C" or info.source:find("^@deskpilot/") ~= nil
end

local function read(before, t, key)
  if type(before) == "function" then return before(t, key) end
  return before and before[key]
end

local function set(names)
  local known = {}
  for _, name in ipairs(names) do known[name] = true end
  return known
end

-- Makes a table strict, and gives what ends that.
local function make_strict(t, own, readable, sentence)
  local meta = getmetatable(t)
  local before = meta and meta.__index
  setmetatable(t, { __index = function(_, key)
    local value = read(before, t, key)
    if value == nil and type(key) == "string" and not (own[key] or readable[key]) and not is_own_code(2) then
      error(sentence(key), 2)
    end
    return value
  end, __newindex = function(written, key, value) -- a copy that keeps its metatable is not `t`
    if type(key) == "string" and not own[key] and not is_own_code(2) then error(sentence(key), 2) end
    rawset(written, key, value)
  end })
  return function() setmetatable(t, meta) end
end

local function watch_arguments(run, event, ends)
  local args, definition = event.args, run.toolbox and run.toolbox:parameters(event.tool, run)
  if type(args) ~= "table" or getmetatable(args) then return end
  if not definition or definition.additionalProperties ~= false then return end -- they may be any
  local names = text.keys(definition.properties)
  local points = definition.properties.position or definition.properties.start
  ends[#ends + 1] = make_strict(args, set(names), run.toolbox:arguments(run), function(key)
    return ("%s has no argument '%s'%s%s"):format(event.tool, key,
      text.nearest(key, names) and text.did_you_mean(key, names) or "; it has " .. text.join(names),
      points and " (positions are 0..1000 of the picture; action.point is the pixel of the screen)" or "")
  end)
end

local function watch_event(run, event, ends)
  local names = events.field_names(event.event)
  ends[#ends + 1] = make_strict(event, set(names), {}, function(key)
    local args = rawget(event, "args")
    if type(args) == "table" and rawget(args, key) ~= nil then
      return ("the event %s has no field '%s', but its arguments do: args.%s"):format(event.event, key, key)
    end
    return ("the event %s has no field '%s'%s"):format(event.event, key, text.did_you_mean(key, names))
  end)
  watch_arguments(run, event, ends)
end

--- From now on, until the result is closed, reading or writing what an event or its action does not have is an error.
---@param run deskpilot.run
---@param event deskpilot.event
---@return table closing to be closed
function strict_fields.watch(run, event)
  local ends = {}
  watch_event(run, event, ends)
  local action = rawget(event, "action")
  if type(action) == "table" and events.known(action.event) then watch_event(run, action, ends) end
  return setmetatable({}, { __close = function()
    for i = #ends, 1, -1 do ends[i]() end
  end })
end

return strict_fields
