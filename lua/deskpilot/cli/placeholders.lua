--- What fills the placeholders of prompts: the words in {{ }} that a policy gives a prompt its values for
--- (persona.prompt "NAME", { key = ... }), read from the policies' own text, and those of every prompt.
local files = require "deskpilot.base.files"
local lookup = require "deskpilot.base.lookup"
local shipped_files = require "native.shipped"
local text = require "deskpilot.base.text"
local tokens = require "deskpilot.cli.tokens"

local placeholders = {}

-- What deskpilot.model.space fills in every prompt.
local everywhere = { positions = true, point = true, space = true, range = true }

local function lua_below(folder, list)
  for _, name in ipairs(files.list(folder) or {}) do
    local path = files.join(folder, name)
    if files.is_folder(path) then lua_below(path, list)
    elseif name:find "%.lua$" then list[#list + 1] = files.read(path) end
  end
end

local function sources()
  local list = {}
  for _, name in ipairs(shipped_files.list "deskpilot/policies/") do list[#list + 1] = shipped_files.read(name) end
  for _, root in ipairs(lookup.roots()) do lua_below(files.join(root, "deskpilot/policies"), list) end
  return list
end

-- The keys of the table that opens at token `at`.
local function keys_of(list, at, found)
  local depth = 0
  for i = at, #list do
    local sign = list[i].kind == "sign" and list[i].text
    if sign == "{" or sign == "(" then depth = depth + 1 end
    if sign == "}" or sign == ")" then depth = depth - 1 end
    if depth == 0 then return end
    if depth == 1 and list[i].kind == "name" and list[i + 1] and list[i + 1].text == "=" then
      found[list[i].text] = true
    end
  end
end

-- What one source gives the prompt of that name, or any prompt where no name is given; whether it asks for it at all.
local function given(list, name, found)
  local asks = false
  for i, token in ipairs(list) do
    local next_one = list[i + 1] and list[i + 1].text == "(" and i + 2 or i + 1
    local word = token.kind == "name" and token.text == "prompt" and list[next_one]
    if word and word.kind == "string" and (not name or word.text == name) then
      asks = true
      local opens = list[next_one + 2]
      if list[next_one + 1] and list[next_one + 1].text == "," and opens and opens.text == "{" then
        keys_of(list, next_one + 2, found)
      end
    end
  end
  return asks
end

--- What is filled in a prompt.
---@param name string its file's, without .md
---@return table<string, true> filled what any policy fills where none asks for a prompt of this name in so many words
function placeholders.filled(name)
  local found, any, asks = {}, {}, false
  for _, source in ipairs(sources()) do
    local list = tokens.split(source)
    asks = given(list, name, found) or asks
    given(list, nil, any)
  end
  if not asks then found = any end
  for word in pairs(everywhere) do found[word] = true end
  return found
end

--- What is wrong with the words of a prompt.
---@param name string its file's, without .md
---@param source string
---@return { line: integer, message: string }[] problems in the order of the lines
function placeholders.problems(name, source)
  local filled, problems, line = placeholders.filled(name), {}, 0
  if not source:find "%S" then problems[1] = { line = 1, message = "the prompt is empty" } end
  if not utf8.len(source) then problems[#problems + 1] = { line = 1, message = "the prompt is no UTF-8" } end
  for words in text.lines(source) do
    line = line + 1
    for word in words:gmatch "{{([^{}]*)}}" do
      if not filled[word] then
        problems[#problems + 1] = { line = line, message = ("nothing fills {{%s}}%s; %s has %s"):format(word,
          text.did_you_mean(word, text.keys(filled), "{{%s}}"), name, text.join(text.keys(filled))) }
      end
    end
  end
  return problems
end

return placeholders
