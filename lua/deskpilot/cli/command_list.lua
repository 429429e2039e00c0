--- The commands are the files of cli/commands/ that ship: one is added by adding its file.
local shipped_files = require "native.shipped"

local command_list = {}

local folder, modules = "deskpilot/cli/commands/", "deskpilot.cli.commands."

--- The module of a command.
---@param name string
---@return string module as `require` takes it
function command_list.module(name) return modules .. name end

---@param name string
---@return boolean
function command_list.has(name)
  return name:find "^%l+$" ~= nil and shipped_files.read(folder .. name .. ".lua") ~= nil
end

---@return string[] names sorted
function command_list.names()
  local names = {}
  for i, file in ipairs(shipped_files.list(folder)) do
    names[i] = file:match "(%l+)%.lua$" -- pattern: names that ship
  end
  return names
end

--- All of them, loaded, in the order in which the help lists them.
---@return { name: string, module: deskpilot.command }[]
function command_list.all()
  local commands = {}
  for i, name in ipairs(command_list.names()) do commands[i] = { name = name, module = require(modules .. name) } end
  table.sort(commands, function(a, b) return a.module.order < b.module.order end)
  return commands
end

---@class deskpilot.command
---@field summary string one line
---@field usage string? what follows "deskpilot "
---@field options deskpilot.option[]?
---@field details string? more words for its help
---@field order number its place in the help
---@field only_options boolean? whether it takes nothing else
---@field arguments boolean? whether what follows "--" is not its own
---@field run fun(options: table, positional: string[]): integer?

return command_list
