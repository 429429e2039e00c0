--- The tools of a server as it lists them, checked: their names, what they say of themselves, the schemas of their
--- arguments, and which arguments are repeated in headers. All of it is the server's word.
local json = require "deskpilot.base.json"
local schema = require "deskpilot.base.schema"
local text = require "deskpilot.base.text"

local tools = {}

local longest_name = 64 -- what model servers take
local most = { name = 256, description = 2000, schema = 50000, depth = 20 }

---@class deskpilot.mcp.tool
---@field name string as the server calls it
---@field description string
---@field schema table of its arguments
---@field read_only boolean the server says that it changes nothing
---@field repeatable boolean the server says that doing it twice is the same as once
---@field headers { name: string, path: string[] }[] arguments that HTTP repeats, by the names in their schema

-- --- headers --------------------------------------------------------------------------------------------------

local primitive = { string = true, integer = true, boolean = true }

-- Whether a key stands anywhere in a value.
local function holds(value, key, depth)
  if type(value) ~= "table" or depth > most.depth then return false end
  for name, inner in pairs(value) do
    if name == key or holds(inner, key, depth + 1) then return true end
  end
  return false
end

local function header_problem(name, definition, seen)
  if type(name) ~= "string" or not name:find "^[%w!#$%%&'*+.^_`|~-]+$" then return "a header without a usable name" end
  if seen[name:lower()] then return "two headers of the same name" end
  if not primitive[definition.type] then return "a header for an argument that is no text, whole number or boolean" end
end

-- Finds the arguments that are repeated, along `properties` alone; what is wrong with them.
local function find_headers(definition, path, found, seen)
  if type(definition) ~= "table" or #path > most.depth then return nil end
  for key, inner in pairs(definition) do
    if key ~= "properties" and key ~= "x-mcp-header" and holds(inner, "x-mcp-header", 0) then
      return "a header where none can be"
    end
  end
  local properties = type(definition.properties) == "table" and definition.properties or {}
  for _, key in ipairs(text.keys(properties)) do
    local inner = properties[key]
    local name = type(inner) == "table" and inner["x-mcp-header"]
    local at = { table.unpack(path) }
    at[#at + 1] = key
    local problem = name and header_problem(name, inner, seen) or nil
    if name and not problem then
      seen[name:lower()] = true
      found[#found + 1] = { name = name, path = at }
    end
    problem = problem or find_headers(inner, at, found, seen)
    if problem then return problem end
  end
end

--- The headers of a call, by the names in the schema.
---@param tool deskpilot.mcp.tool
---@param args table
---@return table<string, string> values not yet written as headers are
function tools.headers(tool, args)
  local values = {}
  for _, header in ipairs(tool.headers) do
    local value = args
    for _, key in ipairs(header.path) do
      if type(value) == "table" then value = value[key] else value = nil end
    end
    if type(value) == "number" then value = math.tointeger(value) end
    if value ~= nil and type(value) ~= "table" and value ~= json.null then values[header.name] = tostring(value) end
  end
  return values
end

-- --- reading --------------------------------------------------------------------------------------------------

local function schema_problem(definition)
  if type(definition) ~= "table" then return "it has no schema of its arguments" end
  if definition.type ~= "object" then return "its arguments are no object" end
  local ok, written = pcall(json.encode, definition)
  if not ok or #written > most.schema then return "the schema of its arguments is too large" end
  local fits, why = schema.check(definition, { path = "inputSchema", foreign = true })
  if not fits then return "its arguments cannot be checked: " .. text.cut(text.one_line(tostring(why)), 200) end
end

local function described(raw)
  local words = type(raw.description) == "string" and raw.description
    or type(raw.title) == "string" and raw.title or raw.name
  return text.cut(words, most.description)
end

--- Reads a tool of a list.
---@param raw any
---@return deskpilot.mcp.tool?
---@return string? why nil, with its name
function tools.read(raw)
  local name = type(raw) == "table" and raw.name
  if type(name) ~= "string" or name == "" or #name > most.name then return nil, "a tool without a usable name" end
  local definition = type(raw.inputSchema) == "table" and raw.inputSchema or nil
  local shown = text.cut(text.one_line(name), 60)
  local problem = schema_problem(definition)
  local headers = {}
  problem = problem or find_headers(definition, {}, headers, {})
  if problem then return nil, ("the tool %s: %s"):format(shown, problem) end
  local hints = type(raw.annotations) == "table" and raw.annotations or {}
  local read_only = hints.readOnlyHint == true
  return { name = name, description = described(raw), schema = definition, read_only = read_only,
    repeatable = read_only or hints.idempotentHint == true, headers = headers }
end

-- --- names ----------------------------------------------------------------------------------------------------

local function legal(name) return (name:gsub("[^%w_-]", "_")) end

-- A short word that differs where names differ.
local function mark_of(name)
  local sum = 5381
  for i = 1, #name do sum = (sum * 33 + name:byte(i)) & 0xffffff end
  return ("%06x"):format(sum)
end

--- What models call a server's tool: SERVER__TOOL, of letters, digits, "-" and "_", at most 64 characters. Where that
--- changes the name, or it is taken, it ends in a mark of its own.
---@param server string
---@param name string
---@param taken table<string, any> names that are taken
---@return string
function tools.name(server, name, taken)
  local whole = legal(server) .. "__" .. legal(name)
  if #whole <= longest_name and not taken[whole] then return whole end
  local mark, salt = mark_of(server .. "\0" .. name), 0
  while true do
    local ending = "_" .. mark
    local short = whole:sub(1, longest_name - #ending) .. ending
    if not taken[short] then return short end
    salt = salt + 1
    mark = mark_of(("%s\0%s\0%d"):format(server, name, salt))
  end
end

-- --- arguments ------------------------------------------------------------------------------------------------

local function as_lists(definition, value, depth)
  if type(value) ~= "table" or value == json.null or type(definition) ~= "table" or depth > most.depth then
    return value
  end
  if next(value) == nil then return definition.type == "array" and json.list {} or value end
  local copy = setmetatable({}, getmetatable(value))
  local properties = type(definition.properties) == "table" and definition.properties or {}
  local of_items, others = definition.items, definition.additionalProperties
  for key, item in pairs(value) do
    local inner = math.type(key) == "integer" and of_items or properties[key] or others
    copy[key] = as_lists(inner, item, depth + 1)
  end
  return copy
end

--- Arguments as they are sent: an empty table is [] where the schema wants a list, and {} elsewhere.
---@param tool deskpilot.mcp.tool
---@param args table
---@return table
function tools.arguments(tool, args)
  return as_lists(tool.schema, args, 0)
end

return tools
