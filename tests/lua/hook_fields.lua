--- Compares what a hook was really told with what is declared, and so with what docs/hooks.md says. Also loaded by
--- missions of tests, in the program itself.
local events = require "deskpilot.agent.run_events"
local hooks = require "deskpilot.agent.hooks"
local schema = require "deskpilot.base.schema"

local hook_fields = {}

local function name_of(field) return (field[1]:gsub("%?$", "")) end

local function wrong_field(event, field)
  local name, value = name_of(field), event[name_of(field)]
  if value == nil then
    return field[1]:sub(-1) ~= "?" and name ~= "number" and ("%s.%s is missing"):format(event.event, name) or nil
  end
  local ok, why = schema.validate({ type = "object", properties = { [name] = events.field_schema(field) } },
    { [name] = value })
  return not ok and ("%s.%s"):format(event.event, why) or nil
end

--- What is wrong with an event as a hook was told it; nil where nothing is.
---@param event table
---@return string?
function hook_fields.problem(event)
  local declared, known = events.get(event.event), {}
  if not declared then return ("%s is not declared"):format(tostring(event.event)) end
  for _, list in ipairs { events.common(), declared.fields, declared.live or {} } do
    for _, field in ipairs(list) do
      known[name_of(field)] = true
      local why = wrong_field(event, field)
      if why then return why end
    end
  end
  for key in pairs(event) do
    if not known[key] then return ("%s has a field %s that is not declared"):format(event.event, key) end
  end
end

--- Hooks for every event, which tell found(name, problem) of each.
---@param found fun(name: string, problem: string?)
---@return table mission
function hook_fields.hooks(found)
  local mission = {}
  for _, name in ipairs(events.names()) do
    if hooks.hears(name) then
      mission[name] = function(_, event)
        local action = rawget(event, "action")
        found(name, hook_fields.problem(event) or action and hook_fields.problem(action))
      end
    end
  end
  return mission
end

return hook_fields
