--- What the personas are told of the past: the last actions, and, for longer, the phase changes and
--- the errors. The full record is the journal.
local json = require "deskpilot.base.json"
local text = require "deskpilot.base.text"

local history = {}

local History = {}
History.__index = History

---@param kept integer how many plain entries are kept, and how many important ones
---@param sent integer how many of the latest entries a request holds
function history.new(kept, sent)
  return setmetatable({ kept = kept, sent = sent, entries = {} }, History)
end

local important = { phase = true, error = true, note = true }

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

--- Adds an entry. kind: "action", "error", "phase" or "note".
function History:add(turn, kind, line)
  table.insert(self.entries, { turn = turn, kind = kind, line = text.one_line(line) })
  prune(self)
end

local function target(args)
  local what = args.label or args.text or args.key
  if what then return json.encode(text.cut(text.one_line(tostring(what)), 40)) end
  return ""
end

--- The line of an action and its result.
function history.line(tool, args, ok, result)
  local line = ("%s(%s) -> %s%s"):format(tool, target(args), ok and "" or "ERROR: ",
    text.cut(text.one_line(result), 200))
  if type(args.justification) == "string" and args.justification ~= "" then
    line = line .. " | why: " .. text.cut(text.one_line(args.justification), 80)
  end
  return line
end

local function show(entry)
  local mark = entry.kind == "phase" and "PHASE " or entry.kind == "note" and "NOTE " or ""
  return ("  T%d: %s%s"):format(entry.turn, mark, entry.line)
end

--- The text for a request: what is important from before, then the latest entries.
---@return string
function History:render()
  local entries = self.entries
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

return history
