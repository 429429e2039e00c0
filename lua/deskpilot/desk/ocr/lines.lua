--- Words of a picture put together: words to lines, lines to rows of the screen.
local text_lines = {}

-- The box around things with a place and a size.
local function around(things)
  local left, top, right, bottom = math.huge, math.huge, -math.huge, -math.huge
  for _, thing in ipairs(things) do
    left, top = math.min(left, thing.x), math.min(top, thing.y)
    right, bottom = math.max(right, thing.x + thing.width), math.max(bottom, thing.y + thing.height)
  end
  return left, top, right - left, bottom - top
end

--- One thing made of several words: their texts with spaces, the box around them, their mean confidence.
---@param words deskpilot.text_word[]
---@return deskpilot.text_line
function text_lines.join(words)
  local texts, sum = {}, 0
  for i, word in ipairs(words) do
    texts[i] = word.text
    sum = sum + word.confidence
  end
  local x, y, width, height = around(words)
  return { text = table.concat(texts, " "), x = x, y = y, width = width, height = height,
    confidence = sum / #words, words = words }
end

local function lines_of(words)
  local lines, number = {}, nil
  for _, word in ipairs(words) do
    if word.line ~= number then lines[#lines + 1], number = {}, word.line end
    word.line = nil
    table.insert(lines[#lines], word)
  end
  for i, line in ipairs(lines) do lines[i] = text_lines.join(line) end
  return lines
end

local function middle(line)
  return line.y + line.height / 2
end

-- Whether a line stands beside the row: the middle of each lies inside the other.
local function belongs(row, line)
  local y = middle(line)
  local last = row[#row]
  local other = middle(last)
  return y > last.y and y < last.y + last.height and other > line.y and other < line.y + line.height
end

--- Rows from top to bottom, each a list of lines from left to right.
---@param words deskpilot.text_word[] with `line`, a number that those of one line share
---@return deskpilot.text_line[][]
function text_lines.rows(words)
  local lines = lines_of(words)
  table.sort(lines, function(a, b)
    local ya, yb = middle(a), middle(b)
    if ya ~= yb then return ya < yb end
    return a.x < b.x
  end)
  local rows = {}
  for _, line in ipairs(lines) do
    local row = rows[#rows]
    if row and belongs(row, line) then row[#row + 1] = line else rows[#rows + 1] = { line } end
  end
  for _, row in ipairs(rows) do
    table.sort(row, function(a, b)
      if a.x ~= b.x then return a.x < b.x end
      return a.y < b.y
    end)
  end
  return rows
end

--- All lines, row by row.
---@param rows deskpilot.text_line[][]
---@return deskpilot.text_line[]
function text_lines.lines(rows)
  local lines = {}
  for _, row in ipairs(rows) do table.move(row, 1, #row, #lines + 1, lines) end
  return lines
end

--- The text of rows: one per line, what stands apart in a row with two spaces between.
---@param rows deskpilot.text_line[][]
---@return string
function text_lines.text(rows)
  local out = {}
  for i, row in ipairs(rows) do
    local texts = {}
    for k, line in ipairs(row) do texts[k] = line.text end
    out[i] = table.concat(texts, "  ")
  end
  return table.concat(out, "\n")
end

return text_lines
