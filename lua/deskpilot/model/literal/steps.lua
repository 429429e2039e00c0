--- Reads a task that is written as steps: click "7"; type "hello"; press ctrl+s; wait for "Saved".
--- It is a small fixed grammar, not understanding: what it cannot read it names, and nothing of
--- such a task is done.
local json = require "deskpilot.base.json"
local readers = require "deskpilot.model.literal.readers"
local text = require "deskpilot.base.text"

local steps = {}

---@class deskpilot.literal.step
---@field kind string click, double_click, right_click, type, press, scroll_down, scroll_up, drag, wait_for,
--- expect, pause, select, upload, download, read, go_to, back, forward, reload, open, switch, close_popup or dialog
---@field says string the step in its plain form
---@field target string? the name to act on; drag's beginning; the words that `read` reads after; the application
--- or window
---@field to string? drag's end
---@field role string? the word for a kind of element that stood beside the name
---@field text string? what to type, or to look for; none for what was read
---@field into string? the field that a text is typed into: the step before clicks it
---@field before_typing boolean? of that step
---@field option string? to select
---@field path string? of the file to upload
---@field url string?
---@field accept boolean? of a page's question
---@field key string?
---@field seconds number?

--- The steps that are known, for the sentence of a refusal.
steps.known = 'click "name", double-click "name", right-click "name", type "text" (into "name"), press ctrl+s, '
  .. 'scroll down (3 times), drag "a" to "b", wait for "text", wait 2 seconds, expect "text", open "application", '
  .. 'switch to "window title"; and in a browser go to URL, go back, reload, choose "option" in "name", '
  .. 'upload "path" to "name", download "name", read what follows "words", type what was read, close the popup, '
  .. 'close any popup, accept the dialog, dismiss the dialog'

local most_steps = 500

--- Quotations ---------------------------------------------------------------------------------------

local escapes = { n = "\n", t = "\t", r = "\r", ['"'] = '"', ["\\"] = "\\" }

-- Puts \1N\2 for each quotation, so that what is inside one is never read as a step.
local function lift_quotations(task)
  task = task:gsub("[\1\2]", " "):gsub("\226\128[\156\157]", '"') -- curly ones are quotations too
  local strings, out, from = {}, {}, 1
  while true do
    local first = task:find('"', from, true)
    if not first then break end
    local last = first + 1
    while last <= #task and task:sub(last, last) ~= '"' do
      last = last + (task:sub(last, last) == "\\" and 2 or 1)
    end
    if last > #task then return nil, text.cut(task:sub(first), 60) .. " (its quotation never ends)" end
    local inside = task:sub(first + 1, last - 1):gsub("\\(.)", function(c) return escapes[c] end)
    table.insert(strings, inside)
    out[#out + 1] = task:sub(from, first - 1) .. ("\1%d\2"):format(#strings)
    from = last + 1
  end
  out[#out + 1] = task:sub(from)
  return table.concat(out), strings
end

--- Clauses ------------------------------------------------------------------------------------------

local verbs = {
  { "double[%s-]?click", "double_click" }, { "right[%s-]?click", "right_click" }, { "click", "click" },
  { "tap", "click" }, { "choose", "choose" }, { "select", "choose" }, { "open", "open" },
  { "go to", "go_to" }, { "go back", "back" }, { "go forward", "forward" }, { "reload", "reload" },
  { "upload", "upload" }, { "download", "download" }, { "read", "read" }, { "switch to", "switch" },
  { "close", "close" }, { "accept", "accept" }, { "dismiss", "dismiss" },
  { "type", "type" }, { "write", "type" }, { "enter", "type" }, { "press", "press" }, { "hit", "press" },
  { "scroll", "scroll" }, { "drag", "drag" }, { "wait", "wait" }, { "expect", "expect" },
  { "verify", "expect" }, { "make sure", "expect" }, { "ensure", "expect" }, { "check that", "expect" },
}

local polite = {
  "please", "then", "and", "first", "firstly", "finally", "lastly", "next", "now", "afterwards", "also",
  "after that", "at last", "kindly", "you should", "i want you to", "can you", "could you",
}

local function strip_polite(clause)
  local before
  repeat
    before = clause
    clause = clause:match("^[%s:!?()-]*(.*)$")
    for _, words in ipairs(polite) do
      local lower = clause:lower()
      if lower:find("^" .. words .. "%f[%W]") then clause = clause:sub(#words + 1) end
    end
  until clause == before
  return (clause:gsub("[%s:!?()]+$", ""))
end

local function verb_of(clause)
  local lower = clause:lower()
  for _, verb in ipairs(verbs) do
    local stop = lower:match("^" .. verb[1] .. "%f[^%w_]()")
    if stop then return verb[2], clause:sub(stop) end
  end
end

-- "Work out 7 times 6 in the calculator:" says what for, not what to do.
local function strip_title(task)
  while true do
    local title, rest = task:match("^([^:\1]*):%s(.*)$")
    if not title then return task end
    if title:find("%S") then
      for sentence in title:gmatch("[^.,;\n]+") do
        if verb_of(strip_polite(sentence)) then return task end
      end
    end
    task = rest
  end
end

-- Cuts at line ends, ; , . "then" and "and". A comma or full stop after a + is a key's name.
local function clauses_of(task)
  task = ("\n" .. task):gsub("\n%s*%d+[.)]%s+", "\n"):gsub("\n%s*[*•-]%s+", "\n")
  for _, before in ipairs { "[^+]", "%+%+" } do
    task = task:gsub("(" .. before .. ")[.,]%f[%s\0\1]", "%1\n")
  end
  task = task:gsub(";", "\n")
  task = (" " .. task .. " "):gsub("%s[Tt][Hh][Ee][Nn]%f[%s\1]", "\n"):gsub("%s[Aa][Nn][Dd]%f[%s\1]", "\n")
  local clauses = {}
  for clause in task:gmatch("[^\n]+") do
    local read = strip_polite(clause)
    if read ~= "" and not read:find("^%d+$") then table.insert(clauses, read) end
  end
  return clauses
end

--- Reading one --------------------------------------------------------------------------------------

local fillers = {}
for word in ([[the a an on at of in into to it its that this is are be being shown shows show appear
  appears appearing see visible displayed display displays screen result for until once there named
  called labelled labeled with text button item menu tab link field box entry icon label option key keys
  cell row checkbox window bit page list little value says say has contains have by dialog
  ]]):gmatch("%S+") do
  fillers[word] = true
end

local role_words = {
  button = true, item = true, menu = true, tab = true, link = true, field = true, box = true, entry = true,
  icon = true, label = true, option = true, cell = true, row = true, checkbox = true,
}

-- A clause's tail: its quotations, its count, the first role word, and the words left over
-- (`words` without the fillers, `all` with them: "a" is a key too).
local function read_tail(tail, strings)
  local found = { quotes = {}, count = 1, words = {}, all = {} }
  tail = tail:gsub("\1(%d+)\2", function(n)
    table.insert(found.quotes, strings[tonumber(n)])
    return " "
  end)
  tail = (" " .. tail .. " "):gsub("%s(%d+)%s+[Tt]imes%f[%W]", function(n)
    found.count = tonumber(n)
    return " "
  end)
  for word in tail:gmatch("%S+") do
    local lower = word:lower()
    if lower ~= "twice" then table.insert(found.all, word) end
    if lower == "twice" then found.count = 2
    elseif role_words[lower] then found.role = found.role or lower
    elseif not fillers[lower] then table.insert(found.words, word) end
  end
  return found
end

-- The steps of one clause; a lone quotation continues the verb before it: click "7", "8".
local function read_clause(clause, strings, verb_before)
  local verb, tail = verb_of(clause)
  if not verb and clause:find("^\1%d+\2$") then verb, tail = verb_before, clause end
  if not verb then return nil end
  local found = read_tail(tail, strings)
  local read = found.count >= 1 and found.count <= most_steps and readers[verb](found)
  if not read then return nil end
  local all = { closes_popups = read.closes_popups }
  for _ = 1, found.count do
    for _, step in ipairs(read) do table.insert(all, step) end
  end
  return all, verb
end

local function restore(clause, strings)
  return (clause:gsub("\1(%d+)\2", function(n) return json.encode(strings[tonumber(n)]) end))
end

--- The steps of a task.
---@param task string
---@return deskpilot.literal.step[]? steps with closes_popups = true where the task has that rule, string? unreadable
--- nil and the part that is no step
function steps.read(task)
  local lifted, strings = lift_quotations(task)
  if not lifted then return nil, strings end
  local all, verb = {}, nil
  for _, clause in ipairs(clauses_of(strip_title(lifted))) do
    local read, its_verb = read_clause(clause, strings, verb)
    if not read then return nil, text.cut(text.one_line(restore(clause, strings)), 80) end
    verb = its_verb
    for _, step in ipairs(read) do table.insert(all, step) end
    all.closes_popups = all.closes_popups or read.closes_popups
    if #all > most_steps then return nil, "more than " .. most_steps .. " steps" end
  end
  if #all == 0 then return nil, "(there is no step in it)" end
  return all
end

return steps
