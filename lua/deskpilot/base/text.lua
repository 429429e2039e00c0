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

-- How many changes may lie between a name and what was typed for it: a third of the longer one.
local function most_changes(wanted, name)
  return math.max(1, math.max(#wanted, #name) // 3)
end

-- How far a name is from what was typed; nil where that is too far. One may be the beginning of the other.
local function changes(typed, name, far)
  if typed == name then return 0 end
  if #typed >= 3 and text.starts(name, typed) then return 1 end
  if #name >= 3 and text.starts(typed, name) and #typed <= 2 * #name + 1 then return 1 end
  local most = far and math.huge or most_changes(typed, name)
  if math.abs(#typed - #name) > most then return nil end
  local distance = text.distance(typed, name)
  return distance <= most and distance or nil
end

--- The name in the list that was probably meant by `wanted`, whatever the case; nil where none is like it.
---@param names string[]
---@param far boolean? the nearest one, however unlike it is
---@return string?
function text.nearest(wanted, names, far)
  local best, least
  for _, name in ipairs(names) do
    local distance = changes(wanted:lower(), name:lower(), far)
    if distance and (not least or distance < least) then best, least = name, distance end
  end
  return best
end

--- The end of a sentence about a name that does not exist: what was probably meant, or else what there is; "" where
--- that would be too much to read.
---@param wanted string
---@param names string[]
---@param form string? how a name is written in it; "'%s'" unless told
---@return string
function text.did_you_mean(wanted, names, form)
  form = form or "'%s'"
  local nearest = text.nearest(wanted, names)
  if nearest then return "; did you mean " .. form:format(nearest) .. "?" end
  if #names == 0 or #names > 40 then return "" end
  return (#names == 1 and "; there is " or "; there are ") .. text.join(names)
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
  return first and s:match("^.*%S", first) or ""
end

--- Without what stands at its end of a set of characters, in linear time: `[set]+$` takes quadratic time.
---@param s string
---@param set string as between the brackets of a pattern: "%s.", "/"
---@return string
function text.without_end(s, set)
  local last = s:reverse():find("[^" .. set .. "]")
  return last and s:sub(1, #s - last + 1) or ""
end

--- What stands behind the last one of a set of characters; all of it where there is none. In linear time, which
--- `[^set]*$` is not.
---@param s string
---@param set string as between the brackets of a pattern: "/\\"
---@return string
function text.after_last(s, set)
  return s:match("^.*[" .. set .. "](.*)$") or s
end

--- The lines, without their ends; the last one is "" where the text ends with a line end.
---@param s string
---@return fun(): string?
function text.lines(s)
  local from = 1
  return function()
    if not from then return nil end
    local stop = s:find("\n", from, true)
    local line = s:sub(from, (stop or #s + 1) - 1)
    from = stop and stop + 1
    return (line:gsub("\r$", ""))
  end
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
