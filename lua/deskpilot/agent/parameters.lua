--- The parameters of a tool, as models are sent them: checked, in their order, and with a justification in every tool
--- that acts, so that the model says what it sees before it says what to do.
local json = require "deskpilot.base.json"
local keywords = require "deskpilot.base.schema.keywords"
local problems = require "deskpilot.base.problems"
local schema = require "deskpilot.base.schema"
local text = require "deskpilot.base.text"

local parameters = {}

--- Why the action is taken. A tool need not declare it; one that does can have its own words for it.
parameters.justification = {
  name = "justification", type = "string",
  description = "30-50 words: what you see, why this is next, what you expect.",
}

--- Adds what is wrong with a tool's parameters.
---@param definition any
---@param foreign boolean? whether it is somebody else's, which may say what is not known here
---@param wrong deskpilot.problems
function parameters.check(definition, foreign, wrong)
  if type(definition) ~= "table" then return wrong:add("parameters", "has no parameters (a JSON Schema)") end
  local ok, _, all = schema.check(definition, { path = "parameters", foreign = foreign })
  for _, one in ipairs(not ok and all or {}) do
    wrong:add(one.path, "has parameters that cannot be used: %s", one.words)
  end
  if definition.type ~= nil and definition.type ~= "object" then
    wrong:add("parameters.type", "has parameters of the type %s, but a tool's arguments are an object",
      tostring(definition.type))
  end
end

--- The first thing that is wrong with a tool's parameters, nil where nothing is.
---@param definition any
---@param foreign boolean?
---@return string?
function parameters.problem(definition, foreign)
  local wrong = problems.new()
  parameters.check(definition, foreign, wrong)
  return wrong:first()
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

-- Bounds that are checked when a call comes in, with a sentence about what is wrong; arguments that are not known are
-- left out then. The descriptions say what matters of it: sent with every tool it would be a fifth of its definition,
-- and servers that write by a grammar are slow with long ones.
local checked_later = { minimum = true, maximum = true, minLength = true, maxLength = true,
  additionalProperties = true }

-- What schemas of other people's servers say beside that: it tells a model nothing, and servers of models refuse it.
local untold = { ["$schema"] = true, ["$id"] = true, ["$comment"] = true, ["$anchor"] = true,
  ["$dynamicAnchor"] = true, ["$vocabulary"] = true }

local function is_told(key, value)
  if type(key) ~= "string" then return true end
  return not (untold[key] or key:find "^x%-" or checked_later[key] and type(value) ~= "table")
end

-- Of a table of schemas by names, such as properties, every name stays.
local function sent(definition, by_name)
  if type(definition) ~= "table" or definition == json.null then return definition end
  local copy, names = {}, json.order(definition)
  for key, value in pairs(definition) do
    if by_name then copy[key] = sent(value, false)
    elseif is_told(key, value) then
      local takes = keywords.takes[key]
      copy[key] = sent(value, takes == "schema_map" or takes == "pattern_map")
    end
  end
  return names and json.ordered(copy, names) or setmetatable(copy, getmetatable(definition))
end

--- A schema as models are sent it: without bounds of numbers and of the length of texts.
---@param definition any
---@return any
function parameters.sent(definition) return sent(definition, false) end

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
