--- Tasks: coroutines on the one event loop. A call that waits (a request, a sleep, a child process) suspends its task,
--- not the process. Cancelling a task stops the operation that it waits for and closes its coroutine with its
--- to-be-closed variables; a pcall inside the task cannot prevent that. A time limit also stops a task that never
--- waits.
local uv = require "luv"
local system = require "native.system"
local errors = require "deskpilot.base.errors"

local task = {}

--- How messages call a signal, for signals whose own name would not be understood.
---@type table<string, string>
task.signal_names = {}

--- The signal's entry in signal_names, else the signal itself ("SIGINT").
---@param signal string
---@return string
function task.signal_name(signal)
  return task.signal_names[signal] or signal
end

--- "interrupted by SIGINT" while a request to stop the process is pending; else nil.
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
local overdue -- the deadline for which the interrupt hook has just stopped a task

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
  elseif not self.waiting then -- it did not yield by itself: the interrupt hook stopped it
    self:cancel(deadline and "out of time" or task.interruption() or "interrupted by a signal")
  end
end

local function create(fn)
  local self = setmetatable({ waiters = {}, children = {}, parent = current }, Task)
  if current then current.children[self] = true end
  self.co = coroutine.create(function(...)
    local result = table.pack(xpcall(fn, errors.traceback, ...))
    if result[1] then return table.unpack(result, 2, result.n) end
    error(result[2], 0)
  end)
  return self
end

--- Starts `fn(...)` as a new task, which runs until its first wait before start returns.
---@param fn function
---@param ... any its arguments
---@return deskpilot.task
function task.start(fn, ...)
  local self = create(fn)
  resume(self, ...)
  return self
end

--- Runs `fn` in a task of its own, for a caller that has to finish in good order. A signal stops whatever computes in
--- that moment: that is this task. The caller goes on when the signal has been passed on (task.run), since until then
--- it would be stopped as well.
---@param fn function
---@return boolean ok, ... fn's results, or false and its error; of code "cancelled" where a signal has ended it
function task.interruptible(fn)
  local work = task.start(function()
    task.sleep(0) -- a signal that came before is passed on
    return fn()
  end)
  local result = table.pack(work:wait())
  while select(2, system.interrupt()) do task.sleep(0) end
  return table.unpack(result, 1, result.n)
end

--- Starts a task from a callback as if `owner` had started it: the new task ends with its owner and is under the
--- owner's time limits.
---@param owner deskpilot.task? nil, or a task that has ended: the new task is independent
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

--- Whether the task has ended: returned, failed or been cancelled.
---@return boolean
function Task:ended()
  return self.result ~= nil
end

--- Waits until the task has ended.
---@return boolean ok, ... the task's results, or false and the error
function Task:wait()
  if not self.result then
    task.await(function(done)
      table.insert(self.waiters, done)
    end)
  end
  return table.unpack(self.result, 1, self.result.n)
end

--- Ends the task; a task that is running ends at its next wait. Its wait() returns false and an error of code
--- "cancelled".
---@param why string
function Task:cancel(why)
  if self.result then return end
  local status = coroutine.status(self.co)
  if status == "running" or status == "normal" then
    self.cancelled = why -- await raises it
    return
  end
  local stop = self.stop_waiting
  self.waiting, self.stop_waiting = nil, nil
  if stop then stop() end
  coroutine.close(self.co)
  finish(self, table.pack(false, errors.new("cancelled", why)))
end

--- Suspends the current task. `starter(done)` begins an operation and may return a function that cancels it. The first
--- call of `done(...)`, now or later, resumes the task; its arguments are await's results.
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

--- Waits for that many seconds. 0 lets whatever else is ready go first.
---@param seconds number
function task.sleep(seconds)
  task.await(function(done)
    -- Timers of no time that are begun by each other keep libuv from everything else.
    local handle = seconds > 0 and uv.new_timer() or uv.new_idle()
    local function close() if not handle:is_closing() then handle:close() end end
    local function over() close() done() end
    if seconds > 0 then
      uv.update_time()
      handle:start(math.ceil(seconds * 1000), 0, over)
    else
      handle:start(over)
    end
    return close
  end)
end

local function descends(self, ancestor)
  while self and self ~= ancestor do self = self.parent end
  return self ~= nil
end

--- Whether the task is the other one, or was started within it.
---@param other deskpilot.task
---@return boolean
function Task:is_within(other)
  return descends(self, other)
end

-- Whether the running task is past its deadline. The interrupt hook calls this in the middle of Lua code that keeps the
-- loop, and with it the loop's timers, from running.
local function is_overdue()
  local status = current and coroutine.status(current.co)
  -- While resume() switches tasks, `current` is not the coroutine that runs. The hook will ask again.
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
  system.on_overdue(is_overdue)
  system.set_deadline(soonest)
end

--- Calls passed(), which is to end the task `work`, after that many seconds. If `work` or a task that it started is
--- computing at that time, that task is stopped first, as by a signal; passed() may then be called twice.
---@param work deskpilot.task
---@param seconds number
---@param passed fun() may not wait
---@return fun() stop removes the deadline
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

--- Calls fn(...) with a timeout, after which it is cancelled, whether it waits or computes.
---@param seconds number
---@param fn function
---@param ... any its arguments
---@return boolean ok, ... fn's results; or false and its error, code "timed_out" after the timeout
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

--- Whether a call that waits may be made here. It may not in a callback of the loop, in a coroutine that is not a
--- task's, and in a task that has been cancelled.
---@return boolean
function task.may_wait()
  return current ~= nil and coroutine.running() == current.co and not current.cancelled
end

--- Runs the loop until fn(...) has ended. This is the program's outermost call, made once. `on_interrupt(signal)` is
--- called for SIGINT, SIGTERM, SIGHUP and stop_hotkey.
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
