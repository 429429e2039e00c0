--- The events of a run, each declared once by who announces it: its name, its fields, what they mean. Run:emit takes no
--- other names; the journal writes all of them; docs/journal.md and docs/journal.schema.json are made of this.
local schema = require "deskpilot.base.schema"
local text = require "deskpilot.base.text"

local events = {}

--- The version of the lines of journal.jsonl. It grows by one when a reader written for the version before would
--- misread a line; a new event or a new field is no such change.
events.version = 1

---@class deskpilot.event_declaration
---@field name string
---@field about string when it is announced
---@field fields { [1]: string, [2]: string|table, [3]: string }[] each { "name", type, "what it says" }: the type is
---  a name or several ("string|null") of JSON Schema's types, or a schema; a name that ends in "?" may be missing
---@field returns string[]? what hooks and guards may return for it beside `stop`: "veto", "amend", "answer"
---@field amends table[]? the fields that `amend` may replace, as in `fields`
---@field live table[]? what hooks and guards are told beside the fields, and the journal is not, as in `fields`
---@field of_file boolean? it is a line of the journal alone: no mission's hook can hear it
---@field where string? who declared it, for messages
---@field schema table? of its lines, once it was asked for
---@field of_fields table<string, table>? the schemas of its fields, once they were asked for

---@type table<string, deskpilot.event_declaration>
local declared = {}
local order = {}

-- What every line of the journal has.
local common = {
  { "event", "string", "its name" },
  { "at", "number", "seconds since the run began" },
  { "number?", "integer", "counts the lines of the journal from 1; the first line, `journal`, has none" },
  { "turn?", "integer", "the turn it belongs to; missing before the first" },
  { "goal?", "string", "the path of a goal within the run (`1.2`) it belongs to; missing for the run's own" },
  { "vetoed_by?", "string", "which listener would not have it" },
  { "amended_by?", "string", "which listeners changed its fields" },
  { "not_encodable?", "string", "why the line has no other fields: a hook put something there that is no data" },
}

local function field_name(field)
  local name, optional = field[1]:gsub("%?$", "")
  return name, optional > 0
end

local function field_schema(field)
  local kind = field[2]
  local made = {}
  if type(kind) == "table" then
    for key, value in pairs(kind) do made[key] = value end
  else
    local names = {}
    for name in kind:gmatch "[^|]+" do names[#names + 1] = name end
    made.type = #names == 1 and names[1] or names
  end
  made.description = field[3]
  return made
end

--- The schema of one field.
---@param field table as in deskpilot.event_declaration
---@return table
function events.field_schema(field) return field_schema(field) end

local function problem(event)
  if type(event) ~= "table" or type(event.name) ~= "string" or not event.name:find "^[%l_]+$" then
    return "an event needs a name of small letters"
  end
  if type(event.about) ~= "string" or type(event.fields) ~= "table" then
    return ("the event %s needs `about` and `fields`"):format(event.name)
  end
  for _, field in ipairs(event.fields) do
    if type(field) ~= "table" or type(field[1]) ~= "string" or type(field[3]) ~= "string" then
      return ("a field of the event %s is not { \"name\", type, \"what it says\" }"):format(event.name)
    end
    local ok, why = schema.check(field_schema(field), ("%s.%s"):format(event.name, field[1]))
    if not ok then return why end
  end
end

--- Declares an event. To declare it again, as a file that was edited does, replaces it, but not somebody else's.
---@param event deskpilot.event_declaration
---@param where string who declares it: a module, or a plugin's file
---@return boolean? ok, string? why
function events.declare(event, where)
  local why = problem(event)
  if why then return nil, why end
  local other = declared[event.name]
  if other and other.where ~= where then
    return nil, ("the event %s is declared by %s already"):format(event.name, other.where)
  end
  if not other then order[#order + 1] = event.name end
  event.where = where
  declared[event.name] = event
  return true
end

--- Declares several events of a module of the program's own.
---@param where string
---@param list deskpilot.event_declaration[]
function events.declare_all(where, list)
  for _, event in ipairs(list) do assert(events.declare(event, where)) end
end

---@param name any
---@return boolean
function events.known(name) return declared[name] ~= nil end

--- All names, in the order of their declaration.
---@return string[]
function events.names() return table.move(order, 1, #order, 1, {}) end

---@param name string
---@return deskpilot.event_declaration?
function events.get(name) return declared[name] end

--- The fields that every line has.
function events.common() return common end

--- The names of the fields that hooks and guards are told with an event: those of every line, its own, and those that
--- the journal has not.
---@param name string
---@return string[]
function events.field_names(name)
  local names = {}
  for _, list in ipairs { declared[name].fields, declared[name].live or {}, common } do
    for _, field in ipairs(list) do names[#names + 1] = (field_name(field)) end
  end
  return names
end

--- Raises an error for an event that nobody has declared.
---@param name any
function events.expect(name)
  if declared[name] then return end
  error(("no event is called %s%s; declare it beside what announces it (deskpilot.agent.events)"):format(
    tostring(name), text.did_you_mean(tostring(name), order)), 3)
end

--- A field's name without its mark, whether it may be missing, and its type in words.
function events.describe(field)
  local name, optional = field_name(field)
  local kind = field_schema(field)
  local words = kind.enum and text.join(kind.enum) or kind.type
  if type(words) == "table" then words = table.concat(words, " or ") end
  return name, optional, words or "any"
end

--- The schema of the lines of one event.
---@param name string
---@return table
function events.line_schema(name)
  local properties, required, any = {}, {}, {}
  for _, list in ipairs { common, declared[name].fields } do
    for _, field in ipairs(list) do
      local key, optional = field_name(field)
      properties[key] = field_schema(field)
      if not optional then required[#required + 1], any[key] = key, true end
    end
  end
  properties.event = { const = name, description = "its name" }
  return { type = "object", description = declared[name].about, properties = properties,
    -- A line that could not be encoded has kept its name alone.
    ["if"] = { properties = { not_encodable = true }, required = { "not_encodable" } },
    ["else"] = { required = required, properties = any } }
end

-- The schemas of an event's fields by their names; those of every line for an event that is not declared here.
local function field_schemas(name)
  local event = declared[name]
  if event and event.of_fields then return event.of_fields end
  local made = {}
  for _, list in ipairs { event and event.fields or {}, common } do
    for _, field in ipairs(list) do made[(field_name(field))] = field_schema(field) end
  end
  if event then event.of_fields = made end
  return made
end

--- Takes the fields out of a line that are not what their declaration says, so that who reads a journal finds each
--- field as it is declared, or none. A time is 0 then, since every line has one.
---@param line table decoded, with its name; changed
---@return string[] names of those fields, sorted
function events.mend(line)
  local schemas, odd = field_schemas(line.event), {}
  for _, key in ipairs(text.keys(line)) do
    if schemas[key] and not schema.validate(schemas[key], line[key]) then
      line[key] = nil
      odd[#odd + 1] = key
    end
  end
  line.at = line.at or 0
  return odd
end

-- What every line has, as one schema.
local function common_schema()
  local properties = {}
  for _, field in ipairs(common) do properties[(field_name(field))] = field_schema(field) end
  return { type = "object", required = { "event", "at" }, properties = properties }
end

local function common_problem(line)
  local ok, why = schema.validate(common_schema(), line)
  if not ok then return ("%s: %s"):format(tostring(line.event), why) end
end

--- The schema of a line of journal.jsonl (docs/journal.schema.json).
---@return table
function events.schema()
  local whole, choices, lines = common_schema(), {}, {}
  for i, name in ipairs(order) do
    choices[i] = { ["if"] = { properties = { event = { const = name } } },
      ["then"] = { ["$ref"] = "#/$defs/" .. name } }
    lines[name] = events.line_schema(name)
  end
  whole["$schema"], whole.title = "https://json-schema.org/draft/2020-12/schema", "A line of a run's journal.jsonl"
  whole.description = ("Version %d of the format. Events that a user's own policy, guard or tool declares have what "
    .. "every line has, and fields of their own."):format(events.version)
  whole.allOf, whole["$defs"] = choices, lines
  return whole
end

--- What is wrong with a line of a journal; nil where nothing is. Beside its schema, every field has to be declared,
--- but those that a listener may have added.
---@param line table decoded
---@return string?
function events.problem(line)
  local event = declared[line.event]
  if not event then return common_problem(line) end -- of a policy or a guard that is not loaded here
  event.schema = event.schema or events.line_schema(line.event)
  local ok, why = schema.validate(event.schema, line)
  if not ok then return ("%s: %s"):format(line.event, why) end
  if line.amended_by or line.not_encodable then return nil end
  for _, key in ipairs(text.keys(line)) do
    if not event.schema.properties[key] then
      return ("%s has a field %s that is not declared"):format(line.event, key)
    end
  end
end

return events
