--- Programs that a private desktop's host runs to their end for its parent (by program.lua). Their messages on the
--- connection (host_line.lua):
---
--- commands: {"command":"run","id":..,"argv":[..],"input":..,"timeout":..,"cwd":..,"env":{..},"max_output":..,
---            "verbatim":..}
---           {"command":"cancel","id":..}
--- events:   {"event":"ran","id":..,"status":..,"stdout":..,"stderr":..,"seconds":..,"truncated":..}
---           {"event":"ran","id":..,"code":..,"message":..,"stdout":..,"stderr":..}
---
--- Bytes are encoded as the characters U+0000 to U+00FF, because JSON strings hold characters only.
local errors = require "deskpilot.base.errors"
local program = require "deskpilot.desk.app.program"
local task = require "deskpilot.base.task"

local host_runs = {}

local character, byte = {}, {}
for code = 0x80, 0xff do
  character[string.char(code)] = utf8.char(code)
  byte[utf8.char(code)] = string.char(code)
end

local function to_line(bytes)
  return bytes and (bytes:gsub("[\x80-\xff]", character))
end

local function from_line(characters)
  return characters and (characters:gsub("[\xc2\xc3][\x80-\xbf]", byte))
end

local tasks = {} -- running ones, by their id

--- In the host: answers the command "run".
---@param line table of host_line.lua
---@param command table
---@param options { env: string[], on_start: function?, on_end: function? }
function host_runs.start(line, command, options)
  tasks[command.id] = task.start(function()
    local result, err = program.run { argv = command.argv, input = from_line(command.input),
      timeout = command.timeout, cwd = command.cwd, max_output = command.max_output, verbatim = command.verbatim,
      env = options.env,
      on_start = options.on_start, on_end = options.on_end }
    local event = result or { code = err.code, message = tostring(err), stdout = err.stdout, stderr = err.stderr }
    event.event, event.id = "ran", command.id
    event.stdout, event.stderr = to_line(event.stdout), to_line(event.stderr)
    line:say(event)
    tasks[command.id] = nil
  end)
  if tasks[command.id] and tasks[command.id]:ended() then tasks[command.id] = nil end
end

--- In the host: answers the command "cancel".
---@param command { id: integer }
function host_runs.cancel(command)
  local running = tasks[command.id]
  tasks[command.id] = nil
  if running then running:cancel("the caller has stopped waiting") end
end

--- In the parent: the command for a run with these options.
---@param id integer
---@param options deskpilot.program_options with env as a table of variables to add
---@return table command
function host_runs.command(id, options)
  return { command = "run", id = id, argv = options.argv, input = to_line(options.input), timeout = options.timeout,
    cwd = options.cwd, env = options.env, max_output = options.max_output, verbatim = options.verbatim }
end

--- In the parent: the result of program.run in the host.
---@param event table
---@return deskpilot.program_result? result, deskpilot.error? err
function host_runs.result(event)
  local stdout, stderr = from_line(event.stdout), from_line(event.stderr)
  if event.status then
    return { status = event.status, stdout = stdout, stderr = stderr, seconds = event.seconds,
      truncated = event.truncated }
  end
  local err = errors.new(event.code, "%s", event.message)
  err.stdout, err.stderr = stdout, stderr
  return nil, err
end

return host_runs
