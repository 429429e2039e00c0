--- JSON. Strings and decoding are lua-cjson's. Tables are encoded here, for two reasons: keys are in a fixed order
--- (sorted, if no other order is given), so that equal requests are equal bytes (model servers that cache prompt
--- prefixes answer those faster), and an empty list stays a list.
local cjson = require "cjson".new()

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

-- Replaces each byte that is not valid UTF-8 by U+FFFD, since JSON strings are Unicode. Such bytes come from servers
-- and from window titles.
local function valid_utf8(s)
  local parts, from = {}, 1
  while true do
    local _, bad = utf8.len(s, from)
    if not bad then break end
    parts[#parts + 1] = s:sub(from, bad - 1) .. "\u{FFFD}"
    from = bad + 1
  end
  parts[#parts + 1] = s:sub(from)
  return table.concat(parts)
end

-- lua-cjson escapes slashes, which JSON permits but which is harder to read.
local function string_text(s)
  if not utf8.len(s) then s = valid_utf8(s) end
  return (cjson.encode(s):gsub("\\(.)", { ["/"] = "/" }))
end

-- The same keys come again and again: their texts are made once, as long as they are not too many.
local key_texts, key_count, KEYS = {}, 0, 500

local function key_text(key)
  local known = key_texts[key]
  if known then return known end
  local words = string_text(key) .. ":"
  if #key <= 40 and key_count < KEYS then key_texts[key], key_count = words, key_count + 1 end
  return words
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

local function object(t, out, depth)
  local names = json.order(t)
  local keys = names and keys_in_order(t, names) or sorted_keys(t)
  out[#out + 1] = "{"
  for i, k in ipairs(keys) do
    if i > 1 then out[#out + 1] = "," end
    out[#out + 1] = key_text(k)
    encode(t[k], out, depth)
  end
  out[#out + 1] = "}"
end

function encode(v, out, depth)
  local kind = type(v)
  if kind == "string" then out[#out + 1] = string_text(v)
  elseif kind == "number" then out[#out + 1] = number(v)
  elseif kind == "boolean" then out[#out + 1] = tostring(v)
  elseif v == json.null or v == nil then out[#out + 1] = "null"
  elseif kind ~= "table" then error("JSON cannot hold a " .. kind, 0)
  elseif texts[v] then out[#out + 1] = texts[v]
  elseif depth > 100 then error("too deep (or circular) for JSON", 0)
  elseif is_list(v) then
    out[#out + 1] = "["
    for i = 1, #v do
      if i > 1 then out[#out + 1] = "," end
      encode(v[i], out, depth + 1)
    end
    out[#out + 1] = "]"
  else
    object(v, out, depth + 1)
  end
end

--- The value that is encoded as null. In objects, decoding returns nil for null instead.
json.null = cjson.null

--- The JSON text of a value. Raises an error for a value that JSON cannot represent.
---@param v any
---@return string
function json.encode(v)
  local out = {}
  encode(v, out, 0)
  return table.concat(out)
end

-- lua-cjson decodes every number as a float; whole numbers become integers here.
local function tidy(v)
  if math.type(v) == "float" then return math.tointeger(v) or v end
  if v == cjson.null then return nil end
  if type(v) == "table" then
    local list = #v > 0 -- in a list null stays json.null: nil would end the list
    for k, item in pairs(v) do
      if not (list and item == cjson.null) then v[k] = tidy(item) end
    end
  end
  return v
end

-- Replaces each half of a surrogate pair that stands alone (\ud83d) by \ufffd: lua-cjson refuses the whole text for it,
-- and models cut characters in half. Nil if there is none.
local function without_lone_surrogates(text)
  if not text:find("\\u[dD][89a-fA-F]") then return nil end
  local parts, from, changed = {}, 1, false
  while true do
    local at = text:find("\\", from, true)
    if not at then break end
    local kind = text:match("^\\u[dD]([89a-fA-F])%x%x", at)
    local high = kind and kind:find("[89abAB]")
    local size = kind and 6 or 2 -- an escaped backslash does not begin an escape
    if high and text:find("^\\u[dD][c-fC-F]%x%x", at + 6) then
      size, kind = 12, nil
    end
    parts[#parts + 1] = text:sub(from, at - 1)
    parts[#parts + 1] = kind and "\\ufffd" or text:sub(at, at + size - 1)
    changed, from = changed or kind ~= nil, at + size
  end
  parts[#parts + 1] = text:sub(from)
  return changed and table.concat(parts) or nil
end

--- The value of a JSON text. A null becomes nil in an object and stays json.null in a list. Half a surrogate pair
--- becomes U+FFFD.
---@param text string
---@return any value, string? why nil and the reason for malformed text
function json.decode(text)
  local ok, value = pcall(cjson.decode, text)
  if not ok then
    local mended = without_lone_surrogates(text)
    if mended then ok, value = pcall(cjson.decode, mended) end
  end
  if not ok then return nil, tostring(value) end
  return tidy(value)
end

return json
