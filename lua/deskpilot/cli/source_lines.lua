--- Where in a Lua file something is said of a key: its line, found in the text alone, since a table does not remember
--- where its keys came from.
local text = require "deskpilot.base.text"
local tokens = require "deskpilot.cli.tokens"

local source_lines = {}

local opening = { ["{"] = 1, ["("] = 1, ["["] = 1 }
local closing = { ["}"] = 1, [")"] = 1, ["]"] = 1 }
local before_key = { ["{"] = true, [","] = true, [";"] = true }

local function line_at(source, at)
  return select(2, source:sub(1, at - 1):gsub("\n", "")) + 1
end

local function is(token, sign) return token ~= nil and token.kind == "sign" and token.text == sign end

-- Whether the token at i is what gives a key its value: { key = }, { ["key"] = }, .key =, function x.key, and of
-- lists by names { name = "key" }.
local function names(list, i, word)
  local token, last, next_one = list[i], list[i - 1], list[i + 1]
  if token.text ~= word then return false end
  if token.kind == "string" then
    local bracketed = is(last, "[") and is(next_one, "]") and is(list[i + 2], "=")
    local named = is(last, "=") and list[i - 2] and list[i - 2].text == "name"
    return bracketed or named or false
  end
  if token.kind ~= "name" then return false end
  local assigned = is(next_one, "=") and not is(list[i + 2], "=")
  if is(last, ".") or is(last, ":") then
    local called = list[i - 3]
    return assigned or called ~= nil and called.text == "function"
  end
  return assigned and (last == nil or before_key[last.text] or last.kind ~= "sign" or closing[last.text] ~= nil)
end

-- The token after the value that begins at `first`, at the latest `last`.
local function value_end(list, first, last)
  local depth = 0
  for i = first, last do
    local sign = list[i].kind == "sign" and list[i].text
    if sign and opening[sign] then depth = depth + 1 end
    if sign and closing[sign] then depth = depth - 1 end
    if depth < 0 or depth == 0 and (sign == "," or sign == ";") then return i - 1 end
  end
  return last
end

-- The place where a word names a key with the fewest brackets around it, among tokens from..to.
local function shallowest(list, from, to, word)
  local depth, best, least = 0, nil, math.huge
  for i = from, to do
    local token = list[i]
    if token.kind == "sign" and opening[token.text] then depth = depth + 1 end
    if token.kind == "sign" and closing[token.text] then depth = depth - 1 end
    if depth < least and names(list, i, word) then best, least = i, depth end
  end
  return best
end

-- The last line on which a file returns something from its own level.
local function returned(source)
  local line, found = 0, nil
  for words in text.lines(source) do
    line = line + 1
    if words:find "^return%f[%W]" then found = line end
  end
  return found
end

--- The line that is about a key.
---@param source string the file's text
---@param path string? dotted names; of those that are not found the line of what they stand in
---@return integer line that of the file's `return` where no part of the path is found
function source_lines.of(source, path)
  local list = tokens.split(source)
  local from, to, found = 1, #list, nil
  for word in (path or ""):gmatch "[^.]+" do
    word = word:gsub("%[%]$", "")
    local at = shallowest(list, from, to, word)
    if at then
      found, from = at, at + 1
      to = value_end(list, at + (is(list[at + 1], "=") and 2 or 1), to)
      if list[at].kind == "string" and is(list[at - 1], "=") then to = from end -- name = "x": what follows is of no use
    end
  end
  return found and line_at(source, list[found].at) or returned(source) or 1
end

--- The line on which a word stands as a text of its own: "nosuch" in a list.
---@param source string
---@param word string
---@return integer? line
function source_lines.of_text(source, word)
  for _, token in ipairs((tokens.split(source))) do
    if token.kind == "string" and token.text == word then return line_at(source, token.at) end
  end
end

return source_lines
