--- The host of a private desktop on Windows: two processes, so that the desktop is removed even if its parent is
--- killed. The first, `deskpilot --desktop-host`, creates a Windows desktop and runs the second on it, `deskpilot
--- --desktop-host NAME`. Programs that the second starts are on the same desktop, and in a job object that is closed
--- when the first ends. The second reads commands and writes events (host_line.lua); at the end of its input and on
--- "stop" it ends, and everything with it.
---
--- The desktop has the size of the user's screen, whatever size is requested, and programs see the user's files.
local uv = require "luv"
local native = require "native.desk"
local system = require "native.system"
local environment = require "deskpilot.desk.platform.environment"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local host_line = require "deskpilot.desk.private.host_line"
local host_runs = require "deskpilot.desk.private.host_runs"
local pipes = require "deskpilot.desk.app.pipes"
local platform = require "deskpilot.desk.platform"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local private_host = {}

--- Seconds.
private_host.timing = {
  poll = 0.005,  -- between two checks of a condition
  close = 0.3,   -- from asking windows to close until their processes are killed
}

local state -- of this process's desktop

-- --- applications ---------------------------------------------------------------------------------

local function last_line(log)
  local last = text.after_last(text.trim(files.read(log, 1 << 20) or ""), "\n")
  return last ~= "" and text.cut(text.one_line(last), 200) or nil
end

local function ended(process, status, signal)
  state.running[process] = nil
  process.handle:close()
  state.line:say { event = "exit", pid = process.pid, status = status, signal = signal,
    words = last_line(process.log) }
end

local function new_log(program)
  state.logs = state.logs + 1
  local name = select(2, files.split(program)):gsub("[^%w%-]", "_")
  return files.join(state.folder, ("%d-%s.log"):format(state.logs, name))
end

-- Starts a program with its output in a log file, and with these file descriptors 3 and 4. It inherits this process's
-- desktop.
local function spawn(command, descriptors)
  local argv = command.argv
  local process = { log = new_log(argv[1]) }
  local log = files.append(process.log, { private = true })
  local handle, pid = platform.spawn(argv[1], { args = { table.unpack(argv, 2) },
    env = environment.of("private", state.env, command.env), stdio = { nil, log, log, table.unpack(descriptors) } },
    function(status, signal) ended(process, status, signal) end)
  if log then uv.fs_close(log) end
  if not handle then
    local code = tostring(pid):match("^ENOENT") and "not_found" or "io"
    return errors.fail(code, "cannot start %s: %s", argv[1], tostring(pid):gsub("^%u+: ", ""):gsub(": .*", ""))
  end
  process.handle, process.pid = handle, pid
  state.running[process] = true
  return process
end

local function start_app(command)
  if not command.pipes then return spawn(command, {}) end
  local descriptors, release = pipes.join(command.pipes)
  if not descriptors then return nil, release end
  local process, err = spawn(command, descriptors)
  release()
  return process, err
end

-- --- ending ---------------------------------------------------------------------------------------

-- Asks all windows to close, so that applications can save their state. Applications that show a question instead are
-- killed with the job.
local function close_windows()
  local desk <close> = native.open {}
  for _, window in ipairs(desk and desk:windows() or {}) do desk:close_window(window.id) end
  local limit = task.now() + private_host.timing.close
  while next(state.running) and task.now() < limit do task.sleep(private_host.timing.poll) end
end

local function stop()
  if state.stopping then return end
  state.stopping = true
  state.line:close()
  task.start(function()
    close_windows()
    state.line:say { event = "stopped" }
    state.wake()
  end)
end

-- --- commands -------------------------------------------------------------------------------------

local commands = {}

function commands.start(command)
  state.env = command.env or {}
  state.line:say { event = "ready", display = state.name, folder = state.folder }
end

function commands.app(command)
  state.line:say_app(command, start_app(command))
end

function commands.run(command)
  host_runs.start(state.line, command, { env = environment.of("private", state.env, command.env) })
end

function commands.cancel(command)
  host_runs.cancel(command)
end

function commands.stop()
  stop()
end

-- --- the two processes ----------------------------------------------------------------------------

local function folder_of(name)
  return files.join(files.temporary_folder(), name)
end

-- The second process, on the private desktop.
local function serve(name)
  state = { name = name, folder = folder_of(name), env = {}, running = {}, logs = 0,
    line = host_line.open() }
  local ok, err = task.run(nil, function()
    task.await(function(done)
      state.wake = done
      state.line:listen(commands)
    end)
  end)
  if not ok then warn("the private desktop's host failed: ", tostring(err)) end
  return ok and 0 or 1
end

-- The first process: creates the desktop, which gets the unique name of the temporary folder.
local function make()
  local ok, err = system.hold_descendants()
  if not ok then return nil, err end
  local folder, why = files.make_temporary_folder(files.temporary_folder(), "deskpilot-")
  if not folder then return nil, why end
  local status, failure = system.run_on_desktop(select(2, files.split(folder)))
  files.remove(folder)
  return status, failure
end

--- The host's main function. Returns its exit status.
---@param arguments string[] none in the first process; the desktop's name in the second
---@return integer
function private_host.main(arguments)
  if arguments[1] then return serve(arguments[1]) end
  local status, err = make()
  if status then return status end
  io.stdout:write(json.encode { event = "failed", code = err.code, message = tostring(err) }, "\n")
  return 1
end

return private_host
