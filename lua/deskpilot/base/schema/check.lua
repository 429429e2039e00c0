--- Whether a schema can be used: every keyword is known and has a value that it can have. A schema may come from
--- anywhere, so that its size is limited, and validation can rely on what was checked here.
local declare = require "deskpilot.base.schema.declare"
local keywords = require "deskpilot.base.schema.keywords"
local problems = require "deskpilot.base.problems"
local refs = require "deskpilot.base.schema.refs"
local text = require "deskpilot.base.text"
local words = require "deskpilot.base.schema.words"

-- What few runs need is loaded by those that do.
local function patterns() return require "deskpilot.base.schema.pattern" end

local check = {}

local most_schemas = 10000 -- in one document
local most_notes = 20

local function is_list_of(kind, value)
  if type(value) ~= "table" then return false end
  for key, item in pairs(value) do
    if math.type(key) ~= "integer" or kind and type(item) ~= kind then return false end
  end
  return true
end

local function is_schema(value)
  return type(value) == "table" and (next(value) == nil or value[1] == nil) or type(value) == "boolean"
end

local function is_map_of(fits, value)
  if type(value) ~= "table" then return false end
  for key, item in pairs(value) do
    if type(key) ~= "string" or not fits(item) then return false end
  end
  return true
end

-- The kinds of values of keywords.takes: whether a value is one, and what it must be.
local kinds = {
  any = { function() return true end },
  text = { function(v) return type(v) == "string" end, "a text" },
  boolean = { function(v) return type(v) == "boolean" end, "true or false" },
  number = { words.is_finite, "a number" },
  positive = { function(v) return words.is_finite(v) and v > 0 end, "a number above 0" },
  count = { function(v) return words.is_finite(v) and v >= 0 and math.tointeger(v) ~= nil end,
    "a whole number from 0 on" },
  types = { function(v) return type(v) == "string" or is_list_of("string", v) and #v > 0 end,
    "a type or a list of types" },
  values = { function(v) return is_list_of(nil, v) end, "a list of values" },
  names = { function(v) return is_list_of("string", v) end, "a list of names" },
  names_map = { function(v) return is_map_of(function(item) return is_list_of("string", item) end, v) end,
    "lists of names, each by a name" },
  schema = { is_schema, "a schema" },
  schemas = { function(v)
    for _, item in ipairs(is_list_of(nil, v) and v or {}) do
      if not is_schema(item) then return false end
    end
    return is_list_of(nil, v) and #v > 0
  end, "a list of schemas" },
  schema_map = { function(v) return is_map_of(is_schema, v) end, "schemas, each by a name" },
  pattern = { function(v) return type(v) == "string" end, "a regular expression" },
}
kinds.pattern_map = kinds.schema_map

-- What was checked, what was found that is not enforced, and whether the schema is somebody else's.
---@class deskpilot.schema.check
---@field root table
---@field foreign boolean
---@field count integer
---@field notes string[]
---@field wrong deskpilot.problems

-- What a foreign schema may have and ours may not.
---@param self deskpilot.schema.check
local function tolerate(self, path, sentence)
  if not self.foreign then return self.wrong:add(path, "%s", sentence) end
  if #self.notes < most_notes then table.insert(self.notes, sentence) end
end

local function check_types(self, path, wanted)
  local known = words.type_names()
  for _, name in ipairs(words.type_list(wanted)) do
    local found = false
    for _, each in ipairs(known) do found = found or each == name end
    if not found then
      self.wrong:add(path .. ".type", "%s: there is no type %s; the types are %s", path, text.cut(name, 60),
        text.join(known))
    end
  end
end

local function check_pattern(self, path, source)
  local _, why = patterns().compile(source)
  if why then tolerate(self, path, ("%s: the pattern %s is not checked: %s"):format(path, words.value(source), why)) end
end

local function unknown_keyword(self, path, keyword)
  if #self.notes >= most_notes then return end
  local name = text.cut(tostring(keyword), 60)
  tolerate(self, path .. "." .. name, ("%s: the keyword %s is not known%s"):format(path, name,
    text.did_you_mean(name, text.keys(keywords.takes), "%s")))
end

-- False where the value is of a kind that nothing can be done with.
local function check_keyword(self, path, keyword, value)
  local takes = keywords.takes[keyword]
  if not takes then return unknown_keyword(self, path, keyword) end
  if keyword == "items" and is_list_of(nil, value) and #value > 0 then takes = "schemas" end
  local kind = kinds[takes]
  if not kind[1](value) then
    self.wrong:add(path .. "." .. keyword, "%s: %s is %s, but must be %s", path, keyword, words.value(value), kind[2])
    return false
  end
  if keyword == "type" then check_types(self, path, value) end
  if keyword == "enum" and #value == 0 then
    tolerate(self, path, path .. ": enum has no values, so that nothing fits")
  end
  if keyword == "pattern" then check_pattern(self, path, value) end
  if keyword == "patternProperties" then
    for _, source in ipairs(text.keys(value)) do check_pattern(self, path, source) end
  end
  if takes == "text" and (keyword == "$ref" or keyword == "$dynamicRef") and refs.find(self.root, value) == nil then
    tolerate(self, path, ("%s: %s points at %s, which is not in this schema, so that it is not checked"):format(path,
      keyword, words.value(value)))
  end
end

-- The place of an inner schema, as a person would say it: properties by their names alone.
local function inner_path(path, keyword, key)
  key = key ~= nil and text.cut(tostring(key), 60)
  if keyword == "properties" then return path .. "." .. key end
  if keyword == "items" and not key then return path .. "[]" end
  return path .. "." .. keyword .. (key and "." .. key or "")
end

local check_schema

local function check_inner(self, definition, path)
  local list = {}
  keywords.each(definition, nil, function(inner, keyword, key)
    list[#list + 1] = { inner, inner_path(path, keyword, key) }
  end)
  table.sort(list, function(a, b) return a[2] < b[2] end) -- the same mistake is found first each time
  for _, entry in ipairs(list) do check_schema(self, entry[1], entry[2]) end
end

---@param self deskpilot.schema.check
function check_schema(self, definition, path)
  if type(definition) == "boolean" then return end
  if type(definition) ~= "table" then return self.wrong:add(path, "%s must be a table", path) end
  self.count = self.count + 1
  if self.count > most_schemas then error(path .. ": the schema is too large", 0) end
  local sound = true
  for _, keyword in ipairs(text.keys(definition)) do
    sound = check_keyword(self, path, keyword, definition[keyword]) ~= false and sound
  end
  if not sound then return end -- what is inside cannot be walked
  local properties = definition.properties or {}
  for _, name in ipairs(definition.required or {}) do
    if properties[name] == nil and not self.foreign then
      self.wrong:add(path .. ".required", "%s: %s is required but not among the properties", path, name)
    end
  end
  check_inner(self, definition, path)
end

--- Checks a schema when it is loaded: otherwise a misspelt keyword would be ignored, and its check never made.
---@param definition any
---@param options { path: string?, foreign: boolean? }? path: the schema's name in errors. foreign: somebody else's,
---  for example an MCP server's: keywords that are not known, references to other documents and patterns that cannot be
---  read are no errors; they are not enforced
---@return boolean? ok
---@return string|string[] why what is wrong first; or, where nothing is, sentences about what is not enforced
---@return deskpilot.problems? wrong everything that is wrong
function check.check(definition, options)
  options = options or {}
  local path = options.path or "schema"
  local declared, why = declare.declare(definition)
  local wrong = problems.new()
  local self = { root = declared, foreign = options.foreign == true, count = 0, notes = {}, wrong = wrong }
  if declared == nil then wrong:add(path, "%s: %s", path, why or "there is none")
  else
    local ok, problem = pcall(check_schema, self, declared, path)
    if not ok then wrong:add(path, "%s", tostring(problem)) end -- it is too large, or no table where one is needed
  end
  if #wrong > 0 then return nil, text.cut(wrong:first(), 600), wrong end
  return true, self.notes
end

return check
