--- JSON. Strings and decoding are lua-cjson's. Tables are encoded here, for two reasons: keys are in a fixed order
--- (sorted, if no other order is given), so that equal requests are equal bytes (model servers that cache prompt
--- prefixes answer those faster), and an empty list stays a list.
local cjson = require "cjson".new()
local errors = require "deskpilot.base.errors"
local native = require "native.json"

cjson.decode_max_depth(60) -- less than the depth for encoding, so that decoded values fit into a journal line
cjson.encode_max_depth(100)
cjson.decode_invalid_numbers(false)

local json = {}

local list_meta = { __name = "json.list" }

--- Marks a table as a list, so that it encodes as [] when empty.
---@param t table?
---@return table
function json.list(t)
  return setmetatable(t or {}, list_meta)
end

-- The order of the keys by the metatable of ordered tables, so that a copy with the same metatable has it too.
local orders = setmetatable({}, { __mode = "k" })

--- Gives a table an order for its keys, in which it is encoded; keys that are not among the names follow, sorted.
---@param t table
---@param names string[] not changed afterwards
---@return table t
function json.ordered(t, names)
  local meta = { __name = "json.ordered" }
  orders[meta] = names
  return setmetatable(t, meta)
end

--- The names that a table was given as its order; nil for a table without one.
---@param t table
---@return string[]?
function json.order(t)
  local meta = getmetatable(t)
  return meta and orders[meta]
end

-- The texts of tables that do not change any more.
local texts = setmetatable({}, { __mode = "k" })

--- Encodes a table that will not be changed any more, once: json.encode then uses that text wherever the table occurs.
--- A copy of the table is encoded as any other.
---@param t table
---@return table t
function json.constant(t)
  texts[t] = json.encode(t)
  return t
end

local function is_list(t)
  if getmetatable(t) == list_meta then return true end
  local n = #t
  if n == 0 then return false end
  local count = 0
  for _ in pairs(t) do count = count + 1 end
  return count == n
end

local encode

--- The text with each byte that is not valid UTF-8 replaced by U+FFFD.
---@param text string
---@return string
function json.utf8(text)
  return native.utf8(text)
end

-- Short texts come again and again (roles, states, names of fields): what they are encoded as is kept, as long as they
-- are not too many.
local SHORT, MOST = 40, 1000
local short_texts, short_count = {}, 0

-- lua-cjson escapes slashes, which JSON permits but which is harder to read.
local function string_text(s)
  local known = short_texts[s]
  if known then return known end
  local valid = utf8.len(s) and s or native.utf8(s) -- JSON is Unicode; servers and window titles are not always
  local encoded = cjson.encode(valid)
  if s:find("/", 1, true) then encoded = encoded:gsub("\\/", "/") end
  if #s <= SHORT then
    if short_count >= MOST then short_texts, short_count = {}, 0 end
    short_texts[s], short_count = encoded, short_count + 1
  end
  return encoded
end

local function number(v)
  if v ~= v or v == math.huge or v == -math.huge then error("JSON has no such number: " .. v, 0) end
  if math.type(v) == "integer" then return ("%d"):format(v) end
  if v == math.floor(v) and math.abs(v) < 1e15 then return ("%d"):format(v) end
  return (("%.14g"):format(v))
end

local function sorted_keys(t)
  local keys = {}
  for k in pairs(t) do
    if type(k) ~= "string" then error("a JSON object needs string keys, not " .. type(k), 0) end
    keys[#keys + 1] = k
  end
  table.sort(keys)
  return keys
end

local function keys_in_order(t, names)
  local keys, first = {}, {}
  for _, name in ipairs(names) do
    if t[name] ~= nil and not first[name] then
      first[name] = true
      keys[#keys + 1] = name
    end
  end
  for _, key in ipairs(sorted_keys(t)) do
    if not first[key] then keys[#keys + 1] = key end
  end
  return keys
end

--- How texts are changed while a value is encoded, which itself stays as it is.
---@class deskpilot.json.change
---@field text fun(words: string): string of every text
---@field item fun(key: string, words: string): string of a text that a field of that name holds
---@field copy fun(value: table): table the whole table so changed: asked where the name of one of its fields changes
---@field same table<string, true> texts that are known not to change
---@field plain table<string, true> names of fields whose texts are known to change as all others do
---@field constants table<table, string> kept here: the texts of tables that are encoded once (json.constant)

local function object(t, out, depth, change)
  local names = json.order(t)
  local keys = names and keys_in_order(t, names) or sorted_keys(t)
  local before = #out
  out[before + 1] = "{"
  for i, k in ipairs(keys) do
    if change and not change.same[k] and change.text(k) ~= k then -- then the fields' order may, too
      for n = #out, before + 1, -1 do out[n] = nil end
      return object(change.copy(t), out, depth)
    end
    if i > 1 then out[#out + 1] = "," end
    out[#out + 1] = string_text(k)
    out[#out + 1] = ":"
    local item = t[k]
    if change and type(item) == "string" then
      if not (change.same[item] and change.plain[k]) then item = change.item(k, item) end
      out[#out + 1] = string_text(item)
    else encode(item, out, depth, change) end
  end
  out[#out + 1] = "}"
end

-- A table that does not change any more.
local function constant(t, out, depth, change)
  if not change.constants[t] then
    local own = {}
    object(t, own, depth, change)
    change.constants[t] = table.concat(own)
  end
  out[#out + 1] = change.constants[t]
end

function encode(v, out, depth, change)
  local kind = type(v)
  if kind == "string" then out[#out + 1] = string_text(change and change.text(v) or v)
  elseif kind == "number" then out[#out + 1] = number(v)
  elseif kind == "boolean" then out[#out + 1] = tostring(v)
  elseif v == json.null or v == nil then out[#out + 1] = "null"
  elseif kind ~= "table" then error("JSON cannot hold a " .. kind, 0)
  elseif texts[v] and not change then out[#out + 1] = texts[v]
  elseif depth > 100 then error("too deep (or circular) for JSON", 0)
  elseif is_list(v) then
    out[#out + 1] = "["
    for i = 1, #v do
      if i > 1 then out[#out + 1] = "," end
      encode(v[i], out, depth + 1, change)
    end
    out[#out + 1] = "]"
  elseif texts[v] then constant(v, out, depth + 1, change)
  else object(v, out, depth + 1, change) end
end

--- The value that is encoded as null. In objects, decoding returns nil for null instead.
json.null = cjson.null

--- The JSON text of a value. Raises an error for a value that JSON cannot represent.
---@param v any
---@param change deskpilot.json.change? what becomes of its texts
---@return string
function json.encode(v, change)
  if type(v) == "string" then return string_text(change and change.text(v) or v) end
  local out = {}
  encode(v, out, 0, change)
  return table.concat(out)
end

-- lua-cjson decodes every number as a float; whole numbers become integers here. One beyond all floats, such as 1e999,
-- is an error: it could not be encoded again.
local function tidy(v)
  if math.type(v) == "float" then
    if v == math.huge or v == -math.huge then error("it has a number that is too large", 0) end
    return math.tointeger(v) or v
  end
  if v == cjson.null then return nil end
  if type(v) == "table" then
    local list = #v > 0 -- in a list null stays json.null: nil would end the list
    for k, item in pairs(v) do
      if not (list and item == cjson.null) then v[k] = tidy(item) end
    end
  end
  return v
end

--- What a text from outside may cost to decode.
---@class deskpilot.json.limits
---@field bytes integer
---@field values integer with the keys of objects
---@field depth integer of lists and objects inside each other, at most 60

local function decoded(text) return tidy(cjson.decode(text)) end

-- Which limit a text exceeds, in words; nil where none.
local function excess(text, most)
  if #text > most.bytes then return ("it has %d bytes, and at most %d are read"):format(#text, most.bytes) end
  local values, depth = native.measure(text, most.values)
  if values > most.values then return ("it has more than %d values"):format(most.values) end
  if depth > most.depth then
    return ("its lists and objects are nested %d deep, and at most %d are read"):format(depth, most.depth)
  end
end

--- The value of a JSON text. A null becomes nil in an object and stays json.null in a list; alone it is no value.
--- Half a surrogate pair becomes U+FFFD.
---@param text string
---@param most deskpilot.json.limits? a text that exceeds one of them is refused before anything is decoded
---@return any value, string? why nil and the reason, for malformed text or null
function json.decode(text, most)
  local why = most and excess(text, most)
  if why then return nil, why end
  local ok, value = pcall(decoded, text)
  if not ok then
    local mended = native.mend(text) -- lua-cjson refuses half a surrogate pair, and models cut characters in half
    if mended then ok, value = pcall(decoded, mended) end
  end
  if not ok and errors.no_memory(value) then error(value, 0) end -- the text is right
  if not ok then return nil, tostring(value) end
  if value == nil then return nil, "it is null" end
  return value
end

return json
