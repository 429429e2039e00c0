--- What is written above functions and classes (LuaLS annotations), read from the files that they came
--- from. help() at the prompt and the pages of docs/api are made of it.
local files = require "deskpilot.base.files"
local shipped_files = require "native.shipped"
local signature = require "deskpilot.base.signature"
local text = require "deskpilot.base.text"

local annotations = {}

---@class deskpilot.annotation
---@field text string the words before the first tag, lines as they were written
---@field params { name: string, type: string, text: string }[] a name that ends in ? may be left out
---@field returns { name: string?, type: string, text: string }[]
---@field fields { name: string, type: string, text: string }[] of a class
---@field class string? its name
---@field parents string[]? what the class is a kind of
---@field alias string? the name of a type that stands for another
---@field type string? the other

local function lines_of(path)
  local source = shipped_files.read(path) or files.read(path)
  if not source then return nil end
  local lines = {}
  for line in text.lines(source) do lines[#lines + 1] = line end
  return lines
end

local function is_comment(line)
  return line ~= nil and line:find("^%s*%-%-%-") ~= nil
end

local function bare(line)
  return (line:gsub("^%s*%-%-%-%s?", ""))
end

-- The "---" lines directly above line `at`, without the dashes.
local function comment_above(lines, at)
  local first = at
  while is_comment(lines[first - 1]) do first = first - 1 end
  local comment = {}
  for i = first, at - 1 do comment[#comment + 1] = bare(lines[i]) end
  return comment
end

local opening, closing = { ["{"] = true, ["("] = true, ["["] = true, ["<"] = true },
  { ["}"] = true, [")"] = true, ["]"] = true, [">"] = true }

-- Takes a type off the front: it ends at white space outside of brackets, or at a comma there where
-- there may be a list of types. A function's type goes on after a colon, and a choice after a bar.
local function take_type(s, is_list)
  local depth, at = 0, 1
  while at <= #s do
    local c = s:sub(at, at)
    if opening[c] then depth = depth + 1
    elseif closing[c] then depth = depth - 1
    elseif depth <= 0 and is_list and c == "," then break
    elseif depth <= 0 and c:find("%s") and not s:find("^[:|,]", at - 1) and not s:find("^%s*|", at) then break end
    at = at + 1
  end
  return s:sub(1, at - 1), s:sub(at)
end

local trim = text.trim

local take = {}

function take.param(doc, rest)
  local name, after = rest:match("^(%S+)%s*(.*)$")
  local kind, words = take_type(after or "")
  doc.params[#doc.params + 1] = { name = name or "?", type = kind, text = trim(words) }
end

function take.field(doc, rest)
  local name, after = rest:gsub("^public%s+", ""):match("^(%S+)%s*(.*)$")
  local kind, words = take_type(after or "")
  doc.fields[#doc.fields + 1] = { name = name or "?", type = kind, text = trim(words) }
end

take["return"] = function(doc, rest)
  while rest ~= "" do
    local kind, after = take_type(trim(rest), true)
    local name, words = after:match("^%s*([%a_][%w_]*)(.*)$")
    if not name then name, words = nil, after end
    local result = { type = kind, name = name, text = "" }
    doc.returns[#doc.returns + 1] = result
    rest = words:match("^%s*,%s*(.*)$")
    if not rest then
      result.text = trim(words)
      return
    end
  end
end

function take.class(doc, rest)
  local name, after = rest:gsub("^%(%l+%)%s*", ""):match("^([%w_.]+)(.*)$")
  if not name then return end
  doc.class, doc.parents = name, {}
  local parent, more = after:match("^:%s*([%w_.]+)(.*)$")
  while parent do
    table.insert(doc.parents, parent)
    after = more
    parent, more = after:match("^,%s*([%w_.]+)(.*)$")
  end
  doc.summary = trim(after)
end

function take.alias(doc, rest)
  local name, after = rest:match("^([%w_.]+)%s+(.*)$")
  doc.alias, doc.type = name, after and take_type(after)
end

--- What the lines of a comment say, without the dashes. A tag's lines are one: those after it that begin no
--- other tag belong to it.
---@param comment string[]
---@return deskpilot.annotation
function annotations.parse(comment)
  local doc = { text = "", params = {}, returns = {}, fields = {} }
  local words, tags = {}, {}
  for _, line in ipairs(comment) do
    local tag, rest = line:match("^@(%a+)%s*(.*)$")
    if tag then tags[#tags + 1] = { tag, rest }
    elseif #tags > 0 then tags[#tags][2] = tags[#tags][2] .. " " .. trim(line)
    else words[#words + 1] = line end
  end
  for _, tag in ipairs(tags) do
    if take[tag[1]] then take[tag[1]](doc, tag[2]) end
  end
  doc.text = trim(table.concat(words, "\n"))
  if doc.text == "" and doc.summary then doc.text = doc.summary end
  doc.summary = nil
  return doc
end

--- What is written of a function; nil where its source is not at hand (a built-in function).
---@param fn function
---@return deskpilot.annotation? doc, string? head its first line
function annotations.of_function(fn)
  local info = debug.getinfo(signature.origin(fn), "S")
  local lines = lines_of(info.source:match("^@(.*)$") or "")
  local head = lines and lines[info.linedefined]
  if not head then return nil end
  return annotations.parse(comment_above(lines, info.linedefined)), trim(head)
end

--- The parameters of a function as its source names them, without a method's self.
---@param fn function
---@return string[]
function annotations.parameters(fn)
  fn = signature.origin(fn)
  local names, info = {}, debug.getinfo(fn, "u")
  for i = 1, info.nparams do names[i] = debug.getlocal(fn, i) end
  if names[1] == "self" then table.remove(names, 1) end
  if info.isvararg then names[#names + 1] = "..." end
  return names
end

--- The words at the beginning of a file.
---@param path string
---@return string
function annotations.header(path)
  local lines, words = lines_of(path) or {}, {}
  while is_comment(lines[#words + 1]) do words[#words + 1] = bare(lines[#words + 1]) end
  return table.concat(words, "\n")
end

--- The classes and aliases that a file describes, in its order.
---@param path string
---@return deskpilot.annotation[]
function annotations.classes(path)
  local lines, classes = lines_of(path) or {}, {}
  local comment = {}
  for _, line in ipairs(lines) do
    if is_comment(line) then comment[#comment + 1] = bare(line)
    elseif #comment > 0 then
      local doc = annotations.parse(comment)
      if doc.class or doc.alias then classes[#classes + 1] = doc end
      comment = {}
    end
  end
  return classes
end

return annotations
