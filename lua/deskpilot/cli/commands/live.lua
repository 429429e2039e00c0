--- `deskpilot live RUN`: the page of a run that goes on in another process.
local files = require "deskpilot.base.files"
local live = require "deskpilot.cli.live"
local old_runs = require "deskpilot.agent.old_runs"
local reports = require "deskpilot.cli.report"
local terminal = require "deskpilot.cli.terminal"
local text = require "deskpilot.base.text"

local command = {
  summary = "Show the page of a run while it goes on.",
  order = 13,
  usage = "live [RUN]",
  options = {},
  details = [[
RUN is the folder of a run that goes on in another process; without it, the latest one. Of a run that was started with
--live the address of its own page is printed, by which it is controlled: pause, one step, stop, answer, approve or
refuse, take over, give back. Any other run is shown by a page that this command serves until the run is over, and that
can only be looked at. Pages are served on 127.0.0.1 alone, to who knows the whole address.]],
}

--- Shows it.
---@param positional string[]
---@return integer status
function command.run(_, positional)
  local folder = positional[1] or reports.latest "."
  if not folder or #positional > 1 then
    terminal.complain(folder and "live takes one run" or "there is no run here: deskpilot live runs/NAME")
    return 2
  end
  if text.ends(folder, "/journal.jsonl") then folder = (files.split(folder)) end
  if not files.exists(files.join(folder, "journal.jsonl")) then
    terminal.complain(folder, " is no run directory: there is no journal.jsonl in it")
    return 2
  end
  if not old_runs.is_held(folder) then
    terminal.complain("that run is over: deskpilot report ", folder)
    return 1
  end
  local own = live.of(folder)
  if own then
    terminal.put(own.url, "\n")
    return 0
  end
  local ok, err = live.watch(folder)
  if not ok then terminal.complain(tostring(err)) end
  return ok and 0 or 1
end

return command
