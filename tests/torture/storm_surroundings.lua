-- What a run works with is killed at its Nth event: the X server, the bus, the window manager, the application.
return {
  about = "X server, D-Bus, window manager, application killed at the Nth event",
  share = 10,
  case = function(pick)
    local mission = pick:integer(1, 10) == 1 and "browser" or pick:of { "script", "agent", "server" }
    local victims = mission == "browser" and { "Xvfb", "chromium", "dbus-daemon" }
      or { "Xvfb", "Xvfb", "dbus-daemon", "dbus-daemon", "openbox", "at-spi2-registr", "at-spi-bus-laun",
        mission == "script" and "zenity" or "galculator" }
    return { mission = mission, env = { TORTURE_KILLS = pick:of(victims),
      TORTURE_AT = tostring(pick:integer(1, mission == "script" and 24 or 30)) } }
  end,
}
