--- Coroutines on the one event loop. A call that waits (a request, a sleep, a child process)
--- suspends the task that made it, never the process. Cancelling a task stops what it waits for and
--- closes its coroutine, to-be-closed variables included; a pcall inside it cannot hold it back. A limit
--- holds for a task that never waits as well.
local uv = require "luv"
local system = require "native.system"
local errors = require "deskpilot.base.errors"

local task = {}

--- What stands for a signal in sentences, where it is not its name.
---@type table<string, string>
task.signal_words = {}

--- "SIGINT", or what signal_words has for it.
---@param signal string
---@return string
function task.signal_name(signal)
  return task.signal_words[signal] or signal
end

--- "interrupted by SIGINT", where the process has been asked to stop and that has not been cleared; else nil.
---@return string?
function task.interruption()
  local signal = system.interrupt()
  return signal and "interrupted by " .. task.signal_name(signal)
end

---@class deskpilot.task
local Task = {}
Task.__index = Task

local current -- the task whose coroutine runs now
local deadlines = {} -- set of { task, at, passed }
local overdue -- the one that the task which the interruptor is stopping is past

local function finish(self, result)
  if self.result then return end
  self.result = result
  for child in pairs(self.children) do child:cancel("the task that started this one has ended") end
  if self.parent then self.parent.children[self] = nil end
  local waiters = self.waiters
  self.waiters = {}
  for _, waiter in ipairs(waiters) do waiter() end
end

local function resume(self, ...)
  local before = current
  current = self
  local result = table.pack(coroutine.resume(self.co, ...))
  current = before
  local deadline = deadlines[overdue]
  overdue = nil
  if deadline then deadline.passed() end
  if coroutine.status(self.co) == "dead" then
    finish(self, result)
  elseif not self.waiting then -- the interruptor's hook made it yield
    self:cancel(deadline and "out of time" or task.interruption() or "interrupted by a signal")
  end
end

local function traceback(message)
  if type(message) == "string" then return debug.traceback(message, 2) end
  return message
end

local function create(fn)
  local self = setmetatable({ waiters = {}, children = {}, parent = current }, Task)
  if current then current.children[self] = true end
  self.co = coroutine.create(function(...)
    local result = table.pack(xpcall(fn, traceback, ...))
    if result[1] then return table.unpack(result, 2, result.n) end
    error(result[2], 0)
  end)
  return self
end

--- Starts `fn(...)` as a task of its own; it runs until its first wait before start returns.
---@param fn function
---@param ... any its arguments
---@return deskpilot.task
function task.start(fn, ...)
  local self = create(fn)
  resume(self, ...)
  return self
end

--- Starts a task on behalf of another one, as if that one had started it: it ends with it, and keeps to its
--- limits. For what is called back later. Without an owner, or if that has ended, it stands alone.
---@param owner deskpilot.task?
---@param fn function
---@param ... any its arguments
---@return deskpilot.task
function task.start_for(owner, fn, ...)
  local before = current
  current = owner and not owner.result and owner or nil
  local self = create(fn)
  current = before
  resume(self, ...)
  return self
end

--- Whether the task has ended, whichever way.
---@return boolean
function Task:ended()
  return self.result ~= nil
end

--- Waits for the task's end.
---@return boolean ok, ... the task's results, or false and the error
function Task:wait()
  if not self.result then
    task.await(function(done)
      table.insert(self.waiters, done)
    end)
  end
  return table.unpack(self.result, 1, self.result.n)
end

--- Ends the task where it waits. Its wait() gives false and an error of code "cancelled".
---@param why string
function Task:cancel(why)
  if self.result then return end
  local status = coroutine.status(self.co)
  if status == "running" or status == "normal" then
    self.cancelled = why -- it ends at its next wait
    return
  end
  local stop = self.stop_waiting
  self.waiting, self.stop_waiting = nil, nil
  if stop then stop() end
  coroutine.close(self.co)
  finish(self, table.pack(false, errors.new("cancelled", why)))
end

--- Suspends the current task. `starter(done)` begins something and may return a function that
--- cancels it; `done(...)` gives await's results, once, now or later.
---@param starter fun(done: fun(...)): fun()?
---@return any ...
function task.await(starter)
  local self = current
  if not self or coroutine.running() ~= self.co then
    error("a call that waits was made outside a task, or inside a coroutine of your own", 2)
  end
  if self.cancelled then error(errors.new("cancelled", self.cancelled), 0) end
  local token, early, suspended = {}, nil, false
  self.waiting = token
  local stop = starter(function(...)
    if self.waiting ~= token then return end
    self.waiting, self.stop_waiting = nil, nil
    if suspended then resume(self, ...) else early = table.pack(...) end
  end)
  if early then return table.unpack(early, 1, early.n) end
  if self.waiting ~= token then -- cancelled from inside the starter
    error(errors.new("cancelled", self.cancelled or "cancelled"), 0)
  end
  self.stop_waiting = stop
  suspended = true
  return coroutine.yield()
end

--- Waits for that many seconds.
---@param seconds number
function task.sleep(seconds)
  task.await(function(done)
    local timer = uv.new_timer()
    local function close() if not timer:is_closing() then timer:close() end end
    uv.update_time()
    timer:start(math.ceil(math.max(0, seconds) * 1000), 0, function() close() done() end)
    return close
  end)
end

local function descends(self, ancestor)
  while self and self ~= ancestor do self = self.parent end
  return self ~= nil
end

-- Asked in the middle of whatever runs while the loop's own timers are not heard: is it past its deadline?
local function judge()
  local status = current and coroutine.status(current.co)
  -- While it is entered and left `current` is not the one that runs; then the question comes again.
  if status ~= "running" and status ~= "normal" then return false end
  local now = task.now()
  for deadline in pairs(deadlines) do
    if now >= deadline.at and descends(current, deadline.task) then
      overdue = deadline
      return true
    end
  end
  return false
end

local function set_next_deadline()
  local soonest
  for _, deadline in pairs(deadlines) do
    if not soonest or deadline.at < soonest then soonest = deadline.at end
  end
  system.on_overdue(judge)
  system.set_deadline(soonest)
end

--- Calls passed() when that many seconds are over, which is to end `work`. If it, or what it has started,
--- computes without waiting, it is stopped first, as by a signal; passed() may then be called twice. It may
--- not wait.
---@param work deskpilot.task
---@param seconds number
---@param passed fun()
---@return fun() stop to be called when it no longer matters
function task.deadline(work, seconds, passed)
  local timer = uv.new_timer()
  local deadline = { task = work, at = task.now() + seconds, passed = passed }
  uv.update_time()
  timer:start(math.ceil(math.max(0, seconds) * 1000), 0, passed)
  deadlines[deadline] = deadline
  set_next_deadline()
  return function()
    if not timer:is_closing() then timer:close() end
    deadlines[deadline] = nil
    set_next_deadline()
  end
end

--- Calls fn(...) with a limit, after which it is cancelled, waiting or not.
---@param seconds number
---@param fn function
---@param ... any its arguments
---@return boolean ok, ... fn's results; or false and its error, code "timed_out" for the limit
function task.limit(seconds, fn, ...)
  local work = create(fn)
  local late = false
  local stop = task.deadline(work, seconds, function()
    late = true
    work:cancel("out of time")
  end)
  local guard <close> = setmetatable({}, { __close = stop })
  assert(guard)
  resume(work, ...)
  work:wait()
  if late then return false, errors.new("timed_out", "out of time after %g s", seconds) end
  return table.unpack(work.result, 1, work.result.n)
end

--- Seconds on the monotonic clock.
---@return number
function task.now()
  return uv.hrtime() / 1e9
end

--- The current task, or nil.
function task.current()
  return current
end

--- Whether a call that waits may be made here: not in a callback of the loop, a coroutine of one's own, or a
--- task that has been cancelled.
---@return boolean
function task.may_wait()
  return current ~= nil and coroutine.running() == current.co and not current.cancelled
end

--- Runs the loop until fn(...) has ended: the program's outermost call, made once from the main
--- state. `on_interrupt(signal)` is called on SIGINT, SIGTERM, SIGHUP and kill_chord.
---@param on_interrupt fun(signal: string)?
---@param fn function
---@param ... any its arguments
---@return boolean ok, ... fn's results, or false and its error
function task.run(on_interrupt, fn, ...)
  if on_interrupt then system.on_interrupt(on_interrupt) end
  local main = task.start(fn, ...)
  while not main.result do
    if not uv.run("once") and not main.result then
      main:cancel("nothing is left that could wake this task (a defect)")
    end
  end
  return table.unpack(main.result, 1, main.result.n)
end

return task
