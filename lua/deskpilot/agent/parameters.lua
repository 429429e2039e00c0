--- The parameters of a tool, as models are sent them: checked, in their order, and with a justification in every tool
--- that acts, so that the model says what it sees before it says what to do.
local json = require "deskpilot.base.json"
local schema = require "deskpilot.base.schema"
local text = require "deskpilot.base.text"

local parameters = {}

--- Why the action is taken. A tool need not declare it; one that does can have its own words for it.
parameters.justification = {
  name = "justification", type = "string",
  description = "30-50 words: what on the screen shows that this is the right action now, why it is the "
    .. "next step, and what you expect to see after it.",
}

--- What is wrong with a tool's parameters, nil where nothing is.
---@param definition any
---@return string?
function parameters.problem(definition)
  if type(definition) ~= "table" then return "has no parameters (a JSON Schema)" end
  local ok, why = schema.check(definition, { path = "parameters" })
  if not ok then return "has parameters that cannot be used: " .. tostring(why) end
  if definition.type ~= nil and definition.type ~= "object" then
    return ("has parameters of the type %s, but a tool's arguments are an object"):format(tostring(definition.type))
  end
end

-- Its own words for the justification or ours, and how long it has to be.
local function justification_schema(own, shortest)
  local copy = {}
  for key, value in pairs(type(own) == "table" and own or parameters.justification) do copy[key] = value end
  if shortest > 0 then
    copy.minLength = math.max(shortest, copy.minLength or 0)
    copy.description = ("%s At least %d characters."):format(copy.description or "", copy.minLength)
  end
  return copy
end

-- The names with `justification` in front.
local function justification_first(names)
  local list = { "justification" }
  for _, name in ipairs(names) do
    if name ~= "justification" then list[#list + 1] = name end
  end
  return list
end

local function add_justification(definition, shortest)
  local properties, names = definition.properties, schema.names(definition)
  properties.justification = justification_schema(properties.justification, shortest)
  definition.properties = json.ordered(properties, justification_first(names))
  definition.required = justification_first(definition.required or {})
end

--- A tool's parameters as models are sent them.
---@param definition table without a problem
---@param acts boolean whether the tool acts
---@param shortest integer the least length of a justification, in characters
---@return table
function parameters.complete(definition, acts, shortest)
  local declared = schema.declare(definition)
  declared.type = "object"
  declared.properties = declared.properties or {}
  if acts then add_justification(declared, shortest) end
  return schema.declare(declared)
end

--- What is wrong with a justification that is too short, in words that tell the model what to write.
---@param definition table the tool's parameters
---@param args table
---@return string?
function parameters.justification_problem(definition, args)
  local wanted, given = definition.properties.justification, args.justification
  if not wanted or not wanted.minLength or type(given) ~= "string" then return nil end
  local words = text.trim(given)
  local length = utf8.len(words) or #words
  if length >= wanted.minLength then return nil end
  return ("the justification has %d characters and needs at least %d: say what on the screen shows that this is "
    .. "the right action now, why it is the next step, and what you expect to see after it"):format(length,
    wanted.minLength)
end

return parameters
