--- lua/types/native/NAME.d.lua: the modules that are written in C as editors, help() and the prompt's completion
--- see them. Made of the comments above the C functions and of the tables that register those, so that there is one
--- place to say it. Nobody can require such a file by accident: a module's name has no dots within a step.
local annotations = require "deskpilot.cli.annotations"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local text = require "deskpilot.base.text"

local stubs = {}

-- Where the C files of modules lie, and how they are called.
local places = { { "runtime/lib", "^lib.*%.[ch]$" }, { "runtime/host", "^host.*%.[ch]$" } }

-- --- reading C ------------------------------------------------------------------------------------------

-- A comment's lines without its stars; a tag's lines joined, since editors read a tag from one line.
local function lines_of(body)
  local lines = {}
  for line in text.lines(body) do
    line = text.without_end(line:gsub("^%s*%*? ?", ""), "%s")
    local last = lines[#lines]
    if last and last:find("^%-%-%-@") and line ~= "" and not line:find("^%-%-%-@") then
      lines[#lines] = last .. " " .. line
    elseif line ~= "" or last then
      lines[#lines + 1] = line
    end
  end
  while lines[#lines] == "" do lines[#lines] = nil end
  return lines
end

-- Notes each comment that stands above a binding or above the name of a type, and the file's own.
local function read_comments(source, into)
  for body, stop in source:gmatch("/%*(.-)%*/()") do -- pattern: of the program's own sources
    local fn = source:match("^\nstatic int ([%w_]+)%(lua_State %*L%)", stop)
    if fn then into.comments[fn] = lines_of(body) end
    local macro, class = source:match('^\n#define ([%w_]+) "(native%.%w+)"', stop)
    if macro then into.types[macro] = { name = class, comment = lines_of(body) } end
  end
  into.head = lines_of(source:match("^/%*(.-)%*/") or "")
  into.module = table.concat(into.head, " "):match("native%.%l+")
end

-- The tables of functions, and what becomes of each: the module's functions, or the methods of a type. Other files
-- see those whose names begin with lib_.
local function read_tables(source, into)
  for name, body in source:gmatch("luaL_Reg ([%w_]+)%[%] = (%b{})") do -- pattern: of the program's own sources
    local list = {}
    for lua_name, fn in body:gmatch('{"([%w_]+)",%s*([%w_]+)}') do
      list[#list + 1] = { name = lua_name, comment = into.comments[fn] or {} }
    end
    into.tables[name] = list
    if name:find("^lib_") then into.shared[name] = list end
  end
  local function use(pattern)
    for type_name, table_name in source:gmatch(pattern) do -- pattern: of the program's own sources
      into.uses[#into.uses + 1] = { type = type_name, table = table_name }
    end
  end
  use("lib_new_type%(L, ([%w_]+), ([%w_]+),")
  use("lib_add_methods%(L, ([%w_]+), ([%w_]+)%)")
  into.functions = source:match("luaL_newlib%(L, ([%w_]+)%)") or source:match("luaL_setfuncs%(L, ([%w_]+), 1%)")
end

local function read_file(path, types, shared)
  local source, err = files.read(path)
  if not source then return nil, err end
  local file = { comments = {}, types = types, shared = shared, uses = {},
    tables = setmetatable({}, { __index = shared }) }
  read_comments(source, file)
  read_tables(source, file)
  return file
end

-- All files, and the types and tables that all of them see.
local function read_all(root)
  local list, types, shared = {}, {}, {}
  for _, place in ipairs(places) do
    for _, name in ipairs(files.list(files.join(root, place[1])) or {}) do
      if name:find(place[2]) then -- pattern: one of `places`
        local file, err = read_file(files.join(root, place[1], name), types, shared)
        if not file then return nil, err end
        list[#list + 1] = file
      end
    end
  end
  return list, types
end

-- The modules by their names: each { head, functions, classes = { { name, comment, methods } } }.
local function modules_of(root)
  local list, types = read_all(root)
  if not list then return nil, types end
  local modules, classes = {}, {}
  for _, file in ipairs(list) do
    local module = file.module and (modules[file.module] or { classes = {} })
    if file.functions and module then
      modules[file.module] = module
      module.head, module.functions = file.head, file.tables[file.functions]
    end
    for _, use in ipairs(file.uses) do
      local kind, methods = types[use.type], file.tables[use.table]
      if module and kind and methods and #methods > 0 then
        modules[file.module] = module
        local class = classes[kind.name]
        if not class then
          class = { name = kind.name, comment = kind.comment, methods = {} }
          classes[kind.name] = class
          table.insert(module.classes, class)
        end
        table.move(methods, 1, #methods, #class.methods + 1, class.methods)
      end
    end
  end
  return modules
end

-- --- writing Lua ----------------------------------------------------------------------------------------

local function add_comment(out, comment)
  for _, line in ipairs(comment) do
    out[#out + 1] = line:find("^%-%-%-@") and line or "--- " .. line
  end
end

local function add_function(out, name, entry)
  local names, bare = {}, {}
  for i, line in ipairs(entry.comment) do bare[i] = line:gsub("^%-%-%-", "") end
  for i, param in ipairs(annotations.parse(bare).params) do names[i] = param.name:gsub("%?$", "") end
  out[#out + 1] = ""
  add_comment(out, entry.comment)
  out[#out + 1] = ("function %s(%s) end"):format(name, table.concat(names, ", "))
end

local function module_text(name, module)
  local out = { "---@meta " .. name,
    "-- Made by `./dev docs` from the comments above the C functions: change those.", "" }
  local words, fields = {}, {}
  for _, line in ipairs(module.head) do table.insert(line:find("^%-%-%-@") and fields or words, line) end
  add_comment(out, words)
  out[#out + 1] = "---@class " .. name
  add_comment(out, fields)
  out[#out + 1] = "local module = {}"
  for _, entry in ipairs(module.functions) do add_function(out, "module." .. entry.name, entry) end
  for _, class in ipairs(module.classes) do
    local short = text.after_last(class.name, "^%w")
    out[#out + 1] = ""
    add_comment(out, class.comment)
    out[#out + 1] = "---@class " .. class.name
    out[#out + 1] = ("local %s = {}"):format(short)
    for _, entry in ipairs(class.methods) do add_function(out, short .. ":" .. entry.name, entry) end
  end
  out[#out + 1] = "\nreturn module"
  return table.concat(out, "\n") .. "\n"
end

--- The stubs that the C files of a checkout give.
---@param root string the checkout's folder
---@return table<string, string>? texts by the file's name
---@return deskpilot.error? err
function stubs.texts(root)
  local modules, err = modules_of(root)
  if not modules then return nil, err end
  local texts = {}
  for name, module in pairs(modules) do
    if not module.functions then return errors.fail("invalid", "%s registers no functions", name) end
    texts[text.after_last(name, "^%w") .. ".d.lua"] = module_text(name, module)
  end
  return texts
end

return stubs
