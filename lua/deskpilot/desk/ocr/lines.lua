--- Joins the words that OCR found into lines, and lines into rows of the screen.
local text_lines = {}

local function bounding_box(things)
  local left, top, right, bottom = math.huge, math.huge, -math.huge, -math.huge
  for _, thing in ipairs(things) do
    left, top = math.min(left, thing.x), math.min(top, thing.y)
    right, bottom = math.max(right, thing.x + thing.width), math.max(bottom, thing.y + thing.height)
  end
  return left, top, right - left, bottom - top
end

--- Joins words into a line: their texts with spaces between, their bounding box, their mean confidence.
---@param words deskpilot.text_word[]
---@return deskpilot.text_line
function text_lines.join(words)
  local texts, sum = {}, 0
  for i, word in ipairs(words) do
    texts[i] = word.text
    sum = sum + word.confidence
  end
  local x, y, width, height = bounding_box(words)
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

-- Whether a line belongs to the row: the middle of the line is inside the row's last line, and vice versa.
local function belongs(row, line)
  local y = middle(line)
  local last = row[#row]
  local other = middle(last)
  return y > last.y and y < last.y + last.height and other > line.y and other < line.y + line.height
end

--- Rows from top to bottom, each a list of lines from left to right.
---@param words deskpilot.text_word[] with a field `line`, a number that is the same for all words of a line
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

--- The text of rows, each on a line of its own, with two spaces between the parts of a row.
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
