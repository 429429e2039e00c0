--- What Tab makes of an entry at the prompt: how the name before the cursor may go on. Live tables are walked without
--- calling anything: neither functions nor metamethods, so that nothing happens on the desktop; where the way leads
--- through a call, or to a desk that is not open yet, the annotations say what comes of it (cli/types.lua). Titles of
--- windows and names of elements are read from the desktop, where one is open.
local annotations = require "deskpilot.cli.annotations"
local shipped = require "native.shipped"
local seen_names = require "deskpilot.cli.prompt.seen_names"
local signature = require "deskpilot.base.signature"
local texts = require "deskpilot.base.text"
local tokens = require "deskpilot.cli.tokens"
local types = require "deskpilot.cli.types"

local completion = {}

---@class deskpilot.completion
---@field from integer the byte where the name begins that is to go on
---@field names string[] what it may become, sorted
---@field about string? what is written about it, where it may become one thing only

---@class deskpilot.completion_scope
---@field env table the entry's global names; what it does not have itself is looked for in _G
---@field classes table<string, string> of global names that come into being when they are first used
---@field open (fun(): deskpilot.desk?)? the desk, where it is open

local keywords = { "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in",
  "local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while" }
local is_keyword = {}
for _, word in ipairs(keywords) do is_keyword[word] = true end

-- --- things: a live value, or the type that it will have ------------------------------------------------
-- { value = } or { type = "deskpilot.shot?", text = } or { doc = annotation } of a function that is not there yet

-- The tables in which a value's fields are looked up without calling anything, itself first.
local function tables_of(value)
  local list, at = {}, value
  for _ = 1, 10 do
    if type(at) == "table" then list[#list + 1] = at end
    local metatable = debug.getmetatable(at)
    at = type(metatable) == "table" and rawget(metatable, "__index")
    if type(at) ~= "table" then break end
  end
  return list
end

local function class_of(thing)
  if thing.value ~= nil then return types.of_value(thing.value) end
  return types.named(thing.type)
end

-- What a field of the annotations holds.
local function described(member)
  return member and (member.kind == "field" and { type = member.type, text = member.text }
    or { doc = member.doc })
end

local function field_of(thing, name)
  for _, t in ipairs(tables_of(thing.value)) do
    local value = rawget(t, name)
    if value ~= nil then return { value = value } end
  end
  local class = class_of(thing)
  return class and described(types.members(class)[name])
end

local function doc_of(thing)
  if thing.doc then return thing.doc end
  if type(thing.value) ~= "function" then return nil end
  local member = types.of_function(thing.value)
  return member and member.doc or annotations.of_function(thing.value)
end

local steps = {}

function steps.field(thing, step)
  return field_of(thing, step.name)
end

function steps.call(thing)
  local doc = doc_of(thing)
  return doc and doc.returns[1] and { type = doc.returns[1].type }
end

function steps.index(thing, step)
  if thing.value ~= nil then
    local value = type(thing.value) == "table" and step.key ~= nil and rawget(thing.value, step.key)
    return value and { value = value } or nil
  end
  return { type = types.element(thing.type) }
end

-- A module that is there already, or that is in C: requiring another might run somebody's code.
local function module_of(name)
  local loaded = package.loaded[name]
  if loaded == nil and name:find("^native%.") and package.preload[name] then loaded = require(name) end
  return loaded ~= nil and { value = loaded } or nil
end

local function root_of(scope, path)
  local module = path.required and module_of(path.required)
  if module then return module end
  local name = path.required or path.root
  local value = rawget(scope.env, name)
  if value == nil then value = rawget(_G, name) end
  if value ~= nil and not path.required then return { value = value } end
  return scope.classes[name] and { type = scope.classes[name] }
end

-- What a path leads to, or nil.
local function follow(scope, path)
  local thing = root_of(scope, path)
  for _, step in ipairs(path.steps) do
    thing = thing and steps[step.kind](thing, step)
  end
  return thing
end

-- --- the names that a thing has ---------------------------------------------------------------------------

-- Whether a function is to be called with a colon: those of Lua say so by their first parameter, those of C by where
-- they are found.
local function is_method(fn, by_metatable)
  fn = signature.origin(fn)
  local info = debug.getinfo(fn, "Su")
  if info.what == "C" then return by_metatable end
  return info.nparams > 0 and debug.getlocal(fn, 1) == "self"
end

local function add_live(into, value, colon)
  local own = type(value) == "table" and value
  for _, t in ipairs(tables_of(value)) do
    for name, field in next, t do
      local method = type(field) == "function" and is_method(field, t ~= own)
      if type(name) == "string" and method == colon then into[name] = into[name] or { value = field } end
    end
  end
end

local function add_described(into, class, colon)
  for name, member in pairs(class and types.members(class) or {}) do
    if (member.kind == "method") == colon then into[name] = into[name] or described(member) end
  end
end

local function fields_of(thing, colon)
  local found = {}
  if thing.value ~= nil then add_live(found, thing.value, colon) end
  add_described(found, class_of(thing), colon)
  return found
end

local function globals(scope, head)
  local found = {}
  for _, word in ipairs(keywords) do found[word] = {} end
  for name in pairs(scope.classes) do found[name] = { type = scope.classes[name] } end
  for _, t in ipairs { _G, scope.env } do
    for name, value in next, t do
      if type(name) == "string" then found[name] = { value = value } end
    end
  end
  for name in pairs(tokens.locals(head)) do found[name] = found[name] or {} end
  return found
end

-- The fields that the annotations give the table which a call is given.
local function options_of(scope, call)
  local thing = follow(scope, call.path)
  local doc = thing and doc_of(thing)
  local param = doc and doc.params[call.argument]
  if not param then return {} end
  local found = {}
  add_described(found, types.named(param.type), false)
  for name, kind in (param.type:match("^{(.*)}") or ""):gmatch("([%a_][%w_]*)%??:%s*([^,}]+)") do -- pattern: own words
    found[name] = found[name] or { type = kind }
  end
  return found
end

-- --- modules -----------------------------------------------------------------------------------------------

local function add_module(found, name, prefix)
  if name:sub(1, #prefix) ~= prefix then return end
  local dot = name:find(".", #prefix + 1, true)
  found[dot and name:sub(1, dot) or name] = {} -- a step at a time, as with folders
end

-- The modules that ship, that are in C, or that have been loaded.
local function modules(prefix)
  local found = {}
  for _, path in ipairs(shipped.list("")) do
    local name = path:match("^([%w_/]+)%.lua$")
    if name and not name:find("^missions/") then
      add_module(found, (name:gsub("/init$", ""):gsub("/", ".")), prefix)
    end
  end
  for _, t in ipairs { package.preload, package.loaded } do
    for name in next, t do add_module(found, name, prefix) end
  end
  return found
end

-- --- the answer ---------------------------------------------------------------------------------------------

-- What is written about a thing, in a line or two.
local function about(name, thing)
  local doc = doc_of(thing)
  if not doc then
    local kind = thing.type or thing.value ~= nil and (class_of(thing) or type(thing.value))
    return kind and ("%s: %s\n%s"):format(name, kind, thing.text or "")
  end
  local params, returns = {}, {}
  for i, param in ipairs(doc.params) do params[i] = (param.name:gsub("%?$", "")) end
  for i, result in ipairs(doc.returns) do returns[i] = result.name or result.type end
  local line = ("%s(%s)"):format(name, table.concat(params, ", "))
  if #returns > 0 then line = line .. " -> " .. table.concat(returns, ", ") end
  local first = doc.text:gsub("\n", " "):match("^(.-[.:]) ") or doc.text:gsub("\n", " ")
  return first ~= "" and line .. "\n" .. first or line
end

local function answer(place, found)
  local names, word = {}, place.word
  for name in pairs(found) do
    local hidden = name:find("^_") and not word:find("^_")
    local wanted = place.kind == "module" or place.kind == "text" or name:find("^[%a_][%w_]*$")
    if wanted and not hidden and name:sub(1, #word) == word then names[#names + 1] = name end
  end
  table.sort(names)
  return { from = place.from, names = names, about = #names == 1 and about(names[1], found[names[1]]) or nil }
end

-- What the desktop shows that a call may be given.
local function on_desktop(scope, place)
  local desk = scope.open and scope.open()
  local found = {}
  for _, name in ipairs(desk and seen_names.of(desk, place) or {}) do
    if not name:find(place.quote, 1, true) and not name:find("\\", 1, true) then found[name] = {} end
  end
  return found
end

--- How the name before the cursor may go on; nil where there is none, as in a comment.
---@param text string
---@param cursor integer the byte that the next character is put before
---@param scope deskpilot.completion_scope
---@return deskpilot.completion?
function completion.at(text, cursor, scope)
  local head = text:sub(1, cursor - 1)
  local place = tokens.place(head)
  if not place then return nil end
  if place.kind == "module" then return answer(place, modules(place.word)) end
  if place.kind == "text" then return answer(place, on_desktop(scope, place)) end
  if place.kind == "name" then
    local options = place.call and answer(place, options_of(scope, place.call))
    return options and options.names[1] and options or answer(place, globals(scope, head))
  end
  local thing = follow(scope, place.path)
  if not thing then return nil end
  local found = fields_of(thing, place.colon)
  for name in pairs(found) do
    if is_keyword[name] then found[name] = nil end -- a field of that name is no t.name
  end
  return answer(place, found)
end

local most_listed = 300

--- Names in columns that fit a terminal, read downwards.
---@param names string[]
---@param width integer the terminal's columns
---@return string[] lines
function completion.columns(names, width)
  local shown, widest = math.min(#names, most_listed), 0
  for i = 1, shown do widest = math.max(widest, #names[i]) end
  local across = math.max(1, (width - 1) // (widest + 2))
  local rows = (shown + across - 1) // across
  local lines = {}
  for row = 1, rows do
    local cells = {}
    for i = row, shown, rows do cells[#cells + 1] = ("%-" .. widest .. "s"):format(names[i]) end
    lines[row] = texts.without_end(table.concat(cells, "  "), " ")
  end
  if #names > shown then lines[#lines + 1] = ("... and %d more"):format(#names - shown) end
  return lines
end

return completion
