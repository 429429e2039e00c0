--- The journal: every event is one line of journal.jsonl, written as it happens, so that a run killed
--- at any instant leaves a file that every reader accepts. Readers are beside the writer.
local uv = require "luv"
local errors = require "deskpilot.base.errors"
local events = require "deskpilot.agent.run_events"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local secrets = require "deskpilot.model.secrets"
local signal = require "deskpilot.base.signal"
local system = require "native.system"
local task = require "deskpilot.base.task"
local texts = require "deskpilot.base.text"
local watchdog = require "native.watchdog"

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
  local ok, rest = pcall(secrets.encode, data)
  if not ok then -- a hook put something there that is no data: the line says so, the run goes on
    rest = json.encode { number = number, turn = event.turn, not_encodable = secrets.mask(tostring(rest)) }
  end
  return ('{"event":"%s","at":%.4f,%s'):format(event.event, event.at, rest:sub(2)) .. "\n"
end

---@class deskpilot.journal.writer
---@field fd integer? nil when it is closed
---@field path string
---@field size integer bytes up to which it is whole
---@field lines integer whole lines, of which the first is no event: so many is the next event's number
---@field dirty boolean? something was written since the latest thread began to put it on the disk
---@field torn boolean? half a line stands at the end and could not be taken back
---@field timer uv_timer_t for the next putting on the disk
---@field synced number? when the last one began (task.now)
---@field syncing boolean? a thread is putting it on the disk
---@field threads integer how many are putting it, or the names of its folders, there
---@field named boolean? the folders' part of it has begun
---@field changed deskpilot.signal of `threads`
---@field failure string? why it could not be written
---@field told boolean? the run was told of that
local Writer = {}
Writer.__index = Writer

local function fail(self, why)
  self.failure = self.failure or ("cannot write %s: %s"):format(self.path, tostring(why))
  return error(self.failure, 0)
end

-- What a thread could not do is raised by who waits for it, else with the next event.
local function by_thread(self, begin, after)
  self.threads = self.threads + 1
  begin(function(ok, why)
    self.threads = self.threads - 1
    if not ok then pcall(fail, self, why) end
    if after then after() end
    self.changed:notify()
  end)
end

-- Seconds from one putting on the disk to the next: each makes the file system write all that it has to, and the run's
-- other files wait for that.
local SYNC_INTERVAL = 1

-- Puts it on the disk by a thread, so that the turn does not wait.
local function sync(self)
  self.synced, self.syncing, self.dirty = task.now(), true, nil
  by_thread(self, function(done) files.sync(self.fd, done) end, function() self.syncing = nil end)
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

-- Of a line that could not be written whole nothing stays; where not even that can be done, the next one begins anew.
-- `last`: nobody else has to write the run's last line any more (agent/last_words.lua).
local function append(self, text, last)
  if self.torn then text = "\n" .. text end
  self.dirty = true
  local ok, why = watchdog.append(self.fd, text, self, last)
  if not ok then fail(self, why) end
end

-- The file's own name, and that of the run's folder, which are in folders.
local function sync_names(self)
  if self.named then return end
  self.named = true
  local folder = files.split(self.path)
  for _, place in ipairs { folder, (files.split(folder)) } do
    by_thread(self, function(done) files.sync_folder(place, done) end)
  end
end

local function wait_for_threads(self)
  self.timer:stop()
  while self.syncing do self.changed:wait(1) end
  if self.dirty then sync(self) end
  sync_names(self)
  while self.threads > 0 do self.changed:wait(1) end
end

--- Waits until all that was written is on the disk; other tasks go on meanwhile. Raises what went wrong.
function Writer:secure()
  if not self.fd then return end
  if task.may_wait() then
    wait_for_threads(self)
  else
    local ok, why = files.sync(self.fd)
    if not ok then fail(self, why) end
  end
  if self.failure then error(self.failure, 0) end
end

--- Puts all of it on the disk and closes the file. On Windows nobody else can replace or remove it before.
function Writer:close()
  if not self.fd then return end
  pcall(self.secure, self) -- who wants to know has called it
  self.timer:close()
  uv.fs_close(self.fd)
  self.fd = nil
end

-- A run that loses its machine keeps all but what it was doing: these events are on the disk a second later.
local synced_after = { run_start = true, action = true, action_result = true, state = true }

local function record(self, event)
  if self.failure then error(self.failure, 0) end -- by a thread
  append(self, line(event, self.lines), event.event == "run_end")
  if event.event == "run_end" then
    self:secure()
  elseif synced_after[event.event] then
    sync_soon(self)
  end
end

-- A journal that has failed gets no more of the run but its end, in case there is room for that again.
local function record_end(self, event)
  if event.event ~= "run_end" then return end
  if pcall(append, self, line(event, self.lines), true) then files.sync(self.fd) end
end

local function write(self, event)
  if not self.fd then return end
  if self.told then return record_end(self, event) end
  local ok, why = pcall(record, self, event)
  if ok then return end
  if not errors.interrupts(why) then self.told = true end
  error(why, 0)
end

--- A listener that appends to folder/journal.jsonl. The first line says of which version the format is. It holds the
--- file's lock until it is closed or this process ends, by which others know that the run goes on (old_runs.lua).
---@param folder string
---@return { every: fun(run: any, event: deskpilot.event), secure: fun(), close: fun(), writer: deskpilot.journal.writer
---  }? listener secure: waits until all of it is on the disk, or raises
---@return deskpilot.error? err
function journal.open(folder)
  local path = files.join(folder, "journal.jsonl")
  local fd, err = files.create(path, { private = true })
  if not fd then return nil, err end
  system.lock_file(fd)
  local writer = setmetatable({ fd = fd, path = path, size = 0, lines = 0, threads = 0, changed = signal.new(),
    timer = uv.new_timer() }, Writer)
  local first, failure = pcall(append, writer, line { event = "journal", at = 0, version = events.version,
    program = system.version })
  if not first then
    writer:close()
    return errors.fail("io", "%s", tostring(failure))
  end
  return {
    writer = writer,
    every = function(_, event) write(writer, event) end,
    secure = function() writer:secure() end,
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

--- Calls fn with each event of a run, oldest first, without the first line, which is about the file. Each field of a
--- declared event is as it was declared, or missing. No more of the journal is in memory than one of its lines.
---@param folder string a run directory
---@param fn fun(event: table)
---@param limit integer? bytes: a journal that has more is an error
---@return deskpilot.journal.reading? how what could not be read
---@return deskpilot.error? err code "unsupported" for a journal of a newer version
function journal.each(folder, fn, limit)
  local path = files.join(folder, "journal.jsonl")
  local how = { skipped = 0, cut = false, odd = 0 }
  local function is_newer() return math.type(how.version) == "integer" and how.version > events.version end
  local ok, err = files.each_line(path, function(row, ended)
    local event = json.decode(row)
    if type(event) ~= "table" or type(event.event) ~= "string" then
      if not ended then how.cut = true else how.skipped = how.skipped + 1 end
    elseif event.event == "journal" then
      how.version = event.version
      return not is_newer()
    else
      fn(mend(event, how))
    end
  end, limit)
  if not ok then return nil, err end
  if is_newer() then
    return errors.fail("unsupported", "%s is of version %d, this deskpilot reads journals up to version %d: use a "
      .. "newer deskpilot", path, how.version, events.version)
  end
  return how
end

local MOST = 64 * 1024 * 1024 -- bytes of a journal whose events are in memory all at once

--- The events of a run as `each` has them, all at once.
---@param folder string a run directory
---@return table[]? events, deskpilot.journal.reading|deskpilot.error how what could not be read; or the error
function journal.read(folder)
  local list = {}
  local how, err = journal.each(folder, function(event) list[#list + 1] = event end, MOST)
  if not how then return nil, err --[[@as deskpilot.error]] end
  return list, how
end

--- The event of one line. Each of its declared fields is as it was declared, or missing.
---@param row string untrusted
---@return table? event nil for a line that is none, and for the first one
function journal.event(row)
  local event = json.decode(row)
  if type(event) ~= "table" or type(event.event) ~= "string" or event.event == "journal" then return nil end
  return mend(event, { odd = 0 })
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
