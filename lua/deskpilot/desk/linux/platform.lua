--- Linux with X11 (see desk/platform.lua).
local uv = require "luv"
local files = require "deskpilot.base.files"

local platform = { apps_desktop = "private", spawn = uv.spawn }

platform.advice = {
  display = "start it inside a graphical session (DISPLAY set), or use --desktop private",
  capture = "allow this program to see the screen",
  input = "the display server must have the XTEST extension",
  windows = "start a window manager, such as openbox",
  elements = "install and start at-spi2-core, with a D-Bus session (DBUS_SESSION_BUS_ADDRESS set)",
}

local programs = { { "Xvfb", "xvfb" }, { "openbox", "openbox" }, { "dbus-daemon", "dbus" } }

function platform.private_needs(on_path)
  local missing, packages = {}, {}
  for _, entry in ipairs(programs) do
    if not on_path(entry[1]) then
      missing[#missing + 1], packages[#packages + 1] = entry[1], entry[2]
    end
  end
  if not (files.exists("/usr/libexec/at-spi-bus-launcher") or on_path("at-spi-bus-launcher")
    or files.exists("/usr/lib/at-spi2-core/at-spi-bus-launcher")) then
    missing[#missing + 1], packages[#packages + 1] = "at-spi-bus-launcher", "at-spi2-core"
  end
  return missing, #missing > 0 and "apt-get install " .. table.concat(packages, " ") or nil
end

return platform
