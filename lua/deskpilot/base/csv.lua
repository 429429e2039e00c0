--- Reads comma-separated values (RFC 4180), for scripts that fill in forms.
local errors = require "deskpilot.base.errors"

local csv = {}

-- Reads the quoted field that begins at `at`. Returns its value and the position after the closing quote.
local function quoted(text, at)
  local parts = {}
  repeat
    local close = text:find('"', at + 1, true)
    if not close then return nil end
    parts[#parts + 1] = text:sub(at + 1, close - 1)
    at = close + 1
  until text:sub(at, at) ~= '"' -- a doubled quote stands for one quote inside the field
  return table.concat(parts, '"'), at
end

-- Reads one field. Returns its value, the separator after it (options.separator, "\n", "\r\n" or "" at the end) and the
-- separator's position.
local function field(text, at, separator)
  local value, next_at
  if text:sub(at, at) == '"' then
    value, next_at = quoted(text, at)
    if not value then return errors.fail("invalid", "the quote at byte %d is never closed", at) end
  else
    value, next_at = text:match("^([^\r\n" .. separator .. "]*)()", at)
  end
  local after = text:match("^\r?\n", next_at) or text:sub(next_at, next_at)
  if after ~= "" and after ~= separator and not after:find("\n", 1, true) then
    return errors.fail("invalid", "at byte %d, %q follows a quoted field; expected a separator or the end of the line",
      next_at, after)
  end
  return value, after, next_at
end

--- The rows of a table, each a list of its fields. Empty lines and a byte order mark are skipped.
---@param text string
---@param options { separator: string? }? one character; "," if not given
---@return string[][]? rows, deskpilot.error? err code "invalid"; the message names the byte
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

--- The rows below the first line, each as a table whose keys are the names in the first line.
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
