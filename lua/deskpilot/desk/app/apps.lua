--- desk.apps: starts, runs and ends programs on the desktop, opens files, and opens applications that have a profile
--- (profiles.lua).
local uv = require "luv"
local app_profiles = require "deskpilot.desk.app.profiles"
local app_windows = require "deskpilot.desk.app.windows"
local environment = require "deskpilot.desk.platform.environment"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local open_app = require "deskpilot.desk.app.open"
local option_table = require "deskpilot.base.option_table"
local platform = require "deskpilot.desk.platform"
local process = require "deskpilot.desk.app.process"
local program = require "deskpilot.desk.app.program"
local signature = require "deskpilot.base.signature"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local apps = {}

local POLL = 0.02 -- seconds between two checks whether a process has ended

---@class deskpilot.app
---@field pid integer
---@field name string
---@field ended { status: integer, signal: integer, words: string? }? nil while it runs; words: its last line of output,
---  where known

-- --- starting ---------------------------------------------------------------------------------------

local function environment_of(desk, env)
  return environment.of("current", { DISPLAY = desk.display, DBUS_SESSION_BUS_ADDRESS = desk.bus }, desk.env, env)
end

-- On a desktop that is not private the program outlives deskpilot, as if the user had started it.
local function start_here(desk, argv, env, pipes)
  local app = { name = argv[1] }
  local handle, pid
  handle, pid = platform.spawn(argv[1], { args = { table.unpack(argv, 2) }, detached = true,
    stdio = pipes and { nil, nil, nil, pipes:streams() },
    env = environment_of(desk, env) }, function(status, signal)
      app.ended = { status = status, signal = signal }
      handle:close()
    end)
  if not handle then return process.not_started(argv[1], pid) end
  handle:unref()
  app.pid = pid
  return app
end

-- The private desktop's host process starts the program and reports its end.
local function start_there(session, argv, env, pipes)
  local pid, err = session:start_app(argv, env, pipes)
  if not pid then return nil, err end
  return setmetatable({ pid = pid, name = argv[1] }, { __index = function(_, key)
    if key == "ended" then return session.exits[pid] end
  end })
end

local function launch(desk, argv, env, pipes)
  if desk.session then return start_there(desk.session, argv, env, pipes) end
  return start_here(desk, argv, env, pipes)
end

-- --- opening ----------------------------------------------------------------------------------------

local schemes = { http = true, https = true, mailto = true, file = true }

-- The path of a file URL: file:///home/me/a%20b, file:///C:/folder. Nil if the URL names another machine.
local function path_of_url(url)
  local host, path = url:match("^[Ff][Ii][Ll][Ee]://([^/]*)(/.*)$")
  if not path or host ~= "" and host:lower() ~= "localhost" then return nil end
  path = path:gsub("%%(%x%x)", function(digits) return string.char(tonumber(digits, 16)) end)
  return path:match("^/(%a:/.*)$") or path
end

-- The target in the form that the opener takes: an existing file or folder as an absolute path, or an address with one
-- of the permitted schemes.
local function openable(target)
  if target == "" or target:find("%c") then
    return errors.fail("invalid", "apps.open wants a path or an address without control characters")
  end
  local scheme = target:match("^(%a[%w+.-]+):") -- at least two letters, since C: is a drive
  if scheme and not schemes[scheme:lower()] then
    return errors.fail("refused", "%s", ("addresses that begin with %s: are not opened, only http, https, mailto "
      .. "and file"):format(text.cut(scheme, 40)))
  end
  if scheme and scheme:lower() ~= "file" then
    if target:find("[%s\"'`<>|\\^{}]") then
      return errors.fail("invalid", "an address has no spaces, quotes or brackets: %s", text.cut(target, 200))
    end
    return target
  end
  local path = target
  if scheme then path = path_of_url(target) end
  if not path or path:find("\0", 1, true) or not files.exists(path) then
    return errors.fail("not_found", "there is no file %s", text.cut(target, 200))
  end
  return files.native(files.join(uv.cwd(), path))
end

-- Waits until the opener has ended with status 0, a window has appeared, or timing.app_open has passed. The timeout
-- counts as success, because some openers run as long as the application.
local function wait_until_opened(desk, app, before)
  local limit = task.now() + desk.timing.app_open
  while true do
    if app.ended then
      if app_windows.exit_status(app) == 0 then return true end
      return errors.fail("unavailable", "%s", ("no application opened it: %s ended with status %d%s"):format(app.name,
        app_windows.exit_status(app), app.ended.words and ": " .. app.ended.words or ""))
    end
    local own, other = app_windows.new(desk.windows.list() or {}, before, app.pid)
    if own or other or task.now() >= limit then return true end
    task.sleep(POLL)
  end
end

-- --- the module -------------------------------------------------------------------------------------

local options_of = {
  ["apps.start"] = { env = "table", wait = "number", pipes = "table" },
  ["apps.run"] = { input = "string", timeout = "number", cwd = "string", env = "table", max_output = "number",
    verbatim = "boolean" },
}

local function check_argv(argv, what)
  if type(argv[1]) ~= "string" then errors.mistake("%s wants a list: the program and its arguments", what) end
  local checked = {}
  for i, argument in ipairs(argv) do
    checked[i] = tostring(argument)
    if checked[i]:find("\0", 1, true) then errors.mistake("%s: an argument has a zero byte", what) end
  end
  local options = {}
  for key, value in pairs(argv) do
    if math.type(key) ~= "integer" then options[key] = value end
  end
  option_table.check(options, options_of[what], what)
  return checked
end

-- There is no shell that would take words apart: a text is a program only where it is one word.
signature.kind("command", {
  what = "a list",
  fits = function(value) return type(value) == "table" and not errors.is(value) end,
  take = function(given, i)
    if type(given[i]) == "string" and given[i]:find("^%S+$") then given[i] = { given[i] } end
  end,
  hint = function() return 'the program and its arguments, such as { "mousepad", "note.txt" }; there is no shell' end,
})

local signatures = signature.of("desk.apps", {
  start = { "command" }, ended = { "whole" }, wait = { "whole", { timeout = "number" } },
  stop = { "whole", { timeout = "number" } }, run = { "command" }, open = { "text", { wait = "number" } },
  open_app = { "text", { arguments = "table" } }, profile = { "text" }, profile_of = { "table" }, about = { "table" },
  overview = {}, own_timing = { "table" },
})

---@class deskpilot.app_start
---@field [integer] string the program and its arguments
---@field env table<string, string>? variables to add to its environment, which has only harmless ones of deskpilot's
---@field wait number? seconds to wait for its window
---@field pipes deskpilot.pipes? becomes its file descriptors 3 and 4

---@class deskpilot.app_run
---@field [integer] string the program and its arguments
---@field input string? its standard input
---@field timeout number? seconds; default timing.app_run
---@field cwd string? the folder that it runs in
---@field env table<string, string>? variables to add to its environment, which has only harmless ones of deskpilot's
---@field max_output integer? bytes that are kept of each output; default 1 MiB
---@field verbatim boolean? on Windows the arguments are not quoted, for programs that read their command line in their
---  own way, such as cmd

---@param desk deskpilot.desk
---@return deskpilot.desk.apps
function apps.new(desk)
  ---@class deskpilot.desk.apps
  local api = {}
  local started = {} -- by pid

  local function start(command, env, pipes)
    local app, err = launch(desk, command, env, pipes)
    if not app then return nil, err end
    started[app.pid] = app
    return app
  end

  --- Starts a program: desk.apps.start { "mousepad", "file.txt" }. With `wait` (seconds) the call waits for a window of
  --- the program, of a process that it starts, or of a running process that it hands its work to.
  ---@param argv deskpilot.app_start|string a text is a program, if it is one word
  ---@return integer? pid
  ---@return deskpilot.window|deskpilot.error|nil window the new one, with `wait`; the error if pid is nil
  function api.start(argv)
    local command = check_argv(argv, "apps.start")
    local permitted, forbidden = desk.input.may_act { act = "start", program = command[1] }
    if not permitted then return nil, forbidden end
    local before = argv.wait and app_windows.ids(desk)
    local app, err = start(command, argv.env, argv.pipes)
    if not app then return nil, err end
    if not argv.wait then return app.pid end
    local window, failure = app_windows.wait_for_first(desk, app, before, argv.wait)
    if window then return app.pid, window end
    if failure then return nil, failure end
    return errors.fail("timed_out", "%s showed no window within %g s", command[1], argv.wait)
  end

  local function started_app(pid)
    local app = started[pid]
    if app then return app end
    return errors.fail("not_found", "process %s was not started by desk.apps.start of this desk", tostring(pid))
  end

  --- How a program that was started by apps.start has ended; nil while it runs. Does not wait.
  ---@param pid integer
  ---@return { status: integer, words: string? }? ended status as of apps.wait; words: its last line of output, if known
  ---@return deskpilot.error? err
  function api.ended(pid)
    local app, err = started_app(pid)
    if not app then return nil, err end
    return app.ended and { status = app_windows.exit_status(app), words = app.ended.words } or nil
  end

  local function wait_for_end(app, seconds)
    local limit = task.now() + seconds
    while not app.ended do
      if task.now() >= limit then return false end
      task.sleep(POLL)
    end
    return true
  end

  --- Waits until a program that was started by apps.start has ended.
  ---@param pid integer
  ---@param options { timeout: number? }? seconds; default timing.wait
  ---@return integer? status its exit status; 128 plus the signal's number if a signal ended it
  ---@return deskpilot.error? err code "timed_out" while it runs
  function api.wait(pid, options)
    local app, err = started_app(pid)
    if not app then return nil, err end
    local seconds = options and options.timeout or desk.timing.wait
    if wait_for_end(app, seconds) then return app_windows.exit_status(app) end
    return errors.fail("timed_out", "%s still runs after %g s", app.name, seconds)
  end

  -- Asks the program to end: by closing its windows, or by SIGTERM if it has none (where the system has that signal).
  local function ask_to_end(app)
    local asked, family = false, { [app.pid] = true }
    for _, pid in ipairs(platform.descendants(app.pid)) do family[pid] = true end
    for _, window in ipairs(desk.windows.list() or {}) do
      if family[window.pid] then asked = desk.windows.close(window.id) or asked end
    end
    if not asked and platform.polite then uv.kill(app.pid, "sigterm") end
    return asked or platform.polite
  end

  --- Ends a program that was started by apps.start: asks it to end by closing its windows, and after `timeout`
  --- (seconds; default timing.app_stop) kills it with all processes that it has started.
  ---@param pid integer
  ---@param options { timeout: number? }?
  ---@return integer? status as of apps.wait
  ---@return deskpilot.error? err
  function api.stop(pid, options)
    local app, err = started_app(pid)
    if not app then return nil, err end
    if app.ended then return app_windows.exit_status(app) end
    local seconds = options and options.timeout or desk.timing.app_stop
    if ask_to_end(app) and wait_for_end(app, seconds) then return app_windows.exit_status(app) end
    platform.end_tree(pid)
    if wait_for_end(app, desk.timing.app_stop) then return app_windows.exit_status(app) end
    return errors.fail("refused", "%s was killed but still runs after %g s", app.name, desk.timing.app_stop)
  end

  --- Runs a program to its end, without a shell: desk.apps.run { "sort", "-u", input = "b\na\n" }. After the timeout,
  --- or when the waiting task is cancelled, the program is killed with the processes that it has started; a process
  --- that has made itself a daemon by then goes on.
  ---@param argv deskpilot.app_run|string a text is a program, if it is one word
  ---@return deskpilot.program_result? result whatever its exit status
  ---@return deskpilot.error? err code "timed_out": err.stdout and err.stderr hold the output until then
  function api.run(argv)
    local command = check_argv(argv, "apps.run")
    local options = { argv = command, input = argv.input, cwd = argv.cwd,
      timeout = argv.timeout or desk.timing.app_run, max_output = argv.max_output, env = argv.env,
      verbatim = argv.verbatim }
    if desk.session then
      options.argv = json.list(options.argv)
      return desk.session:run(options)
    end
    options.env = environment_of(desk, argv.env)
    return program.run(options)
  end

  --- Opens a file, a folder or an address (http, https, mailto, file) with the user's default application for it. With
  --- `wait` (seconds) the call waits for a new window.
  ---@param target string
  ---@param options { wait: number? }?
  ---@return boolean? ok
  ---@return deskpilot.window|deskpilot.error|nil window the new one, with `wait`; the error if ok is nil
  function api.open(target, options)
    local wait = options and options.wait
    local thing, err = openable(target)
    if not thing then return nil, err end
    local permitted, forbidden = desk.input.may_act { act = "open", target = thing }
    if not permitted then return nil, forbidden end
    local argv, failure = platform.opener(thing, desk.session ~= nil)
    if not argv then return nil, failure end
    local before = app_windows.ids(desk)
    local app, why = launch(desk, argv)
    if not app then return nil, why end
    local ok, refused = wait_until_opened(desk, app, before)
    if not ok or not wait then return ok, refused end
    local window, trouble = app_windows.wait_for_first(desk, app, before, wait)
    if window then return true, window end
    if trouble then return nil, trouble end
    return errors.fail("timed_out", "no window came up for %s within %g s", text.cut(target, 200), wait)
  end

  --- Opens an application by its name: starts it as its profile says, waits for its window, and waits until it is
  --- ready. A running application whose profile has `single` is not started again: its window gets the keyboard focus.
  ---@param name string its usual name ("LibreOffice Calc"), its program's, or its profile's
  ---@param options { arguments: string[]? }? command line arguments, such as a file
  ---@return deskpilot.window? window
  ---@return "started"|"running"|deskpilot.error how code "not_found": the message has the nearest names; "unavailable":
  ---  it says what to install
  function api.open_app(name, options)
    local arguments = options and options.arguments
    local profile, err = app_profiles.find(name)
    if not profile then return nil, err end
    local permitted, forbidden = desk.input.may_act { act = "start", program = name, profile = profile }
    if not permitted then return nil, forbidden end
    return open_app.open(desk, start, profile, arguments)
  end

  --- The profile of an application, from the file deskpilot/apps/NAME.lua.
  ---@param name string as for apps.open_app
  ---@return deskpilot.app_profile? profile, deskpilot.error? err code "not_found"; the message has the nearest names
  function api.profile(name)
    return app_profiles.find(name)
  end

  --- The profile of the application that a window belongs to.
  ---@param window deskpilot.window
  ---@return deskpilot.app_profile? profile nil where it has none
  function api.profile_of(window)
    return app_profiles.of_window(window)
  end

  --- The times in the profile of the active application; empty where it has none. The windows are not looked at where
  --- no profile has one of the times that are asked for.
  ---@param names string[]
  ---@return deskpilot.app_timing
  function api.own_timing(names)
    if not app_profiles.have_timing(names) then return {} end
    local window = desk.windows.active()
    local profile = window and app_profiles.of_window(window)
    return profile and profile.timing or {}
  end

  --- Describes a window's application for a model: its name, its shortcuts and its hints.
  ---@param window deskpilot.window
  ---@return string description "" where it has no profile
  function api.about(window)
    return app_profiles.about(window)
  end

  --- Lists for a model the applications that apps.open_app can open: those with a profile that are installed.
  ---@return string list "" if there are none
  function api.overview()
    return app_profiles.overview()
  end

  return signatures(api)
end

return apps
