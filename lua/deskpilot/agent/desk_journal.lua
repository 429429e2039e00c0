--- The calls of a script on its desktop as events of the run (`desk_call`), one for each call. A script may make
--- thousands of calls a second: those of one function that come too fast are counted, and become one event for each
--- second (`times`).
local errors = require "deskpilot.base.errors"

-- What few runs need is loaded by those that do.
local function desk_words() return require "deskpilot.agent.desk_words" end

local desk_journal = {}

local SECOND = 1
local EACH = 10    -- events of one function in a second; more calls than that are counted
local MANY = 2000  -- events of a run, after which each function gets one in a second

---@class deskpilot.desk_call: deskpilot.event one call of a script on its desktop, or several of one function
---@field call string such as "mouse.click", "tab:type"
---@field target string? what it was given, in words; typed texts are kept as their length
---@field ok boolean
---@field text string? what came of it, in words, or the error's sentence
---@field code string? of the error
---@field raised boolean? whether the error was raised, and not returned
---@field seconds number that it took; of several calls together
---@field where string? the mission's line: "m.lua:12"
---@field acts boolean false if it only looked
---@field times integer? how many calls it stands for, of which the last is told; 1 if not given
---@field failed integer? how many of them failed

-- What only looks, or only reads.
local looks = {}
for name in ([[windows.list windows.find windows.active windows.workspaces elements.list elements.find elements.refresh
  elements.at elements.outline elements.text elements.selection elements.actions screen.shot screen.load
  screen.find_image screen.find_images screen.size screen.monitors screen.monitor screen.read_text screen.find_text
  screen.find_texts clipboard.get clipboard.get_image mouse.position apps.ended activity.idle tab:observe tab:info
  tab:window tab:screenshot browser:window shot:find shot:find_all shot:save]]):gmatch("%S+") do looks[name] = true end

---@class deskpilot.desk_journal
local Journal = {}
Journal.__index = Journal

local function event_of(entry)
  local event = { call = entry.name, target = desk_words().target(entry.name, entry.arguments), ok = entry.ok,
    seconds = entry.seconds, where = entry.where, acts = not looks[entry.name] }
  if event.target == "" then event.target = nil end
  if entry.ok then
    local words = desk_words().result(entry.results)
    event.text = words ~= "" and words or nil
  else
    local err = entry.err
    event.text = errors.is(err) and err.message or tostring(err):match("^[^\n]*")
    event.code, event.raised = errors.is(err) and err.code or nil, entry.raised or nil
  end
  return event
end

local function write(self, event)
  self.written = self.written + 1
  self.run:emit("desk_call", event)
end

local function write_counted(self, pace)
  local counted = self.counted[pace]
  self.counted[pace] = nil
  local event = event_of(counted.last)
  event.times, event.seconds = counted.times, counted.seconds
  event.failed = counted.failed > 0 and counted.failed or nil
  write(self, event)
end

-- Adds a call to those of its function that are written together.
local function count(self, pace, entry)
  local counted = self.counted[pace]
  if not counted then
    entry.where = errors.caller()
    counted = { times = 0, seconds = 0, failed = 0 }
    self.counted[pace] = counted
  else
    entry.where = counted.last.where
  end
  counted.times, counted.seconds, counted.last = counted.times + 1, counted.seconds + entry.seconds, entry
  if not entry.ok then counted.failed = counted.failed + 1 end
end

-- Writes what was counted of functions whose second is over.
local function write_due(self, now)
  for pace in pairs(self.counted) do
    if now - pace.since >= SECOND then write_counted(self, pace) end
  end
end

--- Takes note of a call.
---@param entry { name: string, arguments: table, ok: boolean, results: table?, err: any, raised: boolean,
---  seconds: number, ended: number } arguments and results: packed; ended: the time
function Journal:add(entry)
  local now = entry.ended
  if next(self.counted) then write_due(self, now) end
  local pace = self.paces[entry.name]
  if not pace then
    pace = { since = now, count = 0 }
    self.paces[entry.name] = pace
  end
  if now - pace.since >= SECOND then pace.since, pace.count = now, 0 end
  pace.count = pace.count + 1
  if pace.count > (self.written < MANY and EACH or 1) then return count(self, pace, entry) end
  entry.where = errors.caller()
  self:flush() -- what came before stands before it
  write(self, event_of(entry))
end

--- Writes what has been counted and is not written yet.
function Journal:flush()
  for pace in pairs(self.counted) do write_counted(self, pace) end
end

--- The journal of a run's script.
---@param run deskpilot.run
---@return deskpilot.desk_journal
function desk_journal.new(run)
  return setmetatable({ run = run, paces = {}, counted = {}, written = 0 }, Journal)
end

return desk_journal
