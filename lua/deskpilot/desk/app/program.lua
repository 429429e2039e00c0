--- Runs a program to its end, with its input and outputs, and kills it with its child processes when the caller stops
--- waiting. For desk.apps.run; on a private desktop the host process runs this (host_runs.lua).
local errors = require "deskpilot.base.errors"
local process = require "deskpilot.desk.app.process"
local task = require "deskpilot.base.task"

local program = {}

---@class deskpilot.program_options
---@field argv string[]
---@field input string? its standard input
---@field timeout number seconds
---@field cwd string?
---@field env string[]? lines NAME=VALUE; default: as for process.start
---@field max_output integer? bytes of each output that are kept
---@field verbatim boolean? as for process.start
---@field on_start fun(pid: integer)? called when it runs
---@field on_end fun(pid: integer)? called when it has ended

---@class deskpilot.program_result
---@field status integer its exit status; 128 plus the signal's number if a signal ended it
---@field stdout string
---@field stderr string
---@field seconds number
---@field truncated boolean whether an output was longer than what was kept

--- Runs a program and waits for its end. After the timeout, or when the waiting task is cancelled, the program is
--- killed with its child processes.
---@param options deskpilot.program_options
---@return deskpilot.program_result? result, deskpilot.error? err code "timed_out": err.stdout and err.stderr hold the
---  output until then
function program.run(options)
  local began = task.now()
  local child <close>, err = process.start { argv = options.argv, cwd = options.cwd,
    env = options.env, input = options.input ~= nil, output = "head", complaints = "head",
    max_output = options.max_output, verbatim = options.verbatim, on_start = options.on_start, on_end = options.on_end }
  if not child then return nil, err end
  if options.input then child:close_input(options.input) end
  local status = child:wait(options.timeout)
  local stdout, stderr = child.stdout:contents(), child.stderr:contents()
  if not status then
    local words = child:last_words()
    local failure = errors.new("timed_out", "%s", ("%s did not end within %g s and was killed%s"):format(
      options.argv[1], options.timeout, words ~= "" and "; it said: " .. words or ""))
    failure.stdout, failure.stderr = stdout, stderr
    return nil, failure
  end
  return { status = status, stdout = stdout, stderr = stderr, seconds = task.now() - began,
    truncated = child.stdout.truncated or child.stderr.truncated or false }
end

return program
