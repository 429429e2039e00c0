--- Success criteria: sentences that are true of the screen when a goal is reached. Whoever plans the work gives them
--- (`run.goal.criteria`). Where nothing else decides (a `verify`), a claim of completion must say for each of them what
--- on the screen shows it, and is compared with the screen: what it quotes must be readable there, and what the
--- criterion itself quotes, too.
local text = require "deskpilot.base.text"
local visible_texts = require "deskpilot.agent.visible_texts"

local criteria = {}

criteria.most = 8 -- of one goal

local longest = 300 -- characters of a criterion
local shortest_evidence = 10 -- characters: less than that says nothing of a screen
local shortest_read = 3 -- characters: OCR misses lone letters and signs

--- The criteria in a list of a model's: one line each, without empty ones, at most criteria.most.
---@param list any[]
---@return string[]
function criteria.clean(list)
  local clean = {}
  for _, item in ipairs(list) do
    local line = type(item) == "string" and text.cut(text.one_line(item), longest) or ""
    if line ~= "" and #clean < criteria.most then clean[#clean + 1] = line end
  end
  return clean
end

--- The list as a model reads it: "1. ..." on a line each.
---@param list string[]
---@return string
function criteria.numbered(list)
  local lines = {}
  for i, criterion in ipairs(list) do lines[i] = ("%d. %s"):format(i, criterion) end
  return table.concat(lines, "\n")
end

--- The criteria that a claim of completion is compared with; nil where there are none, or where the mission's own check
--- decides.
---@param run deskpilot.run
---@return string[]?
function criteria.to_show(run)
  local list = run.goal.criteria
  if not list or #list == 0 or run:has_verify() then return nil end
  return list
end

-- --- what is quoted ----------------------------------------------------------------------------------------

-- How a quotation begins, the pattern of its end, and whether it stands in one line.
local quotations = { { '"', '"', true }, { "“", "”" }, { "„", "\xE2\x80[\x9C\x9D]" }, { "«", "»" }, { "`", "`", true } }

-- Calls add(words) for what stands between a pair of quotation marks.
local function each_quoted(sentence, marks, add)
  local from = 1
  while true do
    local _, opened = sentence:find(marks[1], from, true)
    local first, last
    if opened then first, last = sentence:find(marks[2], opened + 1) end -- pattern: of a fixed length
    if not first then return end
    local words = sentence:sub(opened + 1, first - 1)
    local broken = marks[3] and words:find("\n", 1, true)
    if not broken and words ~= "" then add(words) end
    from = broken and first or last + 1 -- what ends no quotation may begin one
  end
end

-- Calls add(words) for what stands between single quotes. They are apostrophes as well: one counts as a quotation mark
-- only where no letter or digit is on its outer side.
local function each_single_quoted(sentence, add)
  local from = 1
  while true do
    local first, last, words = sentence:find("'([^'\n]+)'", from)
    if not first then return end
    local outside = sentence:sub(first - 1, first - 1) .. sentence:sub(last + 1, last + 1)
    if first == 1 then outside = sentence:sub(last + 1, last + 1) end
    local whole = not outside:find("[%w\128-\255]")
    if whole then add(words) end
    from = whole and last + 1 or first + 1
  end
end

--- The texts that a sentence quotes.
---@param sentence string
---@return string[]
function criteria.quoted(sentence)
  local list, seen = {}, {}
  local function add(words)
    words = text.one_line((words:gsub("\1", '"')))
    if words ~= "" and not seen[words] then
      seen[words] = true
      list[#list + 1] = words
    end
  end
  sentence = sentence:gsub('\\"', "\1"):gsub('""', " ") -- quotation marks inside of a quotation; a quotation of nothing
  for _, marks in ipairs(quotations) do each_quoted(sentence, marks, add) end
  each_single_quoted(sentence, add)
  return list
end

-- --- what can be read --------------------------------------------------------------------------------------

-- Whether OCR could find the phrase: it is told apart from noise, and of letters that it knows.
local function is_legible(phrase)
  return (utf8.len(phrase) or #phrase) >= shortest_read and not phrase:find("[\xCD-\xF4]")
end

-- Whether the phrase is on the screen; nil where that cannot be told, since the active window has neither elements nor
-- a page and its pixels cannot be read.
local function is_shown(run, seen, phrase)
  local bare = text.without_end(phrase, "%s.,;:!?")
  if seen:shows(phrase) or bare ~= "" and seen:shows(bare) then return true end
  if is_legible(bare) then
    local hit, err = run.desk.screen.find_text(bare)
    if hit then return true end
    if err.code == "not_found" then return false end
  end
  if seen:is_readable() then return false end
end

-- Those of the phrases that are not on the screen.
local function not_shown(run, seen, phrases)
  local list = {}
  for _, phrase in ipairs(phrases) do
    if is_shown(run, seen, phrase) == false then list[#list + 1] = ("%q"):format(text.cut(phrase, 60)) end
  end
  return list
end

-- "no dialog is open", "the window has closed": what such a criterion quotes is not to be there.
local negations = { "no", "not", "none", "never", "nothing", "without", "closed", "closes", "gone", "hidden",
  "disappeared", "removed", "deleted", "absent", "cannot", "anymore", "longer" }

local function is_negative(criterion)
  local words = " " .. criterion:lower():gsub("[^%w']+", " ") .. " "
  if words:find("n't ", 1, true) then return true end
  for _, word in ipairs(negations) do
    if words:find(" " .. word .. " ", 1, true) then return true end
  end
  return false
end

-- --- evidence ----------------------------------------------------------------------------------------------

-- "1. ... 2. ... 3. ...", on lines or not, for so many criteria; nil if it is not that.
local function split_numbered(all, count)
  local starts, from = {}, 1
  for i = 1, count do
    local first, last = (" " .. all):find("[%s;,(]" .. i .. "[.):]%s*", from)
    if not first then return nil end
    starts[i], from = { first = first, last = last }, last
  end
  local parts = {}
  for i, start in ipairs(starts) do
    parts[i] = text.one_line((" " .. all):sub(start.last + 1, starts[i + 1] and starts[i + 1].first - 1 or -1))
  end
  return parts
end

-- Whether the text speaks of a criterion: it has half of the criterion's longer words and numbers.
local function speaks_of(all, criterion)
  local found, count, folded = 0, 0, text.fold(all)
  for word in text.fold(criterion):gmatch("[%w\128-\255]+") do
    if #word >= 4 or word:find("^%d") then
      count = count + 1
      if folded:find(word, 1, true) then found = found + 1 end
    end
  end
  return found * 2 >= count
end

-- The evidence for each criterion, "" where there is none. Small models put all into one text: it is taken apart where
-- that has one reading, and else counts for the criteria that it speaks of.
local function evidence_for(list, evidence)
  local parts = {}
  for i, item in ipairs(type(evidence) == "table" and evidence or { evidence }) do
    parts[i] = type(item) == "string" and item or ""
  end
  if #parts == 1 and #list > 1 then
    local all, lines = parts[1], {}
    for line in all:gmatch("[^\n]+") do
      if line:find("%S") then lines[#lines + 1] = line end
    end
    parts = split_numbered(all, #list) or #lines == #list and lines or {}
    for i = 1, #parts == 0 and #list or 0 do parts[i] = speaks_of(all, list[i]) and all or "" end
  end
  for i = 1, #list do parts[i] = text.one_line((text.list_item(parts[i] or ""))) end
  return parts
end

local no_evidence = "there is no evidence"

local function is_evidence(part, criterion)
  if (utf8.len(part) or #part) < shortest_evidence then return false end
  return text.fold(part) ~= text.fold(criterion) or #criteria.quoted(criterion) > 0
end

local function quoted_problem(run, seen, part, criterion)
  local missing = not_shown(run, seen, criteria.quoted(part))
  if #missing > 0 then return text.join(missing) .. " is not on the screen" end
  if is_negative(criterion) then return nil end
  missing = not_shown(run, seen, criteria.quoted(criterion))
  if #missing > 0 then return ("it asks for %s, which is not on the screen"):format(text.join(missing)) end
end

--- Compares the evidence of a claim with the criteria and with the screen as it is now. What is wrong by criterion is
--- kept in `run.goal.unmet`.
---@param run deskpilot.run
---@param list string[] the criteria
---@param evidence string|string[] one text for each of them, in their order
---@return string? shown the criteria with their evidence; nil if something is wrong
---@return string? why a sentence that lists all that is wrong
function criteria.compare(run, list, evidence)
  local parts, seen = evidence_for(list, evidence), visible_texts.collect(run)
  local lacking, problems, lines = {}, {}, {}
  run.goal.unmet = {}
  for i, criterion in ipairs(list) do
    local part = parts[i]
    local why = not is_evidence(part, criterion) and no_evidence or quoted_problem(run, seen, part, criterion)
    run.goal.unmet[i] = why
    if why == no_evidence then
      lacking[#lacking + 1] = tostring(i)
    elseif why then
      problems[#problems + 1] = ("criterion %d: %s"):format(i, why)
    end
    lines[i] = ("%d. %s: %s"):format(i, text.without_end(criterion, ".:;"), part)
  end
  if #lacking > 0 then
    table.insert(problems, 1, ("%s for criteri%s %s"):format(no_evidence, #lacking == 1 and "on" or "a",
      text.join(lacking)))
  end
  if #problems == 0 then return table.concat(lines, "; ") end
  return nil, table.concat(problems, "; ")
end

return criteria
