--- What the watchdog (native.watchdog) writes where a C call holds this Lua state for good: the event run_end and
--- result.json, as far as the run has come. It does so when the limit of time has passed, that of the run or of a goal
--- within it, and when the program is told to stop for the second time.
local export = require "deskpilot.agent.export"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local secrets = require "deskpilot.model.secrets"
local task = require "deskpilot.base.task"
local uv = require "luv"
local watchdog = require "native.watchdog"

local last_words = {}

---@class deskpilot.last_words.options
---@field status fun(outcome: deskpilot.outcome): integer the exit status
---@field clean fun(words: string): string words as a terminal may be sent them
---@field json boolean? whether the result is also printed

---@class deskpilot.last_words
---@field run deskpilot.run? nil before the first event
---@field options deskpilot.last_words.options
---@field result table as export.add makes it
---@field bound deskpilot.goal_bound? the limit of time that holds now
---@field timer uv.uv_timer_t that the state answers by
---@field period number seconds after which it has to answer again, once the limit has passed
---@field terminal boolean whether standard error is one, with a live line
---@field outcome deskpilot.outcome? once it is settled
---@field listener deskpilot.listener
---@field closed boolean?
local LastWords = {}
LastWords.__index = LastWords

local HELD_UP = "; a call that does not return held the program up"
local AGAIN = "told a second time to stop, before it had come to its end"

-- Bytes that the watchdog replaces, as json.encode writes them in a text.
local SECONDS, LINES = "\1", "\2"
local marks = { ['"\\u0001"'] = SECONDS, ['"\\u0002"'] = LINES }

local function encode(value)
  return (json.encode(secrets.mask_all(value)):gsub('"\\u000[12]"', marks)) .. "\n"
end

-- How the run would end for that cause; how it has ended where that is known.
local function outcome_for(self, cause)
  if self.outcome then return self.outcome end
  if cause == "interrupted" then return { status = "interrupted", reason = AGAIN } end
  local limit = self.bound and self.bound.words or "the limit has passed"
  return { status = "incomplete", reason = "out of time: " .. limit .. HELD_UP }
end

-- A copy with some fields changed.
local function with(value, fields)
  local copy = {}
  for key, item in pairs(value) do copy[key] = item end
  for key, item in pairs(fields) do copy[key] = item end
  return copy
end

local function words_for(self, cause)
  local run, outcome = self.run, outcome_for(self, cause)
  local account = self.result.task_result
  account = type(account) == "table" and with(account, { status = outcome.status }) or account
  local line = { number = LINES, turn = run.goal.turn, status = outcome.status, reason = outcome.reason,
    turns = run.turn, actions = run.actions, seconds = SECONDS, verdict = run.goal.verdict, task_result = account }
  local result = encode(with(self.result, { status = outcome.status, reason = outcome.reason, seconds = SECONDS,
    turns = run.turn, actions = run.actions, task_result = account, archive = { events = LINES } }))
  local said, clean = ("%s: %s"):format(outcome.status, outcome.reason), self.options.clean
  return { line = ('{"event":"run_end","at":%s,'):format(SECONDS) .. encode(line):sub(2), result = result,
    output = self.options.json and result or nil,
    words = ("%s%s\nrun: %s\n"):format(self.terminal and "\r\27[K" or "", clean(said), clean(run.dir.path)),
    status = cause == "interrupted" and 130 or self.options.status(outcome) }
end

-- Leaves both with the watchdog. What cannot be encoded now was said before: the words of before stay.
local function leave(self)
  for _, cause in ipairs { "overdue", "interrupted" } do
    local made, words = pcall(words_for, self, cause)
    if made then watchdog.set(cause, words) end
  end
end

-- The loop runs, so the state answers. Once the limit has passed, it has to go on answering until the run is written
-- down: its verify may take timing.verify and 5 seconds.
local function answer_by(self, at)
  self.timer:stop()
  uv.update_time()
  self.timer:start(math.ceil(math.max(0, at - task.now()) * 1000), 0, function()
    answer_by(self, task.now() + self.period)
  end)
  watchdog.answer_by(at)
end

local function take_bound(self, bound)
  self.bound = bound
  if bound then answer_by(self, bound.at) end
end

-- What changes the words so much that they are left anew.
local renewed_by = { run_start = true, turn_start = true, model_reply = true, action = true, turn_end = true,
  goal_end = true }

local function hear(self, run, event)
  export.add(self.result, event)
  local bound = run.goal.bounds.seconds
  local changed = bound ~= nil and bound ~= self.bound
  if changed then take_bound(self, bound) end
  if changed or renewed_by[event.event] then leave(self) end
end

--- Begins to watch over a run. The listener comes before all others: one of them may be what holds the program up.
---@param run deskpilot.run
---@param journal { fd: integer, count: integer } the writer's file, and how many events it has written
---@param options deskpilot.last_words.options
---@return deskpilot.last_words? self, deskpilot.error? err
function last_words.open(run, journal, options)
  local result = export.begin(run.dir.path)
  local ok, err = watchdog.open(journal.fd, files.join(run.dir.path, "result.json"), run.started, journal.count)
  if not ok then return nil, err end
  local self = setmetatable({ run = run, options = options, result = result, timer = uv.new_timer(),
    period = run.config:get "timing.verify" + 5, terminal = uv.guess_handle(2) == "tty" }, LastWords)
  self.timer:unref()
  self.listener = { every = function(_, event) if not self.closed then hear(self, run, event) end end }
  local seconds = run.config:get "limits.seconds"
  take_bound(self, { at = task.now() + math.max(0, seconds - run.spent), -- before_run has it too
    words = ("the limit is %g s (limits.seconds)"):format(seconds) })
  leave(self)
  run:on_close(function() -- the end is settled: it is what is written, whatever holds the program up from now on
    self.outcome = run.outcome
    leave(self)
  end)
  return self
end

--- All is written, or is no longer of use. Before the journal is closed. A second call does nothing.
function LastWords:close()
  if self.closed then return end
  self.closed = true
  self.timer:close()
  watchdog.close()
end

return last_words
