--- Reads a task that is written as steps: click "7"; type "hello"; press ctrl+s; wait for "Saved". It is a small fixed
--- grammar, not understanding: what it cannot read it names, and nothing of such a task is done.
local json = require "deskpilot.base.json"
local text = require "deskpilot.base.text"

local steps = {}

---@class deskpilot.literal.step
---@field kind string the first word of its line in `forms`
---@field says string the step in its plain form
---@field args table<string, string|number> the arguments of its tool that the task gives
---@field target string? the name of what is acted on; where a drag begins
---@field to string? where a drag ends
---@field role string? the word for a kind of element that stood beside the name
---@field focuses boolean? whether it only brings the keyboard to the field that the next step types into

-- All that can be said. A quotation or a word in capitals stands for what the task gives: an argument of the step's
-- tool, by its name, or the name of something on the screen (target, to).
local forms = {
  { "click", 'click "target"' },
  { "double_click", 'double-click "target"' },
  { "right_click", 'right-click "target"' },
  { "type", 'type "text"' },
  { "type", 'type "text" into "target"' },
  { "type", "type what was read" },
  { "type", 'type what was read into "target"' },
  { "press", "press KEY" },
  { "scroll_down", "scroll down" },
  { "scroll_up", "scroll up" },
  { "drag", 'drag "target" to "to"' },
  { "wait_for", 'wait for "text"' },
  { "pause", "wait SECONDS seconds" },
  { "expect", 'expect "text"' },
  { "open", 'open "name"' },
  { "switch", 'switch to "title"' },
  { "go_to", "go to URL" },
  { "go_to", 'go to "url"' },
  { "back", "go back" },
  { "forward", "go forward" },
  { "reload", "reload" },
  { "select", 'choose "option" in "target"' },
  { "click", 'choose "target"' },
  { "upload", 'upload "path" to "target"' },
  { "download", 'download "target"' },
  { "read", 'read what follows "after"' },
  { "keep", 'keep what follows "after" as "name"' },
  { "close_popup", "close the popup" },
  { "close_popups", "close any popup" }, -- a rule for all steps rather than one of them
  { "accept", "accept the dialog" },
  { "dismiss", "dismiss the dialog" },
}

local most_steps = 500

local function set(words)
  local members = {}
  for word in words:gmatch("%S+") do members[word] = true end
  return members
end

-- Words that say nothing, and those that say of what kind the target is.
local fillers = set [[the a an at in into on of for to it that this is be until please first finally next now also
  appear appears shown visible screen display result key window page dialog text list named called once]]
local roles = set "button item menu tab link field box entry icon label option cell row checkbox"
local synonyms = { tap = "click", select = "choose", write = "type", hit = "press", verify = "expect",
  second = "seconds", popups = "popup", ["pop-up"] = "popup" }
local vocabulary = {} -- the words of the forms

-- Each form as a pattern of a clause without fillers, in which a quotation is a mark and its number.
local shapes = { KEY = "(%S+)", URL = "(%l+:%S+)", SECONDS = "([%d.]+)" }
local known = {}
for i, form in ipairs(forms) do
  local parts = {}
  form.fields = {}
  for word in form[2]:gmatch("%S+") do
    if shapes[word] or word:find('^"') then
      table.insert(parts, shapes[word] or '("%d+)')
      table.insert(form.fields, word)
    elseif not fillers[word] then
      vocabulary[word] = true
      table.insert(parts, (word:gsub("%-", "%%-")))
    end
  end
  form.pattern = "^" .. table.concat(parts, " ") .. "$"
  known[i] = form[2]
end

--- The steps that are known, for the sentence of a refusal.
steps.known = table.concat(known, ", ")

local escapes = { n = "\n", t = "\t", r = "\r" }

-- The task with a mark such as "1 for each quotation, and what the marks stand for.
local function lift_quotations(task)
  local quotations, count = {}, 0
  task = task:gsub("\\\\", "\1"):gsub('\\"', "\2")
  local lifted = task:gsub('"([^"]*)"', function(inside)
    count = count + 1
    quotations['"' .. count] = inside:gsub("\\(%l)", escapes):gsub("\1", "\\"):gsub("\2", '"')
    return (' "%d '):format(count)
  end)
  if select(2, task:gsub('"', "")) % 2 == 0 then return lifted, quotations end
  return nil, text.cut(task:match('"[^"]*$'), 60) .. " (its quotation never ends)"
end

-- Cuts at line ends, semicolons, commas, full stops, colons, "then" and "and". A comma or full stop behind a + is a
-- key's name. A colon stays with what it ends.
local function clauses_of(lifted)
  lifted = ("\n" .. lifted):gsub(":%f[%s\0]", ":\n"):gsub("\n[ \t]*%d+[.)]%s", "\n")
  lifted = lifted:gsub("\n[ \t]*[-*]%s", "\n")
  lifted = lifted:gsub("([^+])[.,]%f[%s\0]", "%1\n"):gsub("(%+%+)[.,]%f[%s\0]", "%1\n")
  lifted = lifted:gsub("%f[%S][Tt]hen%f[%s]", "\n"):gsub("%f[%S][Aa]nd%f[%s]", "\n")
  return lifted:gmatch("[^\n;]+")
end

-- The words of a clause that say something, in one line, how many times it is to be done, and the first word for a
-- kind of element.
local function core_of(clause)
  local count, words, role = 1, {}, nil
  clause = clause:gsub("%f[%S]twice%f[%s\0]", "2 times"):gsub("%f[%S]([1-9]%d*) times%f[%s\0]", function(times)
    count = tonumber(times)
    return ""
  end)
  for word in clause:gmatch("%S+") do
    local lower = synonyms[word:lower()] or word:lower()
    local is_key = #words == 1 and words[1] == "press" and lower ~= "the" -- "a" and "tab" are keys
    if vocabulary[lower] and not is_key then
      table.insert(words, lower)
    elseif is_key or not fillers[lower] and not roles[lower] then
      table.insert(words, word)
    elseif roles[lower] then
      role = role or lower
    end
  end
  return table.concat(words, " "), count, role
end

local function as_written(clause, quotations)
  clause = clause:gsub('"%d+', function(mark) return json.encode(quotations[mark]) end)
  return text.cut(text.one_line(clause), 80)
end

-- What a clause gives in a form, by the words of the form that stand for it; nil where it says something else.
local function match(form, core, quotations)
  local captures, given = { core:match(form.pattern) }, {} -- pattern: the forms' own; a clause is short
  if #captures == 0 then return nil end
  for i, word in ipairs(form.fields) do
    given[word] = quotations[captures[i]] or captures[i]
    if given[word] == "" then return nil end
  end
  return given
end

local function step_of(form, given, role)
  local step = { kind = form[1], role = role, args = {} }
  step.says = form[2]:gsub("%S+", function(word)
    local value = given[word]
    if not value then return nil end
    local name = word:match("%a+"):lower()
    if name == "seconds" then value = tonumber(value) or value end
    if name == "target" or name == "to" then step[name] = value else step.args[name] = value end
    return shapes[word] and value or json.encode(value)
  end)
  return step
end

local function click(target, role)
  return step_of(forms[1], { ['"target"'] = target }, role)
end

-- The steps that a clause is; nil where it is none.
local function read_clause(core, role, quotations)
  for _, form in ipairs(forms) do
    local given, kind = match(form, core, quotations), form[1]
    if given and role and (kind == "open" or kind == "press") then -- open the "File" menu, press the "OK" button
      return { click(given['"name"'] or given.KEY, role) }
    elseif given and kind == "type" and given['"target"'] then
      local focusing = click(given['"target"'], role or "field")
      focusing.focuses = true
      return { focusing, step_of(form, given, focusing.role) }
    elseif given then
      return { step_of(form, given, role) }
    end
  end
end

--- The steps of a task. What stands before a colon at its beginning says what they are for.
---@param task string
---@return deskpilot.literal.step[]? steps with closes_popups = true where the task has that rule
---@return string? unread the
--- part that is no step
function steps.read(task)
  local lifted, quotations = lift_quotations(task)
  if not lifted then return nil, quotations end
  local all, verb, unread = {}, nil, nil
  for clause in clauses_of(lifted) do
    local core, count, role = core_of(clause)
    if verb and core:find('^"') then core = verb .. " " .. core end -- click "7", "8"
    local read = read_clause(core, role, quotations)
    if not read and core ~= "" then unread = unread or clause end
    if not verb and clause:find(":%s*$") then unread = nil end
    if unread and (read or verb) then break end
    if read then
      verb = core:match("^%S+")
      if #all + count * #read > most_steps then return nil, ("more than %d steps"):format(most_steps) end
      if read[1].kind == "close_popups" then all.closes_popups, count = true, 0 end
      for _ = 1, count do table.move(read, 1, #read, #all + 1, all) end
    end
  end
  if unread then return nil, as_written(unread, quotations) end
  if #all == 0 then return nil, "(there is no step in it)" end
  return all
end

return steps
