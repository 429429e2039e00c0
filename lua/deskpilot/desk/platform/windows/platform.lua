--- Windows (see desk/platform/init.lua).
local uv = require "luv"
local system = require "native.system"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"

local platform = {
  -- A second Windows desktop gets no mouse and keyboard input, so missions run on the user's desktop by default.
  apps_desktop = "current",
  -- Not in a group of its own: libuv's detached processes have no console, and each program that they start would open
  -- one.
  own_group = false, polite = false,
}

platform.advice = {
  display = "start it in a signed-in session; a service has no desktop",
  capture = "unlock the workstation and answer what Windows asks",
  input = "start deskpilot as administrator to act on a program that runs so; unlock the workstation",
  windows = "start it in a signed-in session",
  elements = "start deskpilot as administrator to see into a program that runs so",
}

platform.private_limits = "without mouse and keyboard: by desk.elements only"

function platform.in_foreground()
  return true
end

function platform.session_limits()
  return nil
end

-- Like cmd.exe, libuv looks for a program in the current folder first, unless this variable is set. Being in a folder
-- must not run a program from it.
local only_path = "NoDefaultCurrentDirectoryInExePath"

function platform.spawn(...)
  local before = uv.os_getenv(only_path)
  uv.os_setenv(only_path, "1")
  local handle, pid = uv.spawn(...)
  if not before then uv.os_unsetenv(only_path) end
  return handle, pid
end

-- "R" tests that the file exists. The Store's app execution aliases pass, although they cannot be opened for reading.
local function program_file(path)
  for _, candidate in ipairs { path, path .. ".exe" } do
    if uv.fs_access(candidate, "R") and not files.is_folder(candidate) then return candidate end
  end
end

function platform.on_path(program, path)
  if program:find("[/\\:]") then return program_file(program) end
  for folder in (path or os.getenv "PATH" or ""):gmatch '[^;"]+' do
    local file = program_file(files.join(folder, program))
    if file then return file end
  end
end

function platform.install(package)
  return "winget install " .. package
end

function platform.no_program(name)
  return ("there is no program '%s' on the PATH; give its whole path"):format(name)
end

platform.descendants = system.descendants

function platform.is_running(pid)
  return uv.kill(pid, 0) == 0
end

function platform.named()
  return errors.fail("unsupported", "the processes of a program cannot be listed on Windows: check one by its pid")
end

function platform.end_tree(pid)
  local list = platform.descendants(pid)
  uv.kill(pid, "sigkill")
  for _, other in ipairs(list) do uv.kill(other, "sigkill") end
end

-- They are in the host's job.
function platform.end_users()
  return 0
end

-- Others could connect there too, but not write.
function platform.pipe_path(_, name)
  return [[\\.\pipe\deskpilot-]] .. name
end

-- Opened as a file: programs expect handles that are not for overlapped operations, as libuv's own are.
function platform.open_pipe(path)
  local descriptor, why = uv.fs_open(path, "r+", 0)
  if not descriptor then return nil, why end
  return descriptor, function() uv.fs_close(descriptor) end
end

-- Runs `deskpilot --open` (cli/init.lua): a separate process, because opening blocks until Windows has answered.
function platform.opener(target, private)
  if private then
    return errors.fail("unsupported", "on a private desktop of Windows nothing can be opened by its default "
      .. "application, which may run on the user's desktop already; start a program by desk.apps.start")
  end
  return { os.getenv("DESKPILOT_BIN") or uv.exepath(), "--open", target }
end

-- Environment variables of the folders to search, in this order.
local browser_folders = { "ProgramFiles", "ProgramFiles(x86)", "ProgramW6432", "LOCALAPPDATA" }
local browsers = {
  { program = "Google/Chrome/Application/chrome.exe", profile = "Google/Chrome/User Data" },
  { program = "Chromium/Application/chrome.exe", profile = "Chromium/User Data" },
  { program = "Microsoft/Edge/Application/msedge.exe", profile = "Microsoft/Edge/User Data" },
}

-- Browsers do not add themselves to PATH, so their usual folders are searched.
function platform.browsers()
  local found, seen = {}, {}
  for _, browser in ipairs(browsers) do
    for _, folder in ipairs(browser_folders) do
      local base = uv.os_getenv(folder)
      local path = base and files.join(base, browser.program)
      if path and not seen[path] and files.exists(path) then found[#found + 1], seen[path] = path, true end
    end
  end
  return found
end

platform.browser_advice = "install Edge, Chrome or Chromium, or name its program"

function platform.browser_flags()
  return {}
end

platform.command_line = system.command_line

function platform.browser_profile(_, executable)
  local path = files.join(executable):lower()
  for _, browser in ipairs(browsers) do
    if path:sub(-#browser.program) == browser.program:lower() then
      local base = uv.os_getenv("LOCALAPPDATA")
      return base and files.join(base, browser.profile)
    end
  end
end

function platform.private_needs()
  return {}
end

return platform
