--- deskpilot resume: goes on with a run that was killed, crashed, timed out or was stopped.
local continued = require "deskpilot.cli.continued"
local running = require "deskpilot.cli.running"

local command = {
  summary = "Go on with a run that was killed, crashed, timed out or was stopped.",
  order = 12,
  usage = "resume RUN [--from TURN] [OPTIONS]",
  options = continued.options {
    { name = "from", value = "TURN",
      help = "go on from the end of that turn, not of the last one that was finished" } },
  details = [[
RUN is a run directory. A new one is made beside it, which names it as its parent. The mission is the copy that RUN has
kept; the history, the policy's state and what is left of limits.turns and limits.seconds go on; a private desktop and
its applications are started again. What the command line of RUN said holds again, unless it is said anew:

  deskpilot resume runs/20260101T120000Z-form
  deskpilot resume runs/20260101T120000Z-form --from 7 --policy odev --set limits.turns=80

A run that has succeeded is not resumed (see deskpilot fork). A script is started from its beginning, and only where its
mission says `resumable = true`.

]] .. running.statuses,
  refused = running.refused,
  interrupted = running.interrupted,
}

--- Goes on with the run named on the command line.
---@param options table as parsed from command.options
---@param positional string[]
---@return integer status the exit status (docs/missions.md)
function command.run(options, positional)
  if #positional ~= 1 then
    return running.refuse(options, 2, "resume wants one run directory: deskpilot resume RUN")
  end
  local turn, why
  if options.from then
    turn, why = continued.turn("from", options.from)
    if not turn then return running.refuse(options, 2, why) end
  end
  return running.start(options, function()
    return continued.order(options, continued.folder(positional[1]), { turn = turn })
  end)
end

return command
