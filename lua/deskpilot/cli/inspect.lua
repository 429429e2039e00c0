--- Values as a person reads them at the prompt: nested tables with sorted keys, cycles marked, errors
--- as "message (code)", nothing that a terminal would obey.
local errors = require "deskpilot.base.errors"
local invisible = require "deskpilot.base.invisible"
local secrets = require "deskpilot.model.secrets"
local terminal = require "deskpilot.cli.terminal"

local inspect = {}

local max_depth, max_items, line_width = 5, 200, 90

local escapes = { ["\n"] = "\\n", ["\t"] = "\\t", ["\r"] = "\\r", ['"'] = '\\"', ["\\"] = "\\\\" }

local function quoted(s)
  s = secrets.mask(s):gsub('[%c"\\]', function(c) return escapes[c] or ("\\%d"):format(c:byte()) end)
  if not utf8.len(s) then s = s:gsub("[\128-\255]", function(c) return ("\\x%02X"):format(c:byte()) end) end
  s = invisible.escape(s, function(code) return ("\\u{%X}"):format(code) end)
  return '"' .. s .. '"'
end

local function key_words(key, show)
  if type(key) == "string" and key:find("^[%a_][%w_]*$") then return key end
  return "[" .. show(key) .. "]"
end

local function sorted_keys(t)
  local keys = {}
  for key in next, t do
    if math.type(key) ~= "integer" or key < 1 or key > #t then keys[#keys + 1] = key end
  end
  table.sort(keys, function(a, b)
    if type(a) == type(b) and (type(a) == "number" or type(a) == "string") then return a < b end
    return type(a) .. tostring(a) < type(b) .. tostring(b)
  end)
  return keys
end

local function has_tostring(v)
  local meta = debug.getmetatable(v)
  return type(meta) == "table" and rawget(meta, "__tostring") ~= nil
end

local show

local function fields(t, indent, depth, seen)
  local parts = {}
  for i = 1, math.min(rawlen(t), max_items) do
    parts[#parts + 1] = show(rawget(t, i), indent .. "  ", depth + 1, seen)
  end
  for _, key in ipairs(sorted_keys(t)) do
    if #parts >= max_items then parts[#parts + 1] = "..." break end
    local value = show(rawget(t, key), indent .. "  ", depth + 1, seen)
    parts[#parts + 1] = key_words(key, function(k) return show(k, "", max_depth, seen) end) .. " = " .. value
  end
  return parts
end

local function show_table(t, indent, depth, seen)
  if seen[t] then return "<the same table again>" end
  if next(t) == nil then return "{}" end
  if depth >= max_depth then return "{...}" end
  seen[t] = true
  local parts = fields(t, indent, depth, seen)
  seen[t] = nil
  local one_line = "{ " .. table.concat(parts, ", ") .. " }"
  if #one_line + #indent <= line_width and not one_line:find("\n", 1, true) then return one_line end
  return "{\n" .. indent .. "  " .. table.concat(parts, ",\n" .. indent .. "  ") .. "\n" .. indent .. "}"
end

function show(v, indent, depth, seen)
  local kind = type(v)
  if kind == "string" then return quoted(v) end
  if kind ~= "table" or has_tostring(v) then
    local ok, words = pcall(tostring, v)
    return ok and terminal.line(words) or "<" .. kind .. " whose tostring fails>"
  end
  return show_table(v, indent, depth, seen)
end

--- One value.
---@return string
function inspect.value(v)
  if errors.is(v) then return inspect.error(v) end
  return show(v, "", 0, {})
end

--- An error value: "message (code)".
---@return string
function inspect.error(err)
  if errors.is(err) then return ("%s (%s)"):format(terminal.line(err.message), err.code) end
  return terminal.lines(err)
end

--- Several values, as a call returned them.
---@param values table made by table.pack
---@return string
function inspect.values(values)
  local shown = {}
  for i = 1, values.n do shown[i] = inspect.value(values[i]) end
  return table.concat(shown, ", ")
end

return inspect
