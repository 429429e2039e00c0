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

-- --- browsers ---------------------------------------------------------------------------------------

--- Browsers that speak the DevTools protocol and are here, the one to be taken first.
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

-- The sandbox refuses to run for root, and the warning about that would cover a part of every page. Windows
-- that are not of X11 would be none of ours.
function platform.browser_flags()
  local flags = { "--ozone-platform=x11" }
  if uv.getuid() == 0 then flags = { "--ozone-platform=x11", "--no-sandbox", "--test-type" } end
  return flags
end

-- What separates the words in the files of /proc about a process.
local function words_of(pid, file)
  local list = {}
  for word in (files.read(("/proc/%d/%s"):format(pid, file), 1 << 20) or ""):gmatch("[^%z]+") do
    list[#list + 1] = word
  end
  return list
end

--- The words that a process was started with; nil where it cannot be known. Browsers make one word of them all, to
--- show it as their title: that is cut where a flag begins, so what follows a flag's value stays with it.
---@param pid integer
---@return string[]?
function platform.command_line(pid)
  local list = words_of(pid, "cmdline")
  if #list ~= 1 then return list[1] and list end
  local words = {}
  for word in (list[1] .. " --"):gsub(" %-%-", "\0--"):gmatch("([^%z]+)%z") do words[#words + 1] = word end
  return words
end

local profiles = { chromium = "chromium", ["chromium-browser"] = "chromium", chrome = "google-chrome",
  msedge = "microsoft-edge" }

--- The profile's folder of a browser that was started without one.
---@param pid integer
---@param executable string
---@return string?
function platform.browser_profile(pid, executable)
  local name = profiles[select(2, files.split(executable))]
  if not name then return nil end
  local env = {}
  for _, word in ipairs(words_of(pid, "environ")) do
    local key, value = word:match("^([%w_]+)=(.+)$")
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
