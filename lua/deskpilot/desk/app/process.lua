--- Child processes with pipes both ways: programs that stay and are talked to, and those that are run to their end
--- (program.lua). A child ends with deskpilot, even if that is killed: on Linux by the kernel (`deskpilot
--- --die-with-parent`), on Windows by libuv's job object, whose processes die with its last handle. What it has started
--- itself is ended by stop() and kill().
local uv = require "luv"
local environment = require "deskpilot.desk.platform.environment"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local platform = require "deskpilot.desk.platform"
local stream = require "deskpilot.desk.app.stream"
local system = require "native.system"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local process = {}

--- Seconds.
process.timing = {
  output = 0.5, -- from the end of a process to that of its outputs, which a process that it has left may hold open
  leave = 2,    -- stop: from the end of its input to SIGTERM
  term = 2,     -- stop: from SIGTERM to SIGKILL
}

--- Default for the bytes of an output that are kept.
process.max_output = 1024 * 1024

--- The error for a program that could not be started.
---@param name string
---@param why string luv's error message
---@return nil, deskpilot.error
function process.not_started(name, why)
  why = tostring(why)
  if why:match("^ENOENT") then return errors.fail("not_found", "%s", platform.no_program(name)) end
  return errors.fail(why:match("^EACCES") and "refused" or "io", "cannot start %s: %s", name,
    (why:gsub("^%u+: ", ""):gsub(": .*", "")))
end

---@class deskpilot.process_options
---@field argv string[] the program, which is looked up in PATH, and its arguments
---@field cwd string?
---@field env string[]? lines NAME=VALUE; default: environment.of "child"
---@field input boolean? false: it gets no input at all
---@field output "flow"|"head"|nil what is kept of its standard output: "flow" (the default): all, until it is read; a
---  child that writes more than max_output ahead has to wait. "head": the first max_output bytes, the rest is dropped
---@field complaints "tail"|"head"|nil what is kept of its standard error; "tail" (the default): the last bytes
---@field max_output integer? bytes of each output that are kept, and the longest line that line() gives
---@field verbatim boolean? on Windows the arguments are not quoted
---@field on_start fun(pid: integer)? called when it runs
---@field on_end fun(pid: integer)? called when it has ended

---@class deskpilot.process
---@field name string the program, as the caller called it
---@field pid integer
---@field status integer? once it has ended: its exit status; 128 plus the signal's number if a signal ended it
---@field stdout deskpilot.stream
---@field stderr deskpilot.stream
local Process = {}
Process.__index = Process

local function close(handle)
  if handle and not handle:is_closing() then handle:close() end
end

local function notify(self)
  local waiters = self.waiters
  self.waiters = {}
  for waiter in pairs(waiters) do waiter() end
end

-- Waits until ready() returns something, or for that many seconds; nil then.
local function wait_until(self, seconds, ready)
  local limit = task.now() + seconds
  while true do
    local value = ready()
    if value then return value end
    local left = limit - task.now()
    if left <= 0 then return nil end
    task.await(function(done)
      local timer = uv.new_timer()
      local function finish()
        self.waiters[finish] = nil
        close(timer)
        done()
      end
      self.waiters[finish] = true
      uv.update_time()
      timer:start(math.ceil(math.min(left, 1e6) * 1000), 0, finish)
      return function()
        self.waiters[finish] = nil
        close(timer)
      end
    end)
  end
end

local function path_in(lines)
  for _, line in ipairs(lines) do
    local name, value = line:match("^([^=]+)=(.*)$")
    if name == "PATH" then return value end
  end
end

-- What is executed for argv on Linux: our own program, which asks the kernel to be ended with us and then becomes the
-- other one. What cannot be found is left to spawn, which says why.
local function command_of(argv, cwd, env)
  if system.platform == "windows" then return argv end
  local program = argv[1]
  if program:find("/", 1, true) then program = files.join(cwd or uv.cwd(), program) end
  program = platform.on_path(program, path_in(env))
  if not program then return argv end
  return { "/proc/self/exe", "--die-with-parent", tostring(uv.os_getpid()), program, table.unpack(argv, 2) }
end

local function ended(self, status, signal)
  self.status = signal ~= 0 and 128 + signal or status
  close(self.handle)
  close(self.input)
  if self.on_end then self.on_end(self.pid) end
  self.output_timer = uv.new_timer()
  self.output_timer:start(math.ceil(process.timing.output * 1000), 0, function()
    self.stdout:close()
    self.stderr:close()
    close(self.output_timer)
    notify(self)
  end)
  notify(self)
end

--- Starts a program.
---@param options deskpilot.process_options
---@return deskpilot.process? process, deskpilot.error? err
function process.start(options)
  local name, cwd = options.argv[1], options.cwd
  if cwd and not files.is_folder(cwd) then
    return errors.fail("not_found", "there is no folder %s to run %s in", cwd, name)
  end
  local self = setmetatable({ name = name, waiters = {}, on_end = options.on_end }, Process)
  local function changed() notify(self) end
  local kept = options.max_output or process.max_output
  self.input = options.input ~= false and uv.new_pipe() or nil
  self.stdout = stream.new(options.output or "flow", kept, changed)
  self.stderr = stream.new(options.complaints or "tail", kept, changed)
  local env = options.env or environment.of "child"
  local argv = command_of(options.argv, cwd, env)
  local pid
  self.handle, pid = platform.spawn(argv[1], { args = { table.unpack(argv, 2) }, cwd = cwd, env = env,
    stdio = { self.input, self.stdout.pipe, self.stderr.pipe }, detached = platform.own_group, hide_console = true,
    verbatim = options.verbatim },
    function(status, signal) ended(self, status, signal) end)
  if not self.handle then
    self:release()
    return process.not_started(name, pid)
  end
  self.pid = pid
  if options.on_start then options.on_start(pid) end
  self.stdout:start()
  self.stderr:start()
  return self
end

--- The last line that it has written to its standard error, "" where there is none.
---@return string
function Process:last_words()
  local line = text.one_line(text.after_last(text.trim(self.stderr:contents()), "\n"))
  return text.cut(line, 200)
end

-- "NAME has ended with status 3; it said: ...": a pipe may be heard to be closed before either is known.
local function gone(self)
  wait_until(self, process.timing.output, function() return self.status and self.stderr:is_over() end)
  local words = self:last_words()
  return errors.fail("io", "%s has ended%s%s", self.name, self.status and " with status " .. self.status or "",
    words ~= "" and "; it said: " .. words or "")
end

--- Writes to its standard input, and waits until the child has taken it or the system has room for it.
---@param bytes string
---@param seconds number? 10
---@return boolean? ok, deskpilot.error? err code "io" where it has ended, "timed_out" where it does not read
function Process:write(bytes, seconds)
  seconds = seconds or 10
  if self.status or not self.input or self.input:is_closing() then return gone(self) end
  local done, why
  self.input:write(bytes, function(err)
    done, why = true, err
    notify(self)
  end)
  if not wait_until(self, seconds, function() return done or self.status end) then
    return errors.fail("timed_out", "%s has not read its input for %g s", self.name, seconds)
  end
  if not done or why then return gone(self) end
  return true
end

--- Ends its standard input, after what was written to it before and these bytes. Does not wait: a program need not read
--- all of its input.
---@param bytes string?
function Process:close_input(bytes)
  local input = self.input
  if not input or input:is_closing() then return end
  if bytes then input:write(bytes) end
  input:shutdown(function() close(input) end)
end

-- What take() finds in the output, waiting for it.
local function receive(self, seconds, what, take)
  local found, err
  wait_until(self, seconds, function()
    found, err = take(self.stdout)
    return found or err or self.stdout.ended
  end)
  if found then return found end
  if err then return errors.fail("protocol", "%s wrote %s", self.name, err) end
  if self.stdout.ended then return gone(self) end
  return errors.fail("timed_out", "%s has not written %s within %g s", self.name, what, seconds)
end

--- The next line of its standard output, without the line's end. A last line without one counts.
---@param seconds number how long to wait for it
---@return string? line
---@return deskpilot.error? err code "timed_out"; "io" at the end of the output; "protocol" for a line longer than
---  max_output
function Process:line(seconds)
  return receive(self, seconds, "a line", stream.take_line)
end

--- The next bytes of its standard output, at least one.
---@param seconds number how long to wait for them
---@return string? bytes, deskpilot.error? err as for line
function Process:read(seconds)
  return receive(self, seconds, "anything", stream.take_all)
end

--- Waits until it has ended, and its outputs with it.
---@param seconds number
---@return integer? status, deskpilot.error? err code "timed_out" while it runs
function Process:wait(seconds)
  local over = wait_until(self, seconds, function()
    return self.status and self.stdout:is_over() and self.stderr:is_over()
  end)
  if over or self.status then return self.status end
  return errors.fail("timed_out", "%s still runs after %g s", self.name, seconds)
end

local function wait_for_exit(self, seconds)
  return wait_until(self, seconds, function() return self.status end)
end

--- Ends it: by the end of its input, then by SIGTERM where the system has that, then by killing it and what it has
--- started. May be called more than once.
---@return integer? status
function Process:stop()
  self:close_input()
  if not wait_for_exit(self, process.timing.leave) and platform.polite then
    uv.kill(self.pid, "sigterm")
    wait_for_exit(self, process.timing.term)
  end
  self:kill()
  wait_for_exit(self, process.timing.term)
  return self.status
end

--- Kills it and what it has started, and releases everything. Does not wait.
function Process:kill()
  if self.pid and not self.status then platform.end_tree(self.pid) end
  self:release()
end

--- Closes its pipes.
---@private
function Process:release()
  close(self.output_timer)
  close(self.input)
  self.stdout:close()
  self.stderr:close()
  notify(self) -- whoever waits for the end of its output
end

Process.__close = Process.kill -- local child <close> = process.start { ... }

return process
