--- deskpilot fork: starts another branch from a turn of a run.
local continued = require "deskpilot.cli.continued"
local running = require "deskpilot.cli.running"

local command = {
  summary = "Start another branch from a turn of a run, however that run ended.",
  order = 13,
  usage = "fork RUN --turn N [OPTIONS]",
  options = continued.options {
    { name = "turn", value = "N", help = "the turn after whose end the branch begins; 0 is the beginning" } },
  details = [[
As deskpilot resume, but from any turn that was finished, and also of a run that has succeeded:

  deskpilot fork runs/20260101T120000Z-form --turn 4 --policy odev

]] .. running.statuses,
  refused = running.refused,
  interrupted = running.interrupted,
}

--- Starts the branch.
---@param options table as parsed from command.options
---@param positional string[]
---@return integer status the exit status (docs/missions.md)
function command.run(options, positional)
  if #positional ~= 1 or not options.turn then
    return running.refuse(options, 2, "fork wants one run directory and a turn: deskpilot fork RUN --turn N")
  end
  local turn, why = continued.turn("turn", options.turn)
  if not turn then return running.refuse(options, 2, why) end
  return running.start(options, function()
    return continued.order(options, continued.folder(positional[1]), { turn = turn, fork = true })
  end)
end

return command
