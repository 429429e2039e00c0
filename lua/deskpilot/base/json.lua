--- JSON. Decoding is lua-cjson's. Encoding is our own (native.json), for two reasons: keys are in a fixed order
--- (sorted, if no other order is given), so that equal requests are equal bytes (model servers that cache prompt
--- prefixes answer those faster), and an empty list stays a list.
local cjson = require "cjson".new()
local errors = require "deskpilot.base.errors"
local native = require "native.json"

cjson.decode_max_depth(60) -- less than the 100 of native.json.encode, so that decoded values fit into a journal line
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

--- The text with each byte that is not valid UTF-8 replaced by U+FFFD.
---@param text string
---@return string
function json.utf8(text)
  return native.utf8(text)
end

--- How texts are changed while a value is encoded, which itself stays as it is.
---@class deskpilot.json.change
---@field text fun(words: string): string of every text
---@field item fun(key: string, words: string): string of a text that a field of that name holds
---@field copy fun(value: table): table the whole table so changed: asked where the name of one of its fields changes
---@field same table<string, true> texts that are known not to change
---@field plain table<string, true> names of fields whose texts are known to change as all others do
---@field constants table<table, string> kept here: the texts of tables that are encoded once (json.constant)

--- The value that is encoded as null. In objects, decoding returns nil for null instead.
json.null = cjson.null

--- The JSON text of a value. Raises an error for a value that JSON cannot represent.
---@param v any
---@param change deskpilot.json.change? what becomes of its texts
---@return string
function json.encode(v, change)
  return native.encode(v, list_meta, texts, orders, change)
end

--- What a text from outside may cost to decode.
---@class deskpilot.json.limits
---@field bytes integer
---@field values integer with the keys of objects
---@field depth integer of lists and objects inside each other, at most 60

local function decoded(text) return native.tidy(cjson.decode(text)) end

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
