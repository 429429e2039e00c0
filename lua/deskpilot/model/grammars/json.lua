--- An answer that is as a whole JSON: calls in one of the usual forms, or an object that names its action:
--- {"action": "click_absolute", "x": 947, "y": 338} (Holo), also inside {"thought": ..., "action": {...}}.
local values = require "deskpilot.model.values"

local function without(value, key)
  local copy = {}
  for name, item in pairs(value) do
    if name ~= key then copy[name] = item end
  end
  return copy
end

-- Keys beside the action that are no arguments of it.
local thoughts = { "thought", "thoughts", "note", "reasoning", "rationale", "explanation" }

local function thought_of(value)
  for _, key in ipairs(thoughts) do
    if type(value[key]) == "string" and value[key]:find "%S" then return value[key] end
  end
end

-- The name and the arguments of an object that names its action, and what is thought beside it.
local function named(value)
  local inner, thought = value.action or value.action_type, thought_of(value)
  if type(inner) == "table" and inner[1] == nil then
    if type(inner.name) == "string" then
      return inner.name, inner.arguments or inner.args or without(inner, "name"), thought
    end
    local name, args, own = named(inner)
    return name, args, own or thought
  end
  if type(inner) ~= "string" or not inner:find("^[%a_][%w_ ]*$") or #inner > 64 then return nil end
  local args = without(without(value, "action"), "action_type")
  for _, key in ipairs(thoughts) do args[key] = nil end
  return inner, args, thought
end

-- Whether it says what to do with another tool, as {"action": "mcp_call", "tool": "find", "args": {...}}: that one is
-- an argument.
local function calls_through(value)
  return type(value.action) == "string" and type(value.tool) == "string"
end

local function take_value(value, found)
  if not calls_through(value) and found:add_value(value) then return true end
  local list = value[1] ~= nil and value or { value }
  local calls = {}
  for _, item in ipairs(list) do
    local name, args, thought
    if type(item) == "table" then name, args, thought = named(item) end
    if not name then return false end
    calls[#calls + 1] = { name, args, thought }
  end
  for _, call in ipairs(calls) do
    found:add(call[1], call[2])
    local added = found.calls[#found.calls]
    added.verb, added.thought = true, call[3]
    if found:full() then break end
  end
  return #calls > 0
end

---@type deskpilot.model.grammar
return {
  name = "json",
  style = "json",
  teach = "Answer with one JSON object and nothing else:\n%s",
  take = function(source, found)
    if not source:find("^%s*[{%[`]") then return source end
    local mark, value = found.repairs:mark(), values.json(source, found.repairs)
    if type(value) == "table" and take_value(value, found) then return "" end
    found.repairs:undo(mark)
    return source
  end,
}
