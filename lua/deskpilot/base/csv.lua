--- Tables as text: comma-separated values as RFC 4180 has them, for scripts that fill in forms.
local errors = require "deskpilot.base.errors"

local csv = {}

-- A field in quotes begins at `at`; gives its value and what comes after it.
local function quoted(text, at)
  local parts = {}
  repeat
    local close = text:find('"', at + 1, true)
    if not close then return nil end
    parts[#parts + 1] = text:sub(at + 1, close - 1)
    at = close + 1
  until text:sub(at, at) ~= '"' -- two of them are one that belongs to the field
  return table.concat(parts, '"'), at
end

-- One field; gives its value, what separates it from the next (";" and the like, "\n" or "") and where that
-- begins.
local function field(text, at, separator)
  local value, next_at
  if text:sub(at, at) == '"' then
    value, next_at = quoted(text, at)
    if not value then return errors.fail("invalid", "a quotation that begins at byte %d has no end", at) end
  else
    value, next_at = text:match("^([^\r\n" .. separator .. "]*)()", at)
  end
  local after = text:match("^\r?\n", next_at) or text:sub(next_at, next_at)
  if after ~= "" and after ~= separator and not after:find("\n", 1, true) then
    return errors.fail("invalid", "at byte %d, %q stands between a field's end and the next field", next_at, after)
  end
  return value, after, next_at
end

--- The rows of a table, each a list of its fields. Empty lines are none; a byte order mark is left out.
---@param text string
---@param options { separator: string? }? one character; "," if not given
---@return string[][]? rows, deskpilot.error? err code "invalid", with the place
function csv.decode(text, options)
  local separator = options and options.separator or ","
  assert(#separator == 1 and not separator:find('[%w\r\n"%^%%%]]'), "a separator is one character such as ; or a tab")
  local rows, row = {}, {}
  local at = text:sub(1, 3) == "\xEF\xBB\xBF" and 4 or 1
  while at <= #text do
    local value, after, next_at = field(text, at, separator)
    if not value then return nil, after end
    row[#row + 1] = value
    at = next_at + #after
    if after ~= separator or at > #text then
      if after == separator then row[#row + 1] = "" end
      if #row > 1 or row[1] ~= "" then rows[#rows + 1] = row end
      row = {}
    end
  end
  return rows
end

--- The rows below a first line of names, each a table by those names.
---@param text string
---@param options { separator: string? }?
---@return table<string, string>[]? records, deskpilot.error? err
function csv.records(text, options)
  local rows, err = csv.decode(text, options)
  if not rows then return nil, err end
  local names = rows[1] or {}
  local records = {}
  for i = 2, #rows do
    if #rows[i] ~= #names then
      return errors.fail("invalid", "row %d has %d fields, but the first line names %d", i, #rows[i], #names)
    end
    local record = {}
    for j, name in ipairs(names) do record[name] = rows[i][j] end
    records[#records + 1] = record
  end
  return records
end

return csv
