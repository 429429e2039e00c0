--- Small functions on text. All of them accept any bytes, not only UTF-8.
local text = {}

--- The edit distance: how many inserted, deleted, replaced or swapped neighbouring bytes turn a into b.
---@return integer
function text.distance(a, b)
  local before, row = {}, {}
  for j = 0, #b do row[j] = j end
  local two_before
  for i = 1, #a do
    two_before, before, row = before, row, { [0] = i }
    for j = 1, #b do
      local cost = a:byte(i) == b:byte(j) and 0 or 1
      row[j] = math.min(before[j] + 1, row[j - 1] + 1, before[j - 1] + cost)
      if i > 1 and j > 1 and a:byte(i) == b:byte(j - 1) and a:byte(i - 1) == b:byte(j) then
        row[j] = math.min(row[j], two_before[j - 2] + 1)
      end
    end
  end
  return row[#b]
end

--- The name in the list that is nearest to `wanted`, whatever the case; nil for an empty list.
---@param names string[]
---@return string?
function text.nearest(wanted, names)
  local best, distance
  for _, name in ipairs(names) do
    local d = text.distance(wanted:lower(), name:lower())
    if not distance or d < distance then best, distance = name, d end
  end
  return best
end

--- The first `limit` characters, and "..." where more follow. Text that is not UTF-8 is cut after `limit` bytes.
---@return string
function text.cut(s, limit)
  if #s <= limit then return s end
  local at = limit + 1
  local cut = utf8.len(s) and utf8.offset(s, limit + 1)
  if utf8.len(s) then
    if utf8.len(s) <= limit then return s end
    return s:sub(1, cut - 1) .. "..."
  end
  return s:sub(1, at - 1) .. "..."
end

--- The text as one line: each run of control characters and white space becomes one space.
---@return string
function text.one_line(s)
  return (s:gsub("[%c%s]+", " "):gsub("^ ", ""):gsub(" $", ""))
end

--- The form in which texts are compared: lower case, each run of white space as one space, an ellipsis as three dots.
---@param value any
---@return string
function text.fold(value)
  return (text.one_line(tostring(value or "")):gsub("\u{2026}", "..."):lower())
end

--- The words of a line that may be an item of a list: "- words", "2) words", with or without emphasis.
---@param line string
---@return string words
---@return boolean is_item
function text.list_item(line)
  local words, marks = line:gsub("^%s*[-*]%s+", "")
  local more, bullets = words:gsub("^%s*\u{2022}%s*", "")
  local last, numbers = more:gsub("^%s*%(?%d+[.):]%s+", "")
  return text.one_line((last:gsub("%*%*", ""))), marks + bullets + numbers > 0
end

--- Whether s begins or ends with a part.
function text.starts(s, part) return s:sub(1, #part) == part end
function text.ends(s, part) return part == "" or s:sub(-#part) == part end

-- Keys of one type by their value, where they have an order.
local function before(a, b)
  if type(a) ~= type(b) then return type(a) < type(b) end
  if type(a) == "number" then return a < b end
  return tostring(a) < tostring(b)
end

--- Sorted keys of a table, whatever they are.
---@return string[]
function text.keys(t)
  local keys, all_text = {}, true
  for k in pairs(t) do
    keys[#keys + 1] = k
    all_text = all_text and type(k) == "string"
  end
  if all_text then table.sort(keys) else table.sort(keys, before) end
  return keys
end

--- Without the white space around it, in linear time: the usual pattern, `^%s*(.-)%s*$`, takes quadratic time for a
--- long run of blanks, and nothing can interrupt it.
---@param s string
---@return string
function text.trim(s)
  local first = s:find("%S")
  return first and s:match(".*%S", first) or ""
end

--- Bytes as hexadecimal digits.
---@param bytes string
---@return string
function text.hex(bytes)
  return (bytes:gsub(".", function(byte) return ("%02x"):format(byte:byte()) end))
end

--- "a, b and c"
---@return string
function text.join(names)
  if #names < 2 then return names[1] or "" end
  return table.concat(names, ", ", 1, #names - 1) .. " and " .. names[#names]
end

return text
