--- Runs a program to its end, with its input and outputs, and kills it with its child processes when the caller stops
--- waiting. For desk.apps.run; on a private desktop the host process runs this (host_runs.lua).
local uv = require "luv"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local platform = require "deskpilot.desk.platform"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local program = {}

--- Seconds to wait for the end of the outputs after the program has ended. A process that it has left running may hold
--- them open.
program.output_timeout = 0.5

--- Default for the bytes that are kept of each output.
program.max_output = 1024 * 1024

---@class deskpilot.program_options
---@field argv string[]
---@field input string? its standard input
---@field timeout number seconds
---@field cwd string?
---@field env string[]? lines NAME=VALUE; default: the environment of deskpilot
---@field max_output integer? bytes of each output that are kept
---@field on_start fun(pid: integer)? called when it runs
---@field on_end fun(pid: integer)? called when it has ended

---@class deskpilot.program_result
---@field status integer its exit status; 128 plus the signal's number if a signal ended it
---@field stdout string
---@field stderr string
---@field seconds number
---@field truncated boolean whether an output was longer than what was kept

--- The error for a program that could not be started.
---@param name string
---@param why string luv's error message
---@return nil, deskpilot.error
function program.not_started(name, why)
  why = tostring(why)
  if why:match("^ENOENT") then return errors.fail("not_found", "%s", platform.no_program(name)) end
  return errors.fail(why:match("^EACCES") and "refused" or "io", "cannot start %s: %s", name,
    (why:gsub("^%u+: ", ""):gsub(": .*", "")))
end

local Process = {}
Process.__index = Process

-- Called when one of three parts has ended: the process, its standard output, its standard error.
local function part_ended(self)
  self.open = self.open - 1
  if self.open == 0 and self.wake then self.wake() end
end

local function close(handle)
  if handle and not handle:is_closing() then handle:close() end
end

-- Reads an output to its end, and drops what exceeds max_output.
local function collect(self, pipe, field)
  local parts, size = {}, 0
  self.parts[field] = parts
  pipe:read_start(function(_, data)
    if not data then
      close(pipe)
      return part_ended(self)
    end
    local capacity = self.max_output - size
    if #data > capacity then
      self.truncated = true
      data = data:sub(1, capacity)
    end
    size = size + #data
    parts[#parts + 1] = data
  end)
end

-- Closes outputs that are still open output_timeout after the end of the program.
local function limit_output(self)
  self.output_timer = uv.new_timer()
  self.output_timer:start(math.ceil(program.output_timeout * 1000), 0, function()
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
  -- The write may fail, because a program need not read all of its input.
  if self.input then self.input:write(options.input, function() close(self.input) end) end
  return self
end

-- Waits until the process and its outputs have ended. False after the timeout.
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

--- Releases everything. A program that still runs is killed with its child processes.
function Process:stop()
  if self.pid and not self.status then platform.end_tree(self.pid) end
  close(self.output_timer)
  close(self.input)
  for _, pipe in ipairs(self.pipes) do close(pipe) end
end

local function output(self, field)
  return table.concat(self.parts[field])
end

local function describe_last_output(self)
  local line = text.one_line(output(self, "stderr"):match("([^\n]*%S[^\n]*)\n*$") or "")
  return line ~= "" and "; it said: " .. text.cut(line, 200) or ""
end

--- Runs a program and waits for its end. After the timeout, or when the waiting task is cancelled, the program is
--- killed with its child processes.
---@param options deskpilot.program_options
---@return deskpilot.program_result? result, deskpilot.error? err code "timed_out": err.stdout and err.stderr hold the
---  output until then
function program.run(options)
  local began = task.now()
  local self, err = start(options)
  if not self then return nil, err end
  local guard <close> = setmetatable({}, { __close = function() self:stop() end })
  assert(guard)
  if not wait(self, options.timeout) then
    local failure = errors.new("timed_out", "%s", ("%s did not end within %g s and was killed%s"):format(
      options.argv[1], options.timeout, describe_last_output(self)))
    failure.stdout, failure.stderr = output(self, "stdout"), output(self, "stderr")
    return nil, failure
  end
  return { status = self.status, stdout = output(self, "stdout"), stderr = output(self, "stderr"),
    seconds = task.now() - began, truncated = self.truncated }
end

return program
