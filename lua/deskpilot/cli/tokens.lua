--- An unfinished piece of Lua as completion needs it: where its end is (in a text, after a dot, ...) and by which path
--- of names, calls and indices one gets there. Nothing of it is run.
local tokens = {}

-- What ends a long text or comment that opens at `at`; nil where none opens there.
local function long_end(source, at)
  local equals = source:match("^%[(=*)%[", at)
  return equals and "]" .. equals .. "]"
end

-- The byte after a quoted text, or nil where it does not end.
local function quote_end(source, at)
  local quote = source:sub(at, at)
  local i = at + 1
  while i <= #source do
    local c = source:sub(i, i)
    if c == "\\" then i = i + 1
    elseif c == quote then return i + 1
    elseif c == "\n" then return nil end
    i = i + 1
  end
end

--- The tokens of a source. Where it ends in the middle of a text or a comment, which one, and the byte where that
--- begins.
---@param source string
---@return { kind: "name"|"string"|"number"|"sign", text: string, at: integer }[] list
---@return "text"|"comment"|nil unfinished
---@return integer? at
local function split(source)
  local list, at = {}, 1
  while at <= #source do
    local comment = source:find("^%-%-", at) ~= nil
    local start = comment and at + 2 or at
    local closing = long_end(source, start)
    local c = source:sub(at, at)
    local stop
    if closing then
      local _, last = source:find(closing, start, true)
      if not last then return list, comment and "comment" or "text", at end
      if not comment then list[#list + 1] = { kind = "string", text = "", at = at } end
      stop = last + 1
    elseif comment then
      stop = source:find("\n", at, true)
      if not stop then return list, "comment", at end
    elseif c == '"' or c == "'" then
      stop = quote_end(source, at)
      if not stop then return list, "text", at end
      list[#list + 1] = { kind = "string", text = source:sub(at + 1, stop - 2), at = at }
    else
      local word = source:match("^[%a_][%w_]*", at) or source:match("^%d[%w.]*", at)
      local text = word or source:match("^%.%.+", at) or c
      if not text:find("^%s") then
        local kind = not word and "sign" or word:find("^%d") and "number" or "name"
        list[#list + 1] = { kind = kind, text = text, at = at }
      end
      stop = at + #text
    end
    at = stop
  end
  return list
end

tokens.split = split

local opens = { [")"] = "(", ["}"] = "{", ["]"] = "[" }

-- The place of the bracket that the one at `at` closes.
local function opening(list, at)
  local depth = 0
  for i = at, 1, -1 do
    local text = list[i].kind == "sign" and list[i].text or ""
    if opens[text] then depth = depth + 1
    elseif text == "(" or text == "{" or text == "[" then
      depth = depth - 1
      if depth == 0 then return i end
    end
  end
end

local function sign(list, at, text)
  return at >= 1 and list[at].kind == "sign" and list[at].text == text
end

-- Whether what ends there can be called or indexed.
local function ends_value(list, at)
  return at >= 1 and (list[at].kind == "name" or sign(list, at, ")") or sign(list, at, "]"))
end

local function index_key(list, first, last)
  if first ~= last then return nil end
  return list[first].kind == "number" and math.tointeger(tonumber(list[first].text))
    or list[first].kind == "string" and list[first].text or nil
end

-- Whether the name there is that of a field.
local function is_field(list, at)
  return sign(list, at - 1, ".") or sign(list, at - 1, ":")
end

-- The argument of require, where that is what is called.
local function required(list, callee, first, last)
  if list[callee].text ~= "require" or is_field(list, callee) then return nil end
  if sign(list, first, "(") then first, last = first + 1, last - 1 end
  return first == last and list[first].kind == "string" and list[first].text or nil
end

-- The path that ends with the token at `at`, or nil for what is none: { root = name, steps } or { required, steps }.
local function path_to(list, at)
  local steps = {}
  while at >= 1 do
    local token = list[at]
    if token.kind == "name" then
      if not is_field(list, at) then return { root = token.text, steps = steps } end
      table.insert(steps, 1, { kind = "field", name = token.text })
      at = at - 2
    else
      local first = token.kind == "string" and at or opens[token.text] and opening(list, at)
      if not first or not ends_value(list, first - 1) then return nil end
      local module = list[first - 1].kind == "name" and required(list, first - 1, first, at)
      if module then return { required = module, steps = steps } end
      table.insert(steps, 1, token.text == "]" and token.kind == "sign"
        and { kind = "index", key = index_key(list, first + 1, at - 1) } or { kind = "call" })
      at = first - 1
    end
  end
end

-- The bracket around the end of the list up to `at` that is not closed, and how many commas stand between.
local function enclosing(list, at)
  local depth, commas = 0, 0
  for i = at, 1, -1 do
    local text = list[i].kind == "sign" and list[i].text or ""
    if opens[text] then depth = depth + 1
    elseif text == "(" or text == "{" or text == "[" then
      if depth == 0 then return i, commas end
      depth = depth - 1
    elseif text == "," and depth == 0 then commas = commas + 1 end
  end
end

-- The call whose argument is the table in which a field's name may begin after the token at `at`: f { | and
-- f(a, { b, |.
local function call_around(list, at)
  if not (sign(list, at, "{") or sign(list, at, ",")) then return nil end
  local brace = enclosing(list, at)
  if not brace or not sign(list, brace, "{") then return nil end
  if ends_value(list, brace - 1) then
    local path = path_to(list, brace - 1)
    return path and { path = path, argument = 1 }
  end
  if not (sign(list, brace - 1, "(") or sign(list, brace - 1, ",")) then return nil end
  local paren, commas = enclosing(list, brace - 1)
  if not paren or not sign(list, paren, "(") or not ends_value(list, paren - 1) then return nil end
  local path = path_to(list, paren - 1)
  return path and { path = path, argument = commas + 1 }
end

-- In the text of require "..." or reload "...".
local function in_module_name(source, list, at)
  local last = #list
  if sign(list, last, "(") then last = last - 1 end
  local caller = list[last]
  if not caller or caller.text ~= "require" and caller.text ~= "reload" or is_field(list, last) then return nil end
  local word = source:sub(at + 1)
  return word:find("^[%w_.]*$") and { kind = "module", from = at + 1, word = word } or nil
end

-- In a quoted text that a call or a field is given: f("|, f { "|, f { title = "|, { title = "|.
local function in_given_text(source, list, at)
  if not source:find("^[\"']", at) then return nil end
  local last, key = #list, nil
  if sign(list, last, "=") and (sign(list, last - 2, "{") or sign(list, last - 2, ",")) then
    key, last = list[last - 1].text, last - 2
  end
  local call = call_around(list, last)
  if not call and not key and ends_value(list, last - 1) and sign(list, last, "(") then
    call = { path = path_to(list, last - 1), argument = 1 }
  elseif not call and not key and ends_value(list, last) then
    call = { path = path_to(list, last), argument = 1 }
  end
  if not key and not (call and call.path) then return nil end
  return { kind = "text", from = at + 1, word = source:sub(at + 1), quote = source:sub(at, at), call = call, key = key }
end

---@class deskpilot.tokens.place
---@field kind "name"|"field"|"module"|"text" a name of its own; one after a dot or a colon; that of a module; a text
---  that a call or a field of a table is given
---@field from integer the byte where it begins
---@field word string what of it is there
---@field path table? of a field: what leads to it
---@field colon boolean? of a field
---@field call { path: table, argument: integer }? of a name: it may be a field of the table that this call is given; of
---  a text: what is called
---@field key string? of a text that is a field of a table: that field
---@field quote string? of a text: how it began

--- What stands at the end of a source; nil for what no name could go on from.
---@param source string
---@return deskpilot.tokens.place?
function tokens.place(source)
  local list, inside, began = split(source)
  if inside == "text" then return in_module_name(source, list, began) or in_given_text(source, list, began) end
  if inside then return nil end
  local last, word, from = #list, "", #source + 1
  local token = list[last]
  if token and token.at + #token.text == #source + 1 then
    if token.kind == "number" then return nil end
    if token.kind == "name" then
      word, from, last = token.text, token.at, last - 1
    end
  end
  local colon = sign(list, last, ":") and not sign(list, last - 1, ":")
  if not colon and not sign(list, last, ".") then
    return { kind = "name", from = from, word = word, call = call_around(list, last) }
  end
  local path = path_to(list, last - 1)
  return path and { kind = "field", from = from, word = word, path = path, colon = colon }
end

--- The names that a source itself brings into being: locals, parameters, variables of loops.
---@param source string
---@return table<string, boolean>
function tokens.locals(source)
  local found, list, naming = {}, split(source), false
  local function text_at(i) return list[i] and list[i].text end
  for i, token in ipairs(list) do
    local text, before = token.text, text_at(i - 1)
    if text == "local" or text == "for" then naming = true
    elseif text == "function" then naming = before == "local"
    elseif text == "(" and (before == "function" or text_at(i - 2) == "function") then naming = true
    elseif naming and token.kind == "name" and text ~= "in" then
      found[text] = i < #list and before ~= "<" or found[text]
    elseif text ~= "," and text ~= "<" and text ~= ">" then naming = false end
  end
  return found
end

return tokens
