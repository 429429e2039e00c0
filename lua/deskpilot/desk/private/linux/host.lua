--- The host process of a private desktop (`deskpilot --desktop-host`). It is a process of its own, so that the desktop
--- is removed even if its parent is killed. It reads commands as JSON lines from standard input and writes events to
--- standard output (host_line.lua lists them). At the end of the input, on "stop" and on SIGTERM it ends everything and
--- itself.
local uv = require "luv"
local native = require "native.desk"
local system = require "native.system"
local environment = require "deskpilot.desk.platform.environment"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local host_line = require "deskpilot.desk.private.host_line"
local host_runs = require "deskpilot.desk.private.host_runs"
local pipes = require "deskpilot.desk.app.pipes"
local platform = require "deskpilot.desk.platform"
local processes = require "deskpilot.desk.platform.linux.processes"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local private_host = {}

local REFRESH_RATE = 165 -- Hz

--- Seconds.
private_host.timing = {
  server_start = 10, bus_start = 10, manager_start = 10,
  poll = 0.005,      -- between two checks of a condition
  term = 0.3,        -- from SIGTERM to SIGKILL
  server_end = 0.3,
}

-- The session bus: its socket is in our folder, and applications may start the installed services.
local bus_config = [[
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=%s</listen>
  <auth>EXTERNAL</auth>
  <standard_session_servicedirs />
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
]]

-- One workspace; new windows get the focus; none of openbox's default key bindings, which applications may need.
local manager_config = [[
<?xml version="1.0" encoding="UTF-8"?>
<openbox_config xmlns="http://openbox.org/3.4/rc">
  <focus><focusNew>yes</focusNew><followMouse>no</followMouse></focus>
  <theme><animateIconify>no</animateIconify></theme>
  <placement><policy>Smart</policy><center>yes</center></placement>
  <desktops><number>1</number><popupTime>0</popupTime></desktops>
  <keyboard>
    <keybind key="A-F4"><action name="Close"/></keybind>
    <keybind key="A-Tab"><action name="NextWindow"/></keybind>
  </keyboard>
  <mouse>
    <context name="Titlebar">
      <mousebind button="Left" action="Drag"><action name="Move"/></mousebind>
      <mousebind button="Left" action="DoubleClick"><action name="ToggleMaximize"/></mousebind>
    </context>
    <context name="Titlebar Top Right Bottom Left TLCorner TRCorner BRCorner BLCorner">
      <mousebind button="Left" action="Press">
        <action name="Focus"/><action name="Raise"/>
      </mousebind>
    </context>
    <context name="TLCorner TRCorner BRCorner BLCorner Top Right Bottom Left">
      <mousebind button="Left" action="Drag"><action name="Resize"/></mousebind>
    </context>
    <context name="Client">
      <mousebind button="Left" action="Press"><action name="Focus"/><action name="Raise"/></mousebind>
      <mousebind button="Middle" action="Press"><action name="Focus"/><action name="Raise"/></mousebind>
      <mousebind button="Right" action="Press"><action name="Focus"/><action name="Raise"/></mousebind>
    </context>
    <context name="Close"><mousebind button="Left" action="Click"><action name="Close"/></mousebind></context>
    <context name="Maximize">
      <mousebind button="Left" action="Click"><action name="ToggleMaximize"/></mousebind>
    </context>
    <context name="Iconify"><mousebind button="Left" action="Click"><action name="Iconify"/></mousebind></context>
  </mouse>
</openbox_config>
]]

local state -- of this process's desktop

-- --- processes ------------------------------------------------------------------------------------

local function base_environment(asked)
  local env = environment.inherited "private"
  env.HOME = files.join(state.folder, "home")
  env.XDG_RUNTIME_DIR = files.join(state.folder, "run")
  env.LANG = env.LANG or env.LC_ALL or "C.UTF-8"
  env.GDK_BACKEND, env.QT_QPA_PLATFORM, env.XDG_SESSION_TYPE = "x11", "xcb", "x11"
  env.GSETTINGS_BACKEND = "memory" -- without a settings service and without the user's settings
  env.ACCESSIBILITY_ENABLED, env.QT_LINUX_ACCESSIBILITY_ALWAYS_ON = "1", "1"
  for key, value in pairs(asked or {}) do env[key] = tostring(value) end
  return env
end

-- What lies in the desktop's folder goes with it: nothing has to be on the disk after a power failure.
local private = { private = true, sync = false }

local function last_line(log)
  local last = text.after_last(text.trim(files.read(log, 1 << 20) or ""), "\n")
  return last ~= "" and text.cut(text.one_line(last), 200) or nil
end

-- Starts a program with its output in a log file. `extra` become its file descriptors 3 and 4. Its end is reported to
-- the parent and stored in process.ended.
local function spawn(name, argv, options)
  options = options or {}
  local process = { name = name, log = files.join(state.folder, ("log/%d-%s.log"):format(state.logs,
    name:gsub("[^%w%-]", "_"))) }
  state.logs = state.logs + 1
  local log = files.append(process.log, private)
  local handle, pid = uv.spawn(argv[1], { args = { table.unpack(argv, 2) }, detached = true, cwd = options.cwd,
    env = environment.lines(state.env, options.env), stdio = { nil, log, log, table.unpack(options.extra or {}) } },
    function(status, signal)
      process.ended = { status = status, signal = signal }
      state.known[process.pid] = nil
      process.handle:close()
      state.line:say { event = "exit", pid = process.pid, status = status, signal = signal,
        words = last_line(process.log) }
    end)
  if log then uv.fs_close(log) end
  if not handle then
    return errors.fail("io", "cannot start %s: %s", argv[1], tostring(pid):gsub("^%u+: ", ""))
  end
  process.handle, process.pid = handle, pid
  state.known[pid] = process
  return process
end

local function died(process)
  return errors.fail("io", "%s ended at once: %s", process.name, last_line(process.log)
    or "status " .. process.ended.status)
end

-- Waits until ready() returns something. An error if the process ends, and after the timeout.
local function wait_for(process, seconds, ready)
  local limit = task.now() + seconds
  while true do
    local value = ready()
    if value then return value end
    if process.ended then return died(process) end
    if task.now() > limit then
      return errors.fail("timed_out", "%s was not ready within %g s", process.name, seconds)
    end
    task.sleep(private_host.timing.poll)
  end
end

-- Starts a server, waits for the first line that it writes to file descriptor 3, and returns the line and the process.
-- The server must end with this process, even if this one is killed by SIGKILL; programs with windows then end with the
-- server. For that the server is started by `deskpilot --die-with-parent`, which sets PR_SET_PDEATHSIG and then
-- executes the server. /proc/self/exe is this program even if its file has been replaced.
local function first_line(name, argv, seconds)
  local pipe = uv.new_pipe()
  local process, err = spawn(name, { "/proc/self/exe", "--die-with-parent", tostring(uv.os_getpid()),
    table.unpack(argv) }, { extra = { pipe } })
  if not process then
    pipe:close()
    return nil, err
  end
  local got = ""
  pipe:read_start(function(_, data)
    if data then got = got .. data end
  end)
  local line, failure = wait_for(process, seconds, function() return got:match("^([^\n]+)\n") end)
  pipe:close()
  return line, line and process or failure
end

-- --- starting -------------------------------------------------------------------------------------

local function check_programs()
  local missing, advice = platform.private_needs()
  if #missing == 0 then return true end
  return errors.fail("unavailable", "a private desktop needs %s: %s", text.join(missing), advice)
end

local function make_folder()
  local base = os.getenv("TMPDIR") or "/tmp"
  if #base > 60 then base = "/tmp" end -- the paths of sockets are limited to 108 bytes
  local folder = files.join(base, "deskpilot-" .. text.hex(uv.random(5))) -- short, for the same reason
  state.line:say { event = "folder", folder = folder } -- the parent removes it if this process is killed
  local made, why = files.make_new_folder(folder, private)
  if not made then return nil, why or errors.new("io", "there is a file %s already", folder) end
  state.folder = folder
  for _, name in ipairs { "run", "home", "log" } do
    local ok, err = files.make_folder(files.join(folder, name), private)
    if not ok then return nil, err end
  end
  return true
end

-- Writes an Xauthority file with a random cookie: without one, other users of this machine could open the display. The
-- display's number is not known yet, so the entry is for any (family 65535, FamilyWild). For the format see Xau(3).
local function make_cookie()
  state.cookie = uv.random(16)
  local path = files.join(state.folder, "xauthority")
  state.env.XAUTHORITY = path
  return files.write(path, string.pack(">I2s2s2s2s2", 65535, "", "", "MIT-MAGIC-COOKIE-1", state.cookie), private)
end

-- Identifies the file at a path by its inode and change time.
local function identity(path)
  local stat = uv.fs_lstat(path)
  return stat and ("%d %d.%09d"):format(stat.ino, stat.ctime.sec, stat.ctime.nsec)
end

local function start_server(width, height)
  local ok, err = make_cookie()
  if not ok then return nil, err end
  local line, process = first_line("Xvfb", { platform.on_path("Xvfb"), "-displayfd", "3", "-screen", "0",
    ("%dx%dx24"):format(width, height), "-nolisten", "tcp", "-noreset",
    "-auth", state.env.XAUTHORITY }, private_host.timing.server_start)
  if not line then return nil, process end
  local number = line:match("^%s*(%d+)%s*$")
  if not number then return errors.fail("protocol", "Xvfb did not report its display's number") end
  state.server, state.socket = process, { path = "/tmp/.X11-unix/X" .. number }
  state.socket.identity = identity(state.socket.path)
  state.display = ":" .. number
  state.env.DISPLAY = state.display
  return true
end

local function start_bus()
  local config = files.join(state.folder, "bus.conf")
  local ok, err = files.write(config, bus_config:format(files.join(state.folder, "run/bus")), private)
  if not ok then return nil, err end
  local line, process = first_line("dbus-daemon", { platform.on_path("dbus-daemon"), "--config-file=" .. config,
    "--nofork", "--nopidfile", "--print-address=3" }, private_host.timing.bus_start)
  if not line then return nil, process end
  state.bus_address = line
  state.env.DBUS_SESSION_BUS_ADDRESS = line
  return true
end

local function start_manager()
  local config, ready = files.join(state.folder, "openbox.xml"), files.join(state.folder, "run/manager-ready")
  local ok, err = files.write(config, manager_config, private)
  if not ok then return nil, err end
  -- After every change of the keyboard map openbox reads the compose file again, which takes 45 ms in which no window
  -- moves, and typing changes the map often. Openbox needs no compose sequences, so it gets an empty file.
  local process, failure = spawn("openbox", { platform.on_path("openbox"), "--config-file", config,
    "--startup", "touch " .. ready }, { env = { XCOMPOSEFILE = "/dev/null" } })
  if not process then return nil, failure end
  state.manager = process
  return wait_for(process, private_host.timing.manager_start, function() return files.exists(ready) end)
end

-- Nobody has moved the pointer yet. In the middle of the screen, where a server puts it, an application would open a
-- tooltip for it, or show something as pointed at. And the server's monitor names no refresh rate: a browser would take
-- 60 Hz, and answer to the pointer and draw in steps of 17 ms. Where it cannot be set it stays so.
local function prepare_screen()
  local desk <close>, err = native.open { display = state.display, cookie = text.hex(state.cookie) }
  if not desk then return nil, err end
  local screen, why = desk:screen()
  if not screen then return nil, why end
  desk:set_refresh_rate(REFRESH_RATE)
  return desk:move(screen.x + screen.width - 1, screen.y + screen.height - 1)
end

local function start(command)
  local ok, err = check_programs()
  if not ok then return nil, err end
  ok, err = make_folder()
  if not ok then return nil, err end
  state.env = base_environment(command.env)
  ok, err = start_server(command.width, command.height)
  if not ok then return nil, err end
  local manager = task.start(start_manager) -- in parallel with the rest
  ok, err = prepare_screen()
  if not ok then return nil, err end
  ok, err = start_bus()
  if not ok then return nil, err end
  local ended, started, failure = manager:wait()
  if not ended then return nil, errors.new("io", tostring(started)) end
  if not started then return nil, failure end
  return true
end

local function start_app(command)
  local program = platform.on_path(command.argv[1], (command.env or {}).PATH or state.env.PATH)
  if not program then
    return errors.fail("not_found", "there is no program '%s' here; if it is a package: apt-get install %s",
      command.argv[1], command.argv[1])
  end
  local name = select(2, files.split(command.argv[1]))
  local argv = { program, table.unpack(command.argv, 2) }
  if not command.pipes then return spawn(name, argv, { env = command.env }) end
  local descriptors, release = pipes.join(command.pipes)
  if not descriptors then return nil, release end
  local process, err = spawn(name, argv, { env = command.env, extra = descriptors })
  release()
  return process, err
end

-- --- ending ---------------------------------------------------------------------------------------

-- Reaps adopted orphans that have ended (zombies). libuv reaps only the processes that it has started.
local function reap()
  for _, process in ipairs(processes.descendants(uv.os_getpid())) do
    if process.zombie and not state.known[process.pid] and process.parent == uv.os_getpid() then
      system.reap(process.pid)
    end
  end
end

-- Signals all processes except the display server, so that applications can still close their windows. Whether there
-- was any process.
local function signal_all(signal)
  local list = processes.descendants(uv.os_getpid())
  local seen, any = {}, false
  for _, process in ipairs(list) do seen[process.pid] = true end
  for pid in pairs(state.known) do
    if not seen[pid] then list[#list + 1] = { pid = pid } end -- /proc cannot be read
  end
  for _, process in ipairs(list) do
    local is_server = state.server and process.pid == state.server.pid
    if not process.zombie and not is_server then
      any = true
      if signal then uv.kill(process.pid, signal) end
    end
  end
  return any
end

local function end_everything_else()
  signal_all("sigterm")
  local limit = task.now() + private_host.timing.term
  while signal_all(nil) do
    if task.now() > limit then signal_all("sigkill") end -- repeatedly: they may have forked
    task.sleep(private_host.timing.poll)
  end
end

-- Removes the display's socket, which a killed server leaves behind. Another server may have taken the number since, so
-- the file must be the same. A lock file need not be removed: Xvfb makes none with -displayfd.
local function remove_socket()
  local socket = state.socket
  if socket and socket.identity and identity(socket.path) == socket.identity then uv.fs_unlink(socket.path) end
end

local function end_server()
  local server = state.server
  if not server then return end
  if not server.ended then uv.kill(server.pid, "sigterm") end
  local limit = task.now() + private_host.timing.server_end
  while not server.ended do
    if task.now() > limit then uv.kill(server.pid, "sigkill") end
    task.sleep(private_host.timing.poll)
  end
  remove_socket()
end

local function end_all()
  end_everything_else()
  end_server()
  signal_all("sigkill") -- a server that was still starting
  reap()
  if state.folder then files.remove(state.folder) end
end

-- Ends the desktop and then this process. May be called more than once.
local function stop()
  if state.stopping then return end
  state.stopping = true
  state.line:close()
  if state.starting then state.starting:cancel("the desktop is to end") end
  local ending = task.start(end_all)
  table.insert(state.ended_waiters, function()
    ending:wait()
    state.line:say { event = "stopped" }
  end)
  if state.wake then state.wake() end
end

-- --- commands -------------------------------------------------------------------------------------

local commands = {}

function commands.start(command)
  if state.starting then return end
  state.starting = task.start(function()
    local ok, err = start(command)
    if ok then
      state.line:say { event = "ready", display = state.display,
        cookie = text.hex(state.cookie), bus_address = state.bus_address,
        folder = state.folder, pids = { server = state.server.pid, manager = state.manager.pid } }
    else
      state.line:say_failed(err)
    end
  end)
end

function commands.app(command)
  state.line:say_app(command, start_app(command))
end

function commands.run(command)
  host_runs.start(state.line, command, { env = environment.lines(state.env, command.env),
    on_start = function(pid) state.known[pid] = true end,
    on_end = function(pid) state.known[pid] = nil end })
end

function commands.cancel(command)
  host_runs.cancel(command)
end

function commands.stop()
  stop()
end

-- Replaces the interrupt module's signal handlers, which would stop the running task, and at the second signal the
-- process.
local function catch_signals()
  for _, name in ipairs { "sigterm", "sigint", "sighup" } do
    local handle = uv.new_signal()
    handle:start(name, stop)
    handle:unref()
  end
  local child = uv.new_signal()
  child:start("sigchld", reap)
  child:unref()
end

--- The host's main function. Returns its exit status.
---@return integer
function private_host.main()
  state = { known = {}, logs = 1, ended_waiters = {}, line = host_line.open() }
  system.hold_descendants()
  catch_signals()
  local ok, err = task.run(nil, function()
    task.await(function(done)
      state.wake = done
      if state.stopping then done() else state.line:listen(commands) end
    end)
    for _, waiter in ipairs(state.ended_waiters) do waiter() end
  end)
  if not ok then warn("the private desktop's host failed: ", tostring(err)) end
  return ok and 0 or 1
end

return private_host
