--- The manual page deskpilot(1), made of what the commands say of themselves. The language is that of man(7).
local args = require "deskpilot.cli.args"
local command_list = require "deskpilot.cli.command_list"
local system = require "native.system"
local text = require "deskpilot.base.text"

local man_page = {}

-- Words as they are to be read: a backslash, and a dot or an apostrophe at the beginning of a line, mean something.
local function plain(words)
  local lines = {}
  for line in text.lines(words) do
    lines[#lines + 1] = line:gsub("\\", "\\e"):gsub("%-", "\\-"):gsub("^[.']", "\\&%0")
  end
  return table.concat(lines, "\n")
end

local function option(list, one)
  local names = (one.short and "\\fB\\-" .. one.short .. "\\fR, " or "") .. "\\fB" .. plain("--" .. one.name) .. "\\fR"
  if one.value then names = names .. " \\fI" .. plain(one.value) .. "\\fR" end
  list[#list + 1] = ".TP\n" .. names .. "\n" .. plain(one.help)
end

local function command(list, name, module)
  list[#list + 1] = ".SS " .. plain(("deskpilot " .. (module.usage or name)):gsub("%s+", " "))
  list[#list + 1] = plain(module.summary)
  for _, one in ipairs(args.options(module.options)) do
    if one.name ~= "help" then option(list, one) end
  end
  if module.details then list[#list + 1] = ".PP\n.nf\n" .. plain(module.details) .. "\n.fi" end
end

--- The page.
---@return string roff
function man_page.make()
  local list = { ('.TH DESKPILOT 1 "" "deskpilot %s" "User Commands"'):format(system.version), [[
.SH NAME
deskpilot \- automate live desktops by Lua scripts and vision models
.SH SYNOPSIS
.B deskpilot
.I COMMAND
[\fIOPTIONS\fR]
.SH DESCRIPTION
deskpilot gives Lua the machine: the screen, mouse, keyboard, windows, what accessibility tells of applications,
browsers and HTTP. A mission is a Lua file: a script that acts on a desktop, or a task that an agent does with a model.
All that decides is Lua, which its user reads and changes.
.PP
To begin with:
.PP
.nf
deskpilot doctor
deskpilot run calculator \-\-model literal
.fi
.SH COMMANDS
Each takes \fB\-h\fR, \fB\-\-help\fR as well.]] }
  for _, one in ipairs(command_list.all()) do command(list, one.name, one.module) end
  list[#list + 1] = [[
.SH EXIT STATUS
.TP
.B 0
It succeeded.
.TP
.B 1
It ran and did not succeed.
.TP
.B 2
The command line, the mission or the configuration is wrong.
.TP
.B 3
The machine lacks something: a display, a model server.
.TP
.B 130
It was interrupted.
.SH ENVIRONMENT
Each configuration key has a variable: that of \fBlimits.turns\fR is \fBDESKPILOT_LIMITS_TURNS\fR. Shorter ones are
\fBDESKPILOT_MODEL\fR, \fBDESKPILOT_ENDPOINT\fR and \fBDESKPILOT_PROVIDER\fR. A key of a model server is read from
\fBDESKPILOT_API_KEY\fR. \fBdeskpilot config\fR shows the values and where they come from.
.SH FILES
.TP
.I deskpilot.lua
The configuration of a project.
.TP
.I deskpilot/
Its own policies, tools, guards, prompts and profiles.
.TP
.I runs/
What runs leave: the journal, pictures, the result.]]
  return table.concat(list, "\n") .. "\n"
end

return man_page
