--- Running a program to its end: what it is given, what it says, and that nothing of it is left behind when it
--- is not waited for any more. For desk.apps.run; on a private desktop its host does it (host_runs.lua).
local uv = require "luv"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local platform = require "deskpilot.desk.platform"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local program = {}

--- Seconds that the output of a program that has ended is waited for, where something that it has left behind
--- holds it open.
program.output_patience = 0.5

--- The most that is kept of either output, in bytes, if it is not told.
program.max_output = 1024 * 1024

---@class deskpilot.program_options
---@field argv string[]
---@field input string? all of its input
---@field timeout number seconds
---@field cwd string?
---@field env string[]? lines NAME=VALUE; ours if it is not given
---@field max_output integer? bytes of either output that are kept
---@field on_start fun(pid: integer)? called when it runs, and
---@field on_end fun(pid: integer)? when it has ended

---@class deskpilot.program_result
---@field status integer its exit status; 128 and the signal's number for one that a signal ended
---@field stdout string
---@field stderr string
---@field seconds number
---@field truncated boolean whether more was said than was kept

--- The error for a program that could not be started, by what luv said.
---@param name string
---@param why string
---@return nil, deskpilot.error
function program.not_started(name, why)
  why = tostring(why)
  if why:match("^ENOENT") then return errors.fail("not_found", "%s", platform.no_program(name)) end
  return errors.fail(why:match("^EACCES") and "refused" or "io", "cannot start %s: %s", name,
    (why:gsub("^%u+: ", ""):gsub(": .*", "")))
end

local Process = {}
Process.__index = Process

-- Called whenever a part of it has ended: the process, either output.
local function part_ended(self)
  self.open = self.open - 1
  if self.open == 0 and self.wake then self.wake() end
end

local function close(handle)
  if handle and not handle:is_closing() then handle:close() end
end

-- Takes in an output, and drops what is too much.
local function collect(self, pipe, field)
  local parts, size = {}, 0
  self.parts[field] = parts
  pipe:read_start(function(_, data)
    if not data then
      close(pipe)
      return part_ended(self)
    end
    local room = self.max_output - size
    if #data > room then
      self.truncated = true
      data = data:sub(1, room)
    end
    size = size + #data
    parts[#parts + 1] = data
  end)
end

-- An output may be held open by what the program has left running.
local function limit_output(self)
  self.patience = uv.new_timer()
  self.patience:start(math.ceil(program.output_patience * 1000), 0, function()
    for _, pipe in ipairs(self.pipes) do
      if not pipe:is_closing() then
        close(pipe)
        part_ended(self)
      end
    end
  end)
end

local function ended(self, status, signal)
  self.status = signal ~= 0 and 128 + signal or status
  close(self.handle)
  if self.on_end then self.on_end(self.pid) end
  limit_output(self)
  part_ended(self)
end

local function start(options)
  local name = options.argv[1]
  if options.cwd and not files.is_folder(options.cwd) then
    return errors.fail("not_found", "there is no folder %s to run %s in", options.cwd, name)
  end
  local self = setmetatable({ open = 3, parts = {}, pipes = { uv.new_pipe(), uv.new_pipe() },
    max_output = options.max_output or program.max_output, on_end = options.on_end, truncated = false }, Process)
  self.input = options.input and uv.new_pipe()
  local pid
  self.handle, pid = platform.spawn(name, { args = { table.unpack(options.argv, 2) }, cwd = options.cwd,
    env = options.env, stdio = { self.input, self.pipes[1], self.pipes[2] }, detached = platform.own_group,
    hide_console = true },
    function(status, signal) ended(self, status, signal) end)
  if not self.handle then
    self.open = 0
    self:stop()
    return program.not_started(name, pid)
  end
  self.pid = pid
  if options.on_start then options.on_start(pid) end
  for i, field in ipairs { "stdout", "stderr" } do collect(self, self.pipes[i], field) end
  -- A program that does not read it all is no failure.
  if self.input then self.input:write(options.input, function() close(self.input) end) end
  return self
end

-- Waits for the end of the process and of its output; whether it came in time.
local function wait(self, seconds)
  if self.open == 0 then return true end
  task.await(function(done)
    local timer = uv.new_timer()
    local function stop()
      self.wake = nil
      close(timer)
    end
    function self.wake()
      stop()
      done()
    end
    uv.update_time()
    timer:start(math.ceil(seconds * 1000), 0, self.wake)
    return stop
  end)
  return self.open == 0
end

--- Lets go of everything; a program that still runs is ended, and what comes from it.
function Process:stop()
  if self.pid and not self.status then platform.end_tree(self.pid) end
  close(self.patience)
  close(self.input)
  for _, pipe in ipairs(self.pipes) do close(pipe) end
end

local function said(self, field)
  return table.concat(self.parts[field])
end

local function last_words(self)
  local words = text.one_line(said(self, "stderr"):match("([^\n]*%S[^\n]*)\n*$") or "")
  return words ~= "" and "; it said: " .. text.cut(words, 200) or ""
end

--- Runs a program and waits for its end. It is ended, with all that comes from it, when the time is up or when
--- the task that waits is cancelled.
---@param options deskpilot.program_options
---@return deskpilot.program_result? result, deskpilot.error? err code "timed_out": with what it had said by
---  then in err.stdout and err.stderr
function program.run(options)
  local began = task.now()
  local self, err = start(options)
  if not self then return nil, err end
  local guard <close> = setmetatable({}, { __close = function() self:stop() end })
  assert(guard)
  if not wait(self, options.timeout) then
    local failure = errors.new("timed_out", "%s", ("%s did not end within %g s and was ended%s"):format(
      options.argv[1], options.timeout, last_words(self)))
    failure.stdout, failure.stderr = said(self, "stdout"), said(self, "stderr")
    return nil, failure
  end
  return { status = self.status, stdout = said(self, "stdout"), stderr = said(self, "stderr"),
    seconds = task.now() - began, truncated = self.truncated }
end

return program
