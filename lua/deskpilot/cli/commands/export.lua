--- deskpilot export: a run as steps for other programs, or as a mission that does it again.
local continued = require "deskpilot.cli.continued"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local terminal = require "deskpilot.cli.terminal"

local command = {
  summary = "Make a mission of a run, which does it again with no model; or its trajectory.",
  order = 62,
  usage = "export RUN [RUN...] [--lua] [-o FILE]",
  options = {
    { name = "lua", help = "a mission in Lua: steps that find their targets by themselves, and the run's own check" },
    { name = "output", short = "o", value = "FILE",
      help = "the file (default: MISSION-replay.lua beside the mission)" }
  },
  details = [[
  deskpilot export runs/20260101T120000Z-calculator --lua
  deskpilot run calculator-replay.lua                       no model is asked
  deskpilot run calculator-replay.lua --heal                one is asked for a step whose target is gone

Each step finds what it acts on by role and name, else by its picture, else by its place in the window, and checks what
changed in the run. Several runs of one mission make one mission: what differs becomes parameters, or branches between
which the screen decides. Without --lua, RUN's trajectory.json is written anew from its journal (or into FILE).]],
}

local function write_lua(folders, options)
  local lua_export = require "deskpilot.replay.lua_export"
  local out = options.output
  if not out then
    local events = journal.read(folders[1])
    local start = events and events[1] or {}
    local file = type(start.file) == "table" and start.file or {}
    local name = tostring(start.mission or "mission"):gsub("[^%w_-]", "_") .. "-replay.lua"
    out = type(file.folder) == "string" and files.is_folder(file.folder) and files.join(file.folder, name) or name
  end
  local ok, err = lua_export.write(folders, out)
  if not ok then return nil, err end
  return out
end

local function write_trajectory(folder, options)
  local ok, err = require "deskpilot.agent.trajectory".write(folder, options.output)
  if not ok then return nil, err end
  return options.output or files.join(folder, "trajectory.json")
end

--- Runs it.
---@param options table as parsed from command.options
---@param positional string[]
---@return integer status
function command.run(options, positional)
  if #positional == 0 or not options.lua and #positional > 1 then
    terminal.complain(#positional == 0 and "export wants a run directory: deskpilot export RUN --lua"
      or "only missions are made of several runs: deskpilot export RUN RUN --lua")
    return 2
  end
  local folders = {}
  for i, word in ipairs(positional) do folders[i] = continued.folder(word) end
  local out, err
  if options.lua then out, err = write_lua(folders, options) else out, err = write_trajectory(folders[1], options) end
  if not out then
    terminal.complain(tostring(err))
    return 2
  end
  terminal.put(out, "\n")
  return 0
end

return command
