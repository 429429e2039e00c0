--- The environment variables of Windows that started programs get (see desk/platform/environment.lua). A private
--- desktop is one of the same session, so it needs no others.
return {
  common = {
    names = { "PATH", "PATHEXT", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "TEMP", "TMP", "OS", "LANG", "TZ",
      "USERNAME", "USERDOMAIN", "USERPROFILE", "USERDOMAIN_ROAMINGPROFILE", "COMPUTERNAME", "LOGONSERVER",
      "SESSIONNAME", "HOMEDRIVE", "HOMEPATH", "PUBLIC", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "ALLUSERSPROFILE",
      "PROGRAMFILES", "PROGRAMFILES(X86)", "PROGRAMW6432", "COMMONPROGRAMFILES", "COMMONPROGRAMFILES(X86)",
      "COMMONPROGRAMW6432", "NUMBER_OF_PROCESSORS", "PSMODULEPATH", "TESSDATA_PREFIX" },
    prefixes = { "LC_", "PROCESSOR_" },
  },
  windows = { names = {}, prefixes = {} },
  session = { names = {}, prefixes = {} },
  user_only = { names = {}, prefixes = {} },
}
