--- Linux with X11 (see desk/platform.lua).
local uv = require "luv"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local processes = require "deskpilot.desk.linux.processes"

local platform = { apps_desktop = "private", spawn = uv.spawn, polite = true, own_group = true }

platform.advice = {
  display = "start it inside a graphical session (DISPLAY set), or use --desktop private",
  capture = "allow this program to see the screen",
  input = "the display server must have the XTEST extension",
  windows = "start a window manager, such as openbox",
  elements = "install and start at-spi2-core, with a D-Bus session (DBUS_SESSION_BUS_ADDRESS set)",
}

local programs = { { "Xvfb", "xvfb" }, { "dbus-daemon", "dbus" }, { "openbox", "openbox" } }

function platform.on_path(program, path)
  if program:find("/", 1, true) then return uv.fs_access(program, "X") and program or nil end
  for folder in (path or os.getenv("PATH") or "/usr/bin:/bin"):gmatch("[^:]+") do
    local candidate = files.join(folder, program)
    if uv.fs_access(candidate, "X") and not files.is_folder(candidate) then return candidate end
  end
end

function platform.install(package)
  return "apt-get install " .. package
end

function platform.no_program(name)
  if name:find("/", 1, true) then return ("there is no program %s that can be run"):format(name) end
  return ("there is no program '%s' here; if it is a package: apt-get install %s"):format(name, name)
end

function platform.descendants(pid)
  local list = {}
  for _, process in ipairs(processes.descendants(pid)) do list[#list + 1] = process.pid end
  return list
end

-- Its process group ends at one stroke; the list, made before, has those that left the group.
function platform.end_tree(pid)
  local list = platform.descendants(pid)
  uv.kill(-pid, "sigkill")
  uv.kill(pid, "sigkill")
  for _, other in ipairs(list) do uv.kill(other, "sigkill") end
end

function platform.opener(target)
  if platform.on_path "xdg-open" then return { "xdg-open", target } end
  if platform.on_path "gio" then return { "gio", "open", target } end
  return errors.fail("unavailable", "nothing here knows which application opens what: apt-get install xdg-utils")
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
