--- The program's face: finds the command and calls it. Nothing heavy is required before it is known
--- which command is wanted, so that `deskpilot --version` answers at once.
local command_list = require "deskpilot.cli.command_list"

local cli = {}

--- Exit statuses (docs: the command line).
cli.status = { succeeded = 0, failed = 1, usage = 2, environment = 3, interrupted = 130 }

local function complain(message)
  require("deskpilot.cli.terminal").complain(message)
  return cli.status.usage
end

local function general_help()
  local lines = { "usage: deskpilot COMMAND [OPTIONS]", "" }
  for _, command in ipairs(command_list.all()) do
    lines[#lines + 1] = ("  %-11s %s"):format(command.name, command.module.summary)
  end
  lines[#lines + 1] = "\n`deskpilot COMMAND --help` tells more; `deskpilot --version` tells the version.\n"
    .. "To begin with: `deskpilot doctor`, then `deskpilot run calculator --model literal`.\n"
  return table.concat(lines, "\n")
end

-- A mission's file or name in place of a command.
local function is_mission(name)
  local lookup = require "deskpilot.base.lookup"
  local folders = { project_folder = lookup.project_folder(),
    user_folder = require("deskpilot.base.files").user_config_folder() }
  return name ~= "" and (name:find("%.lua$") or name:find("^[%w_/]+$")) and lookup.mission(name, folders) ~= nil
end

local function unknown(name)
  local names = command_list.names()
  names[#names + 1] = "--version"
  names[#names + 1] = "--help"
  if is_mission(name) then
    return complain(("there is no command '%s', but a mission: deskpilot run %s"):format(name, name))
  end
  local text = require "deskpilot.base.text"
  local meant = text.nearest(name, names) or text.nearest("--" .. name, { "--version", "--help" })
  local hint = meant and ("; did you mean '%s'?"):format(meant) or ""
  return complain(("there is no command '%s'%s (see deskpilot --help)"):format(name, hint))
end

-- An option in place of a command.
local function no_option(name, rest)
  for i, word in ipairs(rest) do
    if command_list.has(word) then
      local others = { table.unpack(rest, i + 1) }
      return complain(("options come after the command: deskpilot %s %s%s"):format(word, name,
        #others > 0 and " ..." or ""))
    end
  end
  local nearest = require("deskpilot.base.text").nearest(name, { "--version", "--help" })
  return complain(("there is no option %s%s (see deskpilot --help)"):format(name,
    nearest and ("; did you mean %s?"):format(nearest) or ""))
end

-- On SIGINT, SIGTERM and SIGHUP: a command that has something to finish does it in its own
-- `interrupted(signal)`, which returns true; any other ends where it waits. A second signal ends the
-- process whatever happens (the runtime's doing).
local function interrupter(command, state)
  return function(signal)
    if command.interrupted and command.interrupted(signal) then return end
    state.interrupted = true
    if state.main then state.main:cancel("interrupted by " .. signal) end
  end
end

local function outcome(state, ok, status)
  if ok then return math.tointeger(status) or 0 end
  local errors = require "deskpilot.base.errors"
  if state.interrupted or (errors.is(status, "cancelled") and tostring(status):find("^interrupted")) then
    require("deskpilot.cli.terminal").complain "interrupted"
    return cli.status.interrupted
  end
  complain(tostring(status))
  if errors.is(status, "unavailable") or errors.no_memory(status) then return cli.status.environment end
  return cli.status.usage
end

--- Runs a command's function as the program's outermost task, with interruption.
---@param command table
---@return integer status
local function run_command(command, options, positional)
  local task = require "deskpilot.base.task"
  local state = {}
  return outcome(state, task.run(interrupter(command, state), function()
    state.main = task.current()
    return command.run(options, positional)
  end))
end

-- From here on a secret of the environment shows nowhere, and what is printed is safe for a terminal.
local function guard_output()
  require("deskpilot.model.secrets").register_environment(assert(require("luv").os_environ()))
  require("deskpilot.cli.terminal").install(io.stdout)
end

local function dispatch(name, words)
  guard_output()
  local args = require "deskpilot.cli.args"
  local loaded, command = xpcall(require, function(message) return tostring(message) end,
    command_list.module(name))
  if not loaded and require("deskpilot.base.errors").no_memory(command) then error(command, 0) end
  if not loaded then return complain("the command " .. name .. " does not load: " .. command) end
  local options, positional = args.parse(command.options or {}, words, command.arguments)
  if not options then return (command.refused or complain)(positional, words) end
  if options.help then
    io.stdout:write(args.help(name, command))
    return 0
  end
  if command.only_options and positional[1] then
    return complain(("%s takes options only, not '%s' (see deskpilot %s --help)"):format(name, positional[1], name))
  end
  return run_command(command, options, positional)
end

local special = {}

special["--version"] = function()
  io.stdout:write("deskpilot ", require("native.system").version, "\n")
  return 0
end

special["--help"] = function()
  io.stdout:write(general_help())
  return 0
end

special["-h"] = special["--help"]

-- The private desktop's keeper process; nobody types this.
special["--desktop-host"] = function(words)
  guard_output()
  return require("deskpilot.desk.private." .. require("native.system").platform .. ".host").main(words)
end

-- Has Windows open a file or an address with the application for it; nobody types this (desk/app/apps.lua).
special["--open"] = function(words)
  local ok, err = require("native.system").open(words[1] or "")
  if ok then return cli.status.succeeded end
  complain(tostring(err))
  return cli.status.failed
end

--- The program.
---@param words string[] the command line without the program's name
---@return integer status
function cli.main(words)
  local name = words[1]
  if not name then
    io.stderr:write(general_help())
    return cli.status.usage
  end
  local rest = { table.unpack(words, 2) }
  if special[name] then return special[name](rest) end
  if name == "help" then
    if not rest[1] then return special["--help"]() end
    return cli.main { rest[1], "--help" }
  end
  if command_list.has(name) then return dispatch(name, rest) end
  if name:sub(1, 1) == "-" then return no_option(name, rest) end
  return unknown(name)
end

return cli
