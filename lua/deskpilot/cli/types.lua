--- The classes of the annotations, with their fields and functions: what an editor's language server makes of
--- them, for help() and the prompt's completion. All that ships is read, once, when it is first asked for; nothing
--- of it is run. The functions of a class are those that are assigned to the local variable below its @class.
local annotations = require "deskpilot.cli.annotations"
local shipped = require "native.shipped"
local signature = require "deskpilot.base.signature"
local text = require "deskpilot.base.text"

local types = {}

---@class deskpilot.types.class
---@field name string
---@field parents string[] what it is a kind of
---@field text string its words
---@field members table<string, deskpilot.types.member> its own, without its parents'

---@class deskpilot.types.member a field or a function of a class
---@field name string
---@field class string the class that it belongs to
---@field kind "field"|"function"|"method"
---@field type string? of a field
---@field text string its words
---@field params string[]? of a function, without a method's self
---@field doc deskpilot.annotation? of a function
---@field path string
---@field line integer

local classes -- by name
local aliases -- what they stand for, by name
local by_place -- members that are functions, by "path:line"
local by_function -- members that are bindings of C, by the function

-- --- reading --------------------------------------------------------------------------------------------

local function class_named(name)
  classes[name] = classes[name] or { name = name, text = "", parents = {}, members = {} }
  return classes[name]
end

-- A class may be described in several places: above each variable that gets functions of it.
local function add_class(doc, path, line)
  local class = class_named(doc.class)
  table.move(doc.parents, 1, #doc.parents, #class.parents + 1, class.parents)
  if class.text == "" then class.text = doc.text end
  for _, field in ipairs(doc.fields) do
    local name, optional = field.name:match("^([%w_]+)(%??)$")
    if name then
      class.members[name] = { name = name, class = class.name, kind = "field", type = field.type .. optional,
        text = field.text, path = path, line = line }
    end
  end
  return class
end

local function words_in(list)
  local words = {}
  for word in list:gmatch("[%w_.]+") do words[#words + 1] = word end
  return words
end

local function add_function(class, separator, name, list, doc, path, line)
  local params, kind = words_in(list), separator == ":" and "method" or "function"
  if params[1] == "self" then
    table.remove(params, 1)
    kind = "method"
  end
  local member = { name = name, class = class.name, kind = kind, text = doc.text, doc = doc, params = params,
    path = path, line = line }
  class.members[name] = member
  by_place[path .. ":" .. line] = member
end

-- A line of code with what is written above it. `variables` says which ones hold functions of a class.
local function read_line(code, doc, variables, path, line)
  if doc and doc.alias then aliases[doc.alias] = doc.type end
  local class = doc and doc.class and add_class(doc, path, line)
  local variable = code:match("^%s*local%s+([%a_][%w_]*)")
  if variable then
    variables[variable] = class or nil
    return
  end
  local owner, separator, name, list = code:match("^%s*function%s+([%a_][%w_]*)([.:])([%a_][%w_]*)%s*%((.-)%)")
  if owner and variables[owner] then
    add_function(variables[owner], separator, name, list, doc or annotations.parse {}, path, line)
  end
end

local function read_source(source, path)
  local variables, comment, number = {}, {}, 0
  for line in text.lines(source) do
    number = number + 1
    local words = line:match("^%s*%-%-%-%s?(.*)$")
    if words then
      comment[#comment + 1] = words
    else
      read_line(line, #comment > 0 and annotations.parse(comment), variables, path, number)
      comment = {}
    end
  end
end

-- The functions of C have no place in a source: they are told by what they are.
local function read_natives()
  for name in pairs(package.preload) do
    local module = name:find("^native%.") and require(name)
    local class = module and classes[name]
    for key, member in pairs(class and class.members or {}) do
      if type(module[key]) == "function" then by_function[module[key]] = member end
    end
  end
  for name, class in pairs(classes) do
    local metatable = name:find("^native%.%u") and debug.getregistry()[name]
    for key, fn in pairs(metatable and metatable.__index or {}) do by_function[fn] = class.members[key] end
  end
end

local function load()
  if classes then return end
  classes, aliases, by_place, by_function = {}, {}, {}, {}
  for _, path in ipairs(shipped.list("")) do
    local source = path:find("%.lua$") and shipped.read(path)
    if source and source:find("%-%-%-@[ac]l[ai]") then read_source(source, path) end
  end
  read_natives()
end

-- --- asking ---------------------------------------------------------------------------------------------

--- The class of that name, or nil.
---@param name string
---@return deskpilot.types.class?
function types.class(name)
  load()
  return classes[name]
end

--- What a type stands for that is the name of another, or nil.
---@param name string
---@return string? kind
function types.alias(name)
  load()
  return aliases[name]
end

--- The names of all classes, in no order.
---@return string[]
function types.names()
  load()
  local names = {}
  for name in pairs(classes) do names[#names + 1] = name end
  return names
end

--- All that a thing of that class has, its parents' too.
---@param name string
---@return table<string, deskpilot.types.member>
function types.members(name)
  local members, seen = {}, {}
  local function add(class)
    if not class or seen[class] then return end
    seen[class] = true
    for key, member in pairs(class.members) do members[key] = members[key] or member end
    for _, parent in ipairs(class.parents) do add(classes[parent]) end
  end
  add(types.class(name))
  return members
end

-- What stands in a type's text: the first class that is no error.
local function first_class(kind)
  load()
  for name in kind:gmatch("[%a_][%w_.]*") do
    if classes[name] and name ~= "deskpilot.error" then return name end
    if aliases[name] then return first_class(aliases[name]) end
  end
end

--- The class of what a type's text means ("deskpilot.shot?", "deskpilot.window|deskpilot.error|nil"); nil for
--- lists, functions and what is no class.
---@param kind string?
---@return string? name
function types.named(kind)
  if not kind or kind:find("^%(*fun%(") or kind:find("[]<{]") then return nil end
  return first_class(kind)
end

--- The class of the elements of a list's type: "deskpilot.window[]?".
---@param kind string?
---@return string? name
function types.element(kind)
  local inner = kind and kind:match("^([%w_.]+)%[%]%??")
  return inner and first_class(inner)
end

--- The class of the first parameter of a function's type: "fun(m: deskpilot.run): boolean".
---@param kind string?
---@return string? name
function types.parameter(kind)
  local inner = kind and kind:match("^%(*fun%([%w_]+%??:%s*([%w_.]+)")
  return inner and first_class(inner)
end

--- What a function is in the annotations; nil where it belongs to no class.
---@param fn function
---@return deskpilot.types.member?
function types.of_function(fn)
  load()
  if by_function[fn] then return by_function[fn] end
  local info = debug.getinfo(signature.origin(fn), "S")
  return by_place[info.source:sub(2) .. ":" .. info.linedefined]
end

-- The class that most functions of a table are of; a table may hold one that belongs elsewhere.
local function class_of_functions(t, votes)
  for _, value in next, t do
    local member = type(value) == "function" and types.of_function(value)
    if member then votes[member.class] = (votes[member.class] or 0) + 1 end
  end
end

--- The class of a live value, told by its functions; nil for what has none.
---@param value any
---@return string? name
function types.of_value(value)
  local votes, metatable = {}, debug.getmetatable(value)
  if type(value) == "table" then class_of_functions(value, votes) end
  local index = type(metatable) == "table" and type(value) ~= "string" and rawget(metatable, "__index")
  if type(index) == "table" then class_of_functions(index, votes) end
  local best
  for name, count in pairs(votes) do
    if not best or count > votes[best] or count == votes[best] and name < best then best = name end
  end
  return best
end

return types
