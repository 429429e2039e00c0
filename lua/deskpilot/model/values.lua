--- Reads values and calls as models write them: JSON, Python's literals, and the arguments of calls such as
--- click(start_box='(12,34)'). One pass over the text, nothing is evaluated. What deviates is read only if there is a
--- single way to read it, and each deviation is counted (repairs.lua).
local limits = require "deskpilot.model.limits"
local json = require "deskpilot.base.json"
local text = require "deskpilot.base.text"

local values = {}

local words = { ["true"] = true, ["false"] = false, ["null"] = json.null, True = true, False = false, None = json.null }
local python = { True = true, False = true, None = true }
local escapes = { n = "\n", t = "\t", r = "\r", b = "\b", f = "\f", ["/"] = "/", ["\\"] = "\\", ['"'] = '"',
  ["'"] = "'", ["0"] = "\0", ["\n"] = "" }
local smart = { ["\u{201C}"] = "\u{201D}", ["\u{2018}"] = "\u{2019}", ["\u{201E}"] = "\u{201C}" }
local other_half = { ["\u{201D}"] = true, ["\u{2019}"] = true }

---@class deskpilot.model.reader
---@field source string
---@field repairs deskpilot.model.repairs
---@field loose boolean? inside the arguments of a call: a quote that does not end a text is part of it
---@field count integer of values
---@field why string?
local Reader = {}
Reader.__index = Reader

local function new_reader(source, repairs, loose)
  return setmetatable({ source = source, repairs = repairs, loose = loose, count = 0 }, Reader)
end

function Reader:fail(why, at)
  self.why = self.why or (at and ("%s at character %d"):format(why, at) or why)
  return nil
end

local function skip(self, at) return self.source:find("%S", at) or #self.source + 1 end

-- Whether a repair may be made; otherwise the reason is that the answer is cut off.
local function repair(self, kind)
  if self.repairs:add(kind) then return true end
  self.why = self.why or "the answer was cut off"
  return false
end

--- Texts ------------------------------------------------------------------------------------------

local function escaped(self, at)
  local c = self.source:sub(at, at)
  if c == "u" or c == "x" then
    local digits = self.source:match(c == "u" and "^%x%x%x%x" or "^%x%x", at + 1)
    if not digits then return "\\" .. c, at + 1 end
    local code = tonumber(digits, 16)
    local low = code >= 0xD800 and code < 0xDC00 and self.source:match("^\\u([Dd][C-Fc-f]%x%x)", at + 5)
    if low then return utf8.char(0x10000 + (code - 0xD800 << 10) + tonumber(low, 16) - 0xDC00), at + 11 end
    if code >= 0xD800 and code < 0xE000 then return "\u{FFFD}", at + 5 end
    return utf8.char(code), at + 1 + #digits
  end
  if not escapes[c] and not self.loose and not repair(self, "escape") then return nil end
  return escapes[c] or "\\" .. c, at + 1
end

-- Whether a quote there ends a text inside the arguments of a call: what follows it could follow a value.
local function ends_text(source, after)
  local at = source:find("%S", after)
  if not at then return true end
  local c = source:sub(at, at)
  if c == ":" then return true end
  if c == ")" or c == "]" or c == "}" then -- and nothing more on its line but what may follow a call or a list
    local beyond = source:find("[^%s)%]}]", at)
    return not beyond or source:sub(beyond, beyond):find("[,;<:#`]") ~= nil
      or source:sub(at, beyond - 1):find("\n", 1, true) ~= nil
  end
  if c ~= "," then return false end
  local word, behind = source:match("^%s*([%a_][%w_]*)%s*()", at + 1)
  if word then return words[word] ~= nil or source:find("^[=:]", behind) ~= nil end
  return source:find("^%s*[%[({\"'%d<)%]}-]", at + 1) ~= nil
end

-- The text that begins behind an opening quote: up to `close`.
local function read_text(self, at, close)
  local source, out, from = self.source, {}, at
  local first = close:sub(1, 1)
  local set = "[\\" .. first .. "]"
  while true do
    local stop = source:find(set, from) -- pattern: a set of two characters
    if not stop then return self:fail("a text has no end", at - 1) end
    if source:byte(stop) == 92 then
      out[#out + 1] = source:sub(from, stop - 1)
      if stop == #source then return self:fail("a text has no end", at - 1) end
      out[#out + 1], from = escaped(self, stop + 1)
      if not from then return nil end
    elseif source:sub(stop, stop + #close - 1) ~= close then
      out[#out + 1], from = source:sub(from, stop), stop + 1
    elseif self.loose and #close < 3 and not ends_text(source, stop + #close) then
      if not repair(self, "unescaped_quote") then return nil end
      out[#out + 1], from = source:sub(from, stop), stop + 1
    else
      out[#out + 1] = source:sub(from, stop - 1)
      return table.concat(out), stop + #close
    end
  end
end

local function read_quoted(self, at)
  local source, c = self.source, self.source:sub(at, at)
  if c == "'" or c == '"' then
    local three = source:sub(at, at + 2)
    if self.loose and three == c:rep(3) then return read_text(self, at + 3, three) end
    if c == "'" and not self.loose and not repair(self, "single_quotes") then return nil end
    return read_text(self, at + 1, c)
  end
  local open = source:sub(at, at + 2)
  if not repair(self, "smart_quotes") then return nil end
  return read_text(self, at + 3, smart[open] or open)
end

--- Lists, objects, positions ----------------------------------------------------------------------

local read_value

local closers = { ["["] = "]", ["("] = ")", ["{"] = "}" }

-- A container's end: missing ones are closed at the very end of the text.
local function at_end(self, at, complete)
  if at <= #self.source then return false end
  return complete and not self.loose and repair(self, "missing_bracket")
end

local function read_list(self, at, depth)
  local close, list = closers[self.source:sub(at, at)], json.list()
  local complete = true -- no value is missing
  at = skip(self, at + 1)
  while true do
    local c = self.source:sub(at, at)
    if c == close then return list, at + 1 end
    if at > #self.source then
      if at_end(self, at, complete and #list > 0) then return list, at end
      return self:fail "a list has no end"
    end
    local value
    value, at = read_value(self, at, depth + 1)
    if value == nil then return nil end
    list[#list + 1] = value
    at = skip(self, at)
    complete = true
    if self.source:sub(at, at) == "," then
      at, complete = skip(self, at + 1), false
      if self.source:sub(at, at) == close and close == "]" and not repair(self, "trailing_comma") then return nil end
    elseif self.source:sub(at, at) ~= close and at <= #self.source then
      return self:fail("a list goes on without a comma", at)
    end
  end
end

local function read_object(self, at, depth)
  local object, complete = {}, true
  at = skip(self, at + 1)
  while true do
    local c = self.source:sub(at, at)
    if c == "}" then return object, at + 1 end
    if at > #self.source then
      if at_end(self, at, complete and next(object) ~= nil) then return object, at end
      return self:fail "an object has no end"
    end
    local key, value
    if not (c == '"' or c == "'" or smart[self.source:sub(at, at + 2)]) then
      return self:fail("an object's key is no text", at)
    end
    key, at = read_quoted(self, at)
    if key == nil then return nil end
    at = skip(self, at)
    if self.source:sub(at, at) ~= ":" then return self:fail("an object's key has no value", at) end
    value, at = read_value(self, skip(self, at + 1), depth + 1)
    if value == nil then return nil end
    object[key] = value ~= json.null and value or nil
    if value == false then object[key] = false end
    at, complete = skip(self, at), true
    if self.source:sub(at, at) == "," then
      at, complete = skip(self, at + 1), false
      if self.source:sub(at, at) == "}" and not repair(self, "trailing_comma") then return nil end
    elseif self.source:sub(at, at) ~= "}" and at <= #self.source then
      return self:fail("an object goes on without a comma", at)
    end
  end
end

-- A position without quotes: <point>1 2</point>, <|box_start|>(1,2)<|box_end|>, <1, 2>.
local function read_position(self, at)
  local source = self.source
  for open, close in pairs { ["<point>"] = "</point>", ["<|box_start|>"] = "<|box_end|>", ["<bbox>"] = "</bbox>" } do
    if source:sub(at, at + #open - 1) == open then
      local stop, after = source:find(close, at, true)
      if not stop then return self:fail("a position has no end", at) end
      return source:sub(at, after), after + 1
    end
  end
  local inner, after = source:match("^<([%d%s.,-]+)>()", at)
  if not inner or not repair(self, "brackets") then return self:fail("it is no value", at) end
  return inner, after
end

local function read_number(self, at)
  local digits = self.source:match("^[+-]?[%d.][%d.eE+-]*", at)
  local number = digits and digits:find("%d") and tonumber(digits)
  if not number or number ~= number or number == math.huge or number == -math.huge then
    return self:fail("it is no number", at)
  end
  return math.tointeger(number) or number, at + #digits
end

local function read_word(self, at)
  local word = self.source:match("^[%a_][%w_]*", at)
  if not word or words[word] == nil then return self:fail("it is no value", at) end
  if python[word] and not self.loose and not repair(self, "python_word") then return nil end
  return words[word], at + #word
end

function read_value(self, at, depth)
  self.count = self.count + 1
  if depth > limits.most.depth then return self:fail "it is too deep" end
  if self.count > limits.most.values then return self:fail "it has too many values" end
  local c = self.source:sub(at, at)
  if c == "{" then return read_object(self, at, depth) end
  if c == "[" or c == "(" and self.loose then return read_list(self, at, depth) end
  if c == '"' or c == "'" then return read_quoted(self, at) end
  local three = self.source:sub(at, at + 2)
  if smart[three] or other_half[three] then return read_quoted(self, at) end
  if c == "<" and self.loose then return read_position(self, at) end
  if c:find("[%d.+-]") then return read_number(self, at) end
  return read_word(self, at)
end

--- The value that a whole text is, JSON with deviations.
---@param source string
---@param repairs deskpilot.model.repairs
---@return any value, string? why nil and the reason
function values.whole(source, repairs)
  if #source > limits.most.arguments then return nil, "it is too long" end
  local self, mark = new_reader(source, repairs), repairs:mark()
  local value, at = read_value(self, skip(self, 1), 1)
  if value ~= nil and skip(self, at) <= #source then value = self:fail("more follows", skip(self, at)) end
  if value == nil then repairs:undo(mark) end
  return value, self.why
end

--- The value that begins at a place, as in the arguments of a call.
---@param source string
---@param at integer
---@param repairs deskpilot.model.repairs
---@return any value, integer|string after the byte after it; nil and the reason
function values.at(source, at, repairs)
  local self, mark = new_reader(source, repairs, true), repairs:mark()
  local value, after = read_value(self, skip(self, at), 1)
  if value ~= nil then return value, after end
  repairs:undo(mark)
  return nil, self.why
end

-- Converts whole numbers to integers. Nil and a reason for values that JSON cannot hold.
local function tidy(value)
  if type(value) == "number" then
    if value ~= value or value == math.huge or value == -math.huge then return nil, "a number is not finite" end
    return math.tointeger(value) or value
  end
  if type(value) ~= "table" then return value end
  for key, item in pairs(value) do
    local tidied, why = tidy(item)
    if tidied == nil and why then return nil, why end
    value[key] = tidied
  end
  return value
end
values.tidy = tidy

--- The value of JSON that may be slightly malformed, also in a Markdown fence.
---@param source string
---@param repairs deskpilot.model.repairs
---@return any value, string? why nil and a reason
function values.json(source, repairs)
  local value, why = limits.decode(source)
  if value ~= nil then return tidy(value) end
  local inner = text.trim(source):match("^```%w*[ \t]*\r?\n(.*)```$")
  local mark = repairs:mark()
  if inner and not repairs:add "fence" then return nil, why end
  value = inner and limits.decode(inner)
  if value == nil then value = values.whole(inner or source, repairs) end
  if value == nil or value == json.null then
    repairs:undo(mark)
    return nil, why
  end
  return tidy(value)
end

--- Calls -------------------------------------------------------------------------------------------

---@class deskpilot.model.written_call
---@field name string with dots: "pyautogui.click"
---@field args table<string, any> those with a name; `positional` are the others, in their order

-- The arguments behind an opening parenthesis, and the byte after the closing one.
local function read_arguments(self, at)
  local args, source = {}, self.source
  at = skip(self, at)
  while true do
    if source:sub(at, at) == ")" then return args, at + 1 end
    if at > #source then
      if next(args) and repair(self, "missing_bracket") then return args, at end
      return self:fail "the call has no end"
    end
    local name, behind = source:match("^([%a_][%w_]*)%s*=()", at)
    if name then at = skip(self, behind) end
    local value
    value, at = read_value(self, at, 1)
    if value == nil then return nil end
    if name then
      args[name] = value
    else
      args.positional = args.positional or json.list()
      table.insert(args.positional, value)
    end
    at = skip(self, at)
    if source:sub(at, at) == "," then at = skip(self, at + 1)
    elseif at <= #source and source:sub(at, at) ~= ")" then return self:fail("the arguments go on without a comma", at)
    end
  end
end

--- The call that begins at a place: a name, with dots, and an opening parenthesis right behind it.
---@param source string
---@param at integer
---@param repairs deskpilot.model.repairs
---@return deskpilot.model.written_call? call nil without a reason where no call begins there
---@return integer|string|nil after the byte after it, or the reason
---@return string? name of the call that cannot be read
function values.call(source, at, repairs)
  local name, inside = source:match("^([%a_][%w_.]*)%(()", at)
  if not name or #name > limits.most.name then return nil end
  local self, mark = new_reader(source, repairs, true), repairs:mark()
  local args, after = read_arguments(self, inside)
  if args then
    if after - inside <= limits.most.arguments then return { name = name, args = args }, after end
    self.why = limits.of_call(name, source:sub(inside, after))
  end
  repairs:undo(mark)
  return nil, self.why, name
end

return values
