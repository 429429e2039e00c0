--- Data as Lua source: what a page, a window or a model has said is data in a file that is made of it, nothing else.
local invisible = require "deskpilot.base.invisible"
local text = require "deskpilot.base.text"

local lua_source = {}

local keywords = {}
for word in ("and break do else elseif end false for function goto if in local nil not or repeat return then true "
  .. "until while"):gmatch "%l+" do keywords[word] = true end

--- A text as a literal: on one line, without control characters and without what nobody can see.
---@param words string
---@return string
function lua_source.quoted(words)
  local quoted = (("%q"):format(words):gsub("\\\n", "\\n"):gsub("[%c\127]", function(char)
    return ("\\%03d"):format(char:byte())
  end))
  if not utf8.len(quoted) then return (quoted:gsub("[\128-\255]", function(char)
    return ("\\%03d"):format(char:byte())
  end)) end
  if not quoted:find "[\128-\255]" then return quoted end
  local parts = {}
  for _, code in utf8.codes(quoted) do
    local char = utf8.char(code)
    parts[#parts + 1] = code > 127 and invisible.remove(char) ~= char and ("\\u{%X}"):format(code) or char
  end
  return table.concat(parts)
end

--- A text for a comment that begins with "-- ".
---@param words string
---@return string
function lua_source.comment(words)
  return (invisible.remove(text.one_line(words)):gsub("[%c\127]", " "))
end

--- Whether a text can stand as a name: a field, a local variable.
---@param word string
---@return boolean
function lua_source.is_name(word)
  return word:find "^[%a_][%w_]*$" ~= nil and not keywords[word]
end

--- A table's key.
---@param key string
---@return string
function lua_source.key(key)
  return lua_source.is_name(key) and key or "[" .. lua_source.quoted(key) .. "]"
end

--- An expression in place of data, which stands in the source as it is.
---@param source string
---@return table
function lua_source.expression(source)
  return setmetatable({ source = source }, { __name = "expression" })
end

local function is_expression(value)
  local meta = getmetatable(value)
  return meta ~= nil and meta.__name == "expression"
end

--- Data as source; what is neither text, number, boolean nor a table of these is left out.
---@param value any
---@param order string[]? keys that go first
---@return string? source
function lua_source.written(value, order)
  local kind = type(value)
  if kind == "string" then return lua_source.quoted(value) end
  if kind == "number" or kind == "boolean" then return tostring(value) end
  if kind ~= "table" then return nil end
  if is_expression(value) then return value.source end
  local parts, keys, placed = {}, {}, {}
  for i, item in ipairs(value) do parts[i] = lua_source.written(item, order) or "false" end
  for _, key in ipairs(order or {}) do
    if value[key] ~= nil then keys[#keys + 1], placed[key] = key, true end
  end
  local others = {}
  for key in pairs(value) do
    if type(key) == "string" and not placed[key] then others[#others + 1] = key end
  end
  table.sort(others)
  table.move(others, 1, #others, #keys + 1, keys)
  for _, key in ipairs(keys) do
    local item = lua_source.written(value[key], order)
    if item then parts[#parts + 1] = lua_source.key(key) .. " = " .. item end
  end
  return #parts > 0 and "{ " .. table.concat(parts, ", ") .. " }" or "{}"
end

return lua_source
