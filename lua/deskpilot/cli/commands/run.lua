--- deskpilot run: a mission from its file to its debrief.
local running = require "deskpilot.cli.running"
local shipped_files = require "native.shipped"
local text = require "deskpilot.base.text"

local function shipped_missions()
  local names = {}
  for _, file in ipairs(shipped_files.list "missions/") do
    names[#names + 1] = file:match("^missions/([%w_]+)%.lua$")
  end
  return text.join(names)
end

local command = {
  summary = "Run a mission: let an agent do a task, or run a script.",
  order = 10,
  usage = "run MISSION [OPTIONS] [-- ARGUMENT...]",
  arguments = true, -- for the mission: m.args
  options = running.options,
  details = ([[
MISSION is a file, or the name of one that ships: %s.

  deskpilot run calculator --model literal                  no model server is needed
  deskpilot run calculator --provider ollama --model NAME
  deskpilot run mine.lua --desktop private --set limits.turns=20
  deskpilot run rename -- ~/Pictures/harbour                what follows -- is for the mission: m.args

]]):format(shipped_missions()) .. running.statuses,
  refused = running.refused,
  interrupted = running.interrupted,
}

--- Runs the mission named on the command line.
---@param options table as parsed from command.options
---@param positional string[]
---@return integer status the exit status (docs/missions.md)
function command.run(options, positional)
  if #positional == 0 then
    return running.refuse(options, 2,
      "run needs a mission, a file or the name of one that ships: deskpilot run calculator")
  elseif #positional > 1 then
    return running.refuse(options, 2, ("run takes one mission, not %s; what is for the mission stands after --")
      :format(table.concat(positional, " and ")))
  end
  return running.start(options, function() return { name = positional[1], args = options.arguments } end)
end

return command
