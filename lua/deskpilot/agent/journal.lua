--- The journal: every event is one line of journal.jsonl, written as it happens, so that a run killed
--- at any instant leaves a file that every reader accepts. Readers are beside the writer.
local uv = require "luv"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local listeners = require "deskpilot.agent.listeners"
local secrets = require "deskpilot.model.secrets"
local task = require "deskpilot.base.task"

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
---@field syncing boolean? a thread is putting it on the disk
---@field unsynced boolean? something was written since that thread began
---@field closed boolean?
local Writer = {}
Writer.__index = Writer

-- Puts it on the disk by a thread, so that the turn does not wait. One at a time; what comes meanwhile is put there by
-- the next.
local function sync_later(self)
  if self.syncing then self.unsynced = true return end
  self.syncing, self.unsynced = true, nil
  uv.fs_fsync(self.fd, function()
    self.syncing = nil
    if self.unsynced and not self.closed then sync_later(self) end
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
  files.sync(self.fd)
  while self.syncing do task.sleep(0.001) end
  uv.fs_close(self.fd)
end

-- A run that loses its machine keeps all but what it was doing: these events are on the disk soon after they happen.
local synced_after = { run_start = true, action = true, action_result = true, turn_end = true }

--- A listener that appends to folder/journal.jsonl.
---@param folder string
---@return table? listener, deskpilot.error? err
function journal.open(folder)
  local path = files.join(folder, "journal.jsonl")
  local fd, why = uv.fs_open(path, "a", tonumber("600", 8))
  if not fd then return errors.fail("io", "cannot write %s: %s", path, tostring(why)) end
  local writer, listener = setmetatable({ fd = fd, path = path, size = 0, count = 0 }, Writer), {}
  for _, name in ipairs(listeners.events) do
    listener[name] = function(_, event)
      writer.count = writer.count + 1
      append(writer, line(event, writer.count))
      if synced_after[name] then sync_later(writer) end
    end
  end
  function listener.close() writer:close() end
  return listener
end

--- The events of a run, oldest first. A last line that was cut by a kill is left out.
---@param folder string a run directory
---@return table[]? events, deskpilot.error? err
function journal.read(folder)
  local text, err = files.read(files.join(folder, "journal.jsonl"))
  if not text then return nil, err end
  local events = {}
  for row in text:gmatch("[^\n]+") do
    local event = json.decode(row)
    if type(event) == "table" and event.event then events[#events + 1] = event end
  end
  return events
end

return journal
