--- Positions in schemas and in calls: written in a model's space before they are sent, read from it after they came. By
--- its `format` it is known what a value of a schema is: a position, a box, or a call: an object that names a tool and
--- has its arguments (`tool`, `args`), as the actions of a plan. No server is sent these formats.
local json = require "deskpilot.base.json"
local text = require "deskpilot.base.text"

local space_calls = {}

local formats = { position = true, box = true, call = true }

-- A description with the words of this space in place of the canonical ones, or behind what it says.
local function described(self, format, description, canonical)
  local usual = canonical:words(format)
  local first, last = description:find(usual, 1, true)
  if first then return description:sub(1, first - 1) .. self:words(format) .. description:sub(last + 1) end
  return text.trim(("%s As %s."):format(description, self:words(format)))
end

-- A schema without what is ours alone, a position in the model's numbers.
local function in_space(self, definition, canonical)
  if type(definition) ~= "table" then return definition end
  local copy = setmetatable({}, getmetatable(definition))
  for key, value in pairs(definition) do
    copy[key] = type(value) == "table" and key ~= "enum" and key ~= "required" and key ~= "examples"
      and in_space(self, value, canonical) or value
  end
  local format = definition.format
  if not formats[format] then return copy end
  copy.format = nil
  if format == "call" or self:is_canonical() then return copy end
  copy.description = described(self, format, tostring(definition.description or ""), canonical)
  if type(copy.items) == "table" then copy.items.maximum = math.max(self.across, self.down) end
  return copy
end

--- A tool's parameters as a request has them.
---@param space deskpilot.model.space
---@param definition table
---@param canonical deskpilot.model.space in whose words it is declared
---@return table
function space_calls.schema(space, definition, canonical)
  return in_space(space, definition, canonical)
end

local convert_value

local function read_place(self, format, value)
  if format == "box" then return self:read_box(value) end
  return self:read(value)
end

-- A table with each of its values as `fn` gives it, the table itself where all are the same.
local function mapped(value, fn)
  local copy
  for key, item in pairs(value) do
    local made, why = fn(key, item)
    if why then return nil, why end
    if made ~= item then
      if not copy then
        copy = setmetatable({}, getmetatable(value))
        for name, other in pairs(value) do copy[name] = other end
      end
      copy[key] = made
    end
  end
  return copy or value
end

local function named(key, why)
  return why and ("%s: %s"):format(tostring(key), why)
end

local function convert_fields(self, value, definition, parameters, depth)
  local inner = type(definition.properties) == "table" and definition.properties or {}
  local nested = definition.format == "call" and type(value.tool) == "string" and parameters(value.tool)
  return mapped(value, function(key, item)
    local fit = nested and key == "args" and nested or inner[key]
    if item == nil or type(fit) ~= "table" then return item end
    local made, why = convert_value(self, item, fit, parameters, depth + 1)
    return made, named(key, why)
  end)
end

-- A value with the positions in it as 0..1000; nil and why where one lies outside of the picture.
function convert_value(self, value, definition, parameters, depth)
  if value == json.null or depth > 20 then return value end
  if definition.format == "position" or definition.format == "box" then
    local place, why = read_place(self, definition.format, value)
    if place then return place end
    if why then return nil, ("%s (positions are %s)"):format(why, self:range()) end
    return value
  end
  if type(value) ~= "table" then return value end
  if type(definition.items) == "table" and #value > 0 then
    return mapped(value, function(key, item)
      local made, why = convert_value(self, item, definition.items, parameters, depth + 1)
      return made, named(key, why)
    end)
  end
  return convert_fields(self, value, definition, parameters, depth)
end

--- Converts the positions in calls (Space:calls).
---@param space deskpilot.model.space
---@param calls deskpilot.model.call[] changed
---@param parameters fun(name: string): table?
function space_calls.convert(space, calls, parameters)
  for _, call in ipairs(calls) do
    local definition = type(call.args) == "table" and parameters(call.name)
    if definition then
      local args, why = convert_value(space, call.args, definition, parameters, 1)
      call.said = call.args
      call.args = args
      if why then call.error = ("%s: %s"):format(text.cut(call.name, 60), why) end
    end
  end
end

return space_calls
