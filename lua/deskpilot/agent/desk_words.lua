--- A call of the desk library in words, for the journal: what it was given and what came of it. A text that goes into
--- an application may be a password, and nothing tells which ones are: such texts are kept as their length only.
local text = require "deskpilot.base.text"

local desk_words = {}

local LONGEST = 160 -- characters of what is kept of a call's arguments
local DEEPEST = 2   -- tables in tables

-- Functions by the number of the argument that is such a text.
local secret_argument = { ["keyboard.type"] = 1, ["clipboard.set"] = 1, ["elements.set_text"] = 2, ["tab:type"] = 2,
  ["tab:accept_dialog"] = 1, ["tab:evaluate"] = 1 }

-- What is left out of tables of arguments: the values of variables, and parameters of the browser's protocol.
local hidden_field = { input = true, env = true }

local function length(value)
  local count = utf8.len(value) or #value
  return count == 1 and "1 character" or count .. " characters"
end

-- An address without what it may tell a server in secret: a password, the part after "?".
local function address(url)
  return (url:gsub("//[^/@]*@", "//"):gsub("[?#].*$", "?..."))
end

local function quoted(value)
  if value:find("^%a[%w+.-]+://") then value = address(value) end
  return "'" .. text.cut(text.one_line(value), 60) .. "'"
end

local function number(value)
  return ("%.6g"):format(value)
end

local function is_place(value)
  return type(value.x) == "number" and type(value.y) == "number"
end

local function place(value)
  local words = number(value.x) .. ", " .. number(value.y)
  return value.frame and value.frame ~= "screen" and ("%s (%s)"):format(words, tostring(value.frame)) or words
end

-- What names itself: an element, an element of a page, a window, an object of the library.
local function name_of(value)
  local class = rawget(value, "__name") or (getmetatable(value) or {}).__name
  if class == "shot" then return ("a picture of %d x %d"):format(value.width, value.height) end
  if type(class) == "string" then return "a " .. class end
  if type(value.role) == "string" and type(value.name) == "string" and (value.handle or value.index) then
    return value.name ~= "" and ("%s %s"):format(value.role, quoted(value.name)) or value.role
  end
  if type(value.title) == "string" and value.id and value.pid then return "the window " .. quoted(value.title) end
end

local describe

local function words_of_list(list)
  local words = {}
  for i, each in ipairs(list) do
    if i > 20 then break end
    words[i] = type(each) == "string" and text.cut(text.one_line(each), 60) or describe(each, DEEPEST)
  end
  return words
end

local function fields(value, depth)
  local parts = {}
  if #value > 0 then parts[1] = table.concat(words_of_list(value), " ") end
  for _, key in ipairs(text.keys(value)) do
    if type(key) == "string" then
      local shown = hidden_field[key] and "..." or describe(value[key], depth + 1)
      if shown ~= "" then parts[#parts + 1] = key .. " " .. shown end
    end
  end
  return table.concat(parts, ", ")
end

function describe(value, depth)
  local kind = type(value)
  if kind == "string" then return quoted(value) end
  if kind == "number" then return number(value) end
  if kind == "boolean" then return tostring(value) end
  if kind ~= "table" then return "" end
  local name = name_of(value)
  if name then return name end
  if is_place(value) then return place(value) end
  if #value == 2 and type(value[1]) == "number" then return number(value[1]) .. ", " .. tostring(value[2]) end
  return depth < DEEPEST and fields(value, depth) or "..."
end

local function target(name, arguments)
  if name == "tab:call" then return describe(arguments[1], 0) end
  local parts = {}
  for i = 1, arguments.n do
    local value = arguments[i]
    local secret = secret_argument[name] == i and type(value) == "string"
    local shown = secret and length(value) or describe(value, 0)
    if shown ~= "" then parts[#parts + 1] = shown end
  end
  return text.cut(table.concat(parts, ", "), LONGEST)
end

local function one_result(value)
  local kind = type(value)
  if kind == "string" then return length(value) end
  if kind == "number" then return number(value) end
  if kind ~= "table" then return "" end
  local name = name_of(value)
  if name then return name end
  if is_place(value) then return "at " .. place(value) end
  if type(value.status) == "number" then return "status " .. number(value.status) end
  if type(value.reason) == "string" then return value.reason end
  return #value > 0 and #value .. " found" or ""
end

local function result(results)
  local parts = {}
  for i = 1, math.min(results.n, 2) do
    local shown = one_result(results[i])
    if shown ~= "" then parts[#parts + 1] = shown end
  end
  return text.cut(table.concat(parts, ", "), LONGEST)
end

local function guarded(fn, ...)
  local ok, words = pcall(fn, ...) -- a table of a script's own may have metamethods that fail
  return ok and words or "?"
end

--- The arguments of a call.
---@param name string such as "mouse.click"
---@param arguments table packed
---@return string
function desk_words.target(name, arguments)
  return guarded(target, name, arguments)
end

--- The results of a call that has not failed; "" where there is nothing to say.
---@param results table packed
---@return string
function desk_words.result(results)
  return guarded(result, results)
end

return desk_words
