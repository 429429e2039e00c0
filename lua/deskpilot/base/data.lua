--- Reads Lua table literals as data. Configuration files look like Lua but are read by this parser, never by Lua: they
--- can hold values only, so that starting deskpilot in a folder never runs code from it.
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local text = require "deskpilot.base.text"

local data = {}

--- Limits on what a file may hold.
data.max_depth = 32
data.max_bytes = 1024 * 1024

local reserved = {}
for word in ("and break do else elseif end false for function goto if in local nil not or repeat "
  .. "return then true until while"):gmatch("%a+") do
  reserved[word] = true
end

local constants = { ["true"] = true, ["false"] = false }

local escapes = {
  a = "\a", b = "\b", f = "\f", n = "\n", r = "\r", t = "\t", v = "\v",
  ["\\"] = "\\", ['"'] = '"', ["'"] = "'",
}

-- A parser is { text, at, name }: `at` is the position of the next byte to read.
local Parser = {}
Parser.__index = Parser

local function line_of(self, at)
  local _, newlines = self.text:sub(1, at - 1):gsub("\n", "")
  return newlines + 1
end

function Parser:fail(message, at)
  error({ data_error = ("%s:%d: %s"):format(self.name, line_of(self, at or self.at), message) }, 0)
end

-- As Lua reads them: two different bytes of a line end, one after the other, are one.
local function one_kind_of_line_end(words)
  if not words:find("\r", 1, true) then return words end
  return (words:gsub("[\r\n]+", function(run)
    local lines, at = 0, 1
    while at <= #run do
      local first, second = run:byte(at, at + 1)
      at, lines = at + (second and second ~= first and 2 or 1), lines + 1
    end
    return ("\n"):rep(lines)
  end))
end

-- The text of a long bracket that begins at `at` ("[[" or "[=["), and the byte after it.
function Parser:long_bracket(at)
  local level = self.text:match("^%[(=*)%[", at)
  if not level then return nil end
  local first = at + #level + 2
  local close, after = self.text:find("]" .. level .. "]", first, true)
  if not close then self:fail("a long string or comment is not closed", at) end
  return (one_kind_of_line_end(self.text:sub(first, close - 1)):gsub("^\n", "")), after + 1
end

function Parser:skip_space()
  while true do
    self.at = self.text:find("[^ \t\r\n\f\v]", self.at) or #self.text + 1
    if self.text:sub(self.at, self.at + 1) ~= "--" then return end
    local _, after = self:long_bracket(self.at + 2)
    self.at = after or self.text:find("[\r\n]", self.at) or #self.text + 1
  end
end

function Parser:take(mark)
  self:skip_space()
  if self.text:sub(self.at, self.at + #mark - 1) ~= mark then return false end
  self.at = self.at + #mark
  return true
end

-- Describes what is at the current position, for an error message.
function Parser:describe_next()
  self:skip_space()
  if self.at > #self.text then return "the end of the file" end
  local word = self.text:match("^[%a_][%w_]*", self.at) or self.text:match("^" .. utf8.charpattern, self.at)
  return word and ("'" .. word .. "'") or "a byte that is not text"
end

function Parser:code_point(start)
  local digits = self.text:match("^{(%x+)}", self.at)
  local code = digits and #digits <= 8 and tonumber(digits, 16)
  if not code or code > 0x7FFFFFFF then self:fail("\\u wants {hexadecimal digits}", start) end
  self.at = self.at + #digits + 2
  return utf8.char(code)
end

function Parser:escape()
  local start = self.at
  local letter = self.text:sub(start + 1, start + 1)
  self.at = start + 2
  if letter == "\n" or letter == "\r" then
    local next_byte = self.text:match("^[\r\n]", self.at)
    if next_byte and next_byte ~= letter then self.at = self.at + 1 end
    return "\n"
  end
  if escapes[letter] then return escapes[letter] end
  if letter == "u" then return self:code_point(start) end
  if letter == "z" then
    self.at = self.text:find("[^%s]", self.at) or #self.text + 1
    return ""
  end
  if letter == "x" then
    local digits = self.text:match("^%x%x", self.at)
    if not digits then self:fail("\\x wants two hexadecimal digits", start) end
    self.at = self.at + 2
    return string.char(tonumber(digits, 16))
  end
  local digits = self.text:match("^%d%d?%d?", start + 1)
  if not digits then self:fail("'\\" .. letter .. "' is not an escape sequence", start) end
  if tonumber(digits) > 255 then self:fail("\\" .. digits .. " is larger than a byte", start) end
  self.at = start + 1 + #digits
  return string.char(tonumber(digits))
end

function Parser:short_string(quote)
  local start, parts = self.at, {}
  self.at = start + 1
  while true do
    local stop = self.text:find("[\\\n\r" .. quote .. "]", self.at)
    local mark = stop and self.text:sub(stop, stop)
    if not stop or mark == "\n" or mark == "\r" then self:fail("a string is not closed", start) end
    parts[#parts + 1] = self.text:sub(self.at, stop - 1)
    self.at = stop
    if mark == quote then break end
    parts[#parts + 1] = self:escape()
  end
  self.at = self.at + 1
  return table.concat(parts)
end

function Parser:number()
  local sign = self:take("-") and -1 or 1
  self:skip_space()
  local start = self.at
  local word = self.text:match("^[%w%.]+", start) or ""
  -- A sign after the exponent letter is part of the number. The letter is e in decimal and p in hexadecimal.
  local last = word:sub(-1):lower()
  if last == (word:find("^0[xX]") and "p" or "e") then
    word = word .. (self.text:match("^[+-]%d+", start + #word) or "")
  end
  local value = word:match("^%.?%d") and tonumber(word)
  if not value then self:fail("'" .. word .. "' is not a number", start) end
  self.at = start + #word
  return sign * value
end

local function is_number(source, at)
  return source:find("^%-?%s*%.?%d", at) ~= nil
end

-- Reads a value, which may be nil.
function Parser:value(depth)
  self:skip_space()
  local at = self.at
  local first = self.text:sub(at, at)
  if first == "{" then return self:table(depth) end
  if first == '"' or first == "'" then return self:short_string(first) end
  if is_number(self.text, at) then return self:number() end
  local long, after = self:long_bracket(at)
  if long then self.at = after return long end
  local word = self.text:match("^[%a_][%w_]*", at)
  if word == "nil" or constants[word] ~= nil then
    self.at = at + #word
    return constants[word]
  end
  self:fail(self:describe_next() .. " is not a value; this file is data: strings, numbers, booleans, nil and "
    .. "tables of them, without variables, calls or arithmetic")
end

-- Reads the key of a field. Returns the key and true; nil and false where the field is positional.
function Parser:key(depth)
  self:skip_space()
  local at = self.at
  local word = self.text:match("^[%a_][%w_]*", at)
  if word and not reserved[word] then
    self.at = at + #word
    if self:take("=") then return word, true end
    self.at = at
    return nil, false
  end
  if self.text:sub(at, at) ~= "[" or self.text:find("^%[=*%[", at) then return nil, false end
  self.at = at + 1
  local key = self:value(depth)
  if key == nil or key ~= key then self:fail("a key cannot be nil or not-a-number", at) end
  if type(key) == "table" then self:fail("a key cannot be a table: nothing could find what it stands for", at) end
  if not self:take("]") then self:fail("expected ']' after the key, not " .. self:describe_next()) end
  if not self:take("=") then self:fail("expected '=' after the key, not " .. self:describe_next()) end
  return key, true
end

-- Lua puts values without a key into the table by so many, the last ones at its end: they replace what was given to
-- the same place as a key, also behind them.
local together = 50

function Parser:table(depth)
  if depth >= data.max_depth then self:fail("tables are nested deeper than " .. data.max_depth) end
  local opened, result, items, count = self.at, {}, {}, 0
  local function put_items()
    for i = count - (count - 1) % together, count do result[i] = items[i] end
  end
  self.at = self.at + 1
  while not self:take("}") do
    local key, keyed = self:key(depth + 1)
    local value = self:value(depth + 1)
    if keyed then
      result[key] = value
    else
      count = count + 1
      items[count] = value
      if count % together == 0 then put_items() end
    end
    if not self:take(",") and not self:take(";") then
      if self:take("}") then break end
      self:fail(("expected ',' or '}' (for the '{' of line %d), not %s"):format(
        line_of(self, opened), self:describe_next()))
    end
  end
  if count % together ~= 0 then put_items() end
  return result
end

function Parser:file()
  self.text = self.text:gsub("^\239\187\191", "")
  self:skip_space()
  if self.text:find("^return%f[^%w_]", self.at) then self.at = self.at + 6 end
  self:skip_space()
  if self.text:sub(self.at, self.at) ~= "{" then
    self:fail("expected a table, { ... } or return { ... }, not " .. self:describe_next())
  end
  local value = self:table(0)
  self:take(";")
  self:skip_space()
  if self.at <= #self.text then self:fail("nothing may follow the table, but " .. self:describe_next() .. " does") end
  return value
end

--- The table that a text holds. `name` stands for the text in errors.
---@param source string
---@param name string?
---@return table? value, deskpilot.error? err code "invalid", the message beginning NAME:LINE
function data.parse(source, name)
  name = name or "data"
  if #source > data.max_bytes then
    return errors.fail("invalid", "%s: larger than %d bytes", name, data.max_bytes)
  end
  local ok, value = pcall(Parser.file, setmetatable({ text = source, at = 1, name = name }, Parser))
  if ok then return value end
  if type(value) == "table" and value.data_error then return nil, errors.new("invalid", value.data_error) end
  error(value, 0)
end

local function plain(value)
  if type(value) == "string" then return (("%q"):format(value):gsub("\\\n", "\\n")) end
  return type(value) == "number" and ("%.14g"):format(value) or tostring(value)
end

local function key_words(key)
  if type(key) == "string" and key:find("^[%a_][%w_]*$") and not reserved[key] then return key .. " = " end
  return ("[%s] = "):format(plain(key))
end

-- Tables within the outermost one stand in a line each.
local function written(value, depth)
  if type(value) ~= "table" then return plain(value) end
  local parts = {}
  for _, item in ipairs(value) do parts[#parts + 1] = written(item, depth + 1) end
  for _, key in ipairs(text.keys(value)) do
    if not (math.type(key) == "integer" and key >= 1 and key <= #value) then
      parts[#parts + 1] = key_words(key) .. written(value[key], depth + 1)
    end
  end
  if #parts == 0 then return "{}" end
  if depth > 0 then return "{ " .. table.concat(parts, ", ") .. " }" end
  return "{\n  " .. table.concat(parts, ",\n  ") .. ",\n}"
end

--- The text of a file that holds a table of texts, numbers, truth values and such tables.
---@param value table
---@return string
function data.write(value)
  return "return " .. written(value, 0) .. "\n"
end

--- The table that a file holds.
---@param path string
---@return table? value, deskpilot.error? err
function data.read(path)
  local source, err = files.read(path, data.max_bytes)
  if not source then return nil, err end
  return data.parse(source, path)
end

return data
