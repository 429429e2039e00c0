--- Every configuration key, and how a run's values are put together: flag > environment > mission >
--- project deskpilot.lua > user configuration > default.
local errors = require "deskpilot.base.errors"
local text = require "deskpilot.base.text"

local config = {}

--- The keys, in the order of the documentation.
---@type deskpilot.config_key[]
config.keys = require "deskpilot.base.config_keys"

local by_name, names, groups = {}, {}, {}
for _, key in ipairs(config.keys) do
  by_name[key.name] = key
  names[#names + 1] = key.name
  local group = key.name:match("^(.-)%.")
  if group then groups[group] = true end
end

-- The key of that name; "personas.vision.model" is one of the family "personas.*.model".
local function key_of(name)
  return by_name[name] or by_name[(name:gsub("^(personas)%.[%l%d_]+%.", "%1.*."))]
end

-- Fields that a mission's (or a file's) own tables have beside the keys: read by others.
local other_fields = { ["desktop.apps"] = true, ["desktop.env"] = true }

--- The key of that dotted name, or nil.
---@return deskpilot.config_key?
function config.key(name)
  return key_of(name)
end

local function unknown(name)
  return ("there is no configuration key '%s'; did you mean '%s'?"):format(name, text.nearest(name, names))
end

local booleans = {
  ["true"] = true, yes = true, on = true, ["1"] = true,
  ["false"] = false, no = false, off = false, ["0"] = false,
}

local readers = {}

function readers.string(word) return word end

function readers.number(word)
  return tonumber(word)
end

function readers.integer(word)
  return math.tointeger(tonumber(word))
end

function readers.boolean(word)
  return booleans[word:lower()]
end

function readers.list(word)
  local list = {}
  for item in word:gmatch("[^,]+") do
    item = item:match("^%s*(.-)%s*$")
    if item ~= "" then list[#list + 1] = item end
  end
  return list
end

local type_words = {
  string = "text", number = "a number", integer = "a whole number", boolean = "true or false",
  list = "a list of texts",
}

local function is_list(value)
  if type(value) ~= "table" then return false end
  local count = 0
  for _, item in pairs(value) do
    count = count + 1
    if type(item) ~= "string" then return false end
  end
  return count == #value
end

local function has_type(key, value)
  if key.type == "list" then return is_list(value) end
  if key.type == "integer" then return math.tointeger(value) ~= nil and type(value) == "number" end
  if key.type == "number" then
    return type(value) == "number" and value == value and math.abs(value) ~= math.huge
  end
  return type(value) == key.type
end

local function shown(value)
  if type(value) == "string" then return "'" .. text.cut(text.one_line(value), 60) .. "'" end
  return type(value) == "table" and "a table" or tostring(value)
end

local function range_problem(key, value)
  if key.choices then
    for _, choice in ipairs(key.choices) do
      if choice == value then return nil end
    end
    return "must be " .. table.concat(key.choices, " or ")
  end
  if key.min and value < key.min then return ("must be at least %g"):format(key.min) end
  if key.max and value > key.max then return ("must be at most %g"):format(key.max) end
  return nil
end

--- The value as its key holds it: a string (of --set, of the environment) becomes what the key is.
---@param name string dotted
---@param value any
---@return any value, string? why nil and what is wrong with it
function config.convert(name, value)
  local key = key_of(name)
  if not key then return nil, unknown(name) end
  local typed = value
  if key.off and (value == false or booleans[value] == false) then typed = "" end
  if type(value) == "string" and key.type ~= "string" then typed = readers[key.type](value) end
  if typed == nil or not has_type(key, typed) then
    return nil, ("%s is %s, but must be %s"):format(name, shown(value), type_words[key.type])
  end
  if key.type == "integer" then typed = math.tointeger(typed) end
  local problem = range_problem(key, typed)
  if problem then return nil, ("%s is %s, but %s"):format(name, shown(value), problem) end
  return typed
end

-- size = { width, height } reads better in a mission than two keys do.
local function spread_size(size, flat, problems)
  if type(size) ~= "table" or #size ~= 2 then
    problems[#problems + 1] = "desktop.size must be { width, height }, in pixels"
    return
  end
  flat["desktop.width"], flat["desktop.height"] = size[1], size[2]
end

local flatten_group

-- A table of a group of its own: personas = { vision = { model = "..." } }.
local function flatten_field(name, value, flat, problems)
  if name == "desktop.size" then spread_size(value, flat, problems)
  elseif key_of(name) then flat[name] = value
  elseif name:find("^personas%.[%l%d_]+$") then flatten_group(name, value, flat, problems)
  elseif not other_fields[name] then problems[#problems + 1] = unknown(name) end
end

function flatten_group(group, values, flat, problems)
  if type(values) ~= "table" then
    problems[#problems + 1] = ("%s is %s, but must be a table of keys"):format(group, shown(values))
    return
  end
  for _, key in ipairs(text.keys(values)) do
    flatten_field(group .. "." .. tostring(key), values[key], flat, problems)
  end
end

-- The dotted names and values of a nested table. `strict`: every field is a key (a configuration
-- file); otherwise fields that are no group of keys are somebody else's (a mission's task, hooks).
local function flatten(values, strict, problems)
  local flat = {}
  local fields = {}
  for field in pairs(values) do fields[#fields + 1] = field end
  table.sort(fields, function(a, b) return tostring(a) < tostring(b) end)
  for _, field in ipairs(fields) do
    if groups[field] then flatten_group(field, values[field], flat, problems)
    elseif key_of(tostring(field)) then flat[field] = values[field]
    elseif strict then problems[#problems + 1] = unknown(tostring(field)) end
  end
  return flat
end

local function environment_values(environment)
  local get = environment or os.getenv
  if type(get) == "table" then get = function(name) return environment[name] end end
  local function value(name)
    local word = get(name)
    if word ~= "" then return word end
  end
  return { ["model.endpoint"] = value("DESKPILOT_ENDPOINT"), ["model.name"] = value("DESKPILOT_MODEL") },
    value("DESKPILOT_API_KEY") or value("OPENAI_API_KEY")
end

---@class deskpilot.config
---@field values table<string, any> by the dotted names
---@field sources table<string, string> where each value came from: flag, environment, mission, ...
---@field api_key string? never in dump()
---@field persona_keys table<string, string> nor are these
local Config = {}

--- The value of a key; a Lua error for a key that does not exist.
---@param name string dotted
---@return any
function Config:get(name)
  if not key_of(name) then error(unknown(name), 2) end
  return self.values[name]
end

--- Sets a value for this run (a policy or a hook may, between turns).
---@param name string dotted
---@param value any
---@param source string? who says so
---@return boolean? ok, deskpilot.error? err
function Config:set(name, value, source)
  local typed, why = config.convert(name, value)
  if typed == nil then return nil, errors.new("invalid", why) end
  self.values[name], self.sources[name] = typed, source or "script"
  return true
end

local function masked(value)
  if type(value) ~= "string" or not value:find("://", 1, true) then return value end
  return (value:gsub("(://)[^/?#]*@", "%1***@"):gsub("%?.*", "?***"))
end

--- Every value by its dotted name, for the journal and for people: no secrets.
---@return table<string, any> values, table<string, string> sources
function Config:dump()
  local values, sources = {}, {}
  for name, value in pairs(self.values) do
    values[name], sources[name] = masked(value), self.sources[name]
  end
  return values, sources
end

--- The personas that are to ask a model of their own.
---@return table<string, { model: string?, endpoint: string?, api_key: string? }> personas by name
function Config:personas()
  local found = {}
  for name, value in pairs(self.values) do
    local persona, field = name:match("^personas%.([%l%d_]+)%.(%l+)$")
    if persona and value ~= "" then
      found[persona] = found[persona] or { api_key = self.persona_keys[persona] }
      found[persona][field] = value
    end
  end
  return found
end

local function copied(value)
  return type(value) == "table" and { table.unpack(value) } or value
end

local function apply(self, layer, source, problems)
  for _, name in ipairs(text.keys(layer)) do
    local value, why = config.convert(name, layer[name])
    if why then problems[#problems + 1] = ("%s (from %s)"):format(why, source)
    else self.values[name], self.sources[name] = copied(value), source end
  end
end

local function read_key_file(path)
  local files = require "deskpilot.base.files"
  local words, err = files.read(path, 65536)
  if not words then return nil, tostring(err) end
  local key = words:match("^%s*([^\r\n]-)%s*[\r\n]") or words:match("^%s*(.-)%s*$")
  if key == "" then return nil, "the API key file " .. path .. " is empty" end
  return key
end

-- The keys of personas by their names.
local function read_persona_keys(values, problems)
  local keys = {}
  for name, path in pairs(values) do
    local persona = name:match("^personas%.([%l%d_]+)%.api_key_file$")
    if persona and path ~= "" then
      local why
      keys[persona], why = read_key_file(path)
      if why then problems[#problems + 1] = why end
    end
  end
  return keys
end

-- Keys live in the metatable's closure, so that nothing which walks the table finds them.
local function with_secrets(self, api_key, persona_keys)
  return setmetatable(self, {
    __index = function(_, field)
      if field == "api_key" then return api_key end
      if field == "persona_keys" then return persona_keys end
      return Config[field]
    end,
    __name = "deskpilot.config",
  })
end

---@class deskpilot.config_layers
---@field flags table<string, any>? dotted names, values as --set gives them (strings) or typed
---@field environment (table<string, string>|fun(name: string): string?)? os.getenv unless given
---@field mission table? the mission's table
---@field project table? what deskpilot.lua held
---@field user table? what the user's config.lua held

--- Puts the layers together.
---@param layers deskpilot.config_layers
---@return deskpilot.config? config, deskpilot.error? err code "invalid", a line for each problem
function config.resolve(layers)
  local problems = {}
  local self = { values = {}, sources = {} }
  for _, key in ipairs(config.keys) do
    if not key.name:find("*", 1, true) then
      self.values[key.name], self.sources[key.name] = copied(key.default), "default"
    end
  end
  local environment, api_key = environment_values(layers.environment)
  apply(self, flatten(layers.user or {}, true, problems), "the user configuration", problems)
  apply(self, flatten(layers.project or {}, true, problems), "the project's deskpilot.lua", problems)
  apply(self, flatten(layers.mission or {}, false, problems), "the mission", problems)
  apply(self, environment, "the environment", problems)
  apply(self, layers.flags or {}, "a flag", problems)
  local key_file = self.values["model.api_key_file"]
  if not api_key and key_file and key_file ~= "" then
    local why
    api_key, why = read_key_file(key_file)
    if not api_key then problems[#problems + 1] = why end
  end
  local persona_keys = read_persona_keys(self.values, problems)
  if #problems > 0 then return nil, errors.new("invalid", table.concat(problems, "\n")) end
  return with_secrets(self, api_key, persona_keys)
end

local function add_set(flags, word)
  local name, value = word:match("^([^=]+)=(.*)$")
  if not name then return nil, ("--set wants KEY=VALUE, not '%s'"):format(word) end
  local converted, why = config.convert(name, value)
  if converted == nil then return nil, why end
  flags[name] = converted
  return true
end

--- "private:1280x800" taken apart.
---@return string? kind, integer? width, integer? height; or nil and why
function config.desktop_word(word)
  local kind, width, height = word:match("^(%a+):(%d+)[xX](%d+)$")
  if kind == "private" then return kind, math.tointeger(tonumber(width)), math.tointeger(tonumber(height)) end
  if word == "private" or word == "current" then return word end
  return nil, ("--desktop is '%s', but must be current, private or private:WIDTHxHEIGHT"):format(word)
end

--- The flag layer of a command's options: set (a list of KEY=VALUE), policy, model, endpoint, runs
--- and desktop.
---@param options table
---@return table<string, any>? flags, deskpilot.error? err
function config.from_flags(options)
  local flags = {}
  for _, word in ipairs(options.set or {}) do
    local ok, why = add_set(flags, word)
    if not ok then return nil, errors.new("invalid", why) end
  end
  flags.policy = options.policy or flags.policy
  flags["model.name"] = options.model or flags["model.name"]
  flags["model.endpoint"] = options.endpoint or flags["model.endpoint"]
  flags["runs.dir"] = options.runs or flags["runs.dir"]
  if options.desktop then
    local kind, width, height = config.desktop_word(options.desktop)
    if not kind then return nil, errors.new("invalid", width) end
    flags["desktop.kind"] = kind
    flags["desktop.width"] = width or flags["desktop.width"]
    flags["desktop.height"] = height or flags["desktop.height"]
  end
  return flags
end

--- Reads the project's and the user's files, where there are any.
---@param project_folder string
---@param user_folder string
---@return table? project
---@return table? user
---@return deskpilot.error? err
function config.read_files(project_folder, user_folder)
  local data = require "deskpilot.base.data"
  local files = require "deskpilot.base.files"
  local function read(path)
    local values, err = data.read(path)
    if not values and err.code ~= "not_found" then return nil, err end
    return values or {}
  end
  local project, err = read(files.join(project_folder, "deskpilot.lua"))
  if not project then return nil, nil, err end
  local user
  user, err = read(files.join(user_folder, "config.lua"))
  if not user then return nil, nil, err end
  return project, user
end

local function default_words(value)
  if value == nil then return "none" end
  if type(value) == "table" then return "{ " .. table.concat(value, ", ") .. " }" end
  return tostring(value)
end

--- The keys as a Markdown table, for docs/.
---@return string
function config.describe()
  local lines = { "| key | type | default | what it is |", "| --- | --- | --- | --- |" }
  for _, key in ipairs(config.keys) do
    lines[#lines + 1] = ("| `%s` | %s | `%s` | %s |"):format(key.name, key.type, default_words(key.default),
      key.doc)
  end
  return table.concat(lines, "\n") .. "\n"
end

return config
