--- The journal of a mission's run on the fleet's server: a worker sends it there piece by piece while the run writes
--- it, and whoever goes on with the run gets it from there. A piece is some whole lines as they stand in the file, and
--- says where in the file it stands, so that one which has come twice is read once. Workers with a key in common add a
--- code to each piece, by which they know that it is one of theirs.
local uv = require "luv"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local hmac = require "deskpilot.base.hmac"
local signal = require "deskpilot.base.signal"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local run_journal = {}

--- Seconds: between looks at the file; until the server is tried again; for the rest of it once the run has ended.
run_journal.timing = { look = 0.5, again = 1, rest = 60 }

local MOST = 64 << 20 -- bytes of a journal that are sent
local RUN, OFFSET, CODE = "Deskpilot-Run", "Deskpilot-Offset", "Deskpilot-Code"
local LEAST_KEY = 32         -- characters

local function is_run(name) return name:find("^%d%d%d%d%d%d%d%dT%d%d%d%d%d%dZ%-[%l%d_-]+$") ~= nil end

--- Reads the key that workers have in common.
---@param path string
---@return string? key, deskpilot.error? err
function run_journal.key(path)
  local words, err = files.read(path, 4096)
  if not words then return nil, err end
  local key = text.trim(words)
  if #key >= LEAST_KEY then return key end
  return errors.fail("invalid", "%s has %d characters, and a key for journals at least %d: head -c 32 /dev/urandom | "
    .. "base64 > %s", path, #key, LEAST_KEY, path)
end

local function code_of(key, id, attempt, run, offset, piece)
  return hmac.sha256(key, ("%s\n%d\n%s\n%d\n"):format(id, attempt, run, offset) .. piece)
end

-- --- sending -----------------------------------------------------------------------------------------------------

---@class deskpilot.fleet.sending
---@field name string? of the run's folder, once there is one
---@field sent integer bytes that the server has
---@field trouble string? why not all of it has been sent
local Sending = {}
Sending.__index = Sending

local function folders(runs)
  local set = {}
  for _, name in ipairs(files.list(runs)) do set[name] = true end
  return set
end

-- The folder that the run has made.
local function find(self)
  for _, name in ipairs(files.list(self.runs)) do
    local path = files.join(self.runs, name, "journal.jsonl")
    if not self.before[name] and is_run(name) and files.exists(path) then
      local fd = uv.fs_open(path, "r", 0)
      if fd then self.name, self.fd = name, fd return end
    end
  end
end

-- What can be sent now: whole lines, but of a line longer than a piece a piece, and after the run's end what there is.
local function next_piece(self)
  local size = self.store:piece_size()
  local bytes = uv.fs_read(self.fd, size, self.sent) or ""
  if bytes == "" then return nil end
  if self.sent + #bytes > MOST then
    self.trouble = ("its journal has more than %d MB, which is not sent"):format(MOST >> 20)
    return nil
  end
  local from_end = bytes:reverse():find("\n", 1, true)
  if from_end then return bytes:sub(1, #bytes - from_end + 1) end
  if #bytes == size or self.over then return bytes end
end

-- Sends what there is to send.
local function send(self)
  local piece = next_piece(self)
  while piece do
    local stored, err = self.store:keep_events(self.id, self.attempt, piece, self.sent,
      { [RUN] = self.name, [OFFSET] = tostring(self.sent),
        [CODE] = self.key and code_of(self.key, self.id, self.attempt, self.name, self.sent, piece) })
    if stored then
      self.sent, self.trouble = self.sent + #piece, nil
      piece = next_piece(self)
    else
      self.trouble = tostring(err)
      if self.store.connection.closed then return end
      task.sleep(run_journal.timing.again)
    end
  end
end

local function follow(self)
  while true do
    local last = self.over
    if not self.fd then find(self) end
    if self.fd then send(self) end
    if last or self.store.connection.closed then return end
    if not self.over then
      self.changed:wait(run_journal.timing.look)
    end
  end
end

--- Begins to send the journal of a run that is about to begin.
---@param store deskpilot.fleet.store
---@param id string of the mission
---@param attempt integer
---@param runs string the folder in which the run makes its own
---@param key string? that the fleet's workers have in common
---@return deskpilot.fleet.sending
function run_journal.send(store, id, attempt, runs, key)
  local self = setmetatable({ store = store, id = id, attempt = attempt, runs = runs, before = folders(runs),
    key = key, sent = 0, changed = signal.new() }, Sending)
  self.task = task.start(follow, self)
  return self
end

--- Sends the rest of a run that has ended, and waits for that.
---@return string? trouble why not all of it has been sent
function Sending:finish()
  self.over = true
  self.changed:notify()
  local in_time, ok, why = task.limit(run_journal.timing.rest, self.task.wait, self.task)
  if not in_time then self.trouble = self.trouble or "there was no time to send all of it" end
  if in_time and not ok then self.trouble = tostring(why) end
  self:close()
  return self.trouble and "the journal of its run is not whole on the server: " .. self.trouble
end

--- Ends it.
function Sending:close()
  if not self.task:ended() then self.task:cancel "the journal is not sent any more" end
  if self.fd then uv.fs_close(self.fd) end
  self.fd = nil
end

Sending.__close = Sending.close

-- --- reading -----------------------------------------------------------------------------------------------------

--- Where a piece stands, and of which run it is; checked, since it came over the network.
---@param message deskpilot.nats.message
---@return { run: string, offset: integer, attempt: integer }? facts nil if no worker has sent it
function run_journal.facts(message)
  local run, offset = message.headers[RUN], math.tointeger(tonumber(message.headers[OFFSET]))
  local attempt = math.tointeger(tonumber(message.subject:match("%.(%d+)$")))
  if not (run and is_run(run) and #run <= 200 and offset and offset >= 0 and attempt) then return nil end
  return { run = run, offset = offset, attempt = attempt }
end

--- What of a piece has not been read yet.
---@param message deskpilot.nats.message
---@param offset integer where it stands
---@param have integer bytes that have been read
---@return string? rest nil where something is missing before it
function run_journal.rest(message, offset, have)
  if offset > have then return nil end
  return message.data:sub(have - offset + 1)
end

local function read(store, id, attempt, key)
  local reader <close>, err = store:events(id, attempt)
  if not reader then return nil, err end
  local pieces, have = {}, 0
  while not reader.current do
    local message, why = reader:next(30)
    if not message then return nil, why end
    local facts = run_journal.facts(message)
    if facts and key and message.headers[CODE] ~= code_of(key, id, attempt, facts.run, facts.offset, message.data) then
      return errors.fail("protocol", "the journal of %s on the server is by nobody who has the fleet's journal key", id)
    end
    local rest = facts and run_journal.rest(message, facts.offset, have)
    if not rest or have + #rest > MOST then
      return errors.fail("protocol", "the journal of %s on the server is not whole", id)
    end
    pieces[#pieces + 1], have = rest, have + #rest
  end
  return table.concat(pieces)
end

--- Which run an attempt's journal on the server is of, and how much of it is there.
---@param store deskpilot.fleet.store
---@param id string
---@param attempt integer
---@return { run: string, size: integer }? kept, deskpilot.error? err not_found; protocol: no worker has sent it
function run_journal.kept(store, id, attempt)
  local last, err = store:last_events(id, attempt)
  if not last then return nil, err end
  local facts = run_journal.facts({ headers = last.headers, subject = last.headers["Nats-Subject"], data = last.data })
  if not facts then return errors.fail("protocol", "the journal of %s on the server is none", id) end
  return { run = facts.run, size = facts.offset + #last.data }
end

--- Brings the journal of an attempt from the server into a folder: all of it or nothing.
---@param store deskpilot.fleet.store
---@param id string
---@param attempt integer
---@param folder string is made; a journal in it is replaced
---@param key string? whose holders' journals alone are taken
---@return true? ok, deskpilot.error? err protocol: it is not whole, or by somebody else
function run_journal.fetch(store, id, attempt, folder, key)
  local ok, err = files.make_folder(folder, { private = true })
  if not ok then return nil, err end
  local lines
  lines, err = read(store, id, attempt, key)
  if not lines then return nil, err end
  return files.write(files.join(folder, "journal.jsonl"), lines, { private = true })
end

return run_journal
