--- A model that answers from a run's recorded replies (`--model replay:RUN`), so that a policy or a prompt that was
--- edited is tried without a server. An answer is looked for by persona, goal and turn; where the request is not the
--- one that was answered then, the reply says how it differs.
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local profiles = require "deskpilot.model.profile"
local text = require "deskpilot.base.text"

local replay = {}

local most_lines = 3 -- of each side of a difference

---@class deskpilot.model.replay
---@field folder string
---@field records { name: string, persona: string, turn: integer?, goal: string?, request: table, used: boolean? }[]
local Replay = {}
Replay.__index = Replay

--- The run that a model's name asks to replay.
---@param model string?
---@return string? folder
function replay.folder(model)
  return type(model) == "string" and model:match("^replay:(.+)$") or nil
end

--- Opens the recorded requests of a run.
---@param folder string a run directory
---@return deskpilot.model.replay? replay, deskpilot.error? err
function replay.open(folder)
  local self = setmetatable({ folder = folder, records = {} }, Replay)
  local names = files.list(files.join(folder, "requests"))
  table.sort(names)
  for _, file in ipairs(names) do
    local name = file:match "^(.*)%.request%.json$"
    local record = name and json.decode(files.read(files.join(folder, "requests", file)) or "")
    if type(record) == "table" and type(record.persona) == "string" then
      self.records[#self.records + 1] = { name = name, persona = record.persona, turn = record.turn,
        goal = record.goal, request = record }
    end
  end
  if #self.records == 0 then
    return errors.fail("not_found", "there are no recorded requests in %s; --model replay:RUN wants a run directory",
      files.join(folder, "requests"))
  end
  return self
end

-- The recorded request that this one stands for: of the same turn, or else the persona's next; and how many it had.
local function find(self, request)
  local next_one, count = nil, 0
  for _, record in ipairs(self.records) do
    if record.persona == request.persona and record.goal == request.goal then
      count = count + 1
      if not record.used and record.turn == request.turn then return record, count end
      if not record.used then next_one = next_one or record end
    end
  end
  return next_one, count
end

-- All that is said in a request, line by line, and the names of its tools. The marks of runs differ and say nothing.
local function lines_of(request)
  local lines = {}
  local mark = { [request.mark or ""] = "MARK" }
  for _, message in ipairs(type(request.messages) == "table" and request.messages or {}) do
    local parts = type(message) == "table" and message.content
    if type(parts) ~= "table" then parts = { { type = "text", text = parts } } end
    for _, part in ipairs(parts) do
      local words = tostring(type(part) == "table" and part.text or ""):gsub("%w+", mark)
      for line in words:gmatch "[^\n]+" do lines[#lines + 1] = line end
    end
  end
  local tools = {}
  for _, tool in ipairs(type(request.tools) == "table" and request.tools or {}) do
    local fn = type(tool) == "table" and tool["function"]
    tools[#tools + 1] = type(fn) == "table" and tostring(fn.name) or nil
  end
  lines[#lines + 1] = "tools: " .. table.concat(tools, ", ")
  return lines
end

-- The lines of one that the other lacks, marked and cut.
local function missing(lines, other, mark)
  local left, found, more = {}, {}, 0
  for _, line in ipairs(other) do left[line] = (left[line] or 0) + 1 end
  for _, line in ipairs(lines) do
    if (left[line] or 0) > 0 then
      left[line] = left[line] - 1
    elseif #found < most_lines then
      found[#found + 1] = mark .. text.cut(line, 160)
    else
      more = more + 1
    end
  end
  if more > 0 then found[#found + 1] = ("%s... %d more"):format(mark, more) end
  return found
end

--- How a request differs from a recorded one: the lines that are gone and those that came; nil where none.
---@param old table as recorded
---@param new table as it would be recorded
---@return string?
function replay.difference(old, new)
  local before, now = lines_of(old), lines_of(new)
  local gone, come = missing(before, now, "- "), missing(now, before, "+ ")
  table.move(come, 1, #come, #gone + 1, gone)
  return #gone > 0 and table.concat(gone, "\n") or nil
end

--- The recorded answer to a request.
---@param request deskpilot.model.request
---@param record table the same as it would be recorded
---@return table? raw the decoded body
---@return string|deskpilot.error|nil note how the request differs from the one that was answered; or the error, codes
---  not_found and protocol
---@return table? space of its positions, as recorded
---@return string wire by which the answer had come
function Replay:answer(request, record)
  local known, count = find(self, request)
  if not known then
    return errors.fail("not_found", "the recorded run %s has no further answer of %s (%d in all)", self.folder,
      tostring(request.persona), count)
  end
  known.used = true
  local raw = json.decode(files.read(files.join(self.folder, "requests", known.name .. ".reply.json")) or "")
  if type(raw) ~= "table" then
    return errors.fail("protocol", "the recorded request %s had no answer", known.name)
  end
  local difference = replay.difference(known.request, record)
  if known.turn ~= request.turn then
    difference = ("the answer is that of turn %s\n"):format(tostring(known.turn)) .. (difference or "")
  end
  return raw, difference and ("the request is not the recorded %s:\n%s"):format(known.name, difference) or nil,
    type(known.request.space) == "table" and known.request.space or nil, tostring(known.request.wire or "chat")
end

--- The profile of the model that a persona asked in the recorded run, as far as its requests tell.
---@param persona string?
---@return deskpilot.model.profile
function Replay:profile(persona)
  self.profiles = self.profiles or {}
  local known = self.profiles[persona or ""]
  if known then return known end
  local recorded
  for _, record in ipairs(self.records) do
    if record.persona == persona and type(record.request.space) == "table" then
      recorded = recorded or record.request.space
    end
  end
  known = setmetatable({ recorded = recorded }, { __index = assert(profiles.of "literal") })
  self.profiles[persona or ""] = known
  return known
end

return replay
