--- Reads a regular expression of ECMAScript (with its flag u) into a tree:
---
---   { "set", { low, high, low, high, ... }, negated }    one character
---   { "seq", node, ... }    { "alt", node, ... }    { "repeat", node, least, most }    { "ahead", node, negated }
---   { "at", "start"|"end"|"word"|"inside" }
---
--- What it does not know (lookbehind, back references, \p{...}) is an error that names it.
local pattern_read = {}

local longest = 2000 -- bytes
local deepest = 40 -- groups inside each other
local most_repeats = 100000

local top = 0x10FFFF

-- Classes of characters by their letters; the capital letter is what is left.
local classes = {
  d = { 48, 57 }, w = { 48, 57, 65, 90, 95, 95, 97, 122 },
  s = { 9, 13, 32, 32, 0xA0, 0xA0, 0x1680, 0x1680, 0x2000, 0x200A, 0x2028, 0x2029, 0x202F, 0x202F, 0x205F, 0x205F,
    0x3000, 0x3000, 0xFEFF, 0xFEFF },
}
local controls = { t = 9, n = 10, v = 11, f = 12, r = 13 }
local any = { 0, 9, 11, 12, 14, 0x2027, 0x202A, top } -- all but the ends of lines

pattern_read.word = classes.w

-- The ranges of `list`, which are in order, turned over.
local function others(list)
  local out, from = {}, 0
  for i = 1, #list, 2 do
    if list[i] > from then
      out[#out + 1] = from
      out[#out + 1] = list[i] - 1
    end
    from = list[i + 1] + 1
  end
  if from <= top then
    out[#out + 1] = from
    out[#out + 1] = top
  end
  return out
end

local function fail(...)
  error(string.format(...), 0)
end

---@class deskpilot.schema.reader
---@field codes integer[]
---@field at integer
---@field depth integer
local Reader = {}
Reader.__index = Reader

function Reader:peek(ahead)
  local code = self.codes[self.at + (ahead or 0)]
  return code and utf8.char(code)
end

function Reader:take(words)
  for i = 1, #words do
    if self:peek(i - 1) ~= words:sub(i, i) then return false end
  end
  self.at = self.at + #words
  return true
end

function Reader:next()
  local code = self.codes[self.at]
  if not code then fail("it ends too early") end
  self.at = self.at + 1
  return code
end

function Reader:hex(count)
  local digits = {}
  for i = 1, count do digits[i] = utf8.char(self:next()) end
  local written = table.concat(digits)
  if not written:find("^%x+$") then fail("a code with %q is no hexadecimal number", written) end
  return tonumber(written, 16)
end

-- \uXXXX, also a pair of surrogates, and \u{X...}.
function Reader:unicode()
  if self:take "{" then
    local digits = {}
    while not self:take "}" do digits[#digits + 1] = utf8.char(self:next()) end
    local code = #digits <= 6 and tonumber(table.concat(digits), 16)
    if not code or code > top then fail("there is no character \\u{%s}", table.concat(digits)) end
    return code
  end
  local code = self:hex(4)
  if code >= 0xD800 and code <= 0xDBFF and self:take "\\u" then
    return 0x10000 + ((code - 0xD800) << 10) + (self:hex(4) - 0xDC00)
  end
  return code
end

-- What follows a backslash: ranges of a class, or the code of one character.
function Reader:escape(in_class)
  local code = self:next()
  local c = utf8.char(code)
  local class = classes[c:lower()]
  if class and code < 128 then return c:find("%l") and class or others(class) end
  if controls[c] then return controls[c] end
  if c == "b" and in_class then return 8 end
  if c == "0" and not (self:peek() or ""):find("^%d") then return 0 end
  if c == "x" then return self:hex(2) end
  if c == "u" then return self:unicode() end
  if c == "c" and (self:peek() or ""):find("^%a") then return self:next() % 32 end
  if c:find("^[%w_]") then fail("\\%s is not known here", c) end
  return code
end

-- One member of [...]: its code, or the ranges of a class.
function Reader:member()
  local code = self:next()
  return code == 92 and self:escape(true) or code
end

function Reader:class()
  local negated, ranges = self:take "^", {}
  while not self:take "]" do
    local low = self:member()
    if type(low) == "table" then
      table.move(low, 1, #low, #ranges + 1, ranges)
    else
      local high = low
      if self:peek() == "-" and self:peek(1) ~= "]" and self:peek(1) then
        self.at = self.at + 1
        high = self:member()
        if type(high) == "table" or high < low then fail("a range in [...] is out of order") end
      end
      ranges[#ranges + 1] = low
      ranges[#ranges + 1] = high
    end
  end
  return { "set", ranges, negated }
end

function Reader:group()
  self.depth = self.depth + 1
  if self.depth > deepest then fail("its groups are nested too deeply") end
  local kind, negated
  if self:take "?=" then kind = "ahead"
  elseif self:take "?!" then kind, negated = "ahead", true
  elseif self:take "?<=" or self:take "?<!" then fail("(?<= and (?<! are not known here")
  elseif self:take "?<" then
    while not self:take ">" do self:next() end
  elseif self:take "?" and not self:take ":" then fail("(?%s is not known here", self:peek() or "") end
  local node = self:alternatives()
  if not self:take ")" then fail("a group is not closed") end
  self.depth = self.depth - 1
  return kind and { kind, node, negated } or node
end

function Reader:atom()
  local c = self:peek()
  if self:take "(" then return self:group() end
  if self:take "[" then return self:class() end
  if self:take "." then return { "set", any } end
  if self:take "^" then return { "at", "start" } end
  if self:take "$" then return { "at", "end" } end
  if self:take "\\b" then return { "at", "word" } end
  if self:take "\\B" then return { "at", "inside" } end
  if self:take "\\" then
    local code = self:escape(false)
    return { "set", type(code) == "table" and code or { code, code } }
  end
  if c:find("^[*+?]") then fail("%s has nothing that it could be about", c) end
  local code = self:next()
  return { "set", { code, code } }
end

function Reader:number()
  local digits = {}
  while (self:peek() or ""):find("^%d") do digits[#digits + 1] = utf8.char(self:next()) end
  local value = math.tointeger(tonumber(table.concat(digits)))
  if value and value > most_repeats then fail("it repeats a part more than %d times", most_repeats) end
  return value
end

-- How often: least and most; nil where nothing is said.
function Reader:quantifier()
  if self:take "*" then return 0, math.huge end
  if self:take "+" then return 1, math.huge end
  if self:take "?" then return 0, 1 end
  if not (self:peek(1) or ""):find("^%d") or not self:take "{" then return nil end
  local least = self:number()
  local most = least
  if self:take "," then most = self:number() or math.huge end
  if not least or most < least or not self:take "}" then fail("{...} is no number of times") end
  return least, most
end

function Reader:sequence()
  local nodes = { "seq" }
  while self:peek() and self:peek() ~= "|" and self:peek() ~= ")" do
    local node = self:atom()
    local least, most = self:quantifier()
    if least then
      self:take "?" -- as few as possible or as many: the same for whether it matches
      node = { "repeat", node, least, most }
    end
    nodes[#nodes + 1] = node
  end
  return nodes
end

function Reader:alternatives()
  local first = self:sequence()
  if self:peek() ~= "|" then return first end
  local nodes = { "alt", first }
  while self:take "|" do nodes[#nodes + 1] = self:sequence() end
  return nodes
end

--- Reads an expression.
---@param source string
---@return table? tree
---@return string? why
function pattern_read.read(source)
  if #source > longest then return nil, ("it has more than %d bytes"):format(longest) end
  if not utf8.len(source) then return nil, "it is no UTF-8" end
  local reader = setmetatable({ codes = { utf8.codepoint(source, 1, -1) }, at = 1, depth = 0 }, Reader)
  local ok, tree = pcall(reader.alternatives, reader)
  if not ok then return nil, tostring(tree) end
  if reader:peek() then return nil, "a ) closes no group" end
  return tree
end

return pattern_read
