--- The environment variables of Linux that started programs get (see desk/platform/environment.lua).
return {
  -- What every program may need.
  common = {
    names = { "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TERM", "TMPDIR",
      "LD_LIBRARY_PATH", "SSL_CERT_FILE", "SSL_CERT_DIR", "TESSDATA_PREFIX" },
    prefixes = { "LC_", "XDG_" },
  },
  -- What programs with windows need.
  windows = {
    names = { "XMODIFIERS", "GSETTINGS_BACKEND", "GSETTINGS_SCHEMA_DIR", "ACCESSIBILITY_ENABLED", "NO_AT_BRIDGE" },
    prefixes = { "GTK_", "GDK_", "QT_", "XCURSOR_", "FONTCONFIG_", "MESA_", "LIBGL_" },
  },
  -- Where the user's own desktop is, and what it opens things with.
  session = {
    names = { "DISPLAY", "XAUTHORITY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "SESSION_MANAGER",
      "DESKTOP_SESSION", "AT_SPI_BUS_ADDRESS", "BROWSER", "KDE_FULL_SESSION", "KDE_SESSION_VERSION", "KDE_SESSION_UID",
      "GNOME_DESKTOP_SESSION_ID", "GNOME_SHELL_SESSION_MODE" },
    prefixes = {},
  },
  -- What would lead from a private desktop to the user's own.
  user_only = {
    names = { "XDG_RUNTIME_DIR", "XDG_CURRENT_DESKTOP", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME",
      "XDG_STATE_HOME", "XDG_SEAT", "XDG_SEAT_PATH", "XDG_VTNR", "NO_AT_BRIDGE", "GTK_MODULES" },
    prefixes = { "XDG_SESSION_" },
  },
}
