--- The journal: every event is one line of journal.jsonl, written as it happens, so that a run killed
--- at any instant leaves a file that every reader accepts. Readers are beside the writer.
local uv = require "luv"
local errors = require "deskpilot.base.errors"
local events = require "deskpilot.agent.run_events"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local secrets = require "deskpilot.model.secrets"
local task = require "deskpilot.base.task"
local texts = require "deskpilot.base.text"

local journal = {}

-- Fields that are objects of the running program, not data.
local private = { action = true }

local function line(event, number)
  local data = {}
  for key, value in pairs(event) do
    local kind = type(value)
    if kind ~= "function" and kind ~= "userdata" and not (private[key] and kind == "table") then
      data[key] = value
    end
  end
  data.event, data.at, data.number = nil, nil, number
  local ok, rest = pcall(json.encode, secrets.mask_all(data))
  if not ok then -- a hook put something there that is no data: the line says so, the run goes on
    rest = json.encode { number = number, turn = event.turn, not_encodable = tostring(rest) }
  end
  return ('{"event":"%s","at":%.4f,%s'):format(event.event, event.at, rest:sub(2)) .. "\n"
end

---@class deskpilot.journal.writer
---@field fd integer?
---@field path string
---@field size integer bytes of whole lines
---@field count integer lines
---@field timer uv_timer_t for the next putting on the disk
---@field synced number? when the last one began (task.now)
---@field syncing boolean? a thread is putting it on the disk
---@field closed boolean?
local Writer = {}
Writer.__index = Writer

-- Seconds from one putting on the disk to the next: each makes the file system write all that it has to, and the run's
-- other files wait for that.
local SYNC_INTERVAL = 1

-- Puts it on the disk by a thread, so that the turn does not wait.
local function sync(self)
  self.synced = task.now()
  self.syncing = true
  uv.fs_fsync(self.fd, function() self.syncing = nil end)
end

-- Puts it on the disk, at once or when the interval is over.
local function sync_soon(self)
  if self.timer:is_active() then return end
  local wait = (self.synced or -math.huge) + SYNC_INTERVAL - task.now()
  if wait <= 0 and not self.syncing then return sync(self) end
  self.timer:start(math.max(wait, 0.05) * 1000 // 1, 0, function()
    if self.syncing then sync_soon(self) else sync(self) end
  end)
end

-- What of a line has been written when the disk is full is taken back, so that no line is half.
local function append(self, text)
  local ok, why, written = files.write_all(self.fd, text)
  if ok then
    self.size = self.size + #text
    return
  end
  if written > 0 then uv.fs_ftruncate(self.fd, self.size) end
  error(("cannot write %s: %s"):format(self.path, why), 0)
end

--- Puts all of it on the disk, waits for that, and closes the file. On Windows nobody else can replace or remove it
--- before.
function Writer:close()
  if self.closed then return end
  self.closed = true
  self.timer:close()
  files.sync(self.fd)
  while self.syncing do task.sleep(0.001) end
  uv.fs_close(self.fd)
end

-- A run that loses its machine keeps all but what it was doing: these events are on the disk a second later.
local synced_after = { run_start = true, action = true, action_result = true, state = true }

--- A listener that appends to folder/journal.jsonl. The first line says of which version the format is.
---@param folder string
---@return table? listener, deskpilot.error? err
function journal.open(folder)
  local path = files.join(folder, "journal.jsonl")
  local fd, why = uv.fs_open(path, "a", tonumber("600", 8))
  if not fd then return errors.fail("io", "cannot write %s: %s", path, tostring(why)) end
  local writer = setmetatable({ fd = fd, path = path, size = 0, count = 0, timer = uv.new_timer() }, Writer)
  local first, failure = pcall(append, writer, line { event = "journal", at = 0, version = events.version,
    program = require "native.system".version })
  if not first then
    writer:close()
    return errors.fail("io", "%s", tostring(failure))
  end
  return {
    every = function(_, event)
      writer.count = writer.count + 1
      append(writer, line(event, writer.count))
      if synced_after[event.event] then sync_soon(writer) end
    end,
    close = function() writer:close() end,
  }
end

---@class deskpilot.journal.reading
---@field version integer? of the format; nil where the first line does not say it
---@field skipped integer lines that are no events
---@field cut boolean whether the last line was cut off, as a kill does; it is not counted as skipped
---@field odd integer fields that are not what is declared of them, and were left out
---@field first_odd string? which was the first of them

local function mend(event, how)
  local odd = events.mend(event)
  how.odd = how.odd + #odd
  how.first_odd = how.first_odd or odd[1] and ("%s.%s"):format(event.event, odd[1])
  return event
end

--- The events of a run, oldest first, without the first line, which is about the file. Each field of a declared event
--- is as it was declared, or missing.
---@param folder string a run directory
---@return table[]? events, deskpilot.journal.reading|deskpilot.error how what could not be read; or the error, code
---  "unsupported" for a journal of a newer version
function journal.read(folder)
  local path = files.join(folder, "journal.jsonl")
  local text, err = files.read(path)
  if not text then return nil, err end
  local list, how = {}, { skipped = 0, cut = false, odd = 0 }
  for row, ending in text:gmatch("([^\n]+)(\n?)") do
    local event = json.decode(row)
    if type(event) ~= "table" or type(event.event) ~= "string" then
      if ending == "" then how.cut = true else how.skipped = how.skipped + 1 end
    elseif event.event == "journal" then
      how.version = event.version
    else
      list[#list + 1] = mend(event, how)
    end
  end
  if math.type(how.version) == "integer" and how.version > events.version then
    return errors.fail("unsupported", "%s is of version %d, this deskpilot reads journals up to version %d: use a "
      .. "newer deskpilot", path, how.version, events.version)
  end
  return list, how
end

--- What could not be read of a journal, in words; nil where all could.
---@param how deskpilot.journal.reading
---@return string?
function journal.lost(how)
  local parts = {}
  if how.skipped > 0 then
    parts[1] = ("%d line%s of the journal %s no event%s and %s left out"):format(how.skipped, how.skipped == 1 and ""
      or "s", how.skipped == 1 and "is" or "are", how.skipped == 1 and "" or "s", how.skipped == 1 and "is" or "are")
  end
  if how.odd > 0 then
    parts[#parts + 1] = (how.odd == 1 and "%d field of the journal is not what it should be and is left out: %s"
      or "%d fields of the journal are not what they should be and are left out, such as %s"):format(how.odd,
      texts.cut(how.first_odd, 60))
  end
  if how.cut then parts[#parts + 1] = "its last line was cut off" end
  return #parts > 0 and table.concat(parts, "; ") or nil
end

return journal
