--- What the personas are told of the past: the last actions, and, for longer, the phase changes and
--- the errors. The full record is the journal.
local json = require "deskpilot.base.json"
local spaces = require "deskpilot.model.space"
local text = require "deskpilot.base.text"

local history = {}

local reason = " | why: " -- before what an action was for
local reasons = 3         -- of the latest entries: of older ones the result is enough

---@class deskpilot.history
---@field kept integer
---@field sent integer
---@field whole integer?
---@field past { steps: integer, failed: integer, tools: table<string, integer>, first: integer?, last: integer? } what
---  is no longer kept of a journey
---@field entries { turn: integer, kind: string, line: string, whole: string? }[] whole: told while it is the latest
---@field places table<string, number[]> the positions and boxes of calls, as lines have them: "[512, 300]"
local History = {}
History.__index = History

---@class deskpilot.done_action
---@field tool string
---@field args table
---@field ok boolean
---@field text string its result, or what went wrong
---@field why string? what it was for, as the model said
---@field element deskpilot.alike? what it acted on
---@field tells integer? how much of its result is told while it is the latest, in characters

--- A history. One that is told `whole` is a journey: of what is older it tells a summary.
---@param kept integer how many plain entries are kept, and how many important ones; of a journey how many in all
---@param sent integer how many of the latest entries a request holds
---@param whole integer? of a journey: how many of its latest actions can be read in lines (`recall`)
---@return deskpilot.history
function history.new(kept, sent, whole)
  return setmetatable({ kept = kept, sent = sent, whole = whole, entries = {}, actions = {}, places = {},
    past = { steps = 0, failed = 0, tools = {} } }, History)
end

-- The tool of an entry that tells of an action; nil for the others.
local function tool_of(entry)
  if entry.kind ~= "action" and entry.kind ~= "error" or not entry.line:find(") -> ", 1, true) then return nil end
  return entry.line:match "^([%w_-]+)%("
end

-- Counts an entry, if it is an action.
local function count(sums, entry)
  local tool = tool_of(entry)
  if not tool then return end
  sums.steps = sums.steps + 1
  sums.failed = sums.failed + (entry.kind == "error" and 1 or 0)
  sums.tools[tool] = (sums.tools[tool] or 0) + 1
  sums.first, sums.last = sums.first or entry.turn, entry.turn
end

-- Of a journey the oldest go first, and are counted; what people have answered stays.
local function prune_journey(self)
  local i = 1
  while #self.entries > self.kept and i <= #self.entries do
    if self.entries[i].kind == "answer" then i = i + 1
    else count(self.past, table.remove(self.entries, i)) end
  end
end

local important = { phase = true, error = true, note = true, answer = true }

local function prune(self)
  if self.whole then return prune_journey(self) end
  local plain, kept = 0, {}
  local weighty = 0
  for i = #self.entries, 1, -1 do
    local entry = self.entries[i]
    if important[entry.kind] then
      weighty = weighty + 1
      if weighty <= self.kept then table.insert(kept, 1, entry) end
    else
      plain = plain + 1
      if plain <= self.kept then table.insert(kept, 1, entry) end
    end
  end
  self.entries = kept
end

--- Adds an entry.
---@param turn integer
---@param kind "action"|"error"|"phase"|"note"|"answer" answer: a person's, which counts as much as the mission
---@param line string
function History:add(turn, kind, line)
  table.insert(self.entries, { turn = turn, kind = kind, line = text.one_line(line) })
  prune(self)
end

local deepest = 4 -- of arguments within arguments: a plan's actions

-- Whether it is a position or a box: two or four numbers.
local function is_place(value)
  if #value ~= 2 and #value ~= 4 then return false end
  for _, number in ipairs(value) do
    if type(number) ~= "number" then return false end
  end
  return true
end

--- Notes the places that a call points at, so that sentences which name them can be told in a model's space.
---@param args any
---@param depth integer? of these within the call's own; 0 if not given
function History:note_places(args, depth)
  depth = depth or 0
  if type(args) ~= "table" or depth > deepest then return end
  if is_place(args) then
    self.places[spaces.canonical:exact(args)] = args
    return
  end
  for _, value in pairs(args) do self:note_places(value, depth + 1) end
end

--- Words of ours as a model reads them: with the places of calls in its space.
---@param words string
---@param space deskpilot.model.space?
---@return string
function History:told(words, space)
  if not space or space:is_canonical() or next(self.places) == nil then return words end
  return (words:gsub("%[[%d., ]+%]", function(place)
    local known = self.places[place]
    return known and space:show(known)
  end))
end

-- Actions that are kept as data: at least so many of the latest, and at most half as many more, so that a run may have
-- any number of turns.
local MOST_ACTIONS = 1000

local function forget_oldest(self)
  if #self.actions <= MOST_ACTIONS * 3 // 2 then return end
  self.actions = table.move(self.actions, #self.actions - MOST_ACTIONS + 1, #self.actions, 1, {})
end

--- Adds an action and its result. `actions` holds the latest as data.
---@param turn integer
---@param action deskpilot.done_action
function History:add_action(turn, action)
  table.insert(self.actions, action)
  forget_oldest(self)
  self:note_places(action.args)
  self:add(turn, action.ok and "action" or "error", history.line(action.tool, action.args, action.ok, action.text,
    action.why))
  if action.tells and #action.text > 200 then
    self:latest().whole = history.line(action.tool, action.args, action.ok, action.text, action.why, action.tells)
  end
end

-- What says most about a call, the most telling first.
local telling = { "label", "text", "key", "option", "url", "name", "title", "path", "after", "index", "element" }

--- What a call is about, in one word of its arguments.
---@param args table
---@return string|number|boolean|nil
function history.target(args)
  for _, name in ipairs(telling) do
    local kind = type(args[name])
    if kind == "string" or kind == "number" or kind == "boolean" then return args[name] end
  end
end

local function target(args)
  local what = history.target(args)
  if what == nil then return "" end
  return json.encode(type(what) == "string" and text.cut(text.one_line(what), 40) or what)
end

--- The line of an action and its result.
---@param tool string
---@param args table
---@param ok boolean
---@param result string
---@param why string? where the arguments hold no justification
---@param most integer? characters of the result; 200
---@return string
function history.line(tool, args, ok, result, why, most)
  local line = ("%s(%s) -> %s%s"):format(tool, target(args), ok and "" or "ERROR: ",
    text.cut(text.one_line(result), most or 200))
  why = type(args.justification) == "string" and args.justification or why or ""
  if why ~= "" then line = line .. reason .. text.cut(text.one_line(why), 60) end
  return line
end

local function show(entry, without_reason, is_latest)
  local mark = entry.kind == "phase" and "PHASE " or entry.kind == "note" and "NOTE " or ""
  local ends = without_reason and entry.line:find(reason, 1, true)
  return ("  T%d: %s%s"):format(entry.turn, mark, ends and entry.line:sub(1, ends - 1)
    or is_latest and entry.whole or entry.line)
end

-- All but answers.
local function of_screen(entries)
  local list = {}
  for _, entry in ipairs(entries) do
    if entry.kind ~= "answer" then list[#list + 1] = entry end
  end
  return list
end

-- The lines of entries, under a heading; nil where there are none.
local function listed(heading, entries)
  local lines = { heading }
  for i, entry in ipairs(entries) do lines[i + 1] = show(entry, i <= #entries - reasons, i == #entries) end
  return #entries > 0 and table.concat(lines, "\n") or nil
end

-- What has been done up to an entry, in a line; nil where there is nothing.
local function summary(self, entries, last)
  local sums = { steps = self.past.steps, failed = self.past.failed, tools = {}, first = self.past.first,
    last = self.past.last }
  for tool, times in pairs(self.past.tools) do sums.tools[tool] = times end
  for i = 1, last do count(sums, entries[i]) end
  if sums.steps == 0 then return nil end
  local tools = {}
  for _, tool in ipairs(text.keys(sums.tools)) do tools[#tools + 1] = ("%d %s"):format(sums.tools[tool], tool) end
  return ("EARLIER: %d step%s in the turns %d to %d, %d of them failed: %s"):format(sums.steps,
    sums.steps == 1 and "" or "s", sums.first, sums.last, sums.failed, table.concat(tools, ", "))
end

--- What can be read of a journey: the latest actions and notes in lines, the summary of what is older before them.
---@param most integer how many lines
---@param part string? only lines that have it, in whatever case
---@return string
function History:recall(most, part)
  local entries, steps, first = of_screen(self.entries), 0, 1
  for i = #entries, 1, -1 do
    if tool_of(entries[i]) then steps = steps + 1 end
    if self.whole and steps > self.whole then
      first = i + 1
      break
    end
  end
  local lines = {}
  for i = #entries, first, -1 do
    local line = show(entries[i])
    if #lines < most and (not part or line:lower():find(part:lower(), 1, true)) then table.insert(lines, 1, line) end
  end
  local earlier = summary(self, entries, first - 1)
  if earlier then table.insert(lines, 1, earlier) end
  return #lines > 0 and table.concat(lines, "\n") or "nothing has been done that is kept"
end

--- How many of the latest actions there are, up to a number, and the share of them that were done.
---@param most integer
---@return integer steps, number share 1 where there are none
function History:success(most)
  local steps, done = 0, 0
  for i = #self.entries, 1, -1 do
    local entry = self.entries[i]
    if steps < most and tool_of(entry) then
      steps, done = steps + 1, done + (entry.kind == "action" and 1 or 0)
    end
  end
  return steps, steps > 0 and done / steps or 1
end

--- A history that goes on from this one, for a goal after others: it tells of what these have done, and has no actions
--- of its own yet.
---@return deskpilot.history
function History:successor()
  local other = history.new(self.kept, self.sent, self.whole)
  table.move(self.entries, 1, #self.entries, 1, other.entries)
  for key, value in pairs(self.past) do other.past[key] = value end
  other.past.tools = {}
  for tool, times in pairs(self.past.tools) do other.past.tools[tool] = times end
  for place, numbers in pairs(self.places) do other.places[place] = numbers end
  return other
end

--- The text for a request: what is important from before, then the latest entries. It quotes what is from outside.
---@param space deskpilot.model.space? in which places are told; the canonical one if not given
---@param short integer? how often all that is told was too long: 0, 1 or 2
---@return string
function History:render(space, short)
  local entries = of_screen(self.entries)
  if #entries == 0 then return "RECENT ACTIONS:\n  none yet" end
  local sent = math.max(1, self.sent >> 2 * (short or 0))
  local first = math.max(1, #entries - sent + 1)
  local lines = {}
  if self.whole then
    lines[1] = summary(self, entries, first - 1)
  else
    for i = 1, first - 1 do
      if important[entries[i].kind] and (short or 0) < 2 then lines[#lines + 1] = show(entries[i], true) end
    end
    if #lines > 0 then table.insert(lines, 1, "EARLIER:") end
  end
  lines[#lines + 1] = (#lines > 0 and "\n" or "") .. "RECENT ACTIONS:"
  for i = first, #entries do lines[#lines + 1] = show(entries[i], i <= #entries - reasons, i == #entries) end
  return self:told(table.concat(lines, "\n"), space)
end

--- The latest entry; what is added later comes behind it.
---@return table? entry
function History:latest()
  return self.entries[#self.entries]
end

-- The entries that came after one, those of answers or the others; the latest where it is no longer kept.
local function after(self, entry, answers)
  local from = 1
  for i, other in ipairs(self.entries) do
    if other == entry then from = i + 1 end
  end
  local list = {}
  for i = from, #self.entries do
    if (self.entries[i].kind == "answer") == answers then list[#list + 1] = self.entries[i] end
  end
  return list
end

--- The text for a request that tells already of what was done up to an entry: what came after it.
---@param entry table? as `latest` gave it; nil: from the beginning
---@param space deskpilot.model.space? in which places are told; the canonical one if not given
---@return string? words nil where nothing came
function History:since(entry, space)
  local words = listed("DONE SINCE THEN:", after(self, entry, false))
  return words and self:told(words, space)
end

--- What people have answered, which is no text from outside; nil where nobody was asked.
---@param entry table? only what came after it, as for `since`
---@return string?
function History:answers(entry)
  return listed("QUESTIONS TO A PERSON:", after(self, entry, true))
end

return history
