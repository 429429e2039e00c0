--- Two runs side by side, for `deskpilot report A B`: how each has ended and what it took, and their actions as one
--- list in which each is in both runs or in one of them.
local history = require "deskpilot.agent.history"
local json = require "deskpilot.base.json"
local text = require "deskpilot.base.text"

local comparison = {}

local most_steps = 1000 -- of each run that are compared
local column = 44       -- characters

-- What a model says of an action in its own words, each time in others.
local prose = { justification = true, rationale = true, evidence = true }

-- Steps with the same key are the same action.
local function key_of(step)
  local args = {}
  for name, value in pairs(step.args) do
    if not prose[name] then args[name] = value end
  end
  local ok, written = pcall(json.encode, args)
  return step.tool .. (ok and written or "")
end

-- The longest list of actions that both runs have in this order, as pairs of places; by the usual table of lengths.
local function common(a, b)
  local lengths = {}
  for i = #a + 1, 1, -1 do
    lengths[i] = {}
    for j = #b + 1, 1, -1 do
      local below = lengths[i + 1]
      if i > #a or j > #b then lengths[i][j] = 0
      elseif a[i] == b[j] then lengths[i][j] = below[j + 1] + 1
      else lengths[i][j] = math.max(below[j], lengths[i][j + 1]) end
    end
  end
  return lengths
end

--- The actions of two runs as one list.
---@param a deskpilot.imported_step[]
---@param b deskpilot.imported_step[]
---@return { a: integer?, b: integer? }[] rows the numbers of the steps: of both runs, or of one
function comparison.align(a, b)
  local keys = { {}, {} }
  for number, steps in ipairs { a, b } do
    for i = 1, math.min(#steps, most_steps) do keys[number][i] = key_of(steps[i]) end
  end
  local rows, i, j = {}, 1, 1
  local lengths = common(keys[1], keys[2])
  while i <= #keys[1] or j <= #keys[2] do
    local here = i <= #keys[1] and j <= #keys[2]
    if here and keys[1][i] == keys[2][j] then
      rows[#rows + 1] = { a = i, b = j }
      i, j = i + 1, j + 1
    elseif j > #keys[2] or here and lengths[i + 1][j] >= lengths[i][j + 1] then
      rows[#rows + 1] = { a = i }
      i = i + 1
    else
      rows[#rows + 1] = { b = j }
      j = j + 1
    end
  end
  return rows
end

local function cell(value)
  local words = text.cut(text.one_line(tostring(value == nil and "-" or value)), column)
  return words .. (" "):rep(math.max(0, column - (utf8.len(words) or #words)))
end

local function row(name, a, b)
  if a == nil and b == nil then return nil end
  return text.without_end(("%-14s %s %s"):format(name, cell(a), cell(b)), " ")
end

local function seconds(value) return value and ("%.1f s"):format(value) end

local function whole(value) return value and ("%d"):format(value // 1) end

--- How each run has ended and what it took, in lines.
---@param a deskpilot.imported_run
---@param b deskpilot.imported_run
---@return string[]
function comparison.head(a, b)
  local lines = { row("", "A: " .. a.name, "B: " .. b.name), row("goal", a.goal, b.goal),
    row("status", a.status, b.status) }
  lines[#lines + 1] = row("reason", a.reason, b.reason)
  lines[#lines + 1] = row("steps", #a.steps, #b.steps)
  lines[#lines + 1] = row("duration", seconds(a.duration), seconds(b.duration))
  for _, total in ipairs { "failed", "retries", "model_calls", "input_tokens", "output_tokens" } do
    lines[#lines + 1] = row(total:gsub("_", " "), whole(a.totals[total]), whole(b.totals[total]))
  end
  local function cost(run) return (run.totals.cost or 0) > 0 and ("$%.4f"):format(run.totals.cost) or nil end
  lines[#lines + 1] = row("cost", cost(a), cost(b))
  return lines
end

--- What a step did, in short.
---@param step deskpilot.imported_step
---@return string
function comparison.action_words(step)
  local target = history.target(step.args)
  local args = {}
  if target == nil then
    for name, value in pairs(step.args) do
      if not prose[name] then args[name] = value end
    end
    local ok, written = pcall(json.encode, args)
    target = next(args) ~= nil and ok and written or ""
  elseif type(target) == "string" then
    target = json.encode(target)
  end
  return text.cut(text.one_line(("%s(%s)"):format(step.tool, tostring(target))), 70)
end

--- What came of it; nil where that is not known.
---@param step deskpilot.imported_step
---@return string?
function comparison.outcome_words(step)
  if step.ok == nil then return nil end
  return step.ok and "done" or "failed" .. (step.text and ": " .. text.cut(text.one_line(step.text), 60) or "")
end

local function step_line(a, b, places)
  local one, other = places.a and a.steps[places.a], places.b and b.steps[places.b]
  local outcome = comparison.outcome_words(one or other)
  if one and other and one.ok ~= other.ok then
    outcome = ("A %s, B %s"):format(outcome or "?", comparison.outcome_words(other) or "?")
  end
  return text.without_end(("%s %4s %4s  %s  %s"):format(one and other and " " or one and "A" or "B", places.a or "",
    places.b or "", comparison.action_words(one or other), outcome or ""), " ")
end

--- The comparison in lines. Much of it comes from outside.
---@param a deskpilot.imported_run
---@param b deskpilot.imported_run
---@return string[]
function comparison.lines(a, b)
  local lines, rows, shared = comparison.head(a, b), comparison.align(a.steps, b.steps), 0
  for _, places in ipairs(rows) do
    if places.a and places.b then shared = shared + 1 end
  end
  lines[#lines + 1] = ""
  lines[#lines + 1] = ("%d of the actions are in both runs, %d in A alone, %d in B alone:"):format(shared,
    math.min(#a.steps, most_steps) - shared, math.min(#b.steps, most_steps) - shared)
  for _, places in ipairs(rows) do lines[#lines + 1] = step_line(a, b, places) end
  if math.max(#a.steps, #b.steps) > most_steps then
    lines[#lines + 1] = ("(only the first %d steps of each are compared)"):format(most_steps)
  end
  return lines
end

return comparison
