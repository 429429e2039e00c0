--- `deskpilot fleet logs RUN`: the events of a mission's runs as its workers have sent them, in the words in which a
--- run tells of itself, or as the lines of the journal that they are.
local errors = require "deskpilot.base.errors"
local journal = require "deskpilot.agent.journal"
local lists = require "deskpilot.cli.fleet.lists"
local progress = require "deskpilot.cli.progress"
local run_journal = require "deskpilot.fleet.run_journal"
local terminal = require "deskpilot.cli.terminal"
local text = require "deskpilot.base.text"

local logs = {}

local LOOK = 2             -- seconds without an event after which the record is looked at
local LONGEST = 64 << 20   -- bytes of a line

local function put(words)
  terminal.put(words)
  io.stdout:flush()
end

---@class deskpilot.cli.fleet.attempt_log
---@field have integer bytes that have been read
---@field line string the beginning of a line of which the end has not come
local Attempt = {}
Attempt.__index = Attempt

local function parent_words(event)
  local parent = type(event.parent) == "table" and event.parent
  if not parent then return "" end
  return (", goes on from %s after turn %d"):format(select(2, require("deskpilot.base.files").split(
    tostring(parent.run))), math.tointeger(parent.turn) or 0)
end

local function begin(number, facts, options)
  local self = setmetatable({ number = number, run = facts.run, have = 0, line = "" }, Attempt)
  if not options.json then
    self.listener = progress.new { level = options.verbose and "verbose" or "normal", write = put, tty = false }
  end
  return self
end

function Attempt:tell(row)
  if not self.listener then
    terminal.put(row, "\n")
    io.stdout:flush()
    return
  end
  local event = journal.event(row)
  if not event then return end
  if event.event == "run_start" then
    put(("attempt %d: %s%s\n"):format(self.number, terminal.line(self.run), terminal.line(parent_words(event))))
  end
  local tell = self.listener[event.event]
  if tell then tell({}, event) end
end

-- Takes a piece; whether it follows what was read before.
function Attempt:take(message, offset)
  local rest = run_journal.rest(message, offset, self.have)
  if not rest then return false end
  self.have = self.have + #rest
  local words = self.line .. rest
  local from = 1
  while true do
    local stop = words:find("\n", from, true)
    if not stop then break end
    if stop > from then self:tell(words:sub(from, stop - 1)) end
    from = stop + 1
  end
  self.line = words:sub(from)
  return #self.line <= LONGEST
end

local function is_over(store, id)
  local record, err = store:record(id)
  if not record then return err.code == "not_found" end
  return record.status == "done" or record.status == "cancelled"
end

-- Where the rest of what the runs have kept is.
local function tell_artifacts(store, id)
  local record = store:record(id)
  local place, count, why = nil, nil, nil
  if record then place, count, why = lists.artifacts(record) end
  if not place then return end
  put(("artifacts: %s files in %s%s\n"):format(count, terminal.line(place), why and ": " .. terminal.line(why) or ""))
end

--- Prints them.
---@param store deskpilot.fleet.store
---@param id string
---@param options { follow: boolean?, json: boolean?, verbose: boolean? }
---@return true? ok, deskpilot.error? err not_found: there are none
function logs.print(store, id, options)
  local reader <close>, err = store:events(id)
  if not reader then return nil, err end
  local attempts, over = {}, not options.follow
  while not (over and reader.current) do
    local message, why = reader:next(reader.current and LOOK or 30)
    if message then
      local facts = run_journal.facts(message)
      local attempt = facts and (attempts[facts.attempt] or begin(facts.attempt, facts, options))
      if not attempt or not attempt:take(message, facts.offset) then
        return errors.fail("protocol", "the events of %s on the server are not whole", id)
      end
      attempts[facts.attempt] = attempt
    elseif store.connection.closed or not reader.current then
      return nil, why
    else
      -- What its worker sends comes before the word that it is over.
      over = is_over(store, id)
    end
  end
  if #text.keys(attempts) > 0 then
    if not options.json then tell_artifacts(store, id) end
    return true
  end
  return errors.fail("not_found", "there are no events of %s: it has not begun, or they are older than what is kept",
    id)
end

return logs
