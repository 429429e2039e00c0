--- `deskpilot report RUN`: report.html beside a run's journal, made from the journal alone (cli/report/). What a
--- model or a screen said is escaped and never becomes markup. `deskpilot report A B` compares two runs.
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local reports = require "deskpilot.cli.report"
local terminal = require "deskpilot.cli.terminal"
local text = require "deskpilot.base.text"

local report = {
  summary = "Write report.html into a run directory, from its journal.",
  order = 70,
  usage = "report [RUN [OTHER]] [--output FILE]",
  options = {
    { name = "output", short = "o", value = "FILE",
      help = "write one file that holds the pictures too, to be taken elsewhere" },
  },
  details = [[
Without RUN it is the latest one in the folder `runs` (deskpilot runs lists them). The page shows the pictures of the
run's folder as they come into view; with --output they are a part of the file. Its keys: j and k go from turn to turn,
/ searches, b shows the picture after an act, ? lists them all.

With two runs they are compared on standard output: how each has ended, what it took, and their actions as one list.
With --output the comparison is a page, with their pictures side by side. Each of the two is a run directory or a
trajectory.json, which may be another program's.]],
  html = reports.html,
  write = reports.write,
}

local function no_run(folder)
  local latest = reports.latest(folder)
  return ("%s is no run directory%s"):format(folder, latest and ("; the latest one there is " .. latest)
    or ": there is no journal.jsonl in it")
end

-- Prints what two runs have in common, or writes it as a page.
local function compare(paths, output)
  local runs = {}
  for i, path in ipairs(paths) do
    local run, err, lost = require "deskpilot.agent.trajectory_import".read(path)
    if not run then
      terminal.complain(tostring(err))
      return 2
    end
    if lost then terminal.complain(path, ": ", lost) end
    runs[i] = run
  end
  if output then
    local html = require "deskpilot.cli.report.compared".html(runs, paths, reports.embedded)
    local ok, err = files.write(output, html, { private = true })
    if not ok then terminal.complain(tostring(err)) else terminal.put(output, "\n") end
    return ok and 0 or 2
  end
  for _, line in ipairs(require "deskpilot.cli.comparison".lines(runs[1], runs[2])) do terminal.put(line, "\n") end
  return 0
end

function report.run(options, positional)
  if #positional == 2 then return compare(positional, options.output) end
  local folder = positional[1] or reports.latest "."
  if not folder or #positional > 2 then
    terminal.complain(folder and "report takes one run, or two to compare"
      or "there is no run here: deskpilot report runs/NAME")
    return 2
  end
  if text.ends(folder, "/journal.jsonl") or folder == "journal.jsonl" then folder = (files.split(folder)) end
  local path, err, lost = report.write(folder, options.output)
  if not path and errors.is(err, "not_found") then err = no_run(folder) end
  if not path then
    terminal.complain(tostring(err))
    return 2
  end
  if lost then terminal.complain(lost) end
  terminal.put(path, "\n")
  return 0
end

return report
