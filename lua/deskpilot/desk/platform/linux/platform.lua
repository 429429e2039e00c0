--- Linux with X11 (see desk/platform/init.lua).
local uv = require "luv"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local processes = require "deskpilot.desk.platform.linux.processes"

local platform = { apps_desktop = "private", spawn = uv.spawn, polite = true, own_group = true }

platform.advice = {
  display = "start it inside a graphical session (DISPLAY set), or use --desktop private",
  capture = "allow this program to see the screen",
  input = "the display server must have the XTEST extension",
  windows = "start a window manager, such as openbox",
  elements = "install and start at-spi2-core, with a D-Bus session (DBUS_SESSION_BUS_ADDRESS set)",
}

-- What is drawn by programs that speak Wayland themselves is seen by nobody but the compositor.
function platform.session_limits()
  local wayland = os.getenv "WAYLAND_DISPLAY" or ""
  if wayland == "" and os.getenv "XDG_SESSION_TYPE" ~= "wayland" then return nil end
  if (os.getenv "DISPLAY" or "") == "" then
    return { name = "Wayland session", detail = "without XWayland nothing of this desktop can be seen or reached",
      mend = "install xwayland and sign in again, or use --desktop private, which needs neither" }
  end
  return { name = "Wayland session", detail = "through XWayland, programs that use X11 can be seen, listed and "
    .. "operated; windows of other programs cannot, and pictures of the whole screen lack them or are black. Elements "
    .. "are told of both", mend = "start programs with GDK_BACKEND=x11, QT_QPA_PLATFORM=xcb or (Chromium, Electron) "
    .. "--ozone-platform=x11; or use --desktop private, where all of them use X11; or sign in to an X11 session" }
end

local programs = { { "Xvfb", "xvfb" }, { "dbus-daemon", "dbus" }, { "openbox", "openbox" } }

function platform.on_path(program, path)
  if program:find("/", 1, true) then return uv.fs_access(program, "X") and program or nil end
  for folder in (path or os.getenv("PATH") or "/usr/bin:/bin"):gmatch("[^:]+") do
    local candidate = files.join(folder, program)
    if uv.fs_access(candidate, "X") and not files.is_folder(candidate) then return candidate end
  end
end

-- Fields of /proc/self/stat after the name in brackets: state, parent, group, session, terminal, its foreground group.
function platform.in_foreground()
  local stat = files.read("/proc/self/stat") or ""
  local group, foreground = stat:match("^.*%) %a %-?%d+ (%-?%d+) %-?%d+ %-?%d+ (%-?%d+)")
  return group == foreground
end

function platform.install(package)
  return "apt-get install " .. package
end

function platform.no_program(name)
  if name:find("/", 1, true) then return ("there is no program %s that can be run"):format(name) end
  return ("there is no program '%s' here; if it is a package: apt-get install %s"):format(name, name)
end

function platform.named(name)
  return processes.named(name)
end

function platform.is_running(pid)
  local parent, state = processes.parent(pid)
  return parent ~= nil and state ~= "Z"
end

function platform.descendants(pid)
  local list = {}
  for _, process in ipairs(processes.descendants(pid)) do list[#list + 1] = process.pid end
  return list
end

-- Kills the process group at once, then the descendants that have left the group. The list is made before, since the
-- descendants of a dead process cannot be found.
function platform.end_tree(pid)
  local list = platform.descendants(pid)
  uv.kill(-pid, "sigkill")
  uv.kill(pid, "sigkill")
  for _, other in ipairs(list) do uv.kill(other, "sigkill") end
end

-- The variable stays with all that an application starts, also in a session of its own.
function platform.end_users(folder)
  local users = processes.with_environment("XAUTHORITY=" .. files.join(folder, "xauthority"))
  for _, pid in ipairs(users) do uv.kill(pid, "sigkill") end
  return #users
end

-- In the folder, which nobody else may enter.
function platform.pipe_path(folder, name)
  return files.join(folder, "pipe-" .. name)
end

-- A connection to a socket of this machine is made at once. Programs expect descriptors that block.
function platform.open_pipe(path)
  local connection = uv.new_pipe()
  connection:connect(path, function() end)
  connection:set_blocking(true)
  local descriptor, why = connection:fileno()
  if descriptor then return descriptor, function() connection:close() end end
  connection:close()
  return nil, why
end

function platform.opener(target)
  if platform.on_path "xdg-open" then return { "xdg-open", target } end
  if platform.on_path "gio" then return { "gio", "open", target } end
  return errors.fail("unavailable", "no program here finds default applications: apt-get install xdg-utils")
end

-- --- browsers ---------------------------------------------------------------------------------------

--- The installed browsers that speak the DevTools protocol, the preferred one first.
---@return string[] programs
function platform.browsers()
  local found = {}
  for _, name in ipairs { "chromium", "chromium-browser", "google-chrome-stable", "google-chrome",
    "microsoft-edge-stable", "microsoft-edge" } do
    if platform.on_path(name) then found[#found + 1] = name end
  end
  return found
end

platform.browser_advice = "apt-get install chromium"

-- For root, Chromium refuses to run with its sandbox; --test-type hides the warning bar about that, which would cover a
-- part of every page. Wayland windows could not be controlled, so Ozone has to use X11.
function platform.browser_flags()
  local flags = { "--ozone-platform=x11" }
  if uv.getuid() == 0 then flags = { "--ozone-platform=x11", "--no-sandbox", "--test-type" } end
  return flags
end

-- A file of /proc about a process, split at its zero bytes.
local function zero_separated(pid, file)
  local list = {}
  for item in (files.read(("/proc/%d/%s"):format(pid, file), 1 << 20) or ""):gmatch("[^%z]+") do
    list[#list + 1] = item
  end
  return list
end

--- The program and arguments of a process; nil if they cannot be read. Chromium overwrites them with one string, its
--- process title. That is split where a flag begins, so text after a flag's value stays with the value.
---@param pid integer
---@return string[]?
function platform.command_line(pid)
  local list = zero_separated(pid, "cmdline")
  if #list ~= 1 then return list[1] and list end
  local argv = {}
  for argument in (list[1] .. " --"):gsub(" %-%-", "\0--"):gmatch("[^%z]+") do argv[#argv + 1] = argument end
  argv[#argv] = nil
  return argv
end

local profiles = { chromium = "chromium", ["chromium-browser"] = "chromium", chrome = "google-chrome",
  msedge = "microsoft-edge" }

--- The default profile's folder, which a browser uses that was started without one.
---@param pid integer
---@param executable string
---@return string?
function platform.browser_profile(pid, executable)
  local name = profiles[select(2, files.split(executable))]
  if not name then return nil end
  local env = {}
  for _, variable in ipairs(zero_separated(pid, "environ")) do
    local key, value = variable:match("^([%w_]+)=(.+)$")
    if key then env[key] = value end
  end
  local base = env.XDG_CONFIG_HOME or env.HOME and files.join(env.HOME, ".config")
  return base and files.join(base, name)
end

function platform.private_needs()
  local missing, packages = {}, {}
  for _, entry in ipairs(programs) do
    if not platform.on_path(entry[1]) then
      missing[#missing + 1], packages[#packages + 1] = entry[1], entry[2]
    end
  end
  if not files.exists("/usr/share/dbus-1/services/org.a11y.Bus.service") then
    missing[#missing + 1], packages[#packages + 1] = "at-spi2", "at-spi2-core"
  end
  return missing, #missing > 0 and "apt-get install " .. table.concat(packages, " ") or nil
end

return platform
