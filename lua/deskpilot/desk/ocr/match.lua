--- Finds words in text from OCR, which may have misread single letters and lost the spaces between words.
local text = require "deskpilot.base.text"
local text_lines = require "deskpilot.desk.ocr.lines"

local text_match = {}

-- Characters that look alike in many fonts are treated as the same.
local alike = { ["1"] = "l", ["i"] = "l", ["|"] = "l", ["!"] = "l", ["0"] = "o", ["5"] = "s", ["—"] = "-",
  ["–"] = "-", ["‘"] = "'", ["’"] = "'", ["“"] = '"', ["”"] = '"', ["…"] = "..." }

-- Lower case, also for the letters of Western Europe (U+00C0 to U+00DE), without white space.
local function fold(s)
  local small = s:lower():gsub("\195([\128-\150\152-\158])", function(c)
    return "\195" .. string.char(c:byte() + 32)
  end)
  return (small:gsub("%s+", ""))
end

local function shape(folded)
  return (folded:gsub("[%z\1-\127\194-\244][\128-\191]*", alike))
end

-- Removes punctuation at the ends, so that "Save..." matches "Save"; not where the wanted text has some there itself.
local function trimmed(s, wanted)
  if not wanted:find("^%p") then s = s:gsub("^%p+", "") end
  if not wanted:find("%p$") then s = text.without_end(s, "%p") end
  return s
end

-- How many letters of a text of that length may have been misread.
local function max_misread(length)
  return length >= 12 and 2 or length >= 5 and 1 or 0
end

-- The similarity of two folded texts: 1 is equal, 0 is too different.
local function similarity(have, wanted)
  if have == wanted then return 1 end
  local a, b = shape(have), shape(wanted)
  if a == b then return 0.97 end
  local most = max_misread(#b)
  if math.abs(#a - #b) > most then return 0 end
  local distance = text.distance(a, b)
  return distance <= most and 0.9 - distance / #b / 2 or 0
end

local function words_of(row)
  local words = {}
  for _, line in ipairs(row) do table.move(line.words, 1, #line.words, #words + 1, words) end
  return words
end

-- Whether two words are close enough to belong to one phrase. The names in a menu bar are farther apart.
local function beside(a, b)
  return b.x - (a.x + a.width) < 1.3 * math.max(a.height, b.height)
end

-- Calls fn(words, folded) for each sequence of neighbouring words that is not much longer than `length` bytes; `folded`
-- is their folded text.
local function each_sequence(words, length, fn)
  for first = 1, #words do
    local sequence, folded = {}, ""
    for last = first, #words do
      if last > first and not beside(words[last - 1], words[last]) then break end
      sequence[#sequence + 1] = words[last]
      folded = folded .. fold(words[last].text)
      fn(sequence, folded)
      if #folded > length + 4 then break end
    end
  end
end

local function hit(words, score)
  local joined = text_lines.join(words)
  joined.words = nil
  joined.confidence = joined.confidence * score
  return joined
end

-- Sequences of whole words that match the wanted text.
local function whole_words(rows, wanted)
  local found = {}
  for _, row in ipairs(rows) do
    each_sequence(words_of(row), #wanted, function(words, folded)
      local score = similarity(trimmed(folded, wanted), wanted)
      if score > 0 then found[#found + 1] = { score = score, words = table.move(words, 1, #words, 1, {}) } end
    end)
  end
  return found
end

-- The part of a word's box for the letters from `first` to `last`, if all `count` letters are equally wide.
local function part_of(word, first, last, count)
  local left = word.x + math.floor(word.width * (first - 1) / count)
  local right = word.x + math.ceil(word.width * last / count)
  return { text = word.text, x = left, y = word.y, width = math.max(1, right - left), height = word.height,
    confidence = word.confidence }
end

-- Words that contain the wanted text.
local function parts_of_words(rows, wanted)
  local found, plain = {}, shape(wanted)
  for _, row in ipairs(rows) do
    for _, word in ipairs(words_of(row)) do
      local letters = shape(fold(word.text))
      local first, last = letters:find(plain, 1, true)
      if first then found[#found + 1] = { score = 0.8, words = { part_of(word, first, last, #letters) } } end
    end
  end
  return found
end

-- Drops candidates that share a word with a better one.
local function without_overlaps(found)
  local kept, taken = {}, {}
  for _, candidate in ipairs(found) do
    local free = true
    for _, word in ipairs(candidate.words) do free = free and not taken[word] end
    if free then
      for _, word in ipairs(candidate.words) do taken[word] = true end
      kept[#kept + 1] = hit(candidate.words, candidate.score)
    end
  end
  return kept
end

--- The places of the wanted text, the best match first.
---@param rows deskpilot.text_line[][]
---@param wanted string
---@return deskpilot.text_hit[]
function text_match.find(rows, wanted)
  local folded = fold(wanted)
  local found = whole_words(rows, folded)
  if #found == 0 then found = parts_of_words(rows, folded) end
  for i, candidate in ipairs(found) do candidate.order = i end
  table.sort(found, function(a, b)
    if a.score ~= b.score then return a.score > b.score end
    return a.order < b.order
  end)
  return without_overlaps(found)
end

-- At most three texts, those that are nearest to the wanted one.
local function nearest(rows, wanted)
  local distances, texts = {}, {}
  for _, row in ipairs(rows) do
    each_sequence(words_of(row), #wanted, function(words, folded)
      local far = math.max(#wanted // 2, 2)
      if math.abs(#folded - #wanted) > far then return end
      local distance = text.distance(folded, wanted)
      local shown = text.cut(text_lines.join(words).text, 60)
      if distance <= far and not distances[shown] then
        distances[shown] = distance
        texts[#texts + 1] = shown
      end
    end)
  end
  table.sort(texts, function(a, b)
    if distances[a] ~= distances[b] then return distances[a] < distances[b] end
    return a < b
  end)
  return { table.unpack(texts, 1, 3) }
end

--- A sentence for a text that was not found: it names the nearest texts.
---@param rows deskpilot.text_line[][]
---@param wanted string
---@return string
function text_match.describe_miss(rows, wanted)
  local message = ('the text "%s" was not seen'):format(text.cut(text.one_line(wanted), 80))
  local near = nearest(rows, fold(wanted))
  for i, words in ipairs(near) do near[i] = '"' .. words .. '"' end
  if #near > 0 then return message .. "; the nearest is " .. text.join(near) end
  if #rows == 0 then return message .. "; no text was seen there at all" end
  return message .. '; what was seen begins with "' .. text.cut(text.one_line(text_lines.text(rows)), 120) .. '"'
end

return text_match
