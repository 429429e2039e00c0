--- Coroutines on the one event loop. A call that waits (a request, a sleep, a child process)
--- suspends the task that made it, never the process. Cancelling a task stops what it waits for and
--- closes its coroutine, to-be-closed variables included; a pcall inside it cannot hold it back.
local uv = require "luv"
local system = require "native.system"
local errors = require "deskpilot.base.errors"

local task = {}

---@class deskpilot.task
local Task = {}
Task.__index = Task

local current -- the task whose coroutine runs now

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
  if coroutine.status(self.co) == "dead" then
    finish(self, result)
  elseif not self.waiting then
    self:cancel("interrupted by a signal") -- the interruptor's hook made it yield
  end
end

local function traceback(message)
  if type(message) == "string" then return debug.traceback(message, 2) end
  return message
end

--- Starts `fn(...)` as a task of its own; it runs until its first wait before start returns.
---@param fn function
---@param ... any its arguments
---@return deskpilot.task
function task.start(fn, ...)
  local self = setmetatable({ waiters = {}, children = {}, parent = current }, Task)
  if current then current.children[self] = true end
  self.co = coroutine.create(function(...)
    local result = table.pack(xpcall(fn, traceback, ...))
    if result[1] then return table.unpack(result, 2, result.n) end
    error(result[2], 0)
  end)
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

--- Calls fn(...) with a limit; a waiting fn is cancelled when the time is up.
---@param seconds number
---@param fn function
---@param ... any its arguments
---@return boolean ok, ... fn's results; or false and its error, code "timed_out" for the limit
function task.limit(seconds, fn, ...)
  local work = task.start(fn, ...)
  if not work.result then
    task.await(function(done)
      local timer = uv.new_timer()
      local function close() if not timer:is_closing() then timer:close() end end
      local function finished() close() done() end
      table.insert(work.waiters, finished)
      uv.update_time()
      timer:start(math.ceil(seconds * 1000), 0, finished)
      return close
    end)
  end
  if not work.result then
    work:cancel("out of time")
    return false, errors.new("timed_out", "out of time after %g s", seconds)
  end
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

--- Runs the loop until fn(...) has ended: the program's outermost call, made once from the main
--- state. `on_interrupt(signal)` is called on SIGINT, SIGTERM and SIGHUP.
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
