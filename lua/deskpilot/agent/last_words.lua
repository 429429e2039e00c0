--- What the watchdog (native.watchdog) writes where a C call holds this Lua state for good: the event run_end and
--- result.json, as far as the run has come. It does so when the limit of time has passed, that of the run or of a goal
--- within it, and when the program is told to stop for the second time.
local export = require "deskpilot.agent.export"
local files = require "deskpilot.base.files"
local goal_limits = require "deskpilot.agent.goal_limits"
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
---@field run deskpilot.run
---@field options deskpilot.last_words.options
---@field result table as export.add makes it
---@field constant string what seldom changes of it, as JSON
---@field account string? the policy's own account of its work, as JSON
---@field verdict string? what verify said last, as JSON
---@field told_verdict deskpilot.verdict? the same as it was said
---@field endings table<string, { fields: string, status: string, words: string, exit: integer }> by cause
---@field bound deskpilot.goal_bound the limit of time that holds now
---@field timer userdata that the state answers by
---@field period number seconds after which it has to answer again, once the limit has passed
---@field terminal boolean whether standard error is one, with a live line
---@field outcome deskpilot.outcome? once it is settled
---@field listener deskpilot.listener
---@field closed boolean?
local LastWords = {}
LastWords.__index = LastWords

local HELD_UP = "; a call that does not return held the program up"
local NO_MEMORY = "there is not enough memory"
local AGAIN = "told a second time to stop, before it had come to its end"

local FAR = 1e9 -- seconds, for timers, which take no number that is much larger

-- Bytes that the watchdog replaces.
local SECONDS, LINES = "\1", "\2"

-- The fields of an object as JSON, without its braces. Encoding takes a tenth of a millisecond, so what has not changed
-- is not encoded again.
local function fields(object)
  return secrets.encode(object):sub(2, -2)
end

-- The same of what a policy or a mission has made; nil where JSON cannot say it.
local function fields_of_theirs(value)
  local ok, made = pcall(fields, value)
  return ok and made or nil
end

local function object(...)
  local parts = {}
  for _, part in ipairs { ... } do
    if part ~= "" then parts[#parts + 1] = part end
  end
  return "{" .. table.concat(parts, ",") .. "}"
end

-- How the run would end for that cause; how it has ended where that is known.
local function outcome_for(self, cause)
  if self.outcome then return self.outcome end
  if cause == "interrupted" then return { status = "interrupted", reason = AGAIN } end
  if cause == "no_memory" then return { status = "error", reason = NO_MEMORY } end
  return { status = "incomplete", reason = goal_limits.words("seconds", self.bound) .. HELD_UP }
end

-- What is said of the end for each cause: it changes with the limit that holds, and when the run has ended.
local function take_endings(self)
  local clean = self.options.clean
  self.endings = {}
  for _, cause in ipairs { "overdue", "interrupted", "no_memory" } do
    local outcome = outcome_for(self, cause)
    self.endings[cause] = { fields = fields { status = outcome.status, reason = outcome.reason },
      status = fields { status = outcome.status },
      words = ("%s%s: %s\nrun: %s\n"):format(self.terminal and "\r\27[K" or "", clean(outcome.status),
        clean(outcome.reason), clean(self.run.dir.path)),
      exit = cause == "interrupted" and 130 or self.options.status(outcome) }
  end
end

-- What is the same for every cause.
local function common_words(self)
  local run = self.run
  return { counts = ('"turns":%d,"actions":%d,"seconds":%s'):format(run.turn, run.actions, SECONDS),
    turn = run.goal.turn and ('"turn":%d'):format(run.goal.turn) or "",
    archive = ('"archive":{"events":%s}'):format(LINES) }
end

local function words_for(self, ending, common)
  local counts, turn, archive = common.counts, common.turn, common.archive
  local account = self.account and '"task_result":' .. object(ending.status, self.account) or ""
  local result = object(ending.fields, counts, account, self.constant, archive) .. "\n"
  return { line = object(('"event":"run_end","at":%s,"number":%s'):format(SECONDS, LINES), turn, ending.fields, counts,
      self.verdict or "", account) .. "\n", result = result, output = self.options.json and result or nil,
    words = ending.words, status = ending.exit }
end

-- Encodes what has changed by this event.
local function take(self, event)
  local result, account = self.result, event.task_result
  if event.task_result and not event.goal and type(account) == "table" then
    local copy = {}
    for key, value in pairs(account) do copy[key] = key ~= "status" and value or nil end
    self.account = fields_of_theirs(copy)
  end
  if not self.constant or event.event == "model_reply" or event.event == "phase_change"
    or event.event == "run_start" then
    self.constant = fields { run_dir = result.run_dir, model = result.model, phase = result.phase,
      parent = result.parent }
  end
  local verdict = self.run.goal.verdict
  if verdict ~= self.told_verdict then
    self.told_verdict, self.verdict = verdict, verdict and fields_of_theirs { verdict = verdict }
  end
end

-- Leaves both with the watchdog.
local function leave(self)
  local common = common_words(self)
  for cause, ending in pairs(self.endings) do watchdog.set(cause, words_for(self, ending, common)) end
end

-- The loop runs, so the state answers. Once the limit has passed, it has to go on answering until the run is written
-- down: its verify may take timing.verify and 5 seconds.
local function answer_by(self, at)
  self.timer:stop()
  uv.update_time()
  self.timer:start(math.ceil(math.max(0, math.min(at - task.now(), FAR)) * 1000), 0, function()
    answer_by(self, task.now() + self.period)
  end)
  watchdog.answer_by(at)
end

local function take_bound(self, bound)
  self.bound = bound
  take_endings(self)
  answer_by(self, bound.at)
end

-- What changes the words so much that they are left anew.
local renewed_by = { run_start = true, turn_start = true, phase_change = true, model_reply = true, action = true,
  turn_end = true, goal_end = true }

local function hear(self, run, event)
  export.add(self.result, event)
  take(self, event)
  local goal = event.event == "goal_end" and run.goal.parent or run.goal -- it is left right after this event
  local bound = goal.bounds.seconds
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
  local ok, err = watchdog.open(journal.fd, files.join(run.dir.path, "result.json"), run.started, journal.lines - 1)
  if not ok then return nil, err end
  local self = setmetatable({ run = run, options = options, result = result, timer = uv.new_timer(),
    period = run.config:get "timing.verify" + 5, terminal = uv.guess_handle(2) == "tty" }, LastWords)
  self.timer:unref()
  self.listener = { every = function(_, event) if not self.closed then hear(self, run, event) end end }
  local seconds = run.config:get "limits.seconds"
  take(self, {})
  take_bound(self, { at = task.now() + math.max(0, seconds - run.spent), -- before_run has it too
    words = ("the limit is %g s (limits.seconds)"):format(seconds) })
  leave(self)
  run:on_close(function() -- the end is settled: it is what is written, whatever holds the program up from now on
    self.outcome = run.outcome
    take_endings(self)
    leave(self)
  end)
  return self
end

--- The run is written down, and the journal may be closed. What is left is to end, also where a task of the mission's
--- goes on computing.
---@param result table
function LastWords:written(result)
  local output = self.options.json and json.encode(result) .. "\n" or nil
  for cause, ending in pairs(self.endings) do watchdog.set(cause, { output = output, status = ending.exit }) end
end

--- Nothing holds the program up any more. A second call does nothing.
function LastWords:close()
  if self.closed then return end
  self.closed = true
  self.timer:close()
  watchdog.close()
end

return last_words
