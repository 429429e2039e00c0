--- What the personas are told of the past: the last actions, and, for longer, the phase changes and
--- the errors. The full record is the journal.
local json = require "deskpilot.base.json"
local text = require "deskpilot.base.text"

local history = {}

---@class deskpilot.history
---@field kept integer
---@field sent integer
---@field entries { turn: integer, kind: string, line: string }[]
local History = {}
History.__index = History

---@class deskpilot.done_action
---@field tool string
---@field args table
---@field ok boolean
---@field text string its result, or what went wrong
---@field why string? what it was for, as the model said

---@param kept integer how many plain entries are kept, and how many important ones
---@param sent integer how many of the latest entries a request holds
---@return deskpilot.history
function history.new(kept, sent)
  return setmetatable({ kept = kept, sent = sent, entries = {}, actions = {} }, History)
end

local important = { phase = true, error = true, note = true, answer = true }

local function prune(self)
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

--- Adds an action and its result. `actions` holds all of them as data.
---@param turn integer
---@param action deskpilot.done_action
function History:add_action(turn, action)
  table.insert(self.actions, action)
  self:add(turn, action.ok and "action" or "error", history.line(action.tool, action.args, action.ok, action.text,
    action.why))
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
---@return string
function history.line(tool, args, ok, result, why)
  local line = ("%s(%s) -> %s%s"):format(tool, target(args), ok and "" or "ERROR: ",
    text.cut(text.one_line(result), 200))
  why = type(args.justification) == "string" and args.justification or why or ""
  if why ~= "" then line = line .. " | why: " .. text.cut(text.one_line(why), 80) end
  return line
end

local function show(entry)
  local mark = entry.kind == "phase" and "PHASE " or entry.kind == "note" and "NOTE " or ""
  return ("  T%d: %s%s"):format(entry.turn, mark, entry.line)
end

-- All but answers.
local function of_screen(entries)
  local list = {}
  for _, entry in ipairs(entries) do
    if entry.kind ~= "answer" then list[#list + 1] = entry end
  end
  return list
end

--- The text for a request: what is important from before, then the latest entries. It quotes what is from outside.
---@return string
function History:render()
  local entries = of_screen(self.entries)
  if #entries == 0 then return "RECENT ACTIONS:\n  none yet" end
  local first = math.max(1, #entries - self.sent + 1)
  local lines = {}
  for i = 1, first - 1 do
    if important[entries[i].kind] then lines[#lines + 1] = show(entries[i]) end
  end
  if #lines > 0 then table.insert(lines, 1, "EARLIER:") end
  lines[#lines + 1] = (#lines > 0 and "\n" or "") .. "RECENT ACTIONS:"
  for i = first, #entries do lines[#lines + 1] = show(entries[i]) end
  return table.concat(lines, "\n")
end

--- What people have answered, which is no text from outside; nil where nobody was asked.
---@return string?
function History:answers()
  local lines = {}
  for _, entry in ipairs(self.entries) do
    if entry.kind == "answer" then lines[#lines + 1] = show(entry) end
  end
  return #lines > 0 and "QUESTIONS TO A PERSON:\n" .. table.concat(lines, "\n") or nil
end

return history
